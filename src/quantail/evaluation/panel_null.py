"""A panel beside what a fresh sample of units would get: its differences, each with its null.

The null of a difference comes from halves of the real units (`fresh`), that of pMSE from permuted origins (`lasso`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from quantail.errors import DataError
from quantail.evaluation.dynamics import histories
from quantail.evaluation.fresh import LEAST_ROWS, from_halves, halves
from quantail.evaluation.lasso import lasso_propensity
from quantail.evaluation.panel import MEASURES, PANEL_MEASURES, panel_differences

_BEST = {name: measure.best for name, measure in zip(PANEL_MEASURES, MEASURES, strict=True)}
_MOST_UNITS, _SPLITS = 10_000, 8  # halves of more units take time and say little more


def panel_against_null(
    real: ArrayLike, synth: ArrayLike, seed: int = 0
) -> dict[str, tuple[float, float | None]]:
    """Compute every difference between two panels of one column, and what a fresh sample of units would get.

    Parameters and keys are those of `evaluate_panel`; the second value is None where the units are too few.
    """
    real, synth = histories(real), histories(synth)
    values = panel_differences(real, synth, seed)
    nulls = _fresh(real, len(synth), seed) if len(real) >= LEAST_ROWS else {}
    found = {name: (value, nulls.get(name)) for name, value in values.items()}
    propensity = lasso_propensity(real, synth, seed=seed)
    found["pmse"] = propensity.value, propensity.mean
    return {name: found[name] for name in PANEL_MEASURES}


def _fresh(
    real: np.ndarray[tuple[int, ...], np.dtype[np.float64]], n_synth: int, seed: int
) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    try:
        gaps = [
            panel_differences(first, second, seed)
            for first, second in halves(real, rng, _MOST_UNITS, _SPLITS)
        ]
    except DataError:  # a half without employment, or without units active in all the periods drawn
        return {}
    scale = from_halves(len(real), n_synth, _MOST_UNITS)
    return {
        name: _BEST[name] + scale * float(np.mean([gap[name] - _BEST[name] for gap in gaps]))
        for name in gaps[0]
    }
