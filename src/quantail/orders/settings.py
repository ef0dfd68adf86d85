"""Options of the paper's methods, with the paper's values as defaults.

Shares of the budget (the paper's section 4 and its code; `alone` is a column without predictors):

    columns    the first column counts double: .5, .25, .25 for three of them
    kng        every quantile the same
    stepwise   of a column, the median: alone .25; explained .6 with fixed slopes, .8 with varying ones
    sandwich   of a column, the main quantiles with the median: alone .6; explained .7 fixed, .8 varying
               of these, the median: alone .25; explained .6 fixed, .8 varying

The text of the paper says .8 for fixed slopes too; .6 and .7 are what its code used for them, there and on the LBD.
"""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, get_args

from quantail.errors import OptionError
from quantail.orders.levels import PAPER_TAUS
from quantail.orders.rules import LINE_RULES, LineRules
from quantail.orders.steps import PAPER_MAIN, Order, nearest_levels, read_levels
from quantail.orders.tuning import (
    ALONE_MAIN,
    ALONE_MEDIAN,
    MAIN_SHARE,
    MEDIAN_SHARE,
)
from quantail.privacy import FIXED

Slopes = Literal["fixed", "varying"]
Draw = Literal["quantiles", "interpolate"]

STORED = {"quantiles": "rungs"}
"""How saved models write a way of drawing, where that differs; options of version 0.1 were written so, too."""


@dataclass(frozen=True)
class LinesSettings:
    """What the paper's methods need to know besides schema and budget."""

    order: Order
    slopes: Slopes
    draw: Draw
    taus: tuple[Fraction, ...]
    main: tuple[Fraction, ...]
    columns: tuple[Fraction, ...]  # weights of the columns in the budget; empty for the default
    # shares of the median and of the main quantiles: in a column without predictors, and in one with
    median_shares: tuple[Fraction, Fraction]
    main_shares: tuple[Fraction, Fraction]
    # how long lists of candidates are: those of a release, unless the audit has others
    rules: LineRules = field(default=LINE_RULES, metadata=FIXED)


def read_settings(order: Order, given: Mapping[str, Any]) -> LinesSettings:
    """Check options as a user gave them; None stands for the default."""
    slopes = choice(given, "slopes", get_args(Slopes))
    taus = read_levels(_listed(given, "taus", PAPER_TAUS), "taus")
    main = nearest_levels(PAPER_MAIN, taus) if given.get("main") is None else _main(given, taus)
    shares = _shares(given.get("shares"), order)
    return LinesSettings(
        order,
        slopes,
        choice(with_new_words(given), "draw", get_args(Draw)),
        taus,
        main,
        tuple(_weight(part) for part in shares.get("columns", ())),
        _pair(shares.get("median"), (ALONE_MEDIAN, MEDIAN_SHARE[slopes])),
        _pair(shares.get("main"), (ALONE_MAIN, MAIN_SHARE[slopes])),
    )


def with_new_words(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return options with the present word for a way of drawing; the old one is read with a warning."""
    if given.get("draw") not in STORED.values():
        return given
    new = read_draw(given["draw"])
    warnings.warn(f"draw={given['draw']!r} is called {new!r} now", FutureWarning, stacklevel=2)
    return {**given, "draw": new}


def read_draw(stored: str) -> Any:
    """Return the way of drawing that a saved model holds."""
    return {old: new for new, old in STORED.items()}.get(stored, stored)


def choice(given: Mapping[str, Any], option: str, allowed: tuple[str, ...]) -> Any:
    """Return a checked option, or the first of those allowed if none is given."""
    value = given.get(option)
    if value is not None and value not in allowed:
        raise OptionError(f"{option} {value!r} is not known; use one of: {', '.join(allowed)}")
    return allowed[0] if value is None else value


def _listed(given: Mapping[str, Any], option: str, default: tuple[float, ...]) -> Iterable[float]:
    value = given.get(option)
    return default if value is None else value


def _main(given: Mapping[str, Any], taus: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    main = read_levels(given["main"], "main")
    if not set(main) <= set(taus):
        raise OptionError("main: every main quantile must be one of taus; add it there, or leave it out")
    return main


def _shares(given: Any, order: Order) -> Mapping[str, Any]:
    known = {
        "kng": ("columns",),
        "stepwise": ("columns", "median"),
        "sandwich": ("columns", "median", "main"),
    }
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not set(given) <= set(known[order]):
        raise OptionError(
            f"shares: with method {order!r} give a mapping with some of: {', '.join(known[order])}; "
            'for instance {"columns": [0.5, 0.25, 0.25]}'
        )
    return given


def _pair(given: Any, default: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """Read a share: one for all columns, or a pair for those without and those with predictors."""
    if given is None:
        return default
    parts = tuple(given) if isinstance(given, list | tuple) else (given, given)
    shares = tuple(_weight(part) for part in parts)
    if len(shares) != 2 or max(shares) >= 1:
        raise OptionError(
            "shares: median and main are shares between 0 and 1, one for all columns or a pair "
            "(columns without predictors, columns with predictors)"
        )
    return shares[0], shares[1]


def _weight(value: Any) -> Fraction:
    try:
        weight = Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        weight = Fraction(0)
    if weight <= 0:
        raise OptionError("shares: every share must be a number above zero, for instance 0.25")
    return weight
