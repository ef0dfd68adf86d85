"""Labels and other columns: answers by hand, and relations that a synthesis lost."""

import numpy as np
import pytest
from scipy.stats.contingency import association as scipy_association
from scipy.stats.contingency import crosstab

from quantail.evaluation import correlation_ratio, cramers_v, evaluate


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


def test_a_fresh_sample_is_near_its_null_and_a_lost_relation_far():
    pairs = {("sector", "old"), ("sector", "size"), ("old", "size")}
    fresh = [evaluate(firms(s), firms(50 + s, 400), measures=["association_difference"]) for s in range(15)]
    assert {row.columns for row in fresh[0]} == pairs
    value, null = (
        np.mean([getattr(row, field) for one in fresh for row in one]) for field in ("value", "null")
    )
    assert value == pytest.approx(null, rel=0.3)
    lost = firms(1)
    lost["sector"] = np.random.default_rng(2).permutation(lost["sector"])
    gaps = {
        row.columns: row.value / row.null
        for row in evaluate(firms(1), lost, measures=["association_difference"])
    }
    assert gaps["sector", "size"] > 5 and gaps["sector", "old"] > 3 and gaps["old", "size"] == 0
