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
    """The definition of a measure.

    Parameters
    ----------
    name : str
        The key in results and on the command line.
    title : str
        What people call it.
    family : str
        Group of measures that it belongs to; a family may be asked for by name.
    meaning : str
        What it says, in one plain sentence.
    range : pair of float
        Smallest and largest possible value.
    direction : {"lower", "higher", "closer"}
        Which values are better; "closer" to `best`.
    best : float
        The best possible value.
    null : str
        What an independent sample of the same population gets, and how that is found.
    reference : str
        Where the measure comes from.
    """

    name: str
    title: str
    family: Family
    meaning: str
    range: tuple[float, float]
    direction: Direction
    best: float
    null: str
    reference: str

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
