import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor
from statsmodels.regression.quantile_regression import QuantReg

from quantail.errors import DataError, OptionError
from quantail.evaluation.quantile_regression import check_loss, quantile_regression
from quantail.examples import paper_split
from quantail.orders.levels import PAPER_TAUS

MANY = [(2 * place + 1) / 500 for place in range(250)]


def _reference_loss(y: np.ndarray, X: np.ndarray, tau: float) -> float:
    # The reference solver stops at absolute tolerances, so it is given columns of ordinary size.
    unit, spread = y.std() or 1.0, X.std(axis=0)
    model = QuantileRegressor(quantile=tau, alpha=0, solver="highs").fit(X / spread, y / unit)
    return check_loss(y / unit, X / spread, [model.intercept_, *model.coef_], tau) * unit


def _cases() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(5)
    n = 1500
    whole = rng.integers(0, 5, (n, 2)).astype(float)
    heavy = 1 + rng.pareto(1.3, (n, 1))
    spread = rng.normal(size=(n, 3))
    dollars = rng.lognormal(10, 1, (n, 2))
    return {
        "ties": (whole @ [1, 2] + rng.poisson(2, n), whole),
        "pareto": (heavy[:, 0] * (1 + rng.pareto(1.3, n)), heavy),
        "heteroscedastic": (spread @ [0, 1, 2] + np.exp(spread[:, 0]) * rng.normal(size=n), spread),
        "spike at zero": (np.where(rng.random(n) < 0.6, 0, dollars[:, 0] * rng.lognormal(0, 1, n)), dollars),
        "few rows": (spread[:60, 0], spread[:60, 1:]),
    }


@pytest.mark.parametrize("name", _cases())
def test_loss_equals_that_of_a_full_linear_programme(name: str) -> None:
    y, X = _cases()[name]
    taus = (0.02, 0.3, 0.5, 0.75, 0.97)
    fits = quantile_regression(y, X, taus)
    for tau, fit in zip(taus, fits, strict=True):
        reference = _reference_loss(y, X, tau)
        assert check_loss(y, X, fit, tau) <= reference * (1 + 1e-8) + 1e-9


def test_loss_on_the_papers_table_for_a_level_that_makes_the_tight_solver_stall() -> None:
    train, _ = paper_split(8)
    y, X = train["X3"], np.column_stack([train["X1"], train["X2"]])
    fits = quantile_regression(y, X, PAPER_TAUS)
    for tau in (0.01, 0.59, 0.99):
        loss = check_loss(y, X, fits[PAPER_TAUS.index(tau)], tau)
        assert loss == pytest.approx(_reference_loss(y, X, tau), rel=1e-8)


def test_never_worse_than_statsmodels_on_the_papers_table() -> None:
    train, _ = paper_split(4)
    y, X = train["X3"], np.column_stack([train["X1"], train["X2"]])
    model = QuantReg(y, np.column_stack([np.ones(y.size), X]))
    taus = PAPER_TAUS[::8]
    for tau, fit in zip(taus, quantile_regression(y, X, taus), strict=True):
        theirs = check_loss(y, X, model.fit(q=tau).params, tau)
        ours = check_loss(y, X, fit, tau)
        assert ours <= theirs * (1 + 1e-8)
        assert ours == pytest.approx(theirs, rel=1e-6)  # its iterations stop at about 1e-7


