"""Log factors of a field from noisy tables: penalised least squares on counts, by L-BFGS. Free of charge.

Notation: contexts u with shares w_u, cells k, P_uk the law of cells, n rows; table t has groups g of contexts and
coarser cells b, noisy counts Y_t of standard deviation s_t, and log factors theta_t ~ N(0, prior_t^2). Minimised is

    sum_t |n sum_{u in g, k in b} w_u P_uk - Y_t|^2 / (2 s_t^2)  +  |n sum_u w_u P_uk - Y_0|^2 / (2 s_0^2)
    + sum_t |theta_t|^2 / (2 prior_t^2) + |margin|^2 / 2

where Y_0 is what stage one said of the field by itself. Factors are scaled by their priors, so that all of them start
alike; tables of pure noise have narrow priors (`prior_width`) and move nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from quantail.table.law import normalised
from quantail.table.tuning import NARROWEST_PRIOR, WIDEST_PRIOR

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Observed:
    """A table seen from the field it ends in.

    Attributes
    ----------
    group : array
        The row of the table that every context falls in.
    cell : array
        The column of the table that every cell of the field falls in.
    counts : array
        Noisy counts.
    deviation : float
        Standard deviation of their noise.
    prior : float
        Standard deviation of the log factors.
    """

    group: Codes
    cell: Codes
    counts: Floats
    deviation: float
    prior: float = 1.0

    @cached_property
    def gather(self) -> csr_matrix:
        """The matrix that adds contexts up to groups."""
        number = self.group.size
        ones = np.ones(number)
        return csr_matrix((ones, (self.group, np.arange(number))), (self.counts.shape[0], number))

    @cached_property
    def merge(self) -> Floats:
        """The matrix that adds cells up to columns of the table."""
        found = np.zeros((self.cell.size, self.counts.shape[1]))
        found[np.arange(self.cell.size), self.cell] = 1.0
        return found

    def summed(self, masses: Floats) -> Floats:
        """Add masses of contexts and cells up to the table."""
        return np.asarray((self.gather @ masses) @ self.merge)

    def spread(self, values: Floats) -> Floats:
        """Give every context and cell the number of its place in the table."""
        return np.asarray(values[:, self.cell][self.group])


@dataclass(frozen=True, eq=False)
class Margin:
    """What stage one said of a field: expected counts of its cells, and their standard deviation."""

    counts: Floats
    deviation: float


def prior_width(table: Observed, masses: Floats, rows: float) -> float:
    """Return the standard deviation of log factors that explains how far a table is from the current law.

    Expected counts c under a factor e^theta move by c theta: a moment estimate of the variance of theta beyond noise,
    each cell weighted by how well it tells.
    """
    expected = rows * table.summed(masses)
    missed = table.counts - expected
    weight = expected**2 / (table.deviation**2 + expected**2) ** 2
    found = np.sum(weight * (missed**2 - table.deviation**2)) / max(
        float(np.sum(weight * expected**2)), 1e-300
    )
    return float(np.sqrt(np.clip(found, NARROWEST_PRIOR**2, WIDEST_PRIOR**2)))


def fit_factors(
    base: Floats,
    shares: Floats,
    rows: float,
    margin: Margin,
    tables: Sequence[Observed],
    start: Sequence[Floats],
    steps: int,
) -> list[Floats]:
    """Return log factors: those of the margin first, then those of every table.

    Parameters
    ----------
    base : array
        Logarithms of the base law, a row for every context.
    shares : array
        Share of simulated rows in every context.
    start : sequence of array
        Factors to start from.
    steps : int
        Most iterations.
    """
    problem = _Problem(base, shares[:, None], rows, margin, tables)
    scaled = [first / width for first, width in zip(start, problem.widths, strict=True)]
    found = minimize(
        problem.value,
        np.concatenate([part.ravel() for part in scaled]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxcor": 8, "ftol": 1e-7},
    )
    return problem.parts(found.x)


@dataclass(frozen=True, eq=False)
class _Problem:
    base: Floats
    shares: Floats
    rows: float
    margin: Margin
    tables: Sequence[Observed]

    @property
    def widths(self) -> list[float]:
        return [1.0, *(table.prior for table in self.tables)]

    def parts(self, scaled: Floats) -> list[Floats]:
        shapes = [(self.base.shape[1],), *(table.counts.shape for table in self.tables)]
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
        pieces = zip(np.split(scaled, ends), shapes, self.widths, strict=True)
        return [width * piece.reshape(shape) for piece, shape, width in pieces]

    def value(self, scaled: Floats) -> tuple[float, Floats]:
        own, *factors = self.parts(scaled)
        logits = self.base + own
        for table, factor in zip(self.tables, factors, strict=True):
            logits += table.spread(factor)
        law = normalised(logits)
        masses = law * self.shares
        missed = (self.rows * masses.sum(axis=0) - self.margin.counts) / self.margin.deviation
        loss = float(missed @ missed + scaled @ scaled)
        pull = np.broadcast_to(missed / self.margin.deviation, law.shape).copy()
        for table in self.tables:
            missed = (self.rows * table.summed(masses) - table.counts) / table.deviation
            loss += float(np.sum(missed**2))
            pull += table.spread(missed / table.deviation)
        pull -= np.einsum("uk,uk->u", pull, law)[:, None]
        pull *= self.rows * masses
        slopes = [pull.sum(axis=0), *(table.summed(pull) for table in self.tables)]
        whole = [width * slope.ravel() for width, slope in zip(self.widths, slopes, strict=True)]
        return loss / 2, scaled + np.concatenate(whole)
