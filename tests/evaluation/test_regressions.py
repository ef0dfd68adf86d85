"""Regressions agree with statsmodels, and standard errors with what repeated samples show."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf

from quantail.errors import DataError, OptionError
from quantail.evaluation import Regression
from quantail.evaluation.regressions import fit_linear, fit_logistic, fit_quantile


def people(n=400, seed=1):
    rng = np.random.default_rng(seed)
    age, region = rng.uniform(20, 60, n), rng.choice(["north", "south", "west"], n)
    wage = np.exp(1 + 0.02 * age + 0.3 * (region == "west") + rng.normal(0, 0.5, n))
    return pd.DataFrame(
        {"age": age, "region": region, "wage": wage, "union": (rng.random(n) < 0.2 + age / 200) * 1}
    )


def test_linear_agrees_with_statsmodels():
    ours = Regression.parse("log(wage) ~ age + C(region) + age:C(region)").fit(people())
    theirs = smf.ols("np.log(wage) ~ age + C(region) + age:C(region)", people()).fit()
    assert ours.names[2] == "region[south]"
    np.testing.assert_allclose(np.sort(ours.estimates), np.sort(theirs.params), rtol=1e-8)
    np.testing.assert_allclose(np.sort(ours.standard_errors), np.sort(theirs.bse), rtol=1e-8)
    low, _ = Regression.parse("wage ~ age").fit(people()).interval(0.9)
    expected = smf.ols("wage ~ age", people()).fit()
    np.testing.assert_allclose(low, expected.params - 1.6448536 * expected.bse, rtol=1e-7)


def test_logistic_agrees_with_statsmodels():
    ours = Regression.parse("logistic: union ~ age + region").fit(people())
    theirs = smf.logit("union ~ age + region", people()).fit(disp=0, tol=1e-12)
    np.testing.assert_allclose(np.sort(ours.estimates), np.sort(theirs.params), rtol=1e-6)
    np.testing.assert_allclose(np.sort(ours.standard_errors), np.sort(theirs.bse), rtol=1e-6)


def test_quantile_agrees_with_statsmodels_and_its_errors_with_repeated_samples():
    frame = people(800)
    ours = Regression.parse("quantile(0.75): wage ~ age").fit(frame)
    theirs = smf.quantreg("wage ~ age", frame).fit(q=0.75)
    np.testing.assert_allclose(ours.estimates, theirs.params, rtol=1e-3)
    rng = np.random.default_rng(2)
    slopes, stated = [], []
    for _ in range(60):
        x = rng.uniform(0, 1, 500)
        y = x + (1 + x) * rng.normal(size=500)  # spread grows with x: equal-spread formulas would be wrong
        fit = fit_quantile(y, np.column_stack([np.ones(500), x]), 0.75)
        slopes.append(fit.estimates[1])
        stated.append(fit.standard_errors[1])
    assert np.mean(stated) == pytest.approx(np.std(slopes), rel=0.25)


def test_a_predictor_explained_by_earlier_ones_is_dropped():
    x = np.arange(6.0)
    y = np.array([1.0, 0.0, 2.0, 5.0, 3.0, 4.0])
    X = np.column_stack([np.ones(6), x, 2 * x + 1, x**2])
    for fit in (fit_linear(y, X), fit_quantile(y, X, 0.5)):
        assert fit.dropped == (2,) and fit.estimates[2] == 0 and np.isnan(fit.standard_errors[2])
        assert np.isfinite(fit.standard_errors[[0, 1, 3]]).all()
    np.testing.assert_allclose(fit_linear(y, X).estimates[[0, 1, 3]], np.linalg.lstsq(X[:, [0, 1, 3]], y)[0])


def test_impossible_fits_say_why():
    X = np.column_stack([np.ones(4), [0.0, 1.0, 5.0, 6.0]])
    with pytest.raises(DataError, match="apart completely"):
        fit_logistic(np.array([0.0, 0.0, 1.0, 1.0]), X)
    with pytest.raises(DataError, match="0 or 1"):
        fit_logistic(np.array([0.0, 0.0, 2.0, 1.0]), X)
    with pytest.raises(OptionError, match="intercept"):
        fit_quantile(np.ones(4), X[:, 1:])
    with pytest.raises(DataError, match="exact"):
        fit_quantile(X[:, 1], X)
    with pytest.raises(OptionError, match="between 0 and 1"):
        Regression.parse("quantile(1.5): y ~ x")


def test_kinds_are_read_and_written():
    for text in ("y ~ x", "logistic: y ~ x", "quantile(0.9): y ~ x"):
        assert str(Regression.parse(text)) == text
    assert str(Regression.parse("linear: y ~ x")) == "y ~ x"


@pytest.mark.parametrize("text", ["wage ~ age + region", "logistic: union ~ age"])
def test_robust_errors_are_what_leaving_out_each_row_shows(text):
    table, regression = people(120), Regression.parse(text)
    whole = regression.fit(table)
    moved = np.array(
        [regression.fit(table.drop(index=row)).estimates - whole.estimates for row in table.index]
    )
    np.testing.assert_allclose(
        np.diag(whole.robust), (moved**2).sum(axis=0), rtol=1e-8 if "wage" in text else 0.02
    )
    expected = np.sqrt((moved**2).sum(axis=0)) / whole.standard_errors
    np.testing.assert_allclose(whole.inflation, expected, rtol=0.01)


def test_quantile_regressions_are_robust_as_they_are():
    assert Regression.parse("quantile(0.5): wage ~ age").fit(people()).inflation.tolist() == [1.0, 1.0]
