"""Rows of one unit are alike: an independent sample of units is farther away than independent rows would be."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from quantail.evaluation.clusters import design_effect, widened
from quantail.evaluation.registry import MEASURES
from quantail.evaluation.table import Measured
from quantail.evaluation.wasserstein import wasserstein_test

NAN = float("nan")


def test_independent_rows_have_no_effect_and_constant_units_all_of_it():
    rng = np.random.default_rng(1)
    assert design_effect(rng.lognormal(size=(3000, 4))) == pytest.approx(1, abs=0.15)
    units = rng.permutation(np.arange(50.0))[:, None]
    assert design_effect(np.tile(units, 5)) == pytest.approx(5)
    # By hand: ranks 1.5, 1.5, 3.5, 3.5, 5 about 3; sums -3, 1, 2; squares 9 + 1 + 4 over 4.5 + 0.5 + 4.
    assert design_effect(np.array([[1.0, 1.0], [7.0, 7.0], [9.0, NAN]])) == pytest.approx(14 / 9)
    assert design_effect(np.ones((4, 2))) == 1


def test_the_widened_null_is_what_independent_units_show():
    rng = np.random.default_rng(2)

    def histories():
        return rng.lognormal(2, 1, (150, 1)) * rng.lognormal(0, 0.2, (150, 6))

    gaps = [ks_2samp(histories().ravel(), histories().ravel()).statistic for _ in range(60)]
    plain = wasserstein_test(histories().ravel(), histories().ravel(), 200).ks_null
    row = widened(Measured(MEASURES["ks"], ("x",), 0.1, plain), design_effect(histories()))
    assert row.null == pytest.approx(np.mean(gaps), rel=0.2)
    assert plain < 0.6 * np.mean(gaps)


def test_each_kind_of_measure_is_widened_in_its_own_way():
    rows = [Measured(MEASURES[name], ("x",), 0.0, null) for name, null in
            (("pmse_ratio", 1.0), ("wasserstein_ratio", 1.0), ("k_marginal", 990.0), ("auc", 0.51),
             ("panel_growth", 2.0), ("gini_difference", 0.7))]  # fmt: skip
    assert [widened(row, 4.0).null for row in rows] == [4.0, 2.0, 980.0, 0.51, 2.0, 1.0]
