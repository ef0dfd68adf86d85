import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from quantail.errors import DataError, OptionError
from quantail.examples import simulate_paper
from studies.simulation.origin_tree import _grow, _leaf_pmse, _pruned, origin_pmse, sort_table


def _rows(*values: float) -> np.ndarray:
    return np.array(values, dtype=float)[:, None]


def _two_tables(n: int, stretch: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    real, other = (np.column_stack(list(simulate_paper(n, rng).values())) for _ in range(2))
    return real, other * stretch


def _pmse(real: np.ndarray, synthetic: np.ndarray, **options: float) -> float:
    return origin_pmse(sort_table(real), sort_table(synthetic), **options)  # type: ignore[arg-type]


def test_a_tree_without_splits_tells_nothing_apart() -> None:
    assert _pmse(_rows(1, 2), _rows(7, 8), depth=0) == 0.0
    assert (
        _pmse(_rows(1, 2), _rows(7, 8), cp=1.0) == 0.0
    )  # the split saves all errors, but no more than its price


def test_one_split_by_hand() -> None:
    # Leaves of 3 real + 1 synthetic and of 1 real + 3 synthetic, p = 1/4 and 3/4: no further cut between ties.
    assert _pmse(_rows(1, 1, 1, 8), _rows(1, 8, 8, 8)) == pytest.approx(0.25**2)


def test_two_levels_by_hand() -> None:
    # 0 | 1 2 3 | 4 5 6 | 8: the first cut lies in the middle, one more on either side makes all leaves pure.
    real, synthetic = _rows(1, 2, 3, 8), _rows(0, 4, 5, 6)
    assert _pmse(real, synthetic, depth=1) == pytest.approx(0.25**2)
    assert _pmse(real, synthetic, depth=2) == pytest.approx(0.25)


def test_share_counts_for_tables_of_different_size() -> None:
    # c = 1/4; leaves pure: (3 (1/4)^2 + (3/4)^2) / 4
    assert _pmse(_rows(1, 2, 3), _rows(9)) == pytest.approx((3 / 16 + 9 / 16) / 4)


def test_a_split_that_changes_probabilities_but_no_verdict_is_pruned() -> None:
    # Left: 9 real, 1 synthetic; right: 6 real, 5 synthetic. Impurity falls, errors (6 synthetic) do not.
    real = np.concatenate([np.zeros(9), np.ones(6)])[:, None]
    synthetic = np.concatenate([np.zeros(1), np.ones(5)])[:, None]
    assert _pmse(real, synthetic, cp=0.0) == 0.0
    unpruned = DecisionTreeClassifier().fit(np.vstack([real, synthetic]), np.repeat([0, 1], [15, 6]))
    assert unpruned.get_n_leaves() == 2


@pytest.mark.parametrize("stretch", [1.0, 1.2])
@pytest.mark.parametrize("depth", [1, 3, 5])
def test_before_pruning_it_is_the_usual_gini_tree(stretch: float, depth: int) -> None:
    real, synthetic = _two_tables(800, stretch)
    columns = np.ascontiguousarray(np.vstack([real, synthetic]).T)
    origin = np.repeat(np.array([0, 1]), 800)
    counts, split = _grow(columns, np.argsort(columns, axis=1), origin, depth, -1.0)
    # The usual tree stores columns in single precision, which can move a cut past a near-tie: hence ranks.
    ranks = np.argsort(np.argsort(columns, axis=1), axis=1).T
    other = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(ranks, origin)
    expected = np.mean((other.predict_proba(ranks)[:, 1] - 0.5) ** 2)
    assert _leaf_pmse(counts, split) == pytest.approx(expected, rel=1e-9)


def test_nodes_left_alone_early_are_those_that_pruning_would_undo() -> None:
    real, synthetic = _two_tables(700, 1.15)
    columns = np.ascontiguousarray(np.vstack([real, synthetic]).T)
    order, origin = np.argsort(columns, axis=1), np.repeat(np.array([0, 1]), 700)
    for price in (7.0, 40.0):
        fast, slow = (_grow(columns, order, origin, 5, p) for p in (price, -1.0))
        left, right = (_leaf_pmse(c, _pruned(c, s, price)) for c, s in (fast, slow))
        assert left == right > 0


def test_order_of_rows_and_growing_transforms_do_not_matter() -> None:
    real, synthetic = _two_tables(500, 1.3)
    base = _pmse(real, synthetic)
    shuffled = np.random.default_rng(1).permutation(500)
    assert _pmse(real[shuffled], synthetic[shuffled]) == pytest.approx(base)
    assert _pmse(np.log(real), np.log(synthetic)) == pytest.approx(base)
    assert 0 < base < 0.25


def test_ties_are_never_split() -> None:
    assert _pmse(_rows(1, 1, 1), _rows(1, 1, 1), cp=0.0) == 0.0


def test_bad_input_is_refused() -> None:
    with pytest.raises(DataError, match="same columns"):
        _pmse(np.ones((3, 2)), np.ones((3, 1)))
    with pytest.raises(DataError, match="at least one row"):
        sort_table(np.empty((0, 2)))
    with pytest.raises(OptionError, match="negative"):
        _pmse(_rows(1), _rows(2), depth=-1)
