"""Rules for the estimates of several synthetic tables, and what each takes for granted.

With m tables of k rows made from n real ones, estimates q_i with variances v_i, their means qbar and vbar, and the
variance b of the q_i:

    rule       variance of qbar       holds if
    ---------  ---------------------  --------------------------------------------------------------------------------
    "partial"  vbar k/n + b/m         every table comes from a fit of its own, with noise of its own (`fit_many`), or
                                      keeps some real columns (Reiter 2003; Raab, Nowok and Dibben 2016)
    "simple"   vbar (k/n + 1/m)       all tables come from one fit that adds no error of its own, rows drawn
                                      independently (Raab, Nowok and Dibben 2016): never true of a private fit
    "full"     (1 + 1/m) b - vbar     the parameters behind every table are a draw from their posterior given the real
                                      rows, rows drawn independently (Raghunathan, Reiter and Rubin 2003): tables of
                                      other software; the noise of our fits is no posterior

Replicates from one private fit share the noise of that fit: no rule that looks at the tables alone can see it, and
"simple" leaves it out. `infer` does not. Fits of their own show it, and cost their budget each. No rule removes the
bias that noise leaves in a curved estimate; `infer` does that, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri, stdtrit

from quantail.errors import OptionError

Rule = Literal["full", "partial", "simple"]


@dataclass(frozen=True)
class Combined:
    """An estimate from several tables.

    Attributes
    ----------
    variance : float
        Of the estimate; for "full", whose formula can fall below zero, at least the fallback of Reiter (2002),
        vbar k/n.
    freedom : float
        Degrees of freedom of the reference distribution; infinite for a normal one.
    """

    estimate: float
    variance: float
    freedom: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the ends of the confidence interval."""
        upper = (1 + level) / 2
        quantile = ndtri(upper) if np.isinf(self.freedom) else stdtrit(self.freedom, upper)
        reach = float(quantile * np.sqrt(self.variance))
        return self.estimate - reach, self.estimate + reach


def combine(
    estimates: Sequence[float], variances: Sequence[float], rule: Rule, rows_ratio: float = 1.0
) -> Combined:
    """Combine the estimates of several synthetic tables.

    Parameters
    ----------
    estimates, variances : sequences of float
        One of each per table, as computed on it alone.
    rule : {"full", "partial", "simple"}
        See the module `quantail.inference.combining` for the conditions of each.
    rows_ratio : float
        Rows of a synthetic table over rows of the real one, k/n.

    Examples
    --------
    >>> combine([1.0, 1.2, 0.8], [0.01, 0.01, 0.01], "partial").variance
    0.0233...
    """
    q, v = np.asarray(estimates, dtype=np.float64), np.asarray(variances, dtype=np.float64)
    if q.ndim != 1 or q.shape != v.shape or q.size == 0:
        raise OptionError("estimates and variances must be lists of the same length")
    if rule not in ("full", "partial", "simple"):
        raise OptionError("rule must be 'full', 'partial' or 'simple'")
    if rule != "simple" and q.size < 2:
        raise OptionError(f"the rule {rule!r} needs at least two tables")
    if not rows_ratio > 0:
        raise OptionError("rows_ratio must be above 0: rows of a synthetic table over rows of the real one")
    if not (np.isfinite(q).all() and np.isfinite(v).all() and (v >= 0).all()):
        raise OptionError("estimates must be finite, and variances finite and not negative")
    m, within = q.size, float(v.mean())
    if rule == "simple":
        return Combined(float(q.mean()), within * (rows_ratio + 1 / m), np.inf)
    between = float(q.var(ddof=1))
    if rule == "partial":
        variance = within * rows_ratio + between / m
        freedom = np.inf if between == 0 else (m - 1) * (1 + within * rows_ratio * m / between) ** 2
        return Combined(float(q.mean()), variance, float(freedom))
    variance = (1 + 1 / m) * between - within
    if variance <= 0:
        return Combined(float(q.mean()), within * rows_ratio, np.inf)
    freedom = (m - 1) * (1 - within / ((1 + 1 / m) * between)) ** 2
    return Combined(float(q.mean()), variance, max(float(freedom), 1.0))
