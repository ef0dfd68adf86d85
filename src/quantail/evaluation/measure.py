"""What a measure is: its name, range, direction, null value and source, apart from any value it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Direction = Literal["lower", "higher", "closer"]
"""Which values are better; "closer" means closer to `Measure.best`, from either side."""

Family = Literal["overall", "columns", "tails", "relations", "counts", "regressions", "panels"]

ENDLESS = (0.0, float("inf"))
SHARE = (0.0, 1.0)


@dataclass(frozen=True)
class Measure:
    """The definition of a measure."""

    name: str  # the key in results and on the command line
    title: str  # what people call it
    family: Family  # group of measures that it belongs to; a family may be asked for by name
    meaning: str  # what it says, in one plain sentence
    range: tuple[float, float]  # smallest and largest possible value
    direction: Direction  # which values are better; "closer" to `best`
    best: float  # the best possible value
    null: str  # what an independent sample of the same population gets, and how that is found
    reference: str  # where the measure comes from

    def to_dict(self) -> dict[str, Any]:
        """Give the definition as plain values, ready for JSON; an endless range ends in None."""
        low, high = (None if abs(end) == float("inf") else end for end in self.range)
        return {
            "name": self.name,
            "title": self.title,
            "family": self.family,
            "meaning": self.meaning,
            "range": [low, high],
            "direction": self.direction,
            "best": self.best,
            "null": self.null,
            "reference": self.reference,
        }
