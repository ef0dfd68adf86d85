"""Differences between a real and a synthetic panel, one number each, and all of them together.

Panels are arrays of shape (units, periods), NaN where a unit is not active, as in `dynamics`. All differences but the
k-marginal score are in percent or percentage points, 0 is best, and none is private. The null of each comes from
random parts of the real units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from quantail.arrays import Floats
from quantail.errors import DataError
from quantail.evaluation.dynamics import (
    gross_employment,
    growth_shares,
    histories,
    job_flows,
    unchanged_share,
)
from quantail.evaluation.independent import LEAST_ROWS, brought_to_size, split_rows
from quantail.evaluation.marginal import k_marginals
from quantail.evaluation.measure import Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.references import ALAM, DAVIS, TASK, TRAN
from quantail.evaluation.rows import Rows
from quantail.evaluation.size_classes import size_class_shares, transition_shares

_NULL = "what random parts of the real units differ by, brought to the panels' sizes"
_POINTS = (0.0, 100.0)
_MOST_UNITS = 5_000  # parts of more take time and say little more


def _panel(
    name: str, title: str, meaning: str, reference: str, span: tuple[float, float] = _POINTS
) -> Measure:
    return Measure(f"panel_{name}", title, "panels", meaning, _NULL, reference, span)


def add(rows: Rows, pair: Pair) -> None:
    """Add the differences of every column of a panel."""
    wanted = [measure for measure in MEASURES if rows.wants(measure)]
    for name, real, synth in pair.panels if wanted else ():
        values = _differences(real, synth, wanted)
        nulls = _nulls(real, len(synth), wanted)
        for measure in wanted:
            rows.put(measure, (name,), values[measure.name], nulls.get(measure.name))


def gross_mape(real: ArrayLike, synth: ArrayLike) -> float:
    """Mean over periods of |synthetic total - real total| / real total, in percent.

    Periods without any real employment are left out.

    Examples
    --------
    >>> gross_mape([[10, 20]], [[11, 18]])
    10.0
    """
    truth, made = gross_employment(real), gross_employment(synth)
    _check_periods(truth, made)
    known = truth > 0
    if not known.any():
        raise DataError("error of totals: the real panel has no employment in any period.")
    return float(100 * np.mean(np.abs(made - truth)[known] / truth[known]))


def jc_mae(real: ArrayLike, synth: ArrayLike) -> float:
    """Mean over periods of the absolute difference in job creation rates, in percentage points."""
    return _mean_points(job_flows(real).creation, job_flows(synth).creation)


def jd_mae(real: ArrayLike, synth: ArrayLike) -> float:
    """Mean over periods of the absolute difference in job destruction rates, in percentage points."""
    return _mean_points(job_flows(real).destruction, job_flows(synth).destruction)


def net_mae(real: ArrayLike, synth: ArrayLike) -> float:
    """Mean over periods of the absolute difference in net job creation rates, in percentage points."""
    return _mean_points(job_flows(real).net, job_flows(synth).net)


def growth_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Total variation between the growth rates of continuers, in percentage points."""
    return _total_variation(growth_shares(real), growth_shares(synth))


def unchanged_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Absolute difference in the share of unchanged continuers, in percentage points."""
    return 100 * abs(unchanged_share(synth) - unchanged_share(real))


def size_class_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Largest absolute difference in the share of a size class, in percentage points."""
    return float(100 * np.abs(size_class_shares(synth) - size_class_shares(real)).max())


def transition_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Total variation between the joint shares of size classes in neighbouring periods, in percentage points."""
    return _total_variation(transition_shares(real), transition_shares(synth))


def period_marginals(real: ArrayLike, synth: ArrayLike, k: int = 3, draws: int = 20, seed: int = 0) -> float:
    """Average the k-marginal score over random sets of k periods; not active in one of them is a cell of its own.

    Periods come from the seed and the number of periods alone, so that every method is judged on the same ones.

    Examples
    --------
    >>> period_marginals([[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [9, 9, 9]])
    500.0
    """
    left, right = histories(real), histories(synth)
    if not len(left) or not len(right):
        raise DataError("a panel has no units; at least one is needed.")
    _check_periods(left[0], right[0])
    one, other = (dict(zip(map(str, range(array.shape[1])), array.T, strict=True)) for array in (left, right))
    return k_marginals(one, other, k, draws=draws, seed=seed)


_COMPUTED: Mapping[Measure, Callable[[Floats, Floats], float]] = {
    _panel(
        "total_error",
        "Totals by period",
        "Mean relative error of a period's total, in percent.",
        TRAN,
        (0.0, float("inf")),
    ): gross_mape,
    _panel(
        "job_creation",
        "Job creation",
        "Mean error of the job creation rate, in percentage points.",
        DAVIS,
        (0.0, 200.0),
    ): jc_mae,
    _panel(
        "job_destruction",
        "Job destruction",
        "Mean error of the job destruction rate, in percentage points.",
        DAVIS,
        (0.0, 200.0),
    ): jd_mae,
    _panel(
        "growth", "Growth rates", "Total variation of the growth rates of continuers, in points.", DAVIS
    ): growth_difference,
    _panel(
        "size_classes", "Size classes", "Largest difference in the share of a size class, in points.", ALAM
    ): size_class_difference,
    _panel(
        "persistence",
        "Persistence of size",
        "Total variation of joint shares of size classes in neighbouring periods, in points.",
        ALAM,
    ): transition_difference,
    Measure(
        "panel_k_marginal",
        "k-marginal score of periods",
        "panels",
        "How far units fill the same cells of three random periods, not active among them; 1000 less their total "
        "variation in thousandths.",
        _NULL,
        TASK,
        (0.0, 1000.0),
        "higher",
        1000.0,
    ): period_marginals,
}
MEASURES = tuple(_COMPUTED)


def _differences(real: Floats, synth: Floats, measures: list[Measure]) -> dict[str, float]:
    return {measure.name: _COMPUTED[measure](real, synth) for measure in measures}


def _nulls(real: Floats, n_synth: int, measures: list[Measure]) -> dict[str, float]:
    if len(real) < LEAST_ROWS:
        return {}
    gaps = []
    for first, second in split_rows(len(real), n_synth, _MOST_UNITS):
        try:
            found = _differences(real[first], real[second], measures)
        except DataError:  # a part without employment, or without units active in the periods drawn
            return {}
        scale = brought_to_size(len(real), n_synth, first.size, second.size)
        gaps.append([m.best + scale * (found[m.name] - m.best) for m in measures])
    return dict(zip([m.name for m in measures], np.mean(gaps, axis=0).tolist(), strict=True))


def _mean_points(real: np.ndarray[tuple[int, ...], np.dtype[np.float64]], synth: ArrayLike) -> float:
    made = np.asarray(synth)
    _check_periods(real, made)
    if real.size == 0:
        raise DataError("the panels have a single period; changes need at least two.")
    return float(100 * np.mean(np.abs(made - real)))


def _total_variation(real: ArrayLike, synth: ArrayLike) -> float:
    return float(50 * np.abs(np.asarray(synth) - np.asarray(real)).sum())


def _check_periods(real: ArrayLike, synth: ArrayLike) -> None:
    if np.shape(real) != np.shape(synth):
        raise DataError("the two panels differ in their number of periods; compare the same periods.")
