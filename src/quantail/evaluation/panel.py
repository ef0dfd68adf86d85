"""Differences between a real and a synthetic panel, one number each, and all of them together.

Panels are arrays of shape (units, periods), NaN where a unit is not active, as in `dynamics`. All differences
are in percent or percentage points, 0 is best, and none is private.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quantail.errors import DataError
from quantail.evaluation.dynamics import (
    gross_employment,
    growth_shares,
    histories,
    job_flows,
    unchanged_share,
)
from quantail.evaluation.lasso import pmse_lasso
from quantail.evaluation.measure import Measure
from quantail.evaluation.random_marginals import random_marginals
from quantail.evaluation.references import ALAM, DAVIS, PIKETTY, TASK, TRAN
from quantail.evaluation.size_classes import size_class_shares, top_shares, transition_shares

PANEL_MEASURES = (
    "gross_mape",
    "jc_mae",
    "net_mae",
    "pmse",
    "km",
    "km_active",
    "growth_tv",
    "unchanged",
    "size_class_max",
    "transition_tv",
    "top_share_mae",
)


def _percent(name: str, meaning: str, reference: str, high: float = 100.0) -> Measure:
    return Measure(f"panel_{name}", "panel", meaning, (0.0, high), "lower", 0.0, reference)


_KM = "How far units fill the same cells of three random periods"
MEASURES = (
    _percent("gross_mape", "Mean relative error of a period's total, in percent.", TRAN, float("inf")),
    _percent("jc_mae", "Mean error of the job creation rate, in percentage points.", DAVIS, 200.0),
    _percent("net_mae", "Mean error of the net job creation rate, in percentage points.", DAVIS, 400.0),
    Measure(
        "panel_pmse",
        "panel",
        "How well a LASSO on all periods tells real units from synthetic.",
        (0.0, 0.25),
        "lower",
        0.0,
        TRAN,
    ),
    Measure("panel_km", "panel", f"{_KM}, not active among them.", (0.0, 1000.0), "higher", 1000.0, TASK),
    Measure(
        "panel_km_active", "panel", f"{_KM}, where active in all.", (0.0, 1000.0), "higher", 1000.0, TASK
    ),
    _percent("growth_tv", "Total variation of the growth rates of continuers, in points.", DAVIS),
    _percent("unchanged", "Difference in the share of continuers without change, in points.", ALAM),
    _percent("size_class_max", "Largest difference in the share of a size class, in points.", ALAM),
    _percent("transition_tv", "Total variation of moves between size classes, in points.", ALAM),
    _percent("top_share_mae", "Mean difference in what the top 1% and 10% hold, in points.", PIKETTY),
)


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
        raise DataError("gross_mape: the real panel has no employment in any period.")
    return float(100 * np.mean(np.abs(made - truth)[known] / truth[known]))


def jc_mae(real: ArrayLike, synth: ArrayLike, continuers_only: bool = True) -> float:
    """Mean over periods of the absolute difference in job creation rates, in percentage points."""
    return _mean_points(job_flows(real, continuers_only).creation, job_flows(synth, continuers_only).creation)


def net_mae(real: ArrayLike, synth: ArrayLike, continuers_only: bool = True) -> float:
    """Mean over periods of the absolute difference in net job creation rates, in percentage points."""
    return _mean_points(job_flows(real, continuers_only).net, job_flows(synth, continuers_only).net)


def growth_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Total variation between the growth rates of continuers, in percentage points."""
    return _total_variation(growth_shares(real), growth_shares(synth))


def unchanged_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Absolute difference in the share of unchanged continuers, in percentage points."""
    return 100 * abs(unchanged_share(synth) - unchanged_share(real))


def size_class_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Largest absolute difference in the share of a size class, in percentage points."""
    return float(100 * np.abs(size_class_shares(synth) - size_class_shares(real)).max())


def transition_difference(real: ArrayLike, synth: ArrayLike, lag: int = 1) -> float:
    """Total variation between the joint shares of size classes `lag` periods apart, in percentage points."""
    return _total_variation(transition_shares(real, lag=lag), transition_shares(synth, lag=lag))


def top_share_difference(real: ArrayLike, synth: ArrayLike) -> float:
    """Mean absolute difference in what the top 1% and 10% hold, over periods, in percentage points."""
    return _mean_points(top_shares(real), top_shares(synth))


def evaluate_panel(real: ArrayLike, synth: ArrayLike, seed: int = 0) -> dict[str, float]:
    """Compute every difference between two panels of one column.

    Parameters
    ----------
    real, synth : arrays of shape (units, periods)
        For example `PanelData.values["emp"]`; at least two periods and five units.
    seed : int
        Decides the periods of the k-marginals and the parts of the cross-validation.

    Returns
    -------
    dict
        Keys as in `PANEL_MEASURES`. `km` and `km_active` (0 to 1000; the latter on units active in all three
        periods) are better if higher, all others if lower.
    """
    found = panel_differences(real, synth, seed) | {"pmse": pmse_lasso(real, synth, seed=seed)}
    return {name: found[name] for name in PANEL_MEASURES}


def panel_differences(real: ArrayLike, synth: ArrayLike, seed: int = 0) -> dict[str, float]:
    """Compute every difference but pMSE; parameters as in `evaluate_panel`."""
    real, synth = histories(real), histories(synth)
    return {
        "gross_mape": gross_mape(real, synth),
        "jc_mae": jc_mae(real, synth),
        "net_mae": net_mae(real, synth),
        "km": random_marginals(real, synth, seed=seed),
        "km_active": random_marginals(real, synth, seed=seed, inactive="drop"),
        "growth_tv": growth_difference(real, synth),
        "unchanged": unchanged_difference(real, synth),
        "size_class_max": size_class_difference(real, synth),
        "transition_tv": transition_difference(real, synth),
        "top_share_mae": top_share_difference(real, synth),
    }


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
