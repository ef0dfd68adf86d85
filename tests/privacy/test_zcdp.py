"""Conversion between zCDP and (epsilon, delta)-DP: as large as the promise allows, never larger."""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.errors import BudgetError
from quantail.privacy.zcdp import epsilon_from, rho_from

EXCESS = np.exp(np.linspace(-40, 60, 40_001))  # alpha - 1
epsilons = st.fractions(min_value=F(1, 1000), max_value=100, max_denominator=1000)
deltas = st.one_of(
    st.integers(1, 40).map(lambda power: F(1, 10**power)), st.fractions(F(1, 10**6), F(999, 1000))
)
STEP = F(1, 2**40)


def log_delta(rho: float, epsilon: float) -> float:
    """The textbook formula, by brute force over many alpha."""
    alpha = 1 + EXCESS
    logs = EXCESS * (alpha * rho - epsilon) - alpha * np.log1p(1 / EXCESS) - np.log(EXCESS)
    return float(np.min(logs))


@given(epsilons, deltas)
@settings(deadline=None, max_examples=60)
def test_rho_is_as_large_as_the_promise_allows(epsilon: F, delta: F) -> None:
    rho = rho_from(epsilon, delta)
    assert (rho / STEP).denominator == 1
    goal = math.log(delta)
    assert log_delta(float(rho), float(epsilon)) <= goal + 1e-5 * max(1, -goal)
    more = float(rho) * 1.001 + 2 * float(STEP)
    assert log_delta(more, float(epsilon)) > goal - 1e-5 * max(1, -goal)


@given(epsilons, deltas)
@settings(deadline=None, max_examples=20)
def test_there_and_back_never_gains(epsilon: F, delta: F) -> None:
    rho = rho_from(epsilon, delta)
    assert epsilon_from(rho, delta) <= epsilon + STEP
    assert rho_from(epsilon_from(rho, delta), delta) >= rho


def test_the_conversion_beats_the_plain_bound() -> None:
    plain = (math.sqrt(math.log(1e6) + 1) - math.sqrt(math.log(1e6))) ** 2  # Bun and Steinke 2016
    assert float(rho_from(F(1), F(1, 10**6))) > 1.39 * plain


@pytest.mark.parametrize("delta", [F(0), F(1), F(2), F(-1), math.nan, "text"])
def test_delta_must_lie_between_zero_and_one(delta: F) -> None:
    for convert in (rho_from, epsilon_from):
        with pytest.raises(BudgetError, match="delta must"):
            convert(F(1), delta)


def test_an_epsilon_that_no_rho_can_hold_is_refused() -> None:
    with pytest.raises(BudgetError, match="too small for zCDP"):
        rho_from(F(1, 10**9), F(1, 10**40))
