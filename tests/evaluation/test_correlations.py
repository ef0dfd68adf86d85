import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from quantail.errors import DataError, OptionError
from quantail.evaluation import correlation_difference, correlation_matrix, evaluate

THREE = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])


@pytest.mark.parametrize(("kind", "expected"), [("pearson", 0.5), ("spearman", 0.5), ("kendall", 1 / 3)])
def test_three_rows_by_hand(kind, expected):
    # Two of the three pairs of rows are in order: tau 1/3; ranks equal the values here.
    assert correlation_matrix(THREE, kind)[0, 1] == pytest.approx(expected)


def test_kinds_differ_as_they_should():
    x = np.arange(1.0, 30.0)
    curved = np.column_stack([x, np.exp(x)])
    assert correlation_matrix(curved, "spearman")[0, 1] == pytest.approx(1)
    assert correlation_matrix(curved, "kendall")[0, 1] == pytest.approx(1)
    assert correlation_matrix(curved, "pearson")[0, 1] < 0.6


def test_agrees_with_scipy_with_ties_and_missing_values():
    rng = np.random.default_rng(1)
    x = rng.poisson(3, 200).astype(float)
    table = np.column_stack([x, x + rng.poisson(3, 200), rng.normal(size=200)])
    assert correlation_matrix(table, "spearman")[0, 1] == pytest.approx(
        spearmanr(table[:, 0], table[:, 1])[0]
    )
    assert correlation_matrix(table, "kendall")[0, 1] == pytest.approx(
        kendalltau(table[:, 0], table[:, 1])[0]
    )
    table[:40, 0] = np.nan
    kept = table[40:]
    for kind in ("pearson", "spearman", "kendall"):
        found = correlation_matrix(table, kind)
        assert found[0, 1] == pytest.approx(correlation_matrix(kept, kind)[0, 1])
    # Columns 1 and 2 are complete: all their rows count.
    assert correlation_matrix(table)[1, 2] == pytest.approx(np.corrcoef(table[:, 1], table[:, 2])[0, 1])


def test_differences_have_no_sign_and_reach_two():
    assert correlation_difference(THREE, THREE * [1, -1])[0, 1] == pytest.approx(1.0)
    up, down = np.array([[1.0, 1], [2, 2]]), np.array([[1.0, 2], [2, 1]])
    assert correlation_difference(up, down)[0, 1] == pytest.approx(2)


def test_constants_extreme_scales_and_other_kinds():
    flat = np.column_stack([np.ones(5), np.arange(5.0)])
    assert np.isnan(correlation_matrix(flat)[0, 1]) and np.isnan(correlation_matrix(flat, "kendall")[0, 1])
    assert correlation_matrix(THREE * 1e200)[0, 1] == pytest.approx(0.5)
    with pytest.raises(OptionError, match="pearson, spearman, kendall"):
        correlation_matrix(THREE, "cosine")
    with pytest.raises(DataError, match="number of columns"):
        correlation_difference(THREE, flat[:, :1])


def test_every_pair_has_a_row_and_pearsons_null_is_what_fresh_samples_show():
    rng = np.random.default_rng(2)

    def table(n):
        x = rng.normal(size=(n, 2)) @ np.array([[1, 0.5], [0, 1]])
        return {"a": x[:, 0], "b": x[:, 1], "c": rng.normal(size=n)}

    result = evaluate(table(400), table(300), measures=["correlation"])
    assert [row.columns for row in result][:3] == [("a", "b"), ("a", "c"), ("b", "c")] and len(result) == 9
    spread = 0.798 * np.sqrt(1 / 400 + 1 / 300)  # of two correlations of independent columns
    nulls = [
        evaluate(table(400), table(300), measures=["pearson_difference"]).measures[1].null for _ in range(40)
    ]
    assert np.mean(nulls) == pytest.approx(spread, rel=0.2)
