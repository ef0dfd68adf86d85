"""Answers of others to the same questions: OpenDP's private quantile, and the accountants of dp-accounting.

Laws are compared by G-tests that fail below p = 1e-6, each with a negative control, a fifth off in
epsilon, that must fail.
"""

import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pytest

from quantail.auditing.laws import noisy_max_log_law, p_value
from quantail.privacy import Gate, PathQuestion, Plan, SecureNoise, Selection, epsilon_from, rho_from
from quantail.privacy.gate import gaussian_scale
from quantail.privacy.noise import gaussian_measurement

LEAST = 1e-6
DRAWS = 4_000  # negative controls then fail with certainty for all purposes (chi-square beyond 190)
ROWS = np.array([0.4, 1.3, 1.7, 2.2, 2.9, 3.1, 3.8, 5.5, 6.1, 6.4, 8.2, 9.7])
CANDIDATES = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]  # none equals a row, so that ties play no part
LEVEL = F(1, 4)
TARGET = int(LEVEL * ROWS.size)
BELOW = np.searchsorted(np.sort(ROWS), CANDIDATES).astype(np.int64)


def opendp_quantile(scale: float, definition: str) -> Any:
    """Return OpenDP's private quantile of a table of known size: noisy max over |rows below - target|."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=ROWS.size)
    measure = dp.max_divergence() if definition == "pure" else dp.zero_concentrated_divergence()
    return dp.m.make_private_quantile(
        domain, dp.symmetric_distance(), measure, CANDIDATES, float(LEVEL), scale
    )


def theirs(measurement: Any) -> np.ndarray[Any, Any]:
    drawn = [CANDIDATES.index(measurement(ROWS.tolist())) for _ in range(DRAWS)]
    return np.bincount(drawn, minlength=len(CANDIDATES))


def ours(kind: str, cost: F, definition: str) -> np.ndarray[Any, Any]:
    """Draw the same quantile through the gate, by a noisy max or as a path of one quantile."""
    drawn = []
    for _ in range(DRAWS):
        leaf = Plan.leaf("quantile", cost, unit="epsilon" if definition == "pure" else "rho")
        gate = Gate(leaf, SecureNoise(), "replace-one")
        if kind == "select":
            drawn += gate.select(leaf, [Selection(-np.abs(BELOW - TARGET), 1)])
        else:
            targets = np.array([TARGET, ROWS.size - TARGET])
            drawn.append(int(gate.path(leaf, [PathQuestion(BELOW, ROWS.size, targets)])[0][0]))
    return np.bincount(drawn, minlength=len(CANDIDATES))


def law(epsilon: float, definition: str) -> np.ndarray[Any, Any]:
    return np.exp(noisy_max_log_law(-np.abs(BELOW - TARGET), 2 / epsilon, definition))


@pytest.mark.parametrize("definition", ["pure", "zcdp"])
def test_a_selected_quantile_has_the_law_of_opendps_own(definition: str) -> None:
    epsilon = 1.5
    cost = F(3, 2) if definition == "pure" else F(9, 32)  # epsilon^2 / 8
    other = opendp_quantile(2 / epsilon, definition)
    # Replacing a row is a symmetric distance of two; OpenDP charges the same for it as the gate's leaf.
    assert math.isclose(other.map(2), float(cost), rel_tol=1e-9)
    for observed in (theirs(other), ours("select", cost, definition)):
        assert p_value(observed, law(epsilon, definition)) > LEAST
        assert p_value(observed, law(epsilon * 0.8, definition)) < LEAST


def test_a_path_of_one_quantile_has_the_law_of_opendps_exponential_mechanism() -> None:
    # Two parts of a path move together: exp(-rate (|n0 - t0| + |n1 - t1|)) with rate = epsilon / 4.
    epsilon, cost = 1.5, F(9, 32)
    for observed in (theirs(opendp_quantile(2 / epsilon, "zcdp")), ours("path", cost, "zcdp")):
        assert p_value(observed, law(epsilon, "zcdp")) > LEAST
        assert p_value(observed, law(epsilon * 0.8, "zcdp")) < LEAST
    # As pure DP a path is the same exponential mechanism; a noisy max would be permute-and-flip.
    assert p_value(ours("path", F(3, 2), "pure"), law(epsilon, "zcdp")) > LEAST


CASES = [(F(1, 100), F(1, 10**6)), (F(1, 10), F(1, 10**6)), (F(1), F(1, 10**9)), (F(1, 2), F(1, 1000))]


@pytest.mark.parametrize(("rho", "delta"), CASES)
def test_conversions_of_zcdp_are_covered_by_dp_accounting(rho: F, delta: F) -> None:
    accounting = pytest.importorskip("dp_accounting", reason="dp-accounting is in the dev extra")
    from dp_accounting import pld, rdp

    stated = float(epsilon_from(rho, delta))
    accountant = rdp.RdpAccountant(orders=[1 + k / 50 for k in range(1, 10_000)])
    accountant.compose(accounting.ZCDpEvent(float(rho)))
    renyi = float(accountant.get_epsilon(float(delta)))
    # A Gaussian of variance 1 / (2 rho) is rho-zCDP; its exact epsilon must be covered as well.
    normal = pld.privacy_loss_distribution.from_gaussian_mechanism(math.sqrt(1 / (2 * float(rho))))
    exact = normal.get_epsilon_for_delta(float(delta))
    assert exact <= stated  # never too small,
    assert stated == pytest.approx(renyi, rel=1e-3)  # and what their search over Renyi orders finds
    assert epsilon_from(rho_from(epsilon_from(rho, delta), delta), delta) <= epsilon_from(rho, delta)


def test_counts_cost_what_dp_accounting_says() -> None:
    pytest.importorskip("dp_accounting", reason="dp-accounting is in the dev extra")
    from dp_accounting import pld

    from quantail.privacy.gate import rounded_up
    from quantail.privacy.noise import geometric_measurement

    for cost, sensitivity in ((F(1, 2), 2), (F(1), 1), (F(1, 10), 2)):
        scale = rounded_up(sensitivity, cost)
        noise = pld.privacy_loss_distribution.from_discrete_laplace_mechanism(1 / scale, sensitivity)
        exact = noise.get_epsilon_for_delta(0.0)
        assert exact == pytest.approx(float(cost), rel=1e-3)  # their losses are rounded up to a step of 1e-4
        assert geometric_measurement(scale).map(sensitivity) <= cost


@pytest.mark.parametrize("touched", [1, 2])
@pytest.mark.parametrize("rho", [F(1, 1000), F(1, 10), F(2)])
def test_histograms_cost_no_more_than_their_rho(rho: F, touched: int) -> None:
    """Renyi divergences of discrete Gaussians, by summation: at most alpha rho for every order; a control fails."""
    scale = gaussian_scale(touched, rho)
    assert gaussian_measurement(scale).map(math.sqrt(touched)) <= rho
    reach = int(40 * scale) + 60
    for alpha in (1.1, 2.0, 8.0):
        # Moved cells are independent: their divergences add up.
        assert touched * renyi(scale, alpha, reach) <= alpha * float(rho) * (1 + 1e-9)
        assert touched * renyi(scale / 1.3, alpha, reach) > alpha * float(rho)


def renyi(scale: float, alpha: float, reach: int) -> float:
    """Return the Renyi divergence of discrete Gaussian noise from itself moved by one."""
    k = np.arange(-reach, reach + 1, dtype=float)
    logs, moved = -(k**2) / (2 * scale**2), -((k - 1) ** 2) / (2 * scale**2)
    total = np.logaddexp.reduce(logs)
    return float((np.logaddexp.reduce(alpha * logs + (1 - alpha) * moved) - total) / (alpha - 1))


def test_histograms_cost_what_dp_accounting_says() -> None:
    pytest.importorskip("dp_accounting", reason="dp-accounting is in the dev extra")
    from dp_accounting import pld

    rho, delta = F(1, 50), F(1, 10**6)
    sigma = gaussian_scale(1, rho)
    noise = pld.privacy_loss_distribution.from_discrete_gaussian_mechanism(sigma)
    exact = noise.get_epsilon_for_delta(float(delta))
    assert exact <= float(epsilon_from(rho, delta)) < 1.15 * exact
