"""What a measure is: its name, range, direction, null value and source, apart from any value it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Direction = Literal["lower", "higher"]

Family = Literal["overall", "columns", "tails", "relations", "counts", "regressions", "panels"]

SHARE = (0.0, 1.0)


@dataclass(frozen=True)
class Measure:
    """The definition of a measure; unless it says otherwise, an error of any size, the smaller the better."""

    name: str  # the key in results and on the command line
    title: str  # what people call it
    family: Family  # group of measures that it belongs to; a family may be asked for by name
    meaning: str  # what it says, in one plain sentence
    null: str  # what an independent sample of the same population gets, and how that is found
    reference: str  # where the measure comes from
    range: tuple[float, float] = (0.0, float("inf"))  # smallest and largest possible value
    direction: Direction = "lower"  # which values are better
    best: float = 0.0  # the best possible value

    def to_dict(self) -> dict[str, Any]:
        """Give the definition as plain values, ready for JSON; an endless range ends in None."""
        fields = ("name", "title", "family", "meaning", "range", "direction", "best", "null", "reference")
        stated = {field: getattr(self, field) for field in fields}
        return stated | {"range": [None if abs(end) == float("inf") else end for end in self.range]}
