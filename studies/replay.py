"""Does a stored study still come out? One row of every method, computed again with the code of today.

A row holds its seed and the kind of its noise, so those with simulated noise, or none, can be computed again: equal in
every digit that is shown, or the study is older than what it describes. `python -m studies replay` prints a line for
each method of each folder.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from studies import coverage
from studies.ablation.study import STEPS, synthesize_step
from studies.journal import JOURNAL, Row, plain, read_journal
from studies.lbd.methods import LBD_METHODS
from studies.lbd.runner import PanelTask, run_task
from studies.simulation.methods import METHODS, synthesize
from studies.simulation.runner import Task, replicate

RESULTS = Path(__file__).resolve().parent / "results"
_NOT_COMPARED = ("seconds", "diagnostics", "profile")
_TOLERANCE = (
    1e-4  # of a figure: classifiers stop at a tolerance of their own, which a newer library may change
)


@dataclass(frozen=True)
class Replay:
    """One row computed again.

    Attributes
    ----------
    verdict : str
        "same"; the first figure that differs; or why the row cannot be computed again.
    """

    folder: str
    method: str
    seconds: float
    verdict: str

    @property
    def stale(self) -> bool:
        """Whether the study is older than what it describes."""
        return self.verdict != "same"


def folders(root: Path = RESULTS) -> list[Path]:
    """Return the folders of stored studies that have a journal whose rows can be computed again."""
    found = sorted(path.parent for path in root.rglob(JOURNAL))
    return [path for path in found if read_journal(path / JOURNAL)[0]["study"] in _AGAIN]


def replays(folder: Path, methods: set[str] | None = None) -> Iterator[Replay]:
    """Compute the cheapest row of every method of a folder again."""
    settings, rows = read_journal(folder / JOURNAL)
    again = _AGAIN[settings["study"]]
    cheapest: dict[str, Row] = {}
    for row in rows:
        method = row.get("method", "coverage")
        if row.get("noise") == "secure" or (methods is not None and method not in methods):
            continue
        if method not in cheapest or row["seconds"] < cheapest[method]["seconds"]:
            cheapest[method] = row
    for method, row in cheapest.items():
        yield Replay(folder.name, method, row["seconds"], _verdict(row, again))


def _verdict(row: Row, again: Callable[[Row], Row | None]) -> str:
    fresh = again(row)
    if fresh is None:
        return "a method of this name no longer exists"
    return difference(row, plain(fresh)) or "same"


def difference(stored: Any, fresh: Any, where: str = "") -> str:
    """Name the first place where two rows differ; empty if they do not.

    Examples
    --------
    >>> difference({"km": 1.0, "seconds": 3}, {"km": 1.0, "seconds": 4}), difference({"km": 1.0}, {"km": 2.0})
    ('', 'km: 2.0 for 1.0')
    """
    if isinstance(stored, Mapping) and isinstance(fresh, Mapping):
        for name in stored.keys() & fresh.keys():  # newer studies may have measured more
            if name not in _NOT_COMPARED and (found := difference(stored[name], fresh[name], name)):
                return found
        return ""
    if isinstance(stored, list) and isinstance(fresh, list):
        if len(stored) != len(fresh):
            return f"{where}: {len(fresh)} values for {len(stored)}"
        return next((f for s, n in zip(stored, fresh, strict=True) if (f := difference(s, n, where))), "")
    if isinstance(stored, float) and isinstance(fresh, float | int):
        same = math.isclose(stored, fresh, rel_tol=_TOLERANCE, abs_tol=1e-12)
    else:
        same = stored == fresh
    return "" if same else f"{where}: {fresh} for {stored}"


def _simulation(row: Row) -> Row | None:
    return replicate(_as(Task, row), synthesize) if row["method"] in METHODS else None


def _ablation(row: Row) -> Row | None:
    return replicate(_as(Task, row), synthesize_step) if row["method"] in STEPS else None


def _panel(row: Row) -> Row | None:
    return run_task(_as(PanelTask, row)) if row["method"] in LBD_METHODS else None


def _coverage(row: Row) -> Row:
    return coverage.replicate(_as(coverage.CoverageTask, row))


def _as(kind: type[Any], row: Row) -> Any:
    return kind(**{field.name: row[field.name] for field in fields(kind)})


_AGAIN: dict[str, Callable[[Row], Row | None]] = {
    "simulation": _simulation,
    "epsilon-curves": _simulation,
    "ablation": _ablation,
    "lbd": _panel,
    "coverage": _coverage,
}
