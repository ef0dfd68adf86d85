"""Progress where a person watches: a bar in a terminal, a line in a notebook, nothing where nobody looks."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from quantail.markup import element
from quantail.release.progress import Progress
from quantail.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

Watch = Progress | Literal[False] | None
"""Who is told of progress: a function; nobody (False); or whoever watches (None)."""

_SOON = 0.5  # seconds between two lines of a notebook, which are sent to a browser


@contextmanager
def watched(watch: Watch, title: str) -> Iterator[Progress | None]:
    """Yield the function that is told of progress while the block runs, or None if nobody is."""
    if watch is False or watch is not None:
        yield watch or None
    elif (display := _notebook_display()) is not None:
        with _line(title, display) as tell:
            yield tell
    elif sys.stderr is not None and sys.stderr.isatty():
        from rich.console import Console

        with progress_bar(title, Console(stderr=True, highlight=False)) as tell:
            yield tell
    else:
        yield None


@contextmanager
def progress_bar(title: str, console: "Console") -> Iterator[Progress]:
    """Show a bar, the time that went by and the time to go, on a terminal while the block runs."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    # Without markup: a step is the name of a column, which may hold anything.
    looks = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
    )
    times = (TimeElapsedColumn(), TextColumn("to go"), TimeRemainingColumn())
    with Bar(*looks, *times, console=console, transient=True) as bar:
        task = bar.add_task(title, total=1.0)

        def tell(step: str, fraction: float) -> None:
            shown = f"{title}: {visible(step)}" if step else title
            bar.update(task, description=shown, completed=fraction)

        yield tell


@contextmanager
def _line(title: str, display: Any) -> Iterator[Progress]:
    """Show one line in a notebook, which is gone when the block is over."""
    start = last = time.monotonic()
    handle = None

    def tell(step: str, fraction: float) -> None:
        nonlocal handle, last
        now = time.monotonic()
        if now - last < _SOON:
            return
        last = now
        page = _html(f"{title}: {step}, {fraction:.0%}{_to_go(now - start, fraction)}")
        if handle is None:
            handle = display(page, raw=True, display_id=True)
        else:
            handle.update(page, raw=True)

    try:
        yield tell
    finally:
        if handle is not None:
            handle.update(_html(""), raw=True)


def _html(text: str) -> dict[str, str]:
    return {"text/html": str(element("i", visible(text))) if text else "", "text/plain": visible(text)}


def _to_go(elapsed: float, fraction: float) -> str:
    if not 0 < fraction < 1:
        return ""
    seconds = elapsed * (1 - fraction) / fraction
    return f", about {seconds:.0f} s to go" if seconds < 120 else f", about {seconds / 60:.0f} min to go"


def _notebook_display() -> Any:
    """Return the function by which a notebook shows things, or None elsewhere; IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return import_module("IPython.display").display
