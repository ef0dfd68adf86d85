"""Start the studio: bind to this machine alone, say where it is, open a browser, and serve until stopped."""

import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path

import uvicorn

from quantail.errors import OptionError
from quantail.studio.access import HOST, Access
from quantail.studio.app import studio_app
from quantail.studio.folder import Folder


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """Open a port of this machine that nobody else on the network can reach; 0 chooses a free one."""
    opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((HOST, port))
        opened.listen()  # whoever comes before the server is up waits, and is not turned away
    except OSError as error:
        opened.close()
        raise OptionError(
            f"--port {port} cannot be used ({error.strerror}); choose another, or leave it out"
        ) from None
    try:
        yield opened
    finally:
        opened.close()


def serve(folder: Folder, opened: socket.socket, access: Access) -> None:
    """Serve the studio of a folder until it is interrupted; nothing is logged, because addresses and errors tell."""
    # No extras of the protocol: neither web sockets nor names of proxies are believed.
    config = uvicorn.Config(
        studio_app(folder, access),
        log_config=None,
        access_log=False,
        ws="none",
        lifespan="off",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    uvicorn.Server(config).run(sockets=[opened])


@contextmanager
def browser_at(address: str, missing: Callable[[], None]) -> Iterator[None]:
    """Open a browser, by way of a file that only this user can read: what programs are called with, all users can see.

    `missing`: called if no browser was found.
    """

    def show() -> None:
        if not webbrowser.open(page.as_uri()):
            missing()

    with tempfile.TemporaryDirectory(prefix="quantail-") as folder:
        page = Path(folder) / "studio.html"
        page.touch(mode=0o600)
        page.write_text(
            f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(address)}"><title>Quantail</title>',
            encoding="utf-8",
        )
        threading.Thread(target=show, daemon=True).start()  # some browsers return only when they are closed
        yield
