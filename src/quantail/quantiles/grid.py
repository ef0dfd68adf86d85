"""Public lists of candidate values.

`wide` covers everything the bounds allow, before anything is known: evenly spaced, and on a linear scale also at
geometric distances from zero (or from the bound nearest to it), so that bounds a thousand times too generous cost
little. `near` follows a first release of median and spread: fine around it, then ever coarser, with few candidates
far away, because far candidates are what makes an outer quantile run away.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_EVEN_LINEAR, _EVEN_LOG = 300, 1200
_RATIO, _SMALLEST = 1.012, 1e-5
_FINE, _MIDDLE_RATIO, _MIDDLE_REACH, _FAR_RATIO = 120, 1.03, 24.0, 1.5


def wide(low: float, high: float, log: bool) -> Floats:
    """Return candidates over [low, high] of the modelling scale."""
    if log:
        return np.linspace(low, high, _EVEN_LOG)
    span = high - low
    anchor = min(max(0.0, low), high)
    distances = span * _RATIO ** -np.arange(int(-np.log(_SMALLEST) / np.log(_RATIO)), dtype=np.float64)
    return _inside(
        (np.linspace(low, high, _EVEN_LINEAR), [anchor], anchor + distances, anchor - distances), low, high
    )


def near(centre: float, spread: float, low: float, high: float, fine: int = _FINE) -> Floats:
    """Return candidates around a released centre and spread (interquartile range), within [low, high]."""
    unit = spread / 2
    inner = unit * np.arange(-2 * fine, 2 * fine + 1) / fine
    middle = _geometric(2 * unit, _MIDDLE_REACH * unit, _MIDDLE_RATIO)
    far = _geometric(
        _MIDDLE_REACH * unit, max(high - centre, centre - low, 2 * _MIDDLE_REACH * unit), _FAR_RATIO
    )
    out = np.concatenate([middle, far])
    return _inside((centre - out, centre + inner, centre + out), low, high)


def _geometric(start: float, stop: float, ratio: float) -> Floats:
    return start * ratio ** np.arange(1, int(np.log(stop / start) / np.log(ratio)) + 1, dtype=np.float64)


def _inside(parts: tuple[object, ...], low: float, high: float) -> Floats:
    joined = np.unique(np.concatenate([np.asarray(part, dtype=np.float64) for part in parts]))
    kept = joined[(joined >= low) & (joined <= high)]
    return kept if kept.size else np.array([(low + high) / 2])
