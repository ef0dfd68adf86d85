import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from quantail.errors import DataError
from quantail.evaluation import Fit, Regression, coefficient_difference, compare_coefficients
from quantail.evaluation.coefficients import _compared, compare_linear, fresh_difference, fresh_overlap
from quantail.examples import simulate_paper


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


def interval_fit(low: float, high: float) -> Fit:
    half = (high - low) / 2 / 1.959963985
    return Fit(np.array([(low + high) / 2]), np.array([[half**2]]))


@pytest.mark.parametrize(
    ("other", "expected"),
    [((0, 2), 1.0), ((1, 3), 0.5), ((0, 4), 0.75), ((0.5, 1.5), 0.75), ((2, 3), 0.0), ((5, 6), 0.0)],
)
def test_overlap_of_intervals_by_hand(other: tuple[float, float], expected: float) -> None:
    # Against (0, 2): the shared length over each interval's own, averaged; none shared is 0, never negative.
    found = _compared(interval_fit(0, 2), interval_fit(*other), "it").overlaps
    assert found[0] == pytest.approx(expected)


def test_formulas_compare_every_coefficient_with_the_same_levels() -> None:
    rng = np.random.default_rng(4)

    def table(n: int, regions: str) -> dict[str, object]:
        x, region = rng.normal(size=n), rng.choice(list(regions), n)
        return {"x": x, "region": region, "y": x + (region == "b") + rng.normal(size=n)}

    real, synth = table(300, "abc"), table(200, "abc")
    found = compare_coefficients(real, synth, Regression.parse("y ~ x + region"))
    fits = [smf.ols("y ~ x + region", pd.DataFrame(t)).fit() for t in (real, synth)]
    names = ["Intercept", "x", "region[T.b]", "region[T.c]"]
    expected = np.abs(fits[1].params - fits[0].params)[names] / fits[0].bse[names]
    np.testing.assert_allclose(found.differences, expected, rtol=1e-8)
    with pytest.raises(DataError, match="collinear in the real table"):  # a level that only the synthetic has
        compare_coefficients(real, table(200, "abcd"), Regression.parse("y ~ x + region"))
    fewer = compare_coefficients(real, table(200, "ab"), Regression.parse("y ~ x + region"))
    assert fewer.synthetic.dropped == (3,) and fewer.overlaps[3] == 0


def test_null_of_the_difference_is_what_fresh_samples_show() -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(300):
        tables = [{"x": (x := rng.normal(size=n)), "y": x + rng.normal(size=n)} for n in (100, 200)]
        found.append(compare_linear(*tables, "y", ["x"]))
    gaps, overlaps = (np.mean([one[place][1] for one in found]) for place in (2, 3))
    assert gaps == pytest.approx(fresh_difference(100, 200), rel=0.1)
    assert overlaps == pytest.approx(fresh_overlap(100, 200), abs=0.03)
    assert fresh_overlap(50, 50) == pytest.approx(0.712, abs=0.01)


def test_null_of_the_difference_allows_for_rows_of_unequal_spread() -> None:
    rng = np.random.default_rng(6)
    found = []
    for _ in range(200):
        tables = [{"x": (x := rng.normal(size=n)), "y": x**2 * rng.normal(size=n)} for n in (300, 150)]
        found.append(compare_linear(*tables, "y", ["x"]))
    inflation = float(np.mean([one.real.inflation[1] for one in found]))
    gaps, overlaps = (np.mean([one[place][1] for one in found]) for place in (2, 3))
    assert gaps == pytest.approx(fresh_difference(300, 150, inflation), rel=0.15)
    assert overlaps == pytest.approx(fresh_overlap(300, 150, inflation), abs=0.05)
    assert gaps > 1.8 * fresh_difference(300, 150)  # what standard errors of equal spread would say
