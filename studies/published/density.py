"""Which density a quantile's coefficients are drawn from: the published one, or one with some faults repaired.

With g(theta) = sum z_i (1{y_i <= x_i theta} - tau), x_i = (1, predictors) and z_i the instrument of row i,

    f(theta)  ~  exp(-epsilon max_j |g_j(theta)| / range_j / (2 sensitivity) - base |theta|^2)   on a convex set.

As published (the paper's equation 2): z = x, range = 1, sensitivity 2 (1 - tau) C_X, base 1e-5, predictors cut at C_X.
Replacing one row with predictors in [0, C_X] moves the max norm of g by up to C_X whatever tau is, so the published
sensitivity is too small above the median: by 2 at .75, 10 at .95, 50 at .99. NOT PRIVATE.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BASE_MEASURE = 1e-5


@dataclass(frozen=True)
class Density:
    """The choices that make a density; the defaults are the paper's. NOT PRIVATE.

    Parameters
    ----------
    sensitivity : {"published", "valid"}
        2 (1 - tau) C_X, or C_X for every tau (what replacing one row can really do).
    constraint : {"rows", "synthetic", "domain"}
        Where lines must keep their order and their bounds: at the confidential rows (the paper's text), at the rows
        synthesised so far (the authors' simulation code, the median excepted), or on the public box [0, C_X]^k.
    scaling : {"raw", "public"}
        "public" divides each gradient coordinate by its own predictor's public range and cuts each predictor there,
        so that the intercept pays for itself and not for the widest predictor.
    instruments : {"raw", "bounded"}
        "bounded" puts clip((x - lo) / (hi - lo), 0, 1) in place of the predictor in z, lo and hi being quantiles of
        the predictor as already synthesised; predictors are then not cut at all, and the range is 1.
    base : float
        Weight of the normal base measure.
    """

    sensitivity: Literal["published", "valid"] = "published"
    constraint: Literal["rows", "synthetic", "domain"] = "rows"
    scaling: Literal["raw", "public"] = "raw"
    instruments: Literal["raw", "bounded"] = "raw"
    base: float = BASE_MEASURE


PUBLISHED = Density()
"""The density of the paper's text."""


def sensitivity(density: Density, tau: float, widest: float) -> float:
    """Return how far one row is taken to move the scaled gradient; `widest` is its widest instrument.

    Examples
    --------
    >>> sensitivity(Density(sensitivity="valid"), 0.75, 46.0) / sensitivity(PUBLISHED, 0.75, 46.0)
    2.0
    """
    return widest if density.sensitivity == "valid" else 2.0 * (1.0 - tau) * widest
