"""Measures of one column: quantile errors, Kolmogorov-Smirnov distance, total variation of labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

DIRECTION = "lower"
BEST = 0.0
LEVELS = (0.5, 0.9, 0.95, 0.99)


def quantile_errors(
    real: ArrayLike, synth: ArrayLike, levels: Sequence[float] = LEVELS
) -> NDArray[np.float64]:
    """Relative error |q_synthetic - q_real| / |q_real| at each level; range 0 to infinity.

    Where the real quantile is 0, the error is measured against the real column's largest absolute value.

    Examples
    --------
    >>> quantile_errors([1.0, 2.0, 4.0], [1.0, 3.0, 4.0], [0.5]).tolist()
    [0.5]
    """
    truth = np.asarray(real, dtype=float)
    wanted, made = np.quantile(truth, levels), np.quantile(np.asarray(synth, dtype=float), levels)
    largest = float(np.abs(truth).max()) or 1.0
    scale = np.where(wanted != 0, np.abs(wanted), largest)
    return np.asarray(np.abs(made - wanted) / scale, dtype=float)


def ks_distance(real: ArrayLike, synth: ArrayLike) -> float:
    """Largest difference between the two empirical distribution functions; range 0 to 1.

    Examples
    --------
    >>> ks_distance([1.0, 2.0], [2.0, 3.0])
    0.5
    """
    left, right = np.sort(np.asarray(real, dtype=float)), np.sort(np.asarray(synth, dtype=float))
    points = np.concatenate([left, right])
    f = np.searchsorted(left, points, side="right") / left.size
    g = np.searchsorted(right, points, side="right") / right.size
    return float(np.abs(f - g).max())


def total_variation(real: Sequence[Any], synth: Sequence[Any]) -> float:
    """Half the summed difference of label shares; range 0 to 1. A missing label is a label of its own.

    Examples
    --------
    >>> total_variation(["a", "a", "b", "b"], ["a", "b", "b", "b"])
    0.25
    """
    left, right = [_label(v) for v in real], [_label(v) for v in synth]
    _, code = np.unique(np.array(left + right), return_inverse=True)
    count = int(code.max()) + 1
    f = np.bincount(code[: len(left)], minlength=count) / len(left)
    g = np.bincount(code[len(left) :], minlength=count) / len(right)
    return float(np.abs(f - g).sum() / 2)


def _label(value: Any) -> str:
    # NaN is the one value that differs from itself; the NUL keeps "missing" apart from every real label.
    missing = value is None or value != value
    return "\0missing" if missing else str(value)
