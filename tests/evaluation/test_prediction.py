import numpy as np
import pytest

from quantail.errors import DataError
from quantail.evaluation import Regression, evaluate
from quantail.evaluation.prediction import nrmse as formula_nrmse
from quantail.examples import simulate_paper
from studies.paper_measures import nrmse


def test_by_hand_with_the_n_minus_one_standard_deviation() -> None:
    # Synthetic line y = x. Holdout x 0, 2; y 1, 3: both off by 1, RMSE 1. The sd of (1, 3) is sqrt(2); with n
    # in its denominator it would be 1.
    synth = {"x": [0.0, 1.0], "y": [0.0, 1.0]}
    assert nrmse(synth, {"x": [0.0, 2.0], "y": [1.0, 3.0]}, "y", ["x"]) == pytest.approx(1 / np.sqrt(2))


def test_fit_comes_from_the_synthetic_table_and_the_error_from_the_holdout() -> None:
    synth = {"x": [0.0, 1.0, 2.0], "y": [0.0, 3.0, 6.0]}
    holdout = {"x": [0.0, 1.0], "y": [5.0, 6.0]}  # errors 5 and 3
    expected = np.sqrt((25 + 9) / 2) / np.std([5, 6], ddof=1)
    assert nrmse(synth, holdout, "y", ["x"]) == pytest.approx(expected)


def test_papers_values_for_an_independent_sample() -> None:
    rng = np.random.default_rng(1)
    synth, holdout = simulate_paper(20_000, rng), simulate_paper(20_000, rng)
    # sd of X2's noise is 10, of X2 sqrt(900 + 100); X3 = 7 + 5 X1 + two noises
    assert nrmse(synth, holdout, "X2", ["X1"]) == pytest.approx(10 / np.sqrt(1000), rel=0.03)
    assert nrmse(synth, holdout, "X3", ["X1", "X2"]) == pytest.approx(10 / np.sqrt(2700), rel=0.03)


def test_a_synthetic_predictor_that_never_varies_predicts_the_mean() -> None:
    synth = {"x": [7.0, 7.0, 7.0], "y": [1.0, 2.0, 6.0]}
    holdout = {"x": [0.0, 100.0], "y": [2.0, 4.0]}  # mean 3, both off by 1
    assert nrmse(synth, holdout, "y", ["x"]) == pytest.approx(1 / np.sqrt(2))


@pytest.mark.parametrize("holdout", [{"x": [1.0], "y": [1.0]}, {"x": [1.0, 2.0], "y": [4.0, 4.0]}])
def test_holdout_without_variation_is_refused(holdout: dict[str, list[float]]) -> None:
    with pytest.raises(DataError, match="does not vary in the holdout"):
        nrmse({"x": [0.0, 1.0], "y": [0.0, 1.0]}, holdout, "y", ["x"])


def test_a_formula_predicts_as_its_columns_do() -> None:
    rng = np.random.default_rng(2)
    synth, holdout = simulate_paper(200, rng), simulate_paper(100, rng)
    plain = nrmse(synth, holdout, "X3", ["X1", "X2"])
    assert formula_nrmse(synth, holdout, Regression.parse("X3 ~ X1 + X2")) == pytest.approx(plain)
    # On the logarithm the scale is that of the logarithm.
    logged = [{"X1": t["X1"], "y": np.log(t["X3"])} for t in (synth, holdout)]
    expected = nrmse(*logged, "y", ["X1"])
    assert formula_nrmse(synth, holdout, Regression.parse("log(X3) ~ X1")) == pytest.approx(expected)


def test_null_is_the_error_of_the_real_regression() -> None:
    rng = np.random.default_rng(3)
    real, synth, holdout = simulate_paper(200, rng), simulate_paper(150, rng), simulate_paper(100, rng)
    found = evaluate(real, synth, holdout, formulas="X2 ~ X1", measures=["prediction_error"]).measures
    assert [(row.columns, row.note) for row in found] == [(("X2", "X1"), "X2 ~ X1")]
    assert found[0].null == pytest.approx(nrmse(real, holdout, "X2", ["X1"]))
    assert found[0].value == pytest.approx(nrmse(synth, holdout, "X2", ["X1"]))
    assert not evaluate(real, synth, formulas="X2 ~ X1", measures=["prediction_error"]).measures
