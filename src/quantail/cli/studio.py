"""`quantail studio`: the whole path on a page of this machine."""

from pathlib import Path
from typing import Annotated

import typer

from quantail.cli.console import note, say
from quantail.errors import OptionError

EXAMPLE = "quantail studio ."


def studio(
    folder: Annotated[
        Path, typer.Argument(help="The folder to work in; the studio sees nothing outside of it.")
    ] = Path(),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of this machine; 0 chooses one that is free.")
    ] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address only, and open no browser.")
    ] = False,
) -> None:
    """Work in a browser: schema, plan, ledger, release, card and report, from a table of this folder.

    The page is served on 127.0.0.1 to whoever holds the address that is printed, which carries a token: keep it to
    yourself. Nothing leaves the machine. Stop with Ctrl-C; a release that is running goes on and is shown next time.
    """
    try:
        from quantail.studio.access import Access
        from quantail.studio.folder import Folder
        from quantail.studio.server import browser_at, listening, serve
    except ModuleNotFoundError as error:
        if error.name == "fcntl":
            raise OptionError("the studio runs on Linux and macOS; use the other commands here") from None
        if (error.name or "").partition(".")[0] not in ("starlette", "jinja2", "uvicorn", "markupsafe"):
            raise
        raise OptionError(
            "the studio needs packages that are not installed: pip install 'quantail[studio]'"
        ) from None
    from contextlib import nullcontext

    work = Folder.of(folder)
    with listening(port) as opened:
        access = Access(opened.getsockname()[1])
        say(f"Studio of {work.root}", style="bold")
        say(access.address)
        note("Only for you: the address carries a token. Stop with Ctrl-C.")

        def missing() -> None:
            note("No browser was found here: open the address yourself.")

        with nullcontext() if no_browser else browser_at(access.address, missing):
            serve(work, opened, access)
