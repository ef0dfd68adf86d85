"""Log factors of a field from noisy tables: penalised least squares on counts, by L-BFGS. Free of charge.

Notation: contexts u with shares w_u, cells k, P_uk the law of cells, n rows; table t has groups g of contexts and
coarser cells b, noisy counts Y_t of standard deviation s_t, and log factors theta_t ~ N(0, prior_t^2). Minimised is

    sum_t |n sum_{u in g, k in b} w_u P_uk - Y_t|^2 / (2 s_t^2)  +  |n sum_u w_u P_uk - Y_0|^2 / (2 s_0^2)
    + sum_t |theta_t|^2 / (2 prior_t^2) + |margin|^2 / (2 prior_0^2) + (trust - 1)^2 / (2 prior^2)
    + sum_t |shift_t|^2 / (2 (spread prior_t)^2)

where Y_0 is what stage one said of the field by itself, and a table that ends in a number may also shift its base law,
of which `spread` is the unit, in every group. Factors are scaled by their priors, so that all of them start
alike; tables of pure noise have narrow priors (`prior_width`) and move nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from quantail.table.factor_width import excess_of, log_factor_width, width_of
from quantail.table.law import adding, normalised
from quantail.table.shifted_base import ShiftedBase
from quantail.table.tuning import TRUST_PRIOR, UNFITTED

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
    def merge(self) -> Floats:
        """The matrix that adds cells up to columns of the table."""
        return adding(self.cell, self.counts.shape[1])

    def spread(self, values: Floats) -> Floats:
        """Give every context and cell the number of its place in the table; one row for all contexts if they agree."""
        spread = values.take(self.cell, axis=1)
        return spread if len(spread) == 1 else spread.take(self.group, axis=0, mode="clip")


def gathering(tables: Sequence[Observed]) -> csr_matrix:
    """Return the matrix that adds contexts up to the groups of all tables, one table below the other."""
    contexts = [np.argsort(table.group, kind="stable") for table in tables]
    held = [np.bincount(table.group, minlength=table.counts.shape[0]) for table in tables]
    ends = np.cumsum(np.concatenate([[0], *held]))
    number = tables[0].group.size
    return csr_matrix((np.ones(ends[-1]), np.concatenate(contexts), ends), (ends.size - 1, number))


@dataclass(frozen=True, eq=False)
class Margin:
    """What stage one said of a field by itself.

    Attributes
    ----------
    counts : array
        Expected counts of its cells.
    deviation : array
        Standard deviation of each.
    curved : bool
        Whether they come from a curve, which may be off between its quantiles, or were counted.
    prior : float
        Standard deviation of the log factors of the cells.
    """

    counts: Floats
    deviation: Floats
    curved: bool = False
    prior: float = 1.0

    def doubted(self, tables: Sequence[Observed]) -> "Margin":
        """Return the margin of a curve with the doubt that tables cast on it: how far cells are off beyond noise."""
        if not self.curved:
            return self
        excess = scale = 0.0
        for table in tables:
            expected = self.counts @ table.merge
            noise = table.deviation * table.counts.shape[0] ** 0.5
            found = excess_of(table.counts.sum(axis=0) - expected, expected, noise)
            excess, scale = excess + found[0], scale + found[1]
        doubt = width_of(excess, scale)
        return replace(self, deviation=np.hypot(self.deviation, doubt * self.counts), prior=min(doubt, 1.0))


def prior_width(table: Observed, masses: Floats, rows: float) -> float:
    """Return the standard deviation of log factors that explains how far a table is from the current law."""
    expected = rows * ((gathering([table]) @ masses) @ table.merge)
    return log_factor_width(table.counts - expected, expected, table.deviation)


@dataclass(frozen=True, eq=False)
class Fitted:
    """How far slopes are trusted, log factors of the cells by themselves and of every table, and shifts of every table.

    A table that shifts nothing has an empty array of shifts.
    """

    trust: float
    margin: Floats
    factors: list[Floats]
    shifts: list[Floats]


def fit_factors(
    base: ShiftedBase,
    shares: Floats,
    rows: float,
    margin: Margin,
    tables: Sequence[Observed],
    start: Fitted,
    steps: int,
    forbidden: NDArray[np.bool_] | None = None,
) -> Fitted:
    """Fit a field to its tables.

    Parameters
    ----------
    base : ShiftedBase
        The law of stage one in every context.
    shares : array
        Share of simulated rows in every context.
    start : Fitted
        Where to start from.
    steps : int
        Most iterations.
    forbidden : array, optional
        Cells that every context cannot have.
    """
    fitted, loss = _descended(base, shares, rows, margin, tables, start, steps, forbidden)
    cells = margin.counts.size + sum(table.counts.size for table in tables)
    if loss <= UNFITTED * cells or not any(own.size for own in start.shifts):
        return fitted
    # Shifts of a law with a spike are steep, and steps get stuck among them: without shifts all is smooth.
    still = replace(
        start,
        trust=1.0,
        margin=0 * start.margin,
        factors=[0 * own for own in start.factors],
        shifts=[np.zeros(0) for _ in start.shifts],
    )
    other, other_loss = _descended(base, shares, rows, margin, tables, still, steps, forbidden)
    return fitted if loss <= other_loss else replace(other, shifts=[0 * own for own in start.shifts])


def _descended(
    base: ShiftedBase,
    shares: Floats,
    rows: float,
    margin: Margin,
    tables: Sequence[Observed],
    start: Fitted,
    steps: int,
    forbidden: NDArray[np.bool_] | None,
) -> tuple[Fitted, float]:
    """Return what L-BFGS finds in so many steps, and its loss."""
    parts = [np.array([start.trust - 1]), start.margin, *start.factors, *start.shifts]
    problem = _Problem(base, shares, rows, margin, tables, [part.shape for part in parts], forbidden)
    both = _Both(problem)
    found = minimize(
        both.value,
        np.concatenate([part.ravel() for part in parts]) / problem.width,
        jac=both.slopes,
        method="L-BFGS-B",
        options={"maxiter": steps, "maxcor": 8, "ftol": 1e-7},
    )
    distrust, own, factors, shifts = problem.parts(found.x)
    return Fitted(1 + float(distrust[0]), own, factors, shifts), float(found.fun)


class _Both:
    """A value and its slopes, worked out together and asked for one after the other."""

    def __init__(self, problem: "_Problem") -> None:
        self._problem = problem
        self._at, self._slopes = np.full(0, np.nan), np.zeros(0)

    def value(self, scaled: Floats) -> float:
        value, self._slopes = self._problem.value(scaled)
        self._at = scaled.copy()
        return value

    def slopes(self, scaled: Floats) -> Floats:
        if not np.array_equal(scaled, self._at):
            self.value(scaled)
        return self._slopes


@dataclass(frozen=True, eq=False)
class _Problem:
    base: ShiftedBase
    shares: Floats
    rows: float
    margin: Margin
    tables: Sequence[Observed]
    shapes: list[tuple[int, ...]]
    forbidden: NDArray[np.bool_] | None = None

    @cached_property
    def width(self) -> Floats:
        """The prior standard deviation of every parameter."""
        priors = [table.prior for table in self.tables]
        widths = [TRUST_PRIOR, self.margin.prior, *priors, *(self.base.spread * prior for prior in priors)]
        return np.repeat(widths, [prod(shape) for shape in self.shapes])

    @cached_property
    def places(self) -> list[slice]:
        ends = list(accumulate((prod(shape) for shape in self.shapes), initial=0))
        return [slice(start, end) for start, end in pairwise(ends)]

    @cached_property
    def gather(self) -> csr_matrix:
        return gathering(self.tables)

    @cached_property
    def groups(self) -> list[slice]:
        ends = accumulate((table.counts.shape[0] for table in self.tables), initial=0)
        return [slice(start, end) for start, end in pairwise(ends)]

    @cached_property
    def everywhere(self) -> Floats:
        return np.ones(self.shares.size)

    def gathered(self, masses: Floats) -> list[Floats]:
        """Add masses of contexts up to the groups of every table."""
        found = self.gather @ masses
        return [found[place] for place in self.groups]

    def summed(self, masses: Floats) -> list[Floats]:
        """Add masses of contexts and cells up to every table."""
        parts = zip(self.gathered(masses), self.tables, strict=True)
        return [np.asarray(part @ table.merge) for part, table in parts]

    def parts(self, scaled: Floats) -> tuple[Floats, Floats, list[Floats], list[Floats]]:
        whole, number = self.width * scaled, len(self.tables)
        pieces = zip(self.places, self.shapes, strict=True)
        distrust, own, *others = (whole[place].reshape(shape) for place, shape in pieces)
        return distrust, own, others[:number], others[number:]

    def value(self, scaled: Floats) -> tuple[float, Floats]:
        distrust, own, factors, shifts = self.parts(scaled)
        tilt, change = self.base.tilt(self._shifted(shifts))
        logits = tilt * (1 + float(distrust[0]))
        logits += self.base.implied + own
        for table, factor in zip(self.tables, factors, strict=True):
            logits += table.spread(factor)
        masses = normalised(logits, self.forbidden, self.shares)
        missed = (self.rows * (self.everywhere @ masses) - self.margin.counts) / self.margin.deviation
        loss = float(missed @ missed + scaled @ scaled)
        pull = np.empty_like(masses)
        pull[:] = missed / self.margin.deviation
        for table, held in zip(self.tables, self.summed(masses), strict=True):
            missed = (self.rows * held - table.counts) / table.deviation
            loss += float((missed**2).sum())
            pull += table.spread(missed / table.deviation)
        pull -= (np.einsum("uk,uk->u", pull, masses) / self.shares)[:, None]
        pull *= masses
        trusted = np.array([np.vdot(pull, tilt)])
        slopes = [trusted, self.everywhere @ pull, *self.summed(pull)]
        if change is None:
            slopes += shifts  # all of them empty
        else:
            moved = (1 + distrust) * np.einsum("uk,uk->u", pull, change)
            parts = zip(self.gathered(moved), shifts, strict=True)
            slopes += [part if own.size else own for part, own in parts]
        return loss / 2, scaled + self.rows * self.width * np.concatenate([slope.ravel() for slope in slopes])

    def _shifted(self, shifts: list[Floats]) -> Floats:
        """Return what tables shift every context by."""
        total = np.zeros(self.shares.size)
        for table, own in zip(self.tables, shifts, strict=True):
            if own.size:
                total += own[table.group]
        return total
