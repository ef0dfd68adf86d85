"""Pairs of columns: answers by hand and by scipy, and relations that a synthesis lost."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from scipy.stats.contingency import association as scipy_association
from scipy.stats.contingency import crosstab

from quantail.evaluation import evaluate
from quantail.evaluation.relations import (
    associations,
    correlation_ratio,
    cramers_v,
    frequent_labels,
    rank_correlations,
    ranked,
)


def test_the_correlation_ratio_by_hand():
    # Means 2 and 5 around 3.5, variance between 2.25; values 1, 3, 4, 6 have variance 3.25.
    found = correlation_ratio(np.array([0, 0, 1, 1]), np.array([1.0, 3.0, 4.0, 6.0]))
    assert found == pytest.approx(np.sqrt(2.25 / 3.25))
    assert correlation_ratio(np.array([2, 2, 0, 0]), np.array([1.0, np.nan, 4.0, 4.0])) == 1


def test_cramers_v_agrees_with_scipy():
    rng = np.random.default_rng(1)
    left = rng.integers(0, 3, 200)
    right = np.where(rng.random(200) < 0.5, left, rng.integers(0, 4, 200))
    expected = scipy_association(crosstab(left, right).count, method="cramer")
    assert cramers_v(left, right) == pytest.approx(expected)
    assert cramers_v(left + 1, 5 - right) == pytest.approx(expected)  # which number a label has is no matter


def firms(seed, n=600):
    rng = np.random.default_rng(seed)
    sector = rng.integers(0, 3, n)
    size = rng.lognormal(1 + sector, 1)
    return {"sector": np.array(list("abc"))[sector], "size": size, "old": rng.random(n) < 0.2 + 0.2 * sector}


def test_an_independent_sample_is_near_its_null_and_a_lost_relation_far():
    pairs = {("sector", "old"), ("sector", "size"), ("size", "old")}
    found = [evaluate(firms(s), firms(50 + s, 400), measures=["relations"]) for s in range(15)]
    assert {row.columns for row in found[0]} == pairs
    value, null = (
        np.mean([getattr(row, field) for one in found for row in one]) for field in ("value", "null")
    )
    assert value == pytest.approx(null, rel=0.3)
    lost = firms(1)
    lost["sector"] = np.random.default_rng(2).permutation(lost["sector"])
    rows = {row.columns: row for row in evaluate(firms(1), lost, measures=["relations"])}
    gaps = {columns: row.value / row.null for columns, row in rows.items()}
    assert gaps["sector", "size"] > 5 and gaps["sector", "old"] > 3 and gaps["size", "old"] == 0
    assert rows["sector", "size"].name == "correlation_ratio_difference"
    assert rows["sector", "old"].name == "cramers_v_difference"


def test_rank_correlations_agree_with_scipy_with_ties_and_missing_values():
    rng = np.random.default_rng(3)
    x = rng.poisson(3, 300).astype(float)
    table = np.column_stack([x, np.exp(x + rng.poisson(3, 300)), rng.normal(size=300)])
    expected = spearmanr(table).statistic
    ranks = np.column_stack([ranked(column) for column in table.T])
    np.testing.assert_allclose(rank_correlations(ranks), expected, atol=1e-12)
    # Rows where either is missing are left out; ranks are those of all known values of a column.
    ranks[:100, 0] = np.nan
    kept = np.corrcoef(ranks[100:].T)[0]
    np.testing.assert_allclose(rank_correlations(ranks)[0], kept, atol=1e-12)
    assert rank_correlations(ranks)[1, 2] == pytest.approx(expected[1, 2])


def test_differences_have_no_sign_and_reach_two_and_a_constant_has_none():
    up, down = {"x": [1.0, 2.0, 3.0], "y": [1.0, 20.0, 21.0]}, {"x": [1.0, 2.0, 3.0], "y": [3.0, 2.0, 1.0]}
    assert evaluate(up, down, measures=["relations"]).value("rank_correlation_difference") == pytest.approx(2)
    assert evaluate(down, up, measures=["relations"]).value("rank_correlation_difference") == pytest.approx(2)
    flat = {"x": [1.0, 2.0, 3.0], "y": [5.0, 5.0, 5.0]}
    assert [one.reason for one in evaluate(up, flat, measures=["relations"]).skipped] == [
        "one of the columns does not vary"
    ]


def test_associations_of_mixed_columns_are_symmetric_and_by_kind():
    label, other = np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])
    number = ranked(np.array([1.0, 3.0, 4.0, 6.0]))
    found = associations([number, label, other])
    np.testing.assert_array_equal(found, found.T)
    assert found[0, 1] == pytest.approx(correlation_ratio(label, number)) and found[1, 2] == pytest.approx(1)


def test_rare_labels_count_as_one():
    codes = np.array([5, 5, 5, 2, 2, 0, 1])
    np.testing.assert_array_equal(frequent_labels(codes, 2), [0, 0, 0, 1, 1, 2, 2])
