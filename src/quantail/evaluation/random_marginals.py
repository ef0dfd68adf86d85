"""k-marginals of a panel: whether synthetic units fill the same cells of a few random periods.

As `marginal`, on k periods drawn at random (three in the paper), averaged over several draws. Periods come
from the seed and the number of periods alone, so that every method is judged on the same ones. Bins come from
the real sizes in a period: six left-open ones by minimum, quartiles and maximum. A unit that is not active in a
period is in a bin of its own ("bin"), or only units active in all k periods count ("drop", as in the authors'
code).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantail.errors import DataError, OptionError
from quantail.evaluation.dynamics import histories
from quantail.evaluation.marginal import overlap_score

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Inactive = Literal["bin", "drop"]

_BINS = 7  # not active, and six of sizes
_MOST_PERIODS = 20  # cell numbers must fit 64 bits


def random_marginals(
    real: ArrayLike,
    synth: ArrayLike,
    k: int = 3,
    draws: int = 20,
    seed: int = 0,
    inactive: Inactive = "bin",
) -> float:
    """Average the k-marginal score over random sets of periods.

    Parameters
    ----------
    real, synth : arrays of shape (units, periods)
        Sizes, NaN where a unit is not active; the bins come from `real`.
    k : int
        Number of periods at once.
    draws : int
        Number of sets of periods.
    seed : int
        Decides the periods.
    inactive : {"bin", "drop"}
        What becomes of units that are not active in all k periods.

    Examples
    --------
    >>> random_marginals([[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [9, 9, 9]])
    500.0
    """
    if inactive not in get_args(Inactive):
        raise OptionError(f"inactive must be one of {', '.join(get_args(Inactive))}.")
    left, right = histories(real), histories(synth)
    if left.shape[1] != right.shape[1]:
        raise DataError("the two panels differ in their number of periods; compare the same periods.")
    if not len(left) or not len(right):
        raise DataError("a panel has no units; at least one is needed.")
    chosen = random_periods(left.shape[1], k, draws, seed)
    if inactive == "bin":
        bins = {period: _bins(left[:, period], right[:, period]) for period in np.unique(chosen).tolist()}
        scores = [_score([bins[period] for period in periods], len(left)) for periods in chosen.tolist()]
    else:
        scores = [
            score
            for periods in chosen
            if (score := _active_score(left[:, periods], right[:, periods])) is not None
        ]
    if not scores:
        raise DataError("km: no unit is active in all the periods drawn; ask for fewer periods at once.")
    return float(np.mean(scores))


def random_periods(count: int, k: int = 3, draws: int = 20, seed: int = 0) -> NDArray[np.int64]:
    """Draw sets of k different periods out of `count`, each in order, shape (draws, k); all if fewer than k."""
    if not 1 <= k <= _MOST_PERIODS or draws < 1 or count < 1:
        raise OptionError(f"km: k must lie between 1 and {_MOST_PERIODS}, and draws be at least 1.")
    rng = np.random.default_rng(seed)
    sets = [np.sort(rng.choice(count, size=min(k, count), replace=False)) for _ in range(draws)]
    return np.asarray(sets, dtype=np.int64)


def _bins(real: Floats, synth: Floats) -> Integers:
    """Return the bin of every real and then of every synthetic unit in a period."""
    known = real[~np.isnan(real)]
    edges = np.quantile(known, [0.0, 0.25, 0.5, 0.75, 1.0]) if known.size else known
    sizes = np.concatenate([real, synth])
    return np.where(np.isnan(sizes), 0, 1 + np.searchsorted(edges, sizes, side="left"))


def _score(bins: Sequence[Integers], units: int) -> float:
    """Return the score of some periods, given the bins of all units in each; so many units are real."""
    cells = np.zeros_like(bins[0])
    for of_period in bins:
        cells = cells * _BINS + of_period
    _, cell = np.unique(cells, return_inverse=True)
    return overlap_score(cell[:units], cell[units:])


def _active_score(real: Floats, synth: Floats) -> float | None:
    """Return the score of some periods on units that are active in all of them; None if there are none."""
    one, other = (part[~np.isnan(part).any(axis=1)] for part in (real, synth))
    if not len(one) or not len(other):
        return None
    return _score([_bins(*period) for period in zip(one.T, other.T, strict=True)], len(one))
