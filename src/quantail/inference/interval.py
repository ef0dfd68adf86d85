"""Bias, error and interval of an estimate, from reruns of the mechanism.

Notation: t(S) the estimate on the synthetic table, t(M) the model's own value, e_b = t_b - t(M) the errors of B
reruns. The release's error t(S) - truth is one more draw of the same law, if the model is close to the population:

    bias       mean(e_b)
    error      standard deviation of e_b                      sampling, privacy and synthesis together
    estimate   t(S) - bias
    interval   estimate -+ q error sqrt(1 + 1/B)              q the Student quantile with B - 1 degrees of freedom

For normal errors that is exact for every B (a prediction interval); quantiles of e_b themselves would need hundreds of
reruns. Figures of heavy tails are off by factors, and shares by odds: their t are taken on the log or logit scale, so
intervals are lopsided and stay above zero, and below one for shares.

Now and then a rerun is an outlier (a quantile among far candidates): errors farther than 6 robust deviations from the
median are set aside and counted, but only as many of them as an interval of this level may miss. If there are more, the
mechanism is unsteady, they all count, and the interval is as wide as that makes it.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, logit, stdtrit

from quantail.arrays import Flags, Floats

Link = Literal["identity", "log", "logit"]

_FAR = 6.0
_NORMAL = 1.4826  # the deviation of a normal law over its median absolute deviation
_MOST_FAILED = 0.1  # part of the reruns that may give no estimate


class Corrected(NamedTuple):
    """An estimate without its bias, and what is known about it."""

    estimate: float
    low: float
    high: float
    error: float
    bias: float
    # outlying, failed: reruns that were set aside, and reruns that gave no estimate. If too many failed, the rest
    # is NaN.
    outlying: int
    failed: int


def corrected(released: float, errors: Floats, level: float) -> Corrected:
    """Correct one estimate by the errors of reruns, NaN for those that gave no estimate.

    Examples
    --------
    >>> corrected(10.0, np.array([0.0, 1.0, 2.0, 1.0]), 0.95).estimate
    9.0
    """
    found = errors[np.isfinite(errors)]
    failed = errors.size - found.size
    if found.size < 2 or failed > _MOST_FAILED * errors.size or not np.isfinite(released):
        return Corrected(released, np.nan, np.nan, np.nan, np.nan, 0, failed)
    far = outlying(found, level)
    kept = found[~far]
    bias, error = float(kept.mean()), float(kept.std(ddof=1))
    reach = float(stdtrit(kept.size - 1, (1 + level) / 2)) * error * math.sqrt(1 + 1 / kept.size)
    estimate = released - bias
    return Corrected(estimate, estimate - reach, estimate + reach, error, bias, int(far.sum()), failed)


def shifted(link: Link, values: Floats, origin: Floats, target: Floats) -> Floats:
    """Return values that are as far from a target as they were from an origin, on the scale of a link.

    Examples
    --------
    >>> shifted("log", np.array([6.0]), np.array([3.0]), np.array([10.0])).tolist()
    [20.0]
    """
    known = np.array([values, origin, target])
    most = 1.0 if link == "logit" else np.inf
    if link == "identity" or not ((known > 0) & (known < most)).all():
        return values - origin + target
    if link == "log":
        return values / origin * target
    return np.asarray(expit(logit(values) - logit(origin) + logit(target)))


def corrected_on(link: Link, released: float, truth: float, reruns: Floats, level: float) -> Corrected:
    """Correct one estimate by reruns, on a scale where its errors are alike; as it is where that makes no sense.

    Examples
    --------
    >>> found = corrected_on("log", 100.0, 50.0, np.array([40.0, 50.0, 62.5]), 0.95)
    >>> round(found.estimate, 6), found.low > 0
    (100.0, True)
    """
    known = np.array([released, truth, *reruns[np.isfinite(reruns)]])
    most = 1.0 if link == "logit" else np.inf
    if link == "identity" or not ((known > 0) & (known < most)).all():
        return corrected(released, reruns - truth, level)
    forward, back = (np.log, np.exp) if link == "log" else (logit, expit)
    found = corrected(float(forward(released)), np.asarray(forward(reruns) - forward(truth)), level)
    estimate, low, high = (float(back(part)) for part in (found.estimate, found.low, found.high))
    slope = estimate if link == "log" else estimate * (1 - estimate)
    return found._replace(
        estimate=estimate, low=low, high=high, error=slope * found.error, bias=released - estimate
    )


def outlying(errors: Floats, level: float) -> Flags:
    """Mark errors that are set aside: far ones, if they are no more than an interval of this level may miss."""
    middle = np.median(errors)
    distance = np.abs(errors - middle)
    far = distance > _FAR * _NORMAL * np.median(distance)
    allowed = math.ceil((1 - level) * errors.size)
    return far if far.sum() <= allowed else np.zeros(errors.size, dtype=np.bool_)
