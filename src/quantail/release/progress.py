"""Progress of a fit: a callback is told what is worked on, and the share of all the work that is done."""

from collections.abc import Callable

Progress = Callable[[str, float], None]


def part_progress(progress: Progress | None, place: int, parts: int, prefix: str = "") -> Progress | None:
    """Return a function that reports one of several parts of the work, which take as long, as a share of all of it."""
    if progress is None:
        return None
    return lambda name, done: progress(prefix + name, (place + done) / parts)


def group_progress(
    progress: Progress | None, done: int, groups: int, columns: int, group: str = ""
) -> Callable[[str], None]:
    """Return a function that reports a column, of a group if that has a name, as a share of all the work."""
    state = {"columns": 0}

    def tell(name: str) -> None:
        if progress is not None:
            label = f"{group}: {name}" if group else name
            progress(label, (done + state["columns"] / columns) / groups)
        state["columns"] += 1

    return tell
