"""Public lists of candidate values.

`wide` covers everything the bounds allow, before anything is known: evenly spaced, and on a linear scale also at
geometric distances from zero (or from the bound nearest to it), so that bounds a thousand times too generous cost
little. `near` follows a first release of median and spread: fine around it, then ever coarser, with few candidates
far away: by noise an outer quantile may land on any of them, and far ones spoil tail and total.
"""

import numpy as np

from quantail.arrays import Floats
from quantail.curves.tuning import (
    EVEN_LINEAR,
    EVEN_LOG,
    FAR_RATIO,
    HEIGHT_FREE,
    HEIGHT_PRICE,
    MIDDLE_PART,
    MIDDLE_REACH,
    SMALLEST_DISTANCE,
    THIN_FROM,
    THINNED,
    WIDE_RATIO,
)


def wide(low: float, high: float, log: bool) -> Floats:
    """Return candidates over [low, high] of the modelling scale."""
    if log:
        even = np.linspace(low, high, EVEN_LOG)
        # Generous bounds are generous upwards: far out, where a stray candidate is a catastrophe, ever fewer will do.
        far = (np.abs(even) / max(abs(low), abs(high)) - THIN_FROM) / (1 - THIN_FROM)
        density = THINNED ** -np.clip(far, 0.0, 1.0)
        kept = np.diff(np.floor(np.cumsum(density) - 1e-9), prepend=-1.0) > 0
        kept[-1] = True
        return np.asarray(even[kept])
    span = high - low
    anchor = min(max(0.0, low), high)
    distances = span * WIDE_RATIO ** -np.arange(
        int(-np.log(SMALLEST_DISTANCE) / np.log(WIDE_RATIO)), dtype=np.float64
    )
    return _inside(
        (np.linspace(low, high, EVEN_LINEAR), [anchor], anchor + distances, anchor - distances), low, high
    )


def height_prior(grid: Floats) -> Floats:
    """Return what it costs, in nats, to lie high on a log scale: so much for every factor of e beyond the middle.

    Bounds are generous upwards: where rows hardly tell a column's place, it had better not be among the highest. The
    first e-folds cost nothing: where bounds are narrow, their upper half is where numbers may well lie.
    """
    free = max((grid[0] + grid[-1]) / 2, grid[0] + HEIGHT_FREE)
    return np.asarray(HEIGHT_PRICE * np.maximum(grid - free, 0.0))


def near(first: float, last: float, low: float, high: float, fine: int) -> Floats:
    """Return candidates around released quantiles `first` < `last`, within [low, high].

    Evenly spaced, `fine` to the released distance, as far as one distance beyond both; then geometric, first as fine
    as suits that, then coarse.
    """
    unit = last - first
    inner = first + unit * np.arange(-fine, 2 * fine + 1) / fine
    middle = _geometric(unit, MIDDLE_REACH * unit, 1 + MIDDLE_PART / fine)
    reach = max(high - last, first - low, 2 * MIDDLE_REACH * unit)
    out = np.concatenate([middle, _geometric(MIDDLE_REACH * unit, reach, FAR_RATIO)])
    return _inside((first - out, inner, last + out), low, high)


def with_cells(grid: Floats, cells: Floats) -> Floats:
    """Return a grid with further candidates, such as those that split the cell of an atom."""
    return np.unique(np.concatenate([grid, cells]))


def dividing(cuts: Floats, values: Floats) -> Floats:
    """Return the cuts that leave values on both sides, each once; a value is below a cut that it equals."""
    return np.unique(cuts[(cuts >= values.min()) & (cuts < values.max())])


def _geometric(start: float, stop: float, ratio: float) -> Floats:
    return start * ratio ** np.arange(1, int(np.log(stop / start) / np.log(ratio)) + 1, dtype=np.float64)


def _inside(parts: tuple[object, ...], low: float, high: float) -> Floats:
    joined = np.unique(np.concatenate([np.asarray(part, dtype=np.float64) for part in parts]))
    kept = joined[(joined >= low) & (joined <= high)]
    return kept if kept.size else np.array([(low + high) / 2])
