"""What a fresh sample of the population would get, learnt from random halves of the real rows.

Two halves of n rows differ as two samples of n / 2 rows do. Errors of estimates shrink like the root of the number of
rows: those of halves, whose variance is 4 / n, times sqrt((1/n + 1/m) n / 4) are those of n real and m fresh rows. No
law is assumed, so that heavy tails are taken as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Value = TypeVar("Value", bound=np.generic)

LEAST_ROWS = 40
"""Rows below which halves say nothing."""

_SPLITS = (8, 24)  # fewest and most
_SPLIT_ROWS = 400_000  # rows times splits; bounds the time on large tables


def halves(
    real: NDArray[Value], rng: np.random.Generator, most: int | None = None, splits: int | None = None
) -> Iterator[tuple[NDArray[Value], NDArray[Value]]]:
    """Split rows at random into two, several times; of at most so many rows if told."""
    n = len(real) if most is None else min(len(real), most)
    for _ in range(splits or int(np.clip(_SPLIT_ROWS // n, *_SPLITS))):
        order = rng.permutation(len(real))[:n]
        yield real[order[: n // 2]], real[order[n // 2 :]]


def from_halves(n_real: int, n_synth: int, most: int | None = None) -> float:
    """Say by what an error between halves is multiplied to be that between n real and m fresh rows."""
    n = n_real if most is None else min(n_real, most)
    return sqrt((1 / n_real + 1 / n_synth) * n / 4)


def split_null(
    statistic: Callable[[NDArray[Value]], Floats],
    real: NDArray[Value],
    n_synth: int,
    rng: np.random.Generator,
    most: int | None = None,
    splits: int | None = None,
) -> Floats:
    """Mean absolute difference of statistics between the real rows and so many fresh ones; of `most` rows for speed."""
    gaps = [np.abs(statistic(first) - statistic(second)) for first, second in halves(real, rng, most, splits)]
    return np.asarray(np.mean(gaps, axis=0) * from_halves(len(real), n_synth, most))
