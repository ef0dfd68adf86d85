"""One column of the paper's simulation as its mechanisms see it: design, instruments, bounds, where lines are held.

NOT PRIVATE: where a density says so, rows are confidential.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from quantail.datasets import PAPER_COLUMNS
from quantail.datasets.simulation import PAPER_BOUNDS
from quantail.experiments.published.density import Density

Floats = NDArray[np.float64]

CAPS = {"X1": 1.0, "X2": 46.0, "X3": 106.0}
"""C_X of each column's regression: predictors above it are cut there."""

RANGES = {"X1": 46.0, "X2": 106.0}
"""Each predictor's own bound, from which the paper takes its C_X."""

INSTRUMENT_LEVELS = (0.05, 0.95)  # quantiles of a synthesised predictor between which its instrument rises


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
    earlier = list(PAPER_COLUMNS[: PAPER_COLUMNS.index(name)])
    y = np.ascontiguousarray(train[name], dtype=float)
    real = np.array([train[c] for c in earlier], dtype=float).reshape(len(earlier), y.size)
    made = np.array([synthetic[c] for c in earlier], dtype=float).reshape(len(earlier), y.size)

    own = density.scaling == "public" or density.instruments == "bounded"
    caps = np.array([RANGES[c] if own else CAPS[name] for c in earlier])
    predictors = real if density.instruments == "bounded" else np.clip(real, 0.0, caps[:, None])
    design = np.vstack([np.ones((1, y.size)), predictors])
    if density.instruments == "bounded":
        instruments = np.vstack([np.ones((1, y.size)), bounded_instruments(real, made)])
        weight, widest = np.ones(len(earlier) + 1), 1.0
    else:
        instruments = design
        weight = np.concatenate([[1.0], 1.0 / caps]) if own else np.ones(len(earlier) + 1)
        widest = 1.0 if own else CAPS[name]
    held = {
        "rows": lambda: corners(design.T),
        "synthetic": lambda: corners(np.vstack([np.ones((1, y.size)), made]).T),
        "domain": lambda: np.array(
            [(1.0, *corner) for corner in itertools.product(*((0.0, cap) for cap in caps))]
        ),
    }
    first = held["domain" if density.constraint == "domain" else "rows"]()
    return Column(
        name,
        y,
        real.T,
        design,
        instruments,
        weight,
        widest,
        first,
        held[density.constraint](),
        PAPER_BOUNDS[name],
    )


def bounded_instruments(real: Floats, made: Floats) -> Floats:
    """Map each predictor to [0, 1] between two quantiles of its synthesised copy: a release, so free of charge."""
    low, high = np.quantile(made, INSTRUMENT_LEVELS, axis=1) if made.size else np.empty((2, 0))
    width = np.maximum(high - low, 1e-9)
    return np.clip((real - low[:, None]) / width[:, None], 0.0, 1.0)


def corners(rows: Floats) -> Floats:
    """Keep the rows that no others enclose: a linear inequality that holds there holds at all of them."""
    distinct = np.unique(rows, axis=0)
    k = distinct.shape[1] - 1
    if k == 0:
        return distinct[:1]
    if k == 1:
        return distinct[[0, -1]]
    try:
        return np.ascontiguousarray(distinct[ConvexHull(distinct[:, 1:]).vertices])
    except QhullError:  # rows on a line: all of them are few or cheap enough to keep
        return distinct
