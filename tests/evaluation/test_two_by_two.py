"""Arnold and Neunhoeffer's two-by-two: by hand, averaged as it should be, and at its null."""

import numpy as np
import pytest

from quantail.errors import DataError
from quantail.evaluation import Regression, evaluate, general_quality, propensity, specific_quality
from quantail.evaluation.regressions import Fit
from quantail.evaluation.two_by_two import percent_bias
from quantail.examples import simulate_paper

LINE = Regression.parse("y ~ x")


def noisy_line(seed, n=200, slope=2.0, noise=1.0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return {"x": x, "y": 1 + slope * x + noise * rng.normal(size=n)}


def fit(*estimates):
    return Fit(np.array(estimates, dtype=float), np.eye(len(estimates)))


def test_bias_is_of_the_mean_estimate_in_percent_of_the_wanted_one():
    # Slopes 3 and 1 around 2 have no bias; errors that are averaged after taking their size would give 50%.
    assert percent_bias([fit(1, 3), fit(1, 1)], np.array([1.0, 2.0])) == pytest.approx(0)
    assert percent_bias([fit(1, 3)], np.array([1.0, -2.0])) == pytest.approx(100 * 5 / 2 / 2)
    assert percent_bias([fit(1, 3)], np.array([0.0, 2.0])) == pytest.approx(50)  # 0 is no scale
    with pytest.raises(DataError, match="all coefficients"):
        percent_bias([fit(1, 3)], np.zeros(2))


def test_exact_lines_have_known_answers():
    def line(slope):
        return {
            "x": np.array([0.0, 1.0, 2.0, 3.0]),
            "y": np.array([1.0, 1.0, 1.0, 1.0]) + slope * np.arange(4.0),
        }

    bumps = np.array([1.0, -1.0, -1.0, 1.0]) / 10  # orthogonal to the constant and to x
    training, synth = line(2), line(3)
    training["y"], synth["y"] = training["y"] + bumps, synth["y"] + 2 * bumps
    found = specific_quality(training, [synth], line(2), LINE)
    assert found.training_bias == pytest.approx(25)  # intercept 0%, slope 50%
    assert found.training_variance_ratio == pytest.approx(4)
    assert found.holdout_bias == pytest.approx(25)
    assert found.coverage == pytest.approx(0.5)  # of intercept and slope
    assert found.rmse == pytest.approx(np.sqrt(np.mean(np.arange(4.0) ** 2)))
    assert found.rmse_null == pytest.approx(0, abs=1e-9)  # the training line is the holdout's


def test_coverage_is_that_of_intervals_over_replicates():
    truth = [1.0, 2.0]
    replicates = [noisy_line(seed) for seed in range(150)]
    found = specific_quality(noisy_line(900), replicates, noisy_line(901), LINE, truth=truth)
    assert found.coverage == pytest.approx(0.9, abs=0.05) and found.coverage_null == 0.9
    biased = [noisy_line(seed, slope=2.3) for seed in range(40)]
    assert specific_quality(noisy_line(900), biased, noisy_line(901), LINE, truth=truth).coverage < 0.7
    # Against the fit to a holdout of the same size, a fresh sample covers 2 Phi(1.645 / sqrt 2) - 1 of the time.
    each = [specific_quality(noisy_line(900), [noisy_line(s)], noisy_line(s + 500), LINE) for s in range(150)]
    assert each[0].coverage_null == pytest.approx(0.7552, abs=1e-3)
    assert np.mean([one.coverage for one in each]) == pytest.approx(0.755, abs=0.06)
    with pytest.raises(DataError, match="one true coefficient"):
        specific_quality(noisy_line(1), [noisy_line(2)], noisy_line(3), LINE, truth=[1.0])


def test_general_quality_is_averaged_over_replicates_and_tells_training_from_holdout():
    rng = np.random.default_rng(3)
    training, holdout = simulate_paper(400, rng), simulate_paper(400, rng)
    copies = [training, {name: values * 1.2 for name, values in training.items()}]
    one, other = (general_quality(training, [copy], 50) for copy in copies)
    both = general_quality(training, copies, 50)
    assert one.wrt == 0 and one.pmse_ratio == pytest.approx(0, abs=1e-9)
    assert both.pmse_ratio == pytest.approx((one.pmse_ratio + other.pmse_ratio) / 2)
    assert both.wrt == pytest.approx((one.wrt + other.wrt) / 2, rel=0.1)
    assert general_quality(holdout, [training], 50).wrt > 0.2
    with pytest.raises(DataError, match="at least one"):
        general_quality(training, [])


def test_evaluate_adds_it_with_a_holdout_and_averages_over_replicates():
    rng = np.random.default_rng(4)
    tables = [simulate_paper(300, rng) for _ in range(5)]
    real, synth, holdout, *more = tables
    single = evaluate(real, synth, holdout, measures=["two-by-two"])
    assert len(single) == 9
    columns = tuple(np.column_stack(list(table.values())) for table in (holdout, synth))
    assert single.value("holdout_pmse_ratio") == pytest.approx(propensity(*columns).ratio)
    assert single.measures[4].note == "X3 ~ X1 + X2"
    whole = evaluate(real, synth, holdout, measures=["two-by-two", "wrt", "pmse_woi_ratio"])
    for name, again in (("training_wrt", "wrt"), ("training_pmse_ratio", "pmse_woi_ratio")):
        assert whole.value(name) == whole.value(again) == pytest.approx(single.value(name))
    several = evaluate(real, synth, holdout, measures=["two-by-two"], replicates=more, formulas=["X2 ~ X1"])
    assert several.measures[4].note == "X2 ~ X1"
    assert several.value("holdout_pmse_ratio") != single.value("holdout_pmse_ratio")
    assert not len(evaluate(real, synth, measures=["two-by-two"]))


@pytest.mark.parametrize("truth", [None, (1.0, 2.0)])
def test_the_null_of_a_bias_is_what_fresh_samples_show(truth):
    found = [
        specific_quality(
            noisy_line(3 * s, 300), [noisy_line(3 * s + 1, 100)], noisy_line(3 * s + 2, 150), LINE, truth
        )
        for s in range(150)
    ]
    for side in ("training", "holdout"):
        bias = np.mean([getattr(one, f"{side}_bias") for one in found])
        assert np.mean([getattr(one, f"{side}_bias_null") for one in found]) == pytest.approx(bias, rel=0.2)
