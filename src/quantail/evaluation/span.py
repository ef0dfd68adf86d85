"""The span of a design: an orthonormal basis of its columns, leaving out those that earlier ones explain.

As in R's `lm`, a column counts as explained when less than 1e-7 of its length is left over. In LAPACK's
QR, in the order of the columns, the j-th entry of the diagonal of R is what is left of column j.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from quantail.arrays import Floats

_TOLERANCE = 1e-7


class Span(NamedTuple):
    """An orthonormal basis, shape (n, r), of the design's columns `used`; design[:, used] = basis @ upper."""

    basis: Floats
    upper: Floats
    used: list[int]


def span(design: Floats) -> Span:
    """Build an orthonormal basis of the columns of a design, shape (n, k), in their order."""
    size = np.abs(design).max(axis=0, initial=0.0)
    used = np.flatnonzero(size > 0).tolist()
    scaled = design[:, used] / size[used]  # squares of very large or small values stay finite
    scaled /= np.linalg.norm(scaled, axis=0)
    while True:
        basis, upper = qr(scaled, mode="economic")
        rest = np.zeros(len(used))
        rest[: len(upper)] = np.abs(np.diag(upper))
        if not (rest <= _TOLERANCE).any():
            break
        # Beyond the first explained column the diagonal is not to be trusted: leave that one out, and look again.
        explained = int(np.argmax(rest <= _TOLERANCE))
        scaled = np.delete(scaled, explained, axis=1)
        del used[explained]
    return Span(basis, np.triu(basis.T @ design[:, used]), used)
