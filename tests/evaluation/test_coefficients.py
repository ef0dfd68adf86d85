import numpy as np
import pytest
import statsmodels.api as sm

from quantail.datasets import simulate_paper
from quantail.errors import DataError
from quantail.evaluation import coefficient_difference


def test_small_fit_by_hand() -> None:
    # Real: x 0,1,2; y 0,1,1 -> slope 1/2, intercept 1/6, residuals -1/6, 1/3, -1/6, s2 = 1/6 on one degree of
    # freedom, Sxx = 2: se slope sqrt(1/12), se intercept sqrt(1/6 (1/3 + 1/2)). Synthetic: y = x exactly.
    real = {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 1.0]}
    synth = {"x": [0.0, 1.0, 2.0], "y": [0.0, 1.0, 2.0]}
    difference = coefficient_difference(real, synth, "y", ["x"])
    assert difference.slopes["x"] == pytest.approx(0.5 / np.sqrt(1 / 12))
    assert difference.intercept == pytest.approx((1 / 6) / np.sqrt(5 / 36))


def test_scale_is_the_real_tables_standard_error() -> None:
    rng = np.random.default_rng(1)
    real, synth = simulate_paper(300, rng), simulate_paper(2000, rng)
    fits = [
        sm.OLS(t["X3"], sm.add_constant(np.column_stack([t["X1"], t["X2"]]))).fit() for t in (real, synth)
    ]
    expected = np.abs(fits[1].params - fits[0].params) / fits[0].bse
    ours = coefficient_difference(real, synth, "X3", ["X1", "X2"])
    np.testing.assert_allclose([ours.intercept, *ours.slopes.values()], expected, rtol=1e-9)
    swapped = coefficient_difference(synth, real, "X3", ["X1", "X2"])
    assert swapped.intercept > 1.5 * ours.intercept  # the larger table has the smaller standard error


def test_units_do_not_matter_even_when_extreme() -> None:
    rng = np.random.default_rng(2)
    real, synth = simulate_paper(200, rng), simulate_paper(200, rng)
    base = coefficient_difference(real, synth, "X3", ["X1", "X2"])
    scaled = [{"X1": t["X1"] * 1e9, "X2": t["X2"] * 1e-6, "X3": t["X3"] * 50} for t in (real, synth)]
    other = coefficient_difference(*scaled, "X3", ["X1", "X2"])
    np.testing.assert_allclose(list(other.slopes.values()), list(base.slopes.values()), rtol=1e-6)


def test_collinear_real_table_is_an_error_synthetic_counts_as_zero_slope() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=50), rng.normal(size=50)
    real = {"x": x, "y": 2 * x + y}
    flat = {"x": np.ones(50), "y": y}
    with pytest.raises(DataError, match="collinear in the real table"):
        coefficient_difference(flat, real, "y", ["x"])
    fit = sm.OLS(real["y"], sm.add_constant(x)).fit()
    made = coefficient_difference(real, flat, "y", ["x"])
    assert made.slopes["x"] == pytest.approx(abs(fit.params[1]) / fit.bse[1])
    assert made.intercept == pytest.approx(abs(y.mean() - fit.params[0]) / fit.bse[0])


def test_too_few_rows_for_a_standard_error() -> None:
    two = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    with pytest.raises(DataError, match="too few real rows"):
        coefficient_difference(two, two, "y", ["x"])