def _jobs(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Employment of one year and the next: whole numbers, heavy tails, many unchanged, some zero."""
    rng = np.random.default_rng(6)
    first = np.floor(np.exp(rng.normal(1.5, 1.3, n) + rng.exponential(0.4, n)))
    moved = np.floor(first * np.exp(rng.laplace(0, 0.37, n))) * (rng.random(n) > 0.1)
    return np.where(rng.random(n) < 0.3, first, moved), first[:, None]


def test_many_levels_of_tied_counts_reach_the_loss_of_a_full_linear_programme() -> None:
    y, X = _jobs(1500)
    fits = quantile_regression(y, X, MANY)
    for place in (0, 90, 180, 249):
        tau = MANY[place]
        assert check_loss(y, X, fits[place], tau) <= _reference_loss(y, X, tau) * (1 + 1e-8)


def test_repeating_every_row_changes_no_loss() -> None:
    y, X = _cases()["pareto"]
    repeated = quantile_regression(np.tile(y, 3), np.tile(X, (3, 1)), (0.1, 0.9))
    for tau, once, thrice in zip((0.1, 0.9), quantile_regression(y, X, (0.1, 0.9)), repeated, strict=True):
        assert check_loss(y, X, thrice, tau) == pytest.approx(check_loss(y, X, once, tau), rel=1e-10)


def test_one_large_row_pulls_no_further_than_a_linear_programme_lets_it() -> None:
    y, X = _cases()["heteroscedastic"]
    y, X = np.append(y, -1e6), np.vstack([X, [1e5, 0.0, 0.0]])
    for tau, fit in zip((0.05, 0.5), quantile_regression(y, X, (0.05, 0.5)), strict=True):
        assert check_loss(y, X, fit, tau) <= _reference_loss(y, X, tau) * (1 + 1e-8)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_rows_than_coefficients_are_fitted_exactly(n: int) -> None:
    rng = np.random.default_rng(n)
    y, X = rng.normal(size=n), rng.normal(size=(n, 4))
    assert check_loss(y, X, quantile_regression(y, X, [0.3])[0], 0.3) < 1e-9


def test_order_of_levels_does_not_matter() -> None:
    y, X = _cases()["heteroscedastic"]
    mixed = quantile_regression(y, X, (0.9, 0.1, 0.5))
    np.testing.assert_allclose(mixed[[1, 2, 0]], quantile_regression(y, X, (0.1, 0.5, 0.9)), atol=1e-9)


def test_line_through_points_by_hand() -> None:
    # Three points on y = 1 + 2x and one far above: the median line ignores it, the mean would not.
    fit = quantile_regression([1.0, 3.0, 5.0, 100.0], [[0.0], [1.0], [2.0], [1.0]], [0.5])
    np.testing.assert_allclose(fit, [[1.0, 2.0]], atol=1e-9)


def test_without_predictors_it_is_the_empirical_quantile() -> None:
    y = np.random.default_rng(2).pareto(1.5, 501)
    fits = quantile_regression(y, np.empty((501, 0)), [0.1, 0.5, 0.99])
    assert fits.shape == (3, 1)
    for tau, (value,) in zip([0.1, 0.5, 0.99], fits, strict=True):
        best = min(check_loss(y, None, [candidate], tau) for candidate in y)
        assert check_loss(y, None, [value], tau) == pytest.approx(best, rel=1e-12)
        assert value in y


def test_equivariance() -> None:
    y, X = _cases()["heteroscedastic"]
    base = quantile_regression(y, X, [0.2, 0.8])
    shifted = quantile_regression(3 * y + X @ [1.0, -2.0, 0.5] + 7, X, [0.2, 0.8])
    np.testing.assert_allclose(shifted, 3 * base + [7, 1.0, -2.0, 0.5], atol=1e-7)
    mirrored = quantile_regression(-y, X, [0.8, 0.2])
    np.testing.assert_allclose(mirrored, -base, atol=1e-7)


def test_share_of_rows_below_the_line_is_the_level() -> None:
    y, X = _cases()["pareto"]
    for tau, fit in zip((0.25, 0.9), quantile_regression(y, X, (0.25, 0.9)), strict=True):
        residual = y - fit[0] - X @ fit[1:]
        tolerance = 1e-9 * np.abs(y).max()
        assert (residual < -tolerance).mean() <= tau <= (residual <= tolerance).mean()


def test_collinear_and_constant_input_still_give_the_best_loss() -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=(800, 1))
    y = x[:, 0] + rng.normal(size=800)
    double = np.column_stack([x, 2 * x, np.ones(800)])
    plain, extra = quantile_regression(y, x, [0.3])[0], quantile_regression(y, double, [0.3])[0]
    assert check_loss(y, double, extra, 0.3) == pytest.approx(check_loss(y, x, plain, 0.3), rel=1e-9)
    assert check_loss(np.full(800, 4.0), x, quantile_regression(np.full(800, 4.0), x, [0.3])[0], 0.3) < 1e-9


@pytest.mark.parametrize("taus", [[0.0], [1.0], [], [float("nan")]])
def test_levels_outside_zero_and_one_are_refused(taus: list[float]) -> None:
    with pytest.raises(OptionError, match="strictly between"):
        quantile_regression([1.0, 2.0], None, taus)


def test_bad_tables_are_refused_without_quoting_values() -> None:
    with pytest.raises(DataError, match="missing or infinite") as error:
        quantile_regression([1.0, 98765.0, np.nan], None, [0.5])
    assert "98765" not in str(error.value)
    with pytest.raises(DataError, match="one row per response"):
        quantile_regression([1.0, 2.0], [[1.0]], [0.5])
    with pytest.raises(DataError, match="at least one"):
        quantile_regression([], None, [0.5])
