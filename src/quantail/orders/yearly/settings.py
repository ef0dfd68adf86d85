"""Options of the paper's year-by-year procedure, with the values of its application as defaults.

20 levels .05, .10, ..., .95 and .99, each drawn as often as any other. In every model, births and continuers alike:

    stepwise   the median: .6 of the model's budget with fixed slopes, .8 with varying ones
    sandwich   main quantiles with the median: .7 fixed, .8 varying; of these, the median: .6 fixed, .8 varying

The paper leaves these shares blank; the figures are those of its code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

from quantail.errors import OptionError
from quantail.orders.settings import LinesSettings, choice, read_settings, with_new_words
from quantail.orders.steps import Order
from quantail.orders.tuning import YEARLY_MAIN_SHARE, YEARLY_MEDIAN_SHARE

Pick = Literal["uniform", "quantiles", "interpolate"]
Sharing = Literal["paper", "disjoint"]

YEARLY_TAUS: tuple[float, ...] = (*(round(0.05 * k, 2) for k in range(1, 20)), 0.99)
"""The 20 levels of the paper's application."""

_KNOWN = ("slopes", "taus", "main", "shares", "draw", "sharing")


@dataclass(frozen=True)
class YearlySettings:
    """What the year-by-year methods need to know besides schema and budget."""

    lines: LinesSettings  # order, slopes, levels and shares of every model
    draw: Pick  # how a level is drawn: each as often as any other (the paper), or as in `LinesModel`
    # how births and continuers of a period share its budget: a quarter and three quarters, added up (the paper), or
    # the whole of it each, which costs no more because no unit is both (proofs/yearly.md)
    sharing: Sharing

    @property
    def births(self) -> Fraction:
        """Share of a period's budget that births may use; continuers use the rest, or all of it if disjoint."""
        return Fraction(1, 4) if self.sharing == "paper" else Fraction(1)

    @property
    def continuers(self) -> Fraction:
        """Share of a period's budget that continuers may use."""
        return Fraction(3, 4) if self.sharing == "paper" else Fraction(1)


def read_yearly(order: Order, given: Mapping[str, Any]) -> YearlySettings:
    """Check options as a user gave them; None stands for the default."""
    for option, value in given.items():
        if option not in _KNOWN and value is not None:
            raise OptionError(
                f"{option} does not belong to method {order!r}; use some of: {', '.join(_KNOWN)}"
            )
    draw = choice(with_new_words(given), "draw", get_args(Pick))
    sharing = choice(given, "sharing", get_args(Sharing))
    options = {option: given.get(option) for option in ("slopes", "main")}
    options["taus"] = YEARLY_TAUS if given.get("taus") is None else given["taus"]
    options["draw"] = "quantiles" if draw == "uniform" else draw
    options["shares"] = _shares(order, given.get("slopes") or "fixed", given.get("shares"))
    return YearlySettings(read_settings(order, options), draw, sharing)


def _shares(order: Order, slopes: str, given: Any) -> Any:
    """Return the application's shares with those that were given on top; `read_settings` checks them."""
    defaults = {"median": YEARLY_MEDIAN_SHARE.get(slopes), "main": YEARLY_MAIN_SHARE.get(slopes)}
    known = {"kng": (), "stepwise": ("median",), "sandwich": ("median", "main")}[order]
    if given is not None and not isinstance(given, Mapping):
        return given
    return {name: defaults[name] for name in known} | dict(given or {})
