"""Does a stored study still come out? One row of every method, computed again with the code of today.

Equal in every digit that is shown, or the study is older than what it describes. `python -m studies replay` prints a
line for each method of each folder. With `--write` the outcome is kept in `provenance.json` beside the results: the
command of the study, and for every method the fingerprint of the code with which its row was last computed again and
the verdict. Verdicts other than "same" are listed in studies/README.md, the one place for rows known to be stale.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.catalogue import RESULTS
from studies.journal import JOURNAL, Row, plain, read_journal
from studies.kinds import KINDS, method_of

PROVENANCE = "provenance.json"
SAME = "same"
PENDING = "not computed again yet"
"""The verdict of rows that nobody has replayed: listed with the stale ones, and neither same nor stale."""

_NOT_COMPARED = ("seconds", "diagnostics", "profile")
_TOLERANCE = (
    1e-4  # of a figure: classifiers stop at a tolerance of their own, which a newer library may change
)


@dataclass(frozen=True)
class Replay:
    """One row computed again.

    Attributes
    ----------
    code : str
        Fingerprint of the code that computed it.
    verdict : str
        "same"; the first figure that differs; or why the row cannot be computed again.
    """

    folder: str
    method: str
    code: str
    verdict: str

    @property
    def stale(self) -> bool:
        """Whether the study is older than what it describes."""
        return self.verdict != SAME


def folders(root: Path = RESULTS) -> list[Path]:
    """Return the folders of stored studies."""
    return sorted(path.parent for path in root.rglob(JOURNAL))


def replays(folder: Path, methods: Sequence[str] | None = None) -> Iterator[Replay]:
    """Compute the cheapest row of every method of a folder again."""
    settings, rows = read_journal(folder / JOURNAL)
    kind = KINDS[settings["study"]]
    for method, row in cheapest(rows).items():
        if methods is None or method in methods:
            yield Replay(folder.name, method, kind.fingerprint(method), _verdict(row, kind.again))


def cheapest(rows: Sequence[Row]) -> dict[str, Row | None]:
    """Return for every method the row that takes least time; None where secure noise was used in all of them."""
    found: dict[str, Row | None] = {method_of(row): None for row in rows}
    for row in rows:
        best = found[method_of(row)]
        if row.get("noise") != "secure" and (best is None or row.get("seconds", 0) < best.get("seconds", 0)):
            found[method_of(row)] = row
    return found


def known(folder: Path) -> dict[str, Any]:
    """Return what is kept about a folder: its command, and code and verdict of every method."""
    path = folder / PROVENANCE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"command": "", "methods": {}}


def keep(folder: Path, command: str, found: Sequence[Replay]) -> None:
    """Write the command of a folder's study and what replays found; methods that were not replayed stay as known."""
    rows = read_journal(folder / JOURNAL)[1]
    methods = known(folder)["methods"] | {
        replay.method: {"code": replay.code, "verdict": replay.verdict} for replay in found
    }
    there = sorted({method_of(row) for row in rows} & methods.keys())
    content = {"command": command, "methods": {method: methods[method] for method in there}}
    (folder / PROVENANCE).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def changed(folder: Path) -> list[str]:
    """Return the methods whose code is not that of their last replay, or whose row did not come out."""
    settings, rows = read_journal(folder / JOURNAL)
    kind, methods = KINDS[settings["study"]], known(folder)["methods"]
    return [
        method
        for method in dict.fromkeys(map(method_of, rows))
        if methods.get(method) != {"code": kind.fingerprint(method), "verdict": SAME}
    ]


def _verdict(row: Row | None, again: Any) -> str:
    fresh = None if row is None else again(row)
    if row is None or fresh is None:
        return "no row of it can be computed again"
    return difference(row, plain(fresh)) or SAME


def difference(stored: Any, fresh: Any, where: str = "") -> str:
    """Name the first place where two rows differ; empty if they do not.

    Examples
    --------
    >>> difference({"km": 1.0, "seconds": 3}, {"km": 1.0, "seconds": 4}), difference({"km": 1.0}, {"km": 2.0})
    ('', 'km: 2 for 1')
    """
    if isinstance(stored, Mapping) and isinstance(fresh, Mapping):
        for name in stored:  # newer studies may have measured more
            if (
                name in fresh
                and name not in _NOT_COMPARED
                and (found := difference(stored[name], fresh[name], name))
            ):
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
    return "" if same else f"{where}: {_shown(fresh)} for {_shown(stored)}"


def _shown(value: Any) -> str:
    return f"{value:.5g}" if isinstance(value, float) else str(value)
