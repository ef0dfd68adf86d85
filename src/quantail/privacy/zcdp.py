"""Conversion between zCDP and (epsilon, delta)-DP, exact and rounded against the user.

Canonne, Kamath and Steinke (2020, Proposition 12): rho-zCDP implies (epsilon, delta)-DP whenever for some alpha > 1

    (alpha - 1) (alpha rho - epsilon) + alpha ln(1 - 1/alpha) - ln(alpha - 1)  <=  ln delta.

Any alpha proves the claim, so it may be searched for in floating point; what is then claimed is decided for that alpha
in fractions, with logarithms of 60 digits rounded upwards. The left side is convex in alpha: a search finds the best.
At the best alpha it is concave in rho and in epsilon, so that Newton's method leads to the step where it is decided.
"""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

from quantail.errors import BudgetError
from quantail.privacy.budget import as_decimal, parse_amount

_STEPS = 2**40  # amounts are multiples of 2**-40
_UP, _DOWN = Context(prec=60, rounding=ROUND_CEILING), Context(prec=60, rounding=ROUND_FLOOR)
_NEWTON = 6  # steps of Newton's method
_SMALLEST, _LARGEST = -40.0, 100.0  # of ln(alpha - 1)


def rho_from(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Find the largest rho, in steps of 2**-40, for which rho-zCDP implies (epsilon, delta)-DP.

    Examples
    --------
    >>> round(float(rho_from(Fraction(1), Fraction(1, 10**6))), 5)
    0.02436
    """
    epsilon, goal = parse_amount(epsilon, "epsilon"), _log_below(delta)
    given, most = float(epsilon), -float(goal)
    near = (
        math.sqrt(most + given) - math.sqrt(most)
    ) ** 2  # enough for any alpha; the rest is won from there
    for _ in range(_NEWTON):
        missed, excess = _missed(near, given, most)
        near -= missed / (excess * (1 + excess))
    steps = _last_true(lambda step: _implies(Fraction(step, _STEPS), epsilon, goal), near)
    if steps == 0:
        raise BudgetError(
            f"epsilon {as_decimal(epsilon)} with this delta is too small for zCDP: raise epsilon or delta."
        )
    return Fraction(steps, _STEPS)


def epsilon_from(rho: Fraction, delta: Fraction) -> Fraction:
    """Find the smallest epsilon, in steps of 2**-40, for which rho-zCDP implies (epsilon, delta)-DP.

    Examples
    --------
    >>> round(float(epsilon_from(Fraction(1, 100), Fraction(1, 10**6))), 4)
    0.6217
    """
    rho, goal = parse_amount(rho, "rho"), _log_below(delta)
    given, most = float(rho), -float(goal)
    near = given + 2 * math.sqrt(given * most)
    for _ in range(_NEWTON):
        missed, excess = _missed(given, near, most)
        near += missed / excess
    short = _last_true(lambda step: not _implies(rho, Fraction(step, _STEPS), goal), near)
    return Fraction(short + 1, _STEPS)


def _implies(rho: Fraction, epsilon: Fraction, goal: Fraction) -> bool:
    """Decide whether the best alpha proves the claim; `goal` is at most ln delta."""
    if rho == 0:
        return True
    excess = Fraction(math.exp(_best_excess(float(rho), float(epsilon))))  # alpha - 1
    alpha = 1 + excess
    _, small = _log_bounds(excess)
    large, _ = _log_bounds(alpha)
    # alpha ln(1 - 1/alpha) - ln(alpha - 1) = (alpha - 1) ln(alpha - 1) - alpha ln(alpha)
    return excess * (alpha * rho - epsilon) + excess * small - alpha * large <= goal


def _best_excess(rho: float, epsilon: float) -> float:
    """Return ln(alpha - 1) where the left side is smallest: the root of its derivative, by bisection."""
    low, high = _SMALLEST, _LARGEST
    for _ in range(100):
        middle = (low + high) / 2
        excess = math.exp(middle)
        slope = (2 * excess + 1) * rho - epsilon - math.log1p(1 / excess)
        low, high = (middle, high) if slope < 0 else (low, middle)
    return low


def _missed(rho: float, epsilon: float, most: float) -> tuple[float, float]:
    """Return by how much the left side is above -most at the best alpha, roughly, and alpha - 1."""
    excess = math.exp(_best_excess(rho, epsilon))
    alpha = 1 + excess
    left = excess * (alpha * rho - epsilon) - alpha * math.log1p(1 / excess) - math.log(excess)
    return left + most, excess


def _log_bounds(value: Fraction) -> tuple[Fraction, Fraction]:
    """Return numbers below and above the logarithm: it is rounded to the nearest, so its neighbours are bounds."""
    below, above = (
        context.ln(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
        for context in (_DOWN, _UP)
    )
    return Fraction(_DOWN.next_minus(below)), Fraction(_UP.next_plus(above))


def _log_below(delta: Fraction) -> Fraction:
    """Bound ln(delta) from below; too small a logarithm only makes the guarantee stricter."""
    delta = parse_amount(delta, "delta")
    if delta >= 1:
        raise BudgetError("delta must lie between 0 and 1: write a tiny one, for instance 1e-6.")
    return _log_bounds(delta)[0]


def _last_true(holds: Callable[[int], bool], near: float) -> int:
    """Find the last step, close to an amount, at which holds what is true at 0 and false from some step on."""
    low, stride = max(round(near * _STEPS), 0), 1
    above = low + 1
    while low and not holds(low):
        low, above, stride = max(low - stride, 0), low, 2 * stride
    while holds(above):
        low, above, stride = above, above + stride, 2 * stride
    while above - low > 1:
        middle = (low + above) // 2
        low, above = (middle, above) if holds(middle) else (low, middle)
    return low
