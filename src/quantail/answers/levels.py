"""Which of the levels that were asked for are drawn, how the others are read off, and how far a drawn one may be off.

Notation: levels tau_1 < ... < tau_m of n rows, a weight of `rate` nats for every row by which a part misses its target.
All of this is a function of public numbers; nothing here looks at a row.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from quantail.answers.tuning import ALWAYS_DRAWN, LARGEST_PART, LEAST_NATS
from quantail.arrays import Flags, Floats
from quantail.errors import OptionError
from quantail.privacy.points import MOST_POINTS

_STEPS, _WIDE = 2**13, 2**8  # of the law of errors, in units of 1 / rate: resolution and range
MOST_LEVELS = 10_000


def check_levels(levels: Sequence[float]) -> Floats:
    """Return levels in rising order, each once, or raise an OptionError.

    Examples
    --------
    >>> check_levels([0.9, 0.5, 0.9])
    array([0.5, 0.9])
    """
    try:
        found = np.unique(np.asarray(levels, dtype=np.float64).reshape(-1))
    except (TypeError, ValueError):
        found = np.empty(0)
    if not 1 <= found.size <= MOST_LEVELS or not np.all((found > 0) & (found < 1)):
        raise OptionError(
            f"levels must be 1 to {MOST_LEVELS} numbers strictly between 0 and 1, for instance [0.1, 0.5, 0.9]"
        )
    return found


def drawn_levels(levels: Floats, rows: int, rate: float) -> Flags:
    """Say which levels are drawn: those far enough apart for noise to tell them apart, at most `MOST_POINTS`.

    Examples
    --------
    >>> drawn_levels(np.arange(1, 10) / 10, rows=100, rate=0.5).sum()
    np.int64(2)
    """
    if levels.size <= ALWAYS_DRAWN:
        return np.ones(levels.size, dtype=np.bool_)
    least = min(LEAST_NATS / max(rate * rows, 1e-12), LARGEST_PART)
    least = max(least, 1 / (MOST_POINTS + 1))
    drawn, last = np.zeros(levels.size, dtype=np.bool_), 0.0
    for place, level in enumerate(levels.tolist()):
        if level - last >= least - 1e-12 and 1 - level >= least - 1e-12:
            drawn[place], last = True, level
    if not drawn.any():
        drawn[np.argmin(np.abs(levels - 0.5))] = True
    return drawn


def read_off(levels: Floats, drawn: Flags, values: Floats, ends: tuple[float, float]) -> Floats:
    """Return values at all levels from those that were drawn, on the modelling scale.

    Straight lines in log(tau / (1 - tau)): between drawn levels, and on in the same direction beyond them, which is an
    exponential tail (on a log scale a Pareto one). With a single drawn level, lines to the bounds.
    """
    known = levels[drawn]
    if known.size == 1:
        return np.asarray(np.interp(levels, [0.0, known[0], 1.0], [ends[0], values[0], ends[1]]))
    place, at = _odds(levels), _odds(known)
    found = np.interp(place, at, values)
    for beyond, near, next_to in ((place < at[0], 0, 1), (place > at[-1], -1, -2)):
        slope = (values[near] - values[next_to]) / (at[near] - at[next_to])
        found[beyond] = values[near] + slope * (place[beyond] - at[near])
    found[drawn] = values
    return np.clip(found, *ends)


def rank_bands(parts: int, rate: float, coverage: float) -> Floats:
    """Return, for each of `parts` - 1 drawn quantiles, the rows by which it is off at most, with a probability.

    Where rows are evenly spaced on the lattice, parts miss their targets by independent Laplace numbers of scale
    1 / rate whose sum is zero; so the error of quantile k has density g_k(s) g_{parts - k}(s), g_j that of a sum of j.
    """
    return _bands(parts, coverage) / rate


@lru_cache(maxsize=64)  # convolutions, the same for every rate
def _bands(parts: int, coverage: float) -> Floats:
    frequency = 2 * np.pi * np.fft.rfftfreq(_STEPS, _WIDE / _STEPS)
    places = (np.arange(_STEPS) - _STEPS // 2) * _WIDE / _STEPS
    order = np.argsort(np.abs(places), kind="stable")
    bands = []
    densities = [np.fft.irfft((1 + frequency**2) ** -float(k), _STEPS) for k in range(1, parts)]
    for k in range(1, parts):
        both = np.clip(densities[k - 1] * densities[parts - k - 1], 0.0, None)
        reached = np.cumsum(np.fft.fftshift(both)[order]) / both.sum()
        bands.append(np.abs(places[order])[np.searchsorted(reached, coverage)] + _WIDE / _STEPS)
    return np.array(bands)


def _odds(levels: Floats) -> Floats:
    return np.log(levels) - np.log1p(-levels)
