import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import statsmodels.api as sm
from sklearn.linear_model import LogisticRegression

from quantail.errors import DataError, OptionError
from quantail.evaluation import evaluate, pmse_null_mean, propensity
from quantail.examples import simulate_paper
from studies.paper_measures import pmse


def _skewed(seed: int, n: int, shift: float = 0.0) -> dict[str, np.ndarray]:
    table = simulate_paper(n, np.random.default_rng(seed))
    table["X2"] = table["X2"] + shift
    return table


def _stack(real: dict[str, np.ndarray], synth: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    X = np.vstack([np.column_stack(list(t.values())) for t in (real, synth)])
    return X, np.repeat([0, 1], [real["X1"].size, synth["X1"].size])


def test_two_by_two_table_by_hand() -> None:
    # A binary column saturates the model: p is the synthetic share within each value.
    # x=0: 3 real, 1 synthetic -> p = 1/4;  x=1: 1 real, 3 synthetic -> p = 3/4;  c = 1/2 -> (1/4)^2.
    real, synth = {"x": [0.0, 0.0, 0.0, 1.0]}, {"x": [0.0, 1.0, 1.0, 1.0]}
    assert pmse(real, synth) == pytest.approx(1 / 16, rel=1e-6)


def test_share_of_synthetic_rows_is_the_centre_when_sizes_differ() -> None:
    # x=0: 2 real, 1 synthetic -> 1/3;  x=1: 2 real, 0 + 1 synthetic -> 1/3; nothing to tell apart, c = 1/3.
    # With the centre fixed at 1/2 this would be 1/36.
    real, synth = {"x": [0.0, 0.0, 1.0, 1.0]}, {"x": [0.0, 1.0]}
    assert pmse(real, synth) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("interactions", [False, True])
def test_agrees_with_statsmodels_and_sklearn(interactions: bool) -> None:
    real, synth = _skewed(1, 700), _skewed(2, 500, shift=3.0)
    X, label = _stack(real, synth)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    if interactions:
        X = np.column_stack([X, X[:, 0] * X[:, 1], X[:, 0] * X[:, 2], X[:, 1] * X[:, 2]])
    centre = label.mean()
    design = sm.add_constant(X)
    p = sm.Logit(label, design).fit(disp=0, tol=1e-12).predict(design)
    ours = pmse(real, synth, interactions=interactions)
    assert ours == pytest.approx(np.mean((p - centre) ** 2), rel=1e-6)
    q = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(X, label).predict_proba(X)[:, 1]
    assert ours == pytest.approx(np.mean((q - centre) ** 2), rel=1e-4, abs=1e-6)


def test_units_and_row_order_do_not_matter() -> None:
    real, synth = _skewed(3, 400), _skewed(4, 400, shift=2.0)
    scale = {"X1": 1e6, "X2": 1e-6, "X3": 5.0}
    other = [{k: v[::-1] * scale[k] + 3 for k, v in t.items()} for t in (real, synth)]
    for interactions in (False, True):
        assert pmse(*other, interactions=interactions) == pytest.approx(
            pmse(real, synth, interactions), rel=1e-6
        )


def test_interactions_see_a_dependence_that_single_columns_cannot() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, 2000))
    apart = {"x": x, "y": y}
    together = {"x": x, "y": np.where(rng.random(2000) < 0.8, 1.0, -1.0) * np.sign(x) * np.abs(y)}
    # Chi-squared with k degrees of freedom: five standard deviations above its mean.
    chance = [pmse_null_mean(k, 2000, 2000, independent=True) * (1 + 5 * np.sqrt(2 / k)) for k in (2, 3)]
    assert pmse(apart, together) < chance[0]
    assert pmse(apart, together, interactions=True) > 5 * chance[1]


def test_complete_separation_reaches_its_upper_end() -> None:
    real, synth = {"x": np.arange(10.0)}, {"x": np.arange(10.0) + 100}
    assert pmse(real, synth) == pytest.approx(0.25, abs=1e-4)


def test_constant_duplicate_and_identical_columns_are_harmless() -> None:
    real, synth = _skewed(6, 300), _skewed(7, 300, shift=2.0)
    wider = [{**t, "one": np.ones(300), "twin": t["X1"] * 2} for t in (real, synth)]
    assert pmse(*wider) == pytest.approx(pmse(real, synth), rel=1e-8)
    assert pmse({"x": [1.0]}, {"x": [1.0]}) == 0.0


def test_mean_over_independent_samples_is_the_null_mean() -> None:
    n, k = 400, 3
    scores = [pmse(_skewed(2 * s, n), _skewed(2 * s + 1, n)) for s in range(300)]
    assert np.mean(scores) == pytest.approx(pmse_null_mean(k, n, n, independent=True), rel=0.15)
    chi_squared = pmse_null_mean(k, n, n, independent=True) * np.sqrt(2 / k)
    assert np.std(scores) == pytest.approx(chi_squared, rel=0.25)
    # The published formula holds the real table fixed and is half as large at equal sizes.
    assert np.mean(scores) > 1.6 * pmse_null_mean(k, n, n)


