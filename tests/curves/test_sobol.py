"""Sobol points are those of scipy, number by number, and so is the order in which they are drawn."""

import numpy as np
import pytest
from scipy.stats import qmc

from quantail.curves.balanced import balanced_uniform
from quantail.curves.sobol import DIMENSIONS, UNIT, sobol_points


@pytest.mark.parametrize("dimensions", [1, 2, 9, DIMENSIONS])
@pytest.mark.parametrize("power", [0, 1, 7])
def test_points_are_those_of_scipy(dimensions, power):
    first, second = np.random.default_rng(5), np.random.default_rng(5)
    points = qmc.Sobol(dimensions, scramble=True, rng=first).random_base2(power)
    np.testing.assert_array_equal(UNIT * sobol_points(dimensions, power, second), points.T)
    assert first.spawn(1)[0].random() == second.spawn(1)[0].random()


@pytest.mark.parametrize("columns", [1, 3, DIMENSIONS, DIMENSIONS + 1])
@pytest.mark.parametrize("rows", [1, 2, 3, 1000])
def test_uniform_numbers_are_the_points_in_random_order(columns, rows):
    first, second = np.random.default_rng(6), np.random.default_rng(6)
    power = max(rows - 1, 1).bit_length()
    points = qmc.Sobol(columns, scramble=True, rng=first).random_base2(power)[:rows]
    np.testing.assert_array_equal(balanced_uniform(columns, rows, second), first.permutation(points).T)
    assert first.random() == second.random()
