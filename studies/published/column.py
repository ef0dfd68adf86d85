"""One column of the paper's simulation as its mechanisms see it: design, instruments, bounds, where lines are held.

NOT PRIVATE: where a density says so, rows are confidential.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from quantail.examples import PAPER_COLUMNS
from quantail.examples.simulation import PAPER_BOUNDS
from studies.published.density import Density

Floats = NDArray[np.float64]

CAPS = {"X1": 1.0, "X2": 46.0, "X3": 106.0}
"""C_X of each column's regression: predictors above it are cut there."""

RANGES = {"X1": 46.0, "X2": 106.0}
"""Each predictor's own bound, from which the paper takes its C_X."""

# Quantiles of a synthesised predictor between which its instrument rises: the quartiles, as the sandwich spends more on
# them than on what lies outside. (.05, .95) and (.1, .9) did no better: KM 427 and 467 to 492, standard error 40.
INSTRUMENT_LEVELS = (0.25, 0.75)


@dataclass(frozen=True)
class Column:
    """What all draws of a column share; see `Density` for the meaning of its parts."""

    name: str
    y: Floats
    predictors: Floats  # n by k, as they are: the authors' starting fit does not cut them
    design: Floats  # p by n
    instruments: Floats  # p by n
    weight: Floats
    widest: float
    held_median: Floats  # m by p: where the median keeps its bounds
    held: Floats  # m by p: where the other quantiles keep bounds and order
    bounds: tuple[float, float]


def prepare(
    train: Mapping[str, Floats], name: str, synthetic: Mapping[str, Floats], density: Density
) -> Column:
    """Gather a column's rows; earlier columns must have been synthesised already."""
    earlier = PAPER_COLUMNS[: PAPER_COLUMNS.index(name)]
    y = np.ascontiguousarray(train[name], dtype=float)
    real, made = _stacked(train, earlier, y.size), _stacked(synthetic, earlier, y.size)
    bounded = density.instruments == "bounded"
    own_scale = bounded or density.scaling == "public"
    caps = np.array([RANGES[c] if own_scale else CAPS[name] for c in earlier])
    design = real if bounded else np.clip(real, 0.0, np.concatenate([[1.0], caps])[:, None])
    median_held = corners(design.T)
    held = {"rows": median_held, "synthetic": corners(made.T), "domain": box(caps)}[density.constraint]
    return Column(
        name=name,
        y=y,
        predictors=real[1:].T,
        design=design,
        instruments=bounded_instruments(real, made) if bounded else design,
        weight=np.ones(caps.size + 1) if bounded or not own_scale else np.concatenate([[1.0], 1.0 / caps]),
        widest=1.0 if own_scale else CAPS[name],
        held_median=held if density.constraint == "domain" else median_held,
        held=held,
        bounds=PAPER_BOUNDS[name],
    )


def _stacked(table: Mapping[str, Floats], names: Sequence[str], n: int) -> Floats:
    return np.array([np.ones(n), *(table[name] for name in names)], dtype=float)


def box(caps: Floats) -> Floats:
    """Return the vertices of [0, cap]^k, ones first: where an inequality must hold to hold on all of it."""
    return np.array([(1.0, *corner) for corner in itertools.product(*((0.0, cap) for cap in caps))])


def bounded_instruments(real: Floats, made: Floats) -> Floats:
    """Map each predictor to [0, 1] between two quantiles of its synthesised copy: a release, so free of charge.

    The first row, the intercept's ones, stays.
    """
    low, high = np.quantile(made[1:], INSTRUMENT_LEVELS, axis=1)[:, :, None]
    return np.vstack([real[:1], np.clip((real[1:] - low) / np.maximum(high - low, 1e-9), 0.0, 1.0)])


def corners(rows: Floats) -> Floats:
    """Keep the rows that no others enclose: a linear inequality that holds there holds at all of them."""
    distinct = np.unique(rows, axis=0)
    k = distinct.shape[1] - 1
    if k == 0:
        return distinct[:1]
    if k == 1:
        return distinct[[0, -1]]
    try:
        outer: Floats = distinct[ConvexHull(distinct[:, 1:]).vertices]
        return outer
    except QhullError:  # rows on a line: all of them are few or cheap enough to keep
        return distinct
