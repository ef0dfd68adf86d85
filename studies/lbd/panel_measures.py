"""What the study of the paper's panel reports, under the names of its stored results."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantail.errors import DataError, OptionError
from quantail.evaluation import (
    gross_mape,
    growth_difference,
    jc_mae,
    k_marginal,
    marginal_sets,
    net_mae,
    period_marginals,
    size_class_difference,
    transition_difference,
    unchanged_difference,
)
from quantail.evaluation.dynamics import histories
from studies.lbd.lasso import pmse_lasso

Floats = NDArray[np.float64]

_STUDIED: Mapping[str, Callable[[Floats, Floats, int], float]] = {
    "gross_mape": lambda real, synth, seed: gross_mape(real, synth),
    "jc_mae": lambda real, synth, seed: jc_mae(real, synth),
    "net_mae": lambda real, synth, seed: net_mae(real, synth),
    "pmse": lambda real, synth, seed: pmse_lasso(real, synth, seed=seed),
    "km": lambda real, synth, seed: period_marginals(real, synth, seed=seed),
    "km_active": lambda real, synth, seed: active_marginals(real, synth, seed=seed),
    "growth_tv": lambda real, synth, seed: growth_difference(real, synth),
    "unchanged": lambda real, synth, seed: unchanged_difference(real, synth),
    "size_class_max": lambda real, synth, seed: size_class_difference(real, synth),
    "transition_tv": lambda real, synth, seed: transition_difference(real, synth),
    "top_share_mae": lambda real, synth, seed: top_share_difference(real, synth),
}
PANEL_MEASURES = tuple(_STUDIED)


def evaluate_panel(real: ArrayLike, synth: ArrayLike, seed: int = 0) -> dict[str, float]:
    """Compute every difference of the panel study between two panels of one column.

    Parameters
    ----------
    real, synth : arrays of shape (units, periods)
        For example `PanelData.values["emp"]`; at least two periods and five units.
    seed : int
        Decides the periods of the k-marginals and the parts of the cross-validation.

    Returns
    -------
    dict
        Keys as in `PANEL_MEASURES`. `km` and `km_active` (k-marginals, 0 to 1000; the latter on units active in
        all three periods) are better if higher, all others if lower.
    """
    left, right = histories(real), histories(synth)
    return {name: compute(left, right, seed) for name, compute in _STUDIED.items()}


def active_marginals(real: ArrayLike, synth: ArrayLike, seed: int = 0) -> float:
    """Average the k-marginal score of three random periods over units that are active in all of them.

    As in the authors' code; sets of periods in which no unit of one panel is always active are left out.
    """
    left, right = histories(real), histories(synth)
    scores = []
    for names in marginal_sets([str(period) for period in range(left.shape[1])], 3, 20, seed):
        periods = [int(name) for name in names]
        one, other = (part[~np.isnan(part).any(axis=1)] for part in (left[:, periods], right[:, periods]))
        if len(one) and len(other):
            tables = (dict(zip(names, part.T, strict=True)) for part in (one, other))
            scores.append(k_marginal(next(tables), next(tables)))
    if not scores:
        raise DataError("km: no unit is active in all the periods drawn; ask for fewer periods at once.")
    return float(np.mean(scores))


def top_share_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Mean absolute difference in what the top 1% and 10% hold, over periods, in percentage points."""
    truth, made = top_shares(real), top_shares(synth)
    if truth.shape != made.shape:
        raise DataError("the two panels differ in their number of periods; compare the same periods.")
    return float(100 * np.mean(np.abs(made - truth)))


def top_shares(values: ArrayLike, tops: Sequence[float] = (0.01, 0.1)) -> Floats:
    """Share of each period's total held by its largest active units, shape (tops, periods).

    The top q is the q-th part of the units active in that period, rounded up. Periods without any total: 0.

    Examples
    --------
    >>> top_shares([[6], [3], [1], [float("nan")]], tops=(0.4,))
    array([[0.9]])
    """
    if any(not 0 < top <= 1 for top in tops):
        raise OptionError("tops are shares of units; give numbers above 0 and up to 1.")
    array = histories(values)
    ranked = -np.sort(-np.nan_to_num(array), axis=0)
    held = np.vstack([np.zeros(array.shape[1]), np.cumsum(ranked, axis=0)])
    active = (~np.isnan(array)).sum(axis=0)
    shares = np.zeros((len(tops), array.shape[1]))
    for row, top in zip(shares, tops, strict=True):
        many = np.ceil(top * active - 1e-9).astype(int)  # .1 of 30 is 3, whatever rounding says
        row[:] = held[many, np.arange(array.shape[1])]
    return np.asarray(np.divide(shares, held[-1], out=np.zeros_like(shares), where=held[-1] > 0))
