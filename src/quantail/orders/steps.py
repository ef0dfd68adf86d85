"""The paper's orders: which quantile is asked when, and between which released neighbours.

    kng        every quantile for itself, without neighbours (its lines may cross)
    stepwise   the median, then outward on both sides, each beyond the last
    sandwich   the median and the main quantiles stepwise, then those in between, each between its neighbours

The median always comes first and is not listed: it is the plane that all other lines are measured from. Levels are
fractions p / q, so that scores are integers. Public: an order depends on the method and the lists of levels alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise, zip_longest
from typing import Literal, get_args

from quantail.errors import OptionError

Order = Literal["kng", "stepwise", "sandwich"]
Part = Literal["levels", "outward", "main", "inner"]

MEDIAN = Fraction(1, 2)
PAPER_MAIN: tuple[float, ...] = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
"""The paper's six main quantiles."""

_LARGEST_DENOMINATOR = 1000  # scores are multiples of it


@dataclass(frozen=True)
class Step:
    """One quantile: its level, the part of the budget that pays for it, and its neighbours among those before it."""

    tau: Fraction
    part: Part
    below: Fraction | None = None
    above: Fraction | None = None


def read_levels(values: Iterable[float], option: str) -> tuple[Fraction, ...]:
    """Return levels as fractions in rising order; the median must be one of them.

    Examples
    --------
    >>> read_levels([0.75, 0.5], "taus")
    (Fraction(1, 2), Fraction(3, 4))
    """
    advice = (
        f"{option}: give levels strictly between 0 and 1, at most three decimals, such as 0.25, 0.5, 0.75"
    )
    try:
        levels = sorted(Fraction(str(value)) for value in values)
    except (TypeError, ValueError, ZeroDivisionError):
        raise OptionError(advice) from None
    short = [level.limit_denominator(_LARGEST_DENOMINATOR) for level in levels]
    if any(abs(a - b) > Fraction(1, 10**9) for a, b in zip(levels, short, strict=True)):
        raise OptionError(advice)
    if not short or not (short[0] > 0 and short[-1] < 1) or len(set(short)) < len(short):
        raise OptionError(f"{advice}, each of them once")
    if MEDIAN not in short:
        raise OptionError(f"{option}: the median, 0.5, comes first in every order; add it to the list")
    return tuple(short)


def nearest_levels(wanted: Iterable[float], levels: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Return the member of `levels` nearest to each wanted level, each once, in rising order."""
    found = {min(levels, key=lambda level: abs(level - Fraction(str(value)))) for value in wanted}
    return tuple(sorted(found))


def steps_of(order: Order, taus: Sequence[Fraction], main: Sequence[Fraction] = ()) -> tuple[Step, ...]:
    """List the steps after the median, in the order of asking.

    Parameters
    ----------
    taus : sequence of Fraction
        All levels in rising order, the median among them.
    main : sequence of Fraction
        The main quantiles of a sandwich, some of `taus`.

    Examples
    --------
    >>> [str(step.tau) for step in steps_of("stepwise", read_levels([0.1, 0.3, 0.5, 0.7], "taus"))]
    ['7/10', '3/10', '1/10']
    """
    if order == "kng":
        return tuple(Step(tau, "levels") for tau in taus if tau != MEDIAN)
    if order == "stepwise":
        return tuple(_outward(taus, MEDIAN, MEDIAN, "outward"))
    if order != "sandwich":
        raise OptionError(f"order {order!r} is not known; use one of: {', '.join(get_args(Order))}")
    known = sorted({*main, MEDIAN})
    rest = [tau for tau in taus if tau not in known]
    gaps = (_bisected([tau for tau in rest if a < tau < b], a, b) for a, b in pairwise(known))
    beyond = _outward(rest, known[0], known[-1], "inner")
    return (*_outward(known, MEDIAN, MEDIAN, "main"), *chain.from_iterable(gaps), *beyond)


def _outward(taus: Sequence[Fraction], low: Fraction, high: Fraction, part: Part) -> Iterator[Step]:
    """Step away from [low, high] on both sides in turn."""
    up = [high, *(tau for tau in taus if tau > high)]
    down = [low, *(tau for tau in reversed(taus) if tau < low)]
    for upper, lower in zip_longest(pairwise(up), pairwise(down)):
        if upper is not None:
            yield Step(upper[1], part, below=upper[0])
        if lower is not None:
            yield Step(lower[1], part, above=lower[0])


def _bisected(taus: Sequence[Fraction], below: Fraction, above: Fraction) -> Iterator[Step]:
    """Ask for the middle first: where answers are mostly noise, lines asked one after another would crowd together."""
    if taus:
        middle = len(taus) // 2
        tau = taus[middle]
        yield Step(tau, "inner", below, above)
        yield from _bisected(taus[:middle], below, tau)
        yield from _bisected(taus[middle + 1 :], tau, above)
