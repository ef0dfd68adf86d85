"""CART pMSE: trees agree with scikit-learn's where bins are exact, and the permuted null holds."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from quantail.errors import OptionError
from quantail.evaluation import propensity
from quantail.evaluation.cart import MOST_BINS, Binned, bin_labels, bin_numbers, pmse_cart, tree_pmse


def binned(columns, labels=None):
    codes = np.vstack([bin_numbers(np.asarray(column, dtype=float)) for column in columns])
    return Binned(codes, labels or (False,) * len(codes))


def test_one_split_by_hand():
    # x = 0: 3 real, 1 synthetic; x = 1: 1 real, 3 synthetic: shares 1/4 and 3/4 around 1/2.
    rows = binned([[0, 0, 0, 1, 0, 1, 1, 1]])
    origin = np.repeat([0, 1], 4)
    assert tree_pmse(rows, origin, least=1) == pytest.approx(1 / 16)
    assert tree_pmse(rows, origin, least=5) == 0  # no leaf may be this small


@pytest.mark.parametrize("depth", [1, 3, 5])
def test_agrees_with_scikit_learn_on_whole_numbers(depth):
    rng = np.random.default_rng(depth)
    x = rng.integers(0, 60, (600, 3))
    origin = (rng.random(600) < 0.3 + 0.4 * ((x[:, 0] > 30) ^ (x[:, 1] > 20))).astype(int)
    tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=10, random_state=0).fit(x, origin)
    expected = np.mean((tree.predict_proba(x)[:, 1] - origin.mean()) ** 2)
    assert tree_pmse(binned(x.T), origin, depth, 10) == pytest.approx(expected, rel=1e-9)


def test_labels_are_grouped_by_their_share_not_by_their_number():
    # Labels 0 and 2 are synthetic, 1 and 3 real: one split finds them, thresholds on numbers need three.
    code = np.tile([0, 1, 2, 3], 50)
    origin = (code % 2 == 0).astype(int)
    as_labels = Binned(bin_labels(code)[None, :], (True,))
    assert tree_pmse(as_labels, origin, depth=1) == pytest.approx(0.25)
    assert tree_pmse(Binned(code[None, :], (False,)), origin, depth=1) < 0.1


def test_a_tree_sees_what_a_regression_cannot():
    rng = np.random.default_rng(2)
    real, synth = (
        rng.normal(size=(1500, 1)),
        rng.choice([-1, 1], (1500, 1)) * rng.uniform(0.5, 1.2, (1500, 1)),
    )
    assert propensity(real, synth).ratio < 5
    found = pmse_cart(binned([np.concatenate([real, synth])[:, 0]]), 1500, 20)
    assert (found.value - found.mean) / found.sd > 20


def test_ratio_is_one_on_average_for_two_samples_of_one_population():
    rng = np.random.default_rng(3)
    ratios, scores = [], []
    for _ in range(25):
        rows = binned(rng.lognormal(size=(3, 300)))
        found = pmse_cart(rows, 140, 20, rng)
        ratios.append(found.value / found.mean)
        scores.append((found.value - found.mean) / found.sd)
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)
    assert abs(np.mean(scores)) < 0.6 and 0.6 < np.std(scores) < 1.6
    assert found.mean > 0.01  # trees adapt to chance: 0 would be the wrong null


def test_missing_values_are_a_bin_and_many_values_are_binned_by_rank():
    assert bin_numbers(np.array([np.nan, 5.0, 1.0])).tolist() == [0, 2, 1]
    codes = bin_numbers(np.random.default_rng(4).pareto(1, 10_000))
    assert codes.max() <= MOST_BINS and np.bincount(codes)[1:].max() < 60
    origin = np.repeat([0, 1], 50)
    assert tree_pmse(binned([np.where(origin, np.nan, 1.0)]), origin) == pytest.approx(0.25)


def test_rare_labels_share_a_bin_and_one_permutation_is_refused():
    codes = bin_labels(np.concatenate([np.arange(1000), np.zeros(50, dtype=np.int64)]))
    assert codes.max() == MOST_BINS and np.count_nonzero(codes == codes[0]) == 51
    with pytest.raises(OptionError, match="at least 2"):
        pmse_cart(binned([[0.0, 1.0]]), 1, 1)
