"""Heaps at the lowest value, noticed by themselves: zeros that nobody declared.

Of every column of many values one count is asked through the gate: how many rows hold the lowest value. Believed beyond
its noise, it is an atom: rows in it are absent to slopes and curves, as those of a declared one are
(privacy/proofs/absent.md), and the law of the column's cells knows their share. Proof: privacy/proofs/counts.md.
"""

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.curves import AtomCurve, Scale, Vector
from quantail.curves.slope import Slope
from quantail.curves.tuning import ALONE
from quantail.privacy import Gate, Plan
from quantail.table.tuning import LEFT_BEYOND, LINEAR_LOWEST_DOUBT, LOWEST_DOUBT, MOST_HEAPED


def draw_lowest(gate: Gate, leaf: Plan, values: Vector | Floats, scale: Scale, present: float) -> float:
    """Release how many rows hold the lowest value; return their share, 0 where noise alone could show so many.

    Parameters
    ----------
    values : Vector or array
        Confidential values, spread over their lattice cells, on the modelling scale; NaN where absent.
    present : float
        Released number of rows that have a number.
    """
    _, high = scale.lowest_cell

    def count(part: Floats) -> Integers:
        return np.array([np.count_nonzero(part <= high)])

    (found,) = gate.histogram(leaf, Vector.of(values).total(count), 1).tolist()
    noise = gate.histogram_noise(leaf, 1).deviation / 2**0.5
    # Twice as many rows as the noise is large may lie beyond: were none left, a curve would be drawn from nothing.
    most = min(MOST_HEAPED, 1 - LEFT_BEYOND * noise / present)
    doubt = LOWEST_DOUBT if scale.log else LINEAR_LOWEST_DOUBT
    return max(min(found / present, most), 0.0) if found > doubt * noise else 0.0


def beyond_lowest(values: Floats, scale: Scale) -> Floats:
    """Return values on the modelling scale, absent where they are the lowest.

    Examples
    --------
    >>> scale = Scale(log=False, step=1.0, lower=0.0, upper=9.0)
    >>> beyond_lowest(np.array([0.2, 3.4]), scale).tolist()
    [nan, 3.4]
    """
    return np.where(values <= scale.lowest_cell[1], np.nan, values)


def stands_apart(curve: AtomCurve, scale: Scale, slopes: list[Slope], centres: list[float]) -> bool:
    """Say whether the other rows lie far above an atom: zeros among amounts do, ones among small numbers do not."""
    (near,) = scale.forward(np.array([scale.lower + scale.step * ALONE]))
    typical = sum(float(s.at(np.array([centre]))[0]) for s, centre in zip(slopes, centres, strict=True))
    return bool(float(curve.rest.quantiles[0]) + typical > near)
