"""What an evaluation gives back: a tidy list of measures, and what was left out and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from quantail.errors import DataError

Direction = Literal["lower", "higher"]


@dataclass(frozen=True)
class Measure:
    """One number about how close two tables are.

    Parameters
    ----------
    name : str
        Name of the measure.
    value : float
        Its value.
    direction : {"lower", "higher"}
        Which values are better.
    best : float
        The best possible value.
    columns : tuple of str
        The columns it speaks of; for regressions the response first.
    """

    name: str
    value: float
    direction: Direction
    best: float
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Skipped:
    """A measure that has no value on these tables, and the reason."""

    name: str
    columns: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Evaluation:
    """All measures of one comparison, computed from real rows without noise: not private, internal only."""

    measures: tuple[Measure, ...]
    skipped: tuple[Skipped, ...] = ()

    def __iter__(self) -> Iterator[Measure]:
        """Go through the measures in order."""
        return iter(self.measures)

    def __len__(self) -> int:
        """Count the measures."""
        return len(self.measures)

    def value(self, name: str, columns: tuple[str, ...] | None = None) -> float:
        """Look up one measure; `columns` is needed only where a name occurs more than once."""
        found = [m for m in self.measures if m.name == name and columns in (None, m.columns)]
        if len(found) != 1:
            problem = "is not among the results" if not found else "occurs more than once; name its columns"
            raise DataError(f"measure {name} {problem}.")
        return found[0].value

    def to_dicts(self) -> list[dict[str, Any]]:
        """List the measures as plain dictionaries, ready for JSON or a data frame."""
        return [
            {
                "name": m.name,
                "columns": list(m.columns),
                "value": m.value,
                "direction": m.direction,
                "best": m.best,
            }
            for m in self.measures
        ]
