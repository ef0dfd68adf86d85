"""The orders in which the paper's methods draw quantiles, what each draw may spend, and the authors' step sizes.

`kng` draws every quantile on its own. `stepwise` draws the median and walks outwards, each quantile held on its side of
the last. `sandwich` walks over the main quantiles first, then fills in, each held between its neighbours so far.
Shares are those of the authors' code, which differ from the text for fixed slopes on X2 and X3 (60% on the median and
70% on main quantiles, where the text says 80%); so does the list of main quantiles (.01 is added).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from quantail.errors import OptionError

METHODS = ("kng", "stepwise-fixed", "stepwise-varying", "sandwich-fixed", "sandwich-varying")
COLUMN_SHARES = {"X1": 0.5, "X2": 0.25, "X3": 0.25}
MAIN_TAUS = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MEDIAN = 0.5
MEDIAN_VARIANCE = 1e-4

Role = Literal["alone", "median", "main", "inner"]

# (share of a column's budget on main quantiles, share of that on the median); stepwise has main quantiles only.
_MAIN_AND_MEDIAN = {
    ("stepwise", True): (1.0, 0.25),
    ("sandwich", True): (0.6, 0.25),
    ("stepwise-fixed", False): (1.0, 0.6),
    ("stepwise-varying", False): (1.0, 0.8),
    ("sandwich-fixed", False): (0.7, 0.6),
    ("sandwich-varying", False): (0.8, 0.8),
}
# Proposal scale of (main, inner) quantiles: a standard deviation where one number moves, a variance where all do.
_FIRST_COLUMN_SCALE = {"kng": (0.01, 0.01), "stepwise": (0.025, 0.025), "sandwich": (0.1, 0.03)}
_LATER_COLUMN_SCALE = {
    "kng": (1e-5, 1e-5),
    "stepwise-fixed": (0.01, 0.01),
    "stepwise-varying": (6e-6, 6e-6),
    "sandwich-fixed": (0.05, 0.01),
    "sandwich-varying": (3e-5, 9e-6),
}


@dataclass(frozen=True)
class Visit:
    """One draw: its level, its share of the column's budget, the levels that hold it, the level it starts from."""

    tau: float
    role: Role
    share: float
    scale: float
    below: float | None = None
    above: float | None = None
    start: float | None = None


def checked_method(method: str) -> str:
    """Return the method's name, or say which there are."""
    if method not in METHODS:
        raise OptionError(f"method {method!r} is not one of the paper's; use one of: {', '.join(METHODS)}")
    return method


def visits(method: str, column: str, taus: Sequence[float]) -> list[Visit]:
    """List the draws of one column in order; shares add up to 1.

    Examples
    --------
    >>> [visit.tau for visit in visits("stepwise-fixed", "X2", [0.25, 0.5, 0.75])]
    [0.5, 0.25, 0.75]
    """
    checked_method(method)
    order, first = method.partition("-")[0], column == "X1"
    main_scale, inner_scale = _FIRST_COLUMN_SCALE[order] if first else _LATER_COLUMN_SCALE[method]
    if order == "kng":
        return [Visit(tau, "alone", 1.0 / len(taus), main_scale) for tau in sorted(taus)]
    main_share, median_share = _MAIN_AND_MEDIAN[(order if first else method, first)]
    main = [tau for tau in taus if order == "stepwise" or tau in MAIN_TAUS]
    inner = [tau for tau in taus if tau not in main]
    done = _outwards(main, main_share, median_share, main_scale)
    return done + _inwards(sorted(main), inner, 1.0 - main_share, inner_scale)


def _outwards(taus: Sequence[float], budget: float, median_share: float, scale: float) -> list[Visit]:
    if MEDIAN not in taus:
        raise OptionError("taus: stepwise and sandwich start from the median; add the level 0.5.")
    done = [Visit(MEDIAN, "median", budget * median_share, MEDIAN_VARIANCE)]
    share = budget * (1.0 - median_share) / max(len(taus) - 1, 1)
    last = MEDIAN
    for tau in sorted((t for t in taus if t < MEDIAN), reverse=True):
        done.append(Visit(tau, "main", share, scale, above=last, start=last))
        last = tau
    last = MEDIAN
    for tau in sorted(t for t in taus if t > MEDIAN):
        done.append(Visit(tau, "main", share, scale, below=last, start=last))
        last = tau
    return done


def _inwards(known: list[float], taus: Sequence[float], budget: float, scale: float) -> list[Visit]:
    """Fill in from the median outwards, as the authors do: each starts at its neighbour on the median's side."""
    lower = sorted((t for t in taus if t < MEDIAN), reverse=True)
    done = []
    for tau in (*lower, *sorted(t for t in taus if t > MEDIAN)):
        below = max((t for t in known if t < tau), default=None)
        above = min((t for t in known if t > tau), default=None)
        start = above if tau < MEDIAN else below
        done.append(Visit(tau, "inner", budget / len(taus), scale, below, above, start))
        known = [*known, tau]
    return done
