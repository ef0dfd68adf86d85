"""What the command line prints and where: results on stdout; notes, progress and errors on stderr."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.text import Text

from quantail.release.progress import Progress
from quantail.release.watching import progress_bar
from quantail.visible import visible, visible_json, without_credentials

if TYPE_CHECKING:
    from rich.table import Table

INTERNAL = "INTERNAL: computed from confidential rows without noise, so not differentially private."

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say(*lines: str, style: str = "") -> None:
    """Print a result; long lines are left to the terminal, so that paths can be copied and searched for."""
    for line in lines or ("",):
        out.print(plain(line, style), soft_wrap=True)


def note(*lines: str, style: str = "dim") -> None:
    """Print a remark that is not a result."""
    for line in lines:
        err.print(plain(line, style), soft_wrap=True)


def plain(line: str, style: str = "") -> Text:
    """Make a line that is shown as it is: names in it can neither mark it up, nor break it, nor speak to the terminal.

    Addresses are shown without user and password.
    Everything that is printed passes through here, but for JSON and for messages about options.
    """
    return Text(visible(without_credentials(line)), style=style)


def table(texts: Sequence[str], numbers: Sequence[str] = (), title: str = "") -> "Table":
    """Return an empty table with these columns, those of numbers on the right; `out.print` shows it."""
    from rich.table import Table

    made = Table(title=title or None, box=None, pad_edge=False, header_style="bold", title_justify="left")
    for name in texts:
        made.add_column(plain(name), overflow="fold")
    for name in numbers:
        made.add_column(plain(name), justify="right")
    return made


def cores() -> int:
    """Return how many processes may share work."""
    return os.cpu_count() or 1


def warn(text: str) -> None:
    """Print a remark that somebody must not miss."""
    note(text, style="bold yellow")


def print_json(value: Any) -> None:
    """Print plain values as JSON, for programs."""
    typer.echo(as_json(value), nl=False)


def as_json(value: Any) -> str:
    """Write plain values as readable JSON text that ends in a newline."""
    return visible_json(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)) + "\n"


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Progress]:
    """Show a progress bar on stderr while the block runs; none with `quiet` or when nobody watches.

    Yields
    ------
    callable
        Takes the name of the current step and the fraction done, from 0 to 1.
    """
    if quiet or not err.is_terminal:
        yield lambda step, fraction: None
        return
    with progress_bar(title, err) as report:
        yield report
