"""Linear, logistic and quantile regression with standard errors, from a design or from a formula.

Notation: design D with n rows, coefficients b, standard errors the roots of the diagonal of their covariance V.

    linear     b by least squares;  V = s2 (D'D)^-1, s2 = |y - D b|^2 / (n - p)
    logistic   b by maximum likelihood;  V = (D'WD)^-1, W = p (1 - p)
    quantile   b by linear programming;  V = tau (1 - tau) J^-1 D'D J^-1, J = sum K(r_i / h) d_i d_i' / h with the
               normal kernel K and the bandwidth of Hall and Sheather (Powell 1991; as R's summary.rq, se = "ker")

A predictor that earlier ones explain is dropped, as by R's `lm`: coefficient 0, standard error NaN.

With heavy tails V is far too small for linear and logistic fits, as a few rows decide them. Robust errors are those of
MacKinnon and White (1985, HC3), who leave out each row once: A M A, M = sum d_i d_i' r_i^2 / (1 - h_i)^2, with
residuals r, leverages h, and A = (D'D)^-1 or (D'WD)^-1. Powell's V is robust already.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.special import expit, ndtri

from quantail.arrays import Floats
from quantail.errors import DataError, OptionError
from quantail.evaluation.formula import Formula, Levels
from quantail.evaluation.logistic import fit_logit, information
from quantail.evaluation.quantile_regression import quantile_regression
from quantail.evaluation.span import Span, span

Kind = Literal["linear", "logistic", "quantile"]

_KIND = re.compile(r"\s*(?:(linear|logistic)|quantile\(\s*([0-9.]+)\s*\))\s*:\s*")
_LEAST_FREE = 1e-6  # a row that decides a coefficient alone has nothing left to vary
_SEPARATED = 12.0  # log-odds; if no row is less certain than this, the labels are told apart completely


@dataclass(frozen=True)
class Fit:
    """A fitted regression: coefficients, shape (k,), and their covariance, one for every column of the design.

    `dropped` holds the places of predictors that earlier ones explain. `robust` is the covariance without assuming
    rows of equal spread; None where `covariance` does not assume it either.
    """

    estimates: Floats
    covariance: Floats
    names: tuple[str, ...] = ()
    dropped: tuple[int, ...] = ()
    robust: Floats | None = None

    @property
    def standard_errors(self) -> Floats:
        """Standard errors; NaN for a dropped predictor, or where the rows do not suffice."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    @property
    def inflation(self) -> Floats:
        """How many times larger robust standard errors are; 1 where that is not known."""
        usual, robust = (
            np.diag(self.covariance),
            np.diag(self.covariance if self.robust is None else self.robust),
        )
        known = (usual > 0) & (robust > 0)
        return np.where(known, np.sqrt(robust / np.where(known, usual, 1.0)), 1.0)

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Give the ends of the normal confidence intervals."""
        reach = ndtri((1 + level) / 2) * self.standard_errors
        return self.estimates - reach, self.estimates + reach


def fit_linear(y: Floats, X: Floats, names: tuple[str, ...] = ()) -> Fit:
    """Fit by least squares; the design, shape (n, k), holds the column of ones itself."""
    found = span(X)
    scores = found.basis.T @ y
    residual = y - found.basis @ scores
    freedom = len(y) - len(found.used)
    variance = float(residual @ residual) / freedom if freedom > 0 else np.nan
    spread = np.eye(len(found.used))
    robust = _left_out(found.basis, residual, np.ones(len(y)), spread)
    return _fit(found, scores, variance * spread, X.shape[1], names, robust)


def fit_logistic(y: Floats, X: Floats, names: tuple[str, ...] = ()) -> Fit:
    """Fit 0/1 responses by maximum likelihood."""
    if not np.isin(y, (0.0, 1.0)).all() or np.ptp(y) == 0:
        raise DataError(
            "logistic regression: the response must be 0 or 1 (or two labels), and both must occur."
        )
    found = span(X)
    scores, linear, _ = fit_logit(found.basis, y)
    if np.abs(linear).min() > _SEPARATED:
        raise DataError("logistic regression: the predictors tell the two responses apart completely.")
    p = expit(linear)
    covariance = np.asarray(
        np.linalg.pinv(information(found.basis, p * (1 - p)), hermitian=True), dtype=float
    )
    robust = _left_out(found.basis, y - p, p * (1 - p), covariance)
    return _fit(found, scores, covariance, X.shape[1], names, robust)


def fit_quantile(y: Floats, X: Floats, tau: float = 0.5, names: tuple[str, ...] = ()) -> Fit:
    """Fit the conditional quantile at level `tau`; the first column of the design must be the ones."""
    if not X.shape[1] or not (X[:, 0] == 1).all():
        raise OptionError("quantile regression needs an intercept; leave out the 0 or - 1 of the formula.")
    found = span(X)
    used = X[:, found.used]
    b = quantile_regression(y, used[:, 1:], [tau])[0]
    residual = y - used @ b
    weight = _normal_density(residual / (width := _bandwidth(residual, tau))) / width
    bend = np.linalg.pinv(information(found.basis, weight), hermitian=True)
    return _fit(found, found.upper @ b, tau * (1 - tau) * bend @ bend, X.shape[1], names)


@dataclass(frozen=True)
class Regression:
    """A regression to run on any table: its kind and its formula.

    Examples
    --------
    >>> Regression.parse("quantile(0.9): wage ~ age").tau
    0.9
    >>> table = {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 1.0]}
    >>> Regression.parse("y ~ x").fit(table).estimates.round(3)
    array([0.167, 0.5  ])
    """

    formula: Formula
    kind: Kind = "linear"
    tau: float = 0.5

    @classmethod
    def parse(cls, text: str) -> Regression:
        """Read a formula, with `linear:` (understood), `logistic:` or `quantile(0.9):` before it."""
        found = _KIND.match(text)
        if found is None:
            return cls(Formula.parse(text))
        formula = Formula.parse(text[found.end() :])
        if found[1]:
            return cls(formula, "logistic" if found[1] == "logistic" else "linear")
        tau = _number(found[2])
        if not 0 < tau < 1:
            raise OptionError(f"formula {text!r}: the quantile's level must lie between 0 and 1.")
        return cls(formula, "quantile", tau)

    def __str__(self) -> str:
        """Write the regression as it is parsed."""
        kinds = {"linear": "", "logistic": "logistic: ", "quantile": f"quantile({self.tau:g}): "}
        return kinds[self.kind] + self.formula.text

    def fit(self, frame: Any, levels: Levels | None = None, role: str = "given") -> Fit:
        """Fit it to a table; `levels` as in `Formula.design`."""
        y, X, names = self.formula.design(frame, levels, role)
        if self.kind == "linear":
            return fit_linear(y, X, names)
        if self.kind == "logistic":
            return fit_logistic(y, X, names)
        return fit_quantile(y, X, self.tau, names)


def _left_out(basis: Floats, residual: Floats, weight: Floats, spread: Floats) -> Floats:
    """Robust covariance on the basis: what the estimates move by when each row is left out once, squared and summed."""
    leverage = weight * np.einsum("ij,ij->i", basis @ spread, basis)
    moved = residual / np.maximum(1 - leverage, _LEAST_FREE)
    return np.asarray(spread @ information(basis, moved**2) @ spread)


def _fit(
    found: Span,
    scores: Floats,
    spread: Floats,
    k: int,
    names: tuple[str, ...],
    robust: Floats | None = None,
) -> Fit:
    """Turn coefficients and covariance on the basis into those on the design: D = Q R, so b = R^-1 scores."""
    inverse = np.linalg.inv(found.upper)
    estimates = np.zeros(k)
    estimates[found.used] = inverse @ scores

    def on_design(inner: Floats) -> Floats:
        outer = np.full((k, k), np.nan)
        outer[np.ix_(found.used, found.used)] = inverse @ inner @ inverse.T
        return outer

    dropped = tuple(j for j in range(k) if j not in found.used)
    return Fit(estimates, on_design(spread), names, dropped, None if robust is None else on_design(robust))


def _bandwidth(residual: Floats, tau: float) -> float:
    """Hall and Sheather's bandwidth in the units of the residuals, kept inside the range of levels."""
    z = ndtri(tau)
    reach = residual.size ** (-1 / 3) * ndtri(0.975) ** (2 / 3)
    reach *= (1.5 * _normal_density(z) ** 2 / (2 * z**2 + 1)) ** (1 / 3)
    reach = min(reach, 0.99 * tau, 0.99 * (1 - tau))
    low, high = np.quantile(residual, [0.25, 0.75])
    scale = min(float(residual.std()), float(high - low) / 1.34) or float(residual.std())
    if scale == 0:
        raise DataError("quantile regression: the fit is exact, so standard errors have no scale.")
    return float(scale * (ndtri(tau + reach) - ndtri(tau - reach)))


def _normal_density(z: Floats) -> Floats:
    """Return the density of the standard normal law."""
    return np.asarray(np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
