"""The span of a design: an orthonormal basis of its columns, leaving out those that earlier ones explain.

As in R's `lm`, a column counts as explained when less than 1e-7 of its length is left over. Columns are made
orthogonal in blocks (Gram-Schmidt), once more where much of a column was taken away.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_TOLERANCE = 1e-7
_BLOCK = 16  # columns projected at once: matrix products are many times faster than one column after another
_SHRUNK = 0.1  # a column that lost more than this to projection is projected again


class Span(NamedTuple):
    """An orthonormal basis, shape (n, r), of the design's columns `used`; design[:, used] = basis @ upper."""

    basis: Floats
    upper: Floats
    used: list[int]


def span(design: Floats) -> Span:
    """Build an orthonormal basis of the columns of a design, shape (n, k), in their order."""
    n, k = design.shape
    basis = np.empty((n, min(n, k)), order="F")
    used: list[int] = []
    for start in range(0, k, _BLOCK):
        have = basis[:, : len(used)]
        size = np.abs(design[:, start : start + _BLOCK]).max(axis=0, initial=0.0)
        # Scaled first: it keeps squares of very large or small values finite.
        block = design[:, start : start + _BLOCK] / np.where(size > 0, size, 1.0)
        whole = np.linalg.norm(block, axis=0)
        block -= have @ (have.T @ block)
        for place in range(block.shape[1]):
            if len(used) == basis.shape[1] or whole[place] == 0:
                continue
            left = _orthogonal(block[:, place], basis[:, : len(used)], have.shape[1], whole[place])
            length = float(np.linalg.norm(left))
            if length > _TOLERANCE * whole[place]:
                basis[:, len(used)] = left / length
                used.append(start + place)
    basis = basis[:, : len(used)]
    return Span(basis, np.triu(basis.T @ design[:, used]), used)


def _orthogonal(column: Floats, basis: Floats, done: int, whole: float) -> Floats:
    """Take out of a column what the basis explains; its first `done` vectors were dealt with."""
    new = basis[:, done:]
    left = column - new @ (new.T @ column)
    while True:
        length = float(np.linalg.norm(left))
        if length > _SHRUNK * whole or length <= _TOLERANCE * whole:
            return left
        left = left - basis @ (basis.T @ left)
        whole = length
