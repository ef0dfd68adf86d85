import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf

from quantail.errors import DataError
from quantail.evaluation import Regression, evaluate
from quantail.evaluation.coefficients import compare_coefficients, compared, independent_difference
from quantail.evaluation.regressions import fit_linear
from quantail.examples import simulate_paper
from studies.paper_measures import coefficient_difference


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
    assert fewer.synthetic.dropped == (3,) and fewer.synthetic.estimates[3] == 0


def _compared(tables):
    fits = (fit_linear(t["y"], np.column_stack([np.ones(t["x"].size), t["x"]])) for t in tables)
    return compared("y ~ x", "y", *fits)


def test_null_of_the_difference_is_what_independent_samples_show() -> None:
    rng = np.random.default_rng(5)
    found = []
    for _ in range(300):
        tables = [{"x": (x := rng.normal(size=n)), "y": x + rng.normal(size=n)} for n in (100, 200)]
        found.append(_compared(tables).differences[1])
    assert np.mean(found) == pytest.approx(independent_difference(100, 200), rel=0.1)


def test_null_of_the_difference_allows_for_rows_of_unequal_spread() -> None:
    rng = np.random.default_rng(6)
    found = []
    for _ in range(200):
        tables = [{"x": (x := rng.normal(size=n)), "y": x**2 * rng.normal(size=n)} for n in (300, 150)]
        found.append(_compared(tables))
    inflation = float(np.mean([one.real.inflation[1] for one in found]))
    gaps = np.mean([one.differences[1] for one in found])
    assert gaps == pytest.approx(independent_difference(300, 150, inflation), rel=0.15)
    assert gaps > 1.8 * independent_difference(300, 150)  # what standard errors of equal spread would say


def test_without_formulas_the_last_number_is_explained_on_a_scale_that_suits_it() -> None:
    rng = np.random.default_rng(7)

    def table(n: int) -> dict[str, object]:
        sector = rng.choice(list("abc"), n)
        jobs = np.floor(rng.pareto(1.2, n) * 5)
        pay = np.exp(1 + 0.5 * np.log1p(jobs) + rng.normal(size=n)) + 1
        code = rng.integers(0, 300, n).astype(str)
        return {"code": code, "sector": sector, "one": np.ones(n), "jobs": jobs, "pay": pay, "end": sector}

    real, synth = table(800), table(600)
    found = evaluate(real, synth, measures=["regressions"])
    # Zeros forbid a logarithm, 300 labels are too many, and what comes after the response explains nothing.
    text = "log(pay) ~ sector + asinh(jobs)"
    assert {row.note for row in found} == {text} and [one.text for one in found.regressions] == [text]
    expected = compare_coefficients(real, synth, Regression.parse(text)).differences
    np.testing.assert_allclose([row.value for row in found], expected)
    assert not evaluate({"x": [1.0, 2.0]}, {"x": [1.0, 3.0]}, measures=["regressions"]).measures
