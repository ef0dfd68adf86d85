"""Public rules of the paper's orders: how long lists of candidates are, and how finely an index is rounded."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantail.curves.grid import wide
from quantail.curves.slopes import SLOPE_RULES, SlopeRules

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LineRules:
    """The rules of a release; the audit has shorter lists, so that they can be enumerated.

    Attributes
    ----------
    smallest : float
        Smallest distance of a candidate, as a share of the largest.
    ratio : pair of float
        Of neighbouring distances; coarser where a line has two ends.
    tilts : tuple of float
        Offset at index 1 over that at index 0.
    parts : pair of int
        Candidates between two released lines, with one end and with two.
    leans : tuple of float
        How much farther along such a candidate lies at one end.
    places : int
        An index is rounded to so many places before it is scored.
    intercepts : callable
        From the ends of a scale, and whether it is logarithmic, to candidates for a median.
    simulated_rows : int
        Rows that are simulated from released columns to find the range of an index.
    slopes : SlopeRules
        Rules of the slopes of the median plane.
    """

    smallest: float = 1e-5
    ratio: tuple[float, float] = (1.04, 1.09)
    tilts: tuple[float, ...] = (0.25, 0.4, 0.6, 0.8, 1.0, 1.25, 1.7, 2.5, 4.0)
    parts: tuple[int, int] = (120, 40)
    leans: tuple[float, ...] = tuple(np.linspace(-0.3, 0.3, 7).tolist())
    places: int = 33
    intercepts: Callable[[float, float, bool], Floats] = wide
    simulated_rows: int = 2**14
    slopes: SlopeRules = SLOPE_RULES


LINE_RULES = LineRules()
