"""Synthetic rows by quantile regression, without privacy: the paper's reference. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quantail.evaluation.quantile_regression import quantile_regression
from quantail.orders.levels import level_weights

Floats = NDArray[np.float64]

PISTNER_TAUS: tuple[float, ...] = tuple((2 * place + 1) / 500 for place in range(250))
"""Pistner's variant on the business data: the midpoints .002, .006, ..., .998 of 250 equal bins of (0, 1).

The paper says "250 quantiles" and that a bin is picked at random and its midpoint used; it does not print the
list. With `weights="midpoint"`, `synthesize_quantreg` picks each of these levels equally often.
"""


def synthesize_quantreg(
    train: Mapping[str, ArrayLike],
    columns: Sequence[str],
    taus: Sequence[float],
    rng: np.random.Generator,
    n: int,
    weights: Literal["paper", "midpoint"] = "paper",
    interpolate: bool = False,
) -> dict[str, Floats]:
    """Make `n` synthetic rows as the paper does without privacy.

    Column by column, each is regressed on all earlier ones at every level; each synthetic row then picks one
    level at random and takes that regression's prediction from its own synthetic earlier columns. `weights`
    says how likely each level is to be picked, see `level_weights`. With `interpolate` a row draws its level
    uniformly, and its value lies between the predictions of the levels beside it (Huckett and Larsen); beyond the
    outermost levels it is theirs.
    """
    levels = sorted(taus)
    share = level_weights(levels, weights)
    synthetic: dict[str, Floats] = {}
    for position, name in enumerate(columns):
        earlier = columns[:position]
        real = np.column_stack([np.asarray(train[c], dtype=float) for c in earlier]) if earlier else None
        fits = quantile_regression(train[name], real, levels)
        chosen = (
            _between(fits, levels, rng.random(n))
            if interpolate
            else fits[rng.choice(len(levels), size=n, p=share)]
        )
        made = chosen[:, 0].copy()
        for slope, c in enumerate(earlier, start=1):
            made += chosen[:, slope] * synthetic[c]
        synthetic[name] = made
    return synthetic


def _between(fits: Floats, levels: Sequence[float], drawn: Floats) -> Floats:
    """Return coefficients at drawn levels: predictions are linear in them, so these may be interpolated."""
    return np.column_stack([np.interp(drawn, levels, coefficient) for coefficient in fits.T])
