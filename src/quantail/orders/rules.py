"""Public rules of the paper's orders: how long lists of candidates are, and how finely an index is rounded."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from quantail.arrays import Floats
from quantail.curves.grid import wide
from quantail.curves.slopes import SLOPE_RULES, SlopeRules


@dataclass(frozen=True)
class LineRules:
    """The rules of a release; the audit has shorter lists, so that they can be enumerated."""

    smallest: float = 1e-5  # smallest distance of a candidate, as a share of the largest
    ratio: tuple[float, float] = (1.04, 1.09)  # of neighbouring distances; coarser where a line has two ends
    # offset at index 1 over that at index 0
    tilts: tuple[float, ...] = (0.25, 0.4, 0.6, 0.8, 1.0, 1.25, 1.7, 2.5, 4.0)
    parts: tuple[int, int] = (120, 40)  # candidates between two released lines, with one end and with two
    # how much farther along such a candidate lies at one end
    leans: tuple[float, ...] = tuple(np.linspace(-0.3, 0.3, 7).tolist())
    places: int = 33  # an index is rounded to so many places before it is scored
    # from the ends of a scale, and whether it is logarithmic, to candidates for a median
    intercepts: Callable[[float, float, bool], Floats] = wide
    simulated_rows: int = 2**14  # rows that are simulated from released columns to find the range of an index
    slopes: SlopeRules = SLOPE_RULES  # rules of the slopes of the median plane


LINE_RULES = LineRules()
