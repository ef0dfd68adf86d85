"""Quantile regression without privacy: the reference that private methods are measured against.

Notation: n rows, response y, design D = (1, X) with p = k + 1 columns, level tau in (0, 1), residual
r = y - D b, check loss rho(r) = r (tau - 1{r < 0}). The fit minimises sum rho(r_i), a linear programme.

Speed comes from solving a small programme and proving that its answer solves the large one (in the spirit of
Portnoy and Koenker 1997). Rows far above or below the fit at a neighbouring level are each summed into one
row. As rho(r + s) <= rho(r) + rho(s), the small loss is nowhere above the full one, and equal to it at any b
that leaves every summed row on its assumed side; a small solution with that property is therefore optimal
for all rows. Rows found on the wrong side are let back in and the programme is solved again. Equal rows,
frequent in counts of employees, are merged into one row with a weight beforehand.

Nothing in this file is differentially private.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linprog

from quantail.arrays import Flags, Floats
from quantail.errors import DataError, OptionError

_SMALL = 400  # below this many rows the full programme is as fast as any detour
_MENDS = 10  # rounds of letting single rows back in before more rows are taken
# The tightest tolerance now and then ends without a verdict; the next one in the list then decides.
_SOLVERS = (("highs-ds", 1e-10), ("highs-ds", 1e-9), ("highs-ipm", 1e-9), ("highs-ds", 1e-7))
_SIGN_TOLERANCE = 1e-10  # in units of the scaled response


def quantile_regression(y: ArrayLike, X: ArrayLike | None, taus: Sequence[float]) -> Floats:
    """Fit one linear quantile regression per level, exactly and without privacy.

    Parameters
    ----------
    y : array of shape (n,)
        Response.
    X : array of shape (n, k) or None
        Predictors without the intercept; k may be 0.
    taus : sequence of float
        Levels strictly between 0 and 1, in any order.

    Returns
    -------
    array of shape (len(taus), k + 1)
        Intercept first. With k = 0 the empirical quantile, the smallest minimiser.

    Examples
    --------
    >>> quantile_regression([1.0, 2.0, 9.0], None, [0.5]).tolist()
    [[2.0]]
    """
    response, predictors = _checked(y, X)
    levels = _checked_levels(taus)
    if predictors.shape[1] == 0:
        return np.quantile(response, levels, method="inverted_cdf").reshape(-1, 1)

    # A common scale gives the solver's absolute tolerances the same meaning for dollars and for cents.
    centre, spread = predictors.mean(axis=0), _spread(predictors)
    shift, unit = float(np.median(response)), float(_spread(response[:, None])[0])
    design = np.column_stack([np.ones(response.size), (predictors - centre) / spread])
    scaled = _fit_levels(_merged((response - shift) / unit, design), levels)

    slopes = scaled[:, 1:] * unit / spread
    intercept = shift + scaled[:, 0] * unit - slopes @ centre
    return np.column_stack([intercept, slopes])


def check_loss(y: ArrayLike, X: ArrayLike | None, coefficients: ArrayLike, tau: float) -> float:
    """Sum the check loss of one fit, the quantity that `quantile_regression` minimises."""
    response, predictors = _checked(y, X)
    b = np.asarray(coefficients, dtype=float)
    residual = response - b[0] - predictors @ b[1:]
    return float(np.sum(residual * (tau - (residual < 0))))


@dataclass(frozen=True)
class _Rows:
    """Distinct rows of the scaled table; `weight` says how many real rows each stands for."""

    y: Floats
    design: Floats
    weight: Floats
    reach: Floats  # how far a row's fitted value moves with the coefficients: the root of its leverage

    def take(self, chosen: NDArray[np.intp]) -> tuple[Floats, Floats, Floats]:
        return self.y[chosen], self.design[chosen], self.weight[chosen]


def _merged(y: Floats, design: Floats) -> _Rows:
    """Merge equal rows: exact, and for whole numbers it leaves a small fraction of them."""
    table = np.column_stack([design[:, 1:], y])
    order = np.lexsort(table.T)
    ordered = table[order]
    first = np.flatnonzero(np.concatenate([[True], (ordered[1:] != ordered[:-1]).any(axis=1)]))
    weight = np.diff(np.append(first, y.size)).astype(float)
    kept = design[order[first]]
    left, size, _ = np.linalg.svd(kept, full_matrices=False)
    leverage = (left[:, size > 1e-10 * size[0]] ** 2).sum(axis=1)
    return _Rows(y[order[first]], kept, weight, np.sqrt(leverage))


def _fit_levels(table: _Rows, levels: Floats) -> Floats:
    """Fit the middle level first, then walk outwards: each fit starts from a line through the two before it."""
    n, p = table.design.shape
    fits = np.empty((levels.size, p))
    order = np.argsort(levels, kind="stable")
    middle = int(np.argmin(np.abs(levels[order] - 0.5)))

    # The first guess rests on (p n)^(2/3) rows; only speed, never an answer, depends on it or on `rows`.
    rows = min(n, int(np.ceil((p * n) ** (2 / 3))))
    sample = np.random.default_rng(0).choice(n, size=rows, replace=False)
    tau = float(levels[order[middle]])
    start = _linear_programme(*table.take(sample), tau)
    fits[order[middle]] = _solve(table, tau, start, rows)

    rows = int(np.ceil(2.0 * np.sqrt(p * n)))
    for outwards in (order[middle:], order[: middle + 1][::-1]):
        for place in range(1, outwards.size):
            known = outwards[max(place - 2, 0) : place]
            tau = float(levels[outwards[place]])
            fits[outwards[place]] = _solve(table, tau, _extrapolated(levels[known], fits[known], tau), rows)
    return fits


def _extrapolated(levels: Floats, fits: Floats, tau: float) -> Floats:
    """Guess the coefficients at `tau` from the last one or two levels: spreads that grow with X tilt the lines."""
    gap = levels[-1] - levels[0]
    ahead = min((tau - levels[-1]) / gap, 1.5) if gap != 0 else 0.0
    return np.asarray(fits[-1] + ahead * (fits[-1] - fits[0]), dtype=float)


def _solve(table: _Rows, tau: float, start: Floats, rows: int) -> Floats:
    """Solve on the `rows` rows likeliest to change sides; let wrongly placed rows in until none is left."""
    n = table.y.size
    if n <= _SMALL:
        return _linear_programme(table.y, table.design, table.weight, tau)
    residual = table.y - table.design @ start
    residual -= _weighted_quantile(residual, table.weight, tau)
    above, distance = residual > 0, np.abs(residual) / table.reach
    while True:
        keep = np.ones(n, dtype=bool)
        if rows < n:
            keep[np.argpartition(distance, rows)[rows:]] = False
        for _ in range(_MENDS):
            fit = _solve_summed(table, tau, keep, above)
            after = table.y - table.design @ fit
            wrong = ~keep & np.where(above, after < -_SIGN_TOLERANCE, after > _SIGN_TOLERANCE)
            if not wrong.any():
                return fit
            if wrong.sum() > rows // 2:
                break
            keep |= wrong
        rows *= 2  # the guess was too poor to mend: take more rows, in the end all of them


def _weighted_quantile(values: Floats, weight: Floats, tau: float) -> float:
    order = np.argsort(values)
    below = np.cumsum(weight[order])
    return float(values[order[np.searchsorted(below, tau * below[-1])]])


def _solve_summed(table: _Rows, tau: float, keep: Flags, above: Flags) -> Floats:
    """Solve with the rows outside `keep` summed into one row above the fit and one below it.

    As w rho(r / w) = rho(r), a sum of w rows enters as their mean with weight w, which keeps the scale even.
    """
    y, design, weight = table.take(np.flatnonzero(keep))
    for side in (~keep & above, ~keep & ~above):
        if side.any():
            share = table.weight * side
            total = share.sum()
            y = np.append(y, share @ table.y / total)
            design = np.vstack([design, share @ table.design / total])
            weight = np.append(weight, total)
    return _linear_programme(y, design, weight, tau)


def _linear_programme(y: Floats, design: Floats, weight: Floats, tau: float) -> Floats:
    """Solve the dual: maximise y'd subject to D'd = (1 - tau) D'w, 0 <= d <= w; its multipliers are b."""
    message = ""
    for method, tolerance in _SOLVERS:
        answer = linprog(
            -y,
            A_eq=design.T,
            b_eq=(1.0 - tau) * (weight @ design),
            bounds=np.column_stack([np.zeros(y.size), weight]),
            method=method,
            options={
                "presolve": False,  # nothing to find in a dense programme this small; costs a fifth of the time
                "dual_feasibility_tolerance": tolerance,
                "primal_feasibility_tolerance": tolerance,
            },
        )
        if answer.status == 0:
            return -np.asarray(answer.eqlin.marginals, dtype=float)
        message = str(answer.message)
    raise DataError(
        f"quantile regression at level {tau:g} found no solution ({message}); "
        "look for predictors of extreme scale or rescale the columns."
    )


def _spread(columns: Floats) -> Floats:
    spread = columns.std(axis=0)
    return np.where(spread > 0, spread, 1.0)


def _checked(y: ArrayLike, X: ArrayLike | None) -> tuple[Floats, Floats]:
    response = np.asarray(y, dtype=float)
    predictors = np.empty((response.size, 0)) if X is None else np.asarray(X, dtype=float)
    if response.ndim != 1 or response.size == 0:
        raise DataError("quantile regression: the response must be a vector with at least one value.")
    if predictors.ndim != 2 or predictors.shape[0] != response.size:
        raise DataError("quantile regression: predictors must form a matrix with one row per response value.")
    if not (np.isfinite(response).all() and np.isfinite(predictors).all()):
        raise DataError("quantile regression: missing or infinite values; remove or impute them first.")
    return response, predictors


def _checked_levels(taus: Sequence[float]) -> Floats:
    levels = np.asarray(taus, dtype=float)
    if levels.ndim != 1 or levels.size == 0 or not ((levels > 0) & (levels < 1)).all():
        raise OptionError("taus: give one or more quantile levels strictly between 0 and 1, such as 0.5.")
    return levels