def test_mean_over_resamples_of_a_fixed_table_is_the_published_null_mean() -> None:
    rng = np.random.default_rng(8)
    real, n = _skewed(0, 400), 400
    scores = []
    for _ in range(300):
        rows = rng.integers(n, size=n)
        scores.append(pmse(real, {k: v[rows] for k, v in real.items()}))
    assert np.mean(scores) == pytest.approx(pmse_null_mean(3, n, n), rel=0.15)


def test_null_formulas_by_hand() -> None:
    # c = 1/4, N = 400: 3 * (3/4)^2 * (1/4) / 400
    assert pmse_null_mean(3, 300, 100) == pytest.approx(3 * 0.5625 * 0.25 / 400)
    assert pmse_null_mean(3, 300, 100, independent=True) == pytest.approx(3 * 0.75 * 0.25 / 400)
    with pytest.raises(OptionError):
        pmse_null_mean(0, 10, 10)


def test_every_frame_kind_gives_the_same_value() -> None:
    real, synth = _skewed(9, 100), _skewed(10, 100)
    expected = pmse(real, synth)
    for kind in (pd.DataFrame, pl.DataFrame, pa.table):
        assert pmse(kind(real), kind(synth)) == pytest.approx(expected, rel=1e-12)


def test_bad_tables_are_named_but_not_quoted() -> None:
    good = {"x": [1.0, 2.0]}
    with pytest.raises(DataError, match=r"only in the real table: x.*only in the synthetic table: y"):
        pmse(good, {"y": [1.0, 2.0]})
    with pytest.raises(DataError, match="column x of the synthetic table is not numeric"):
        pmse(good, {"x": ["a", "b"]})
    with pytest.raises(DataError, match="missing or infinite") as error:
        pmse({"x": [54321.0, np.nan]}, good)
    assert "54321" not in str(error.value)
    with pytest.raises(DataError, match="no rows"):
        pmse({"x": []}, good)
    with pytest.raises(DataError, match="differ in length"):
        pmse({"x": [1.0], "y": [1.0, 2.0]}, good)
    with pytest.raises(DataError, match="cannot be read"):
        pmse(object(), good)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "crossed", "sizes"), [(12, 0, (400, 300)), (5, 5, (600, 600))])
def test_null_ratio_is_one_over_200_pairs_of_samples(
    columns: int, crossed: int, sizes: tuple[int, int]
) -> None:
    rng = np.random.default_rng(11)
    found = [propensity(*(rng.gamma(2, 1, (n, columns)) for n in sizes), crossed) for _ in range(200)]
    assert found[0].terms == (15 if crossed else 12)
    assert np.mean([one.ratio for one in found]) == pytest.approx(1, abs=0.05)
    assert np.std([one.ratio for one in found]) == pytest.approx(np.sqrt(2 / found[0].terms), rel=0.15)


def test_terms_are_counted_after_leaving_out_what_others_explain() -> None:
    rng = np.random.default_rng(12)
    x = rng.normal(size=(200, 3))
    wider = np.column_stack([x, x[:, 0] + x[:, 1], np.ones(200)])
    assert propensity(wider[:100], wider[100:]).terms == 3
    plain, wide = propensity(x[:100], x[100:]), propensity(wider[:100], wider[100:])
    assert wide.ratio == pytest.approx(plain.ratio, rel=1e-6)


def test_evaluate_gives_the_ratios_and_a_constant_table_none() -> None:
    real, synth = _skewed(13, 300), _skewed(14, 200, shift=2.0)
    found = evaluate(real, synth, measures=["pmse_ratio", "pmse_ratio_interactions"])
    for name, terms in (("pmse_ratio", 3), ("pmse_ratio_interactions", 6)):
        expected = pmse(real, synth, terms == 6) / pmse_null_mean(terms, 300, 200, independent=True)
        assert found.value(name) == pytest.approx(expected)
    constant = {"one": np.ones(40)}
    skipped = evaluate(constant, constant, measures=["pmse_ratio"]).skipped
    assert ["no column varies" in one.reason for one in skipped] == [True]


def test_a_large_design_takes_a_random_part_of_the_rows_and_says_so(monkeypatch) -> None:
    real, synth = _skewed(15, 4000), _skewed(16, 2000)
    whole = evaluate(real, synth, measures=["pmse_ratio"]).measures[0]
    assert whole.note == ""
    monkeypatch.setattr("quantail.evaluation.propensity_score._MOST_VALUES", 9000)
    part = evaluate(real, synth, measures=["pmse_ratio"]).measures[0]
    assert part.note == "on 2,000 real and 1,000 synthetic rows" and part.value != whole.value
