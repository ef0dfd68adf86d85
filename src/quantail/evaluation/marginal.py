"""k-marginal score (KM): whether the tables fill the same cells of a coarse grid.

Each column is cut at the real table's minimum, quartiles and maximum into six left-open bins: (-inf, min],
(min, q1], (q1, q2], (q2, q3], (q3, max], (max, inf). With f and g the shares of real and synthetic rows in
the joint cells, the score is 1000 (2 - sum |f - g|) / 2. Task, Bhagat, Streat and Howarth (2021), binned as
in the paper. A value equal to the minimum falls in the lowest bin, in both tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.errors import OptionError
from quantail.evaluation.reading import matrix_pair

NAME = "km"
RANGE = (0.0, 1000.0)
DIRECTION = "higher"
BEST = 1000.0
REFERENCE = "Task et al. (2021), SDNist: benchmark data and evaluation tools for data synthesizers, NIST"

_BINS = 6
_MOST_COLUMNS = 20  # cell numbers must fit 64 bits


def k_marginal(real: Any, synth: Any, columns: Sequence[str] | None = None) -> float:
    """Score the joint cell shares of the given columns, all of them together.

    Parameters
    ----------
    real, synth : frame or mapping of arrays
        Tables with the same numeric columns; the bins come from `real`.
    columns : sequence of str, optional
        Columns that span the cells; all of them unless told.

    Examples
    --------
    >>> k_marginal({"x": [0.0, 1.0, 2.0, 3.0]}, {"x": [9.0, 9.0, 9.0, 9.0]})
    0.0
    """
    left, right = matrix_pair(real, synth, columns)
    if left.shape[1] > _MOST_COLUMNS:
        raise OptionError(f"km: name at most {_MOST_COLUMNS} columns at once; average over smaller sets.")
    cells = np.zeros(left.shape[0] + right.shape[0], dtype=np.int64)
    for one, other in zip(left.T, right.T, strict=True):
        edges = np.quantile(one, [0.0, 0.25, 0.5, 0.75, 1.0])
        # side="left" counts the edges strictly below a value: bins open on the left, closed on the right.
        cells = cells * _BINS + np.searchsorted(edges, np.concatenate([one, other]), side="left")
    _, cell = np.unique(cells, return_inverse=True)
    return overlap_score(cell[: left.shape[0]], cell[left.shape[0] :])


def overlap_score(real: NDArray[np.int64], synth: NDArray[np.int64]) -> float:
    """Score two lists of cell numbers: 1000 if the cells have equal shares, 0 if none is shared."""
    count = int(max(real.max(), synth.max())) + 1
    f = np.bincount(real, minlength=count) / real.size
    g = np.bincount(synth, minlength=count) / synth.size
    return float(1000 * (2 - np.abs(f - g).sum()) / 2)
