"""The base law: quantile function and its inverse, as the released curve has them."""

import numpy as np

from quantail.curves import Scale, StepCurve, fit_curve
from quantail.curves.atom_curve import fit_atom_curve
from quantail.schema import Column
from quantail.table.base_law import BaseLaw

LEVELS = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
U = np.linspace(0.001, 0.999, 997)


def test_tabulated_quantiles_follow_the_curve_into_its_tails():
    curve = fit_curve(LEVELS, -np.log1p(-LEVELS), 5000, 4.0, 1e-6)
    law = BaseLaw.of(curve)
    far = 1 - np.geomspace(1e-7, 1e-2, 50)
    for u in (U, far):
        np.testing.assert_allclose(law.quantile(u), curve(u), rtol=2e-4)
    np.testing.assert_allclose(law.level(law.quantile(U)), U, atol=1e-9)


def test_counted_values_are_exact_and_gaps_hold_nothing():
    law = BaseLaw.of(StepCurve((0.0, 1.0, 2.0, 3.0), (0.25, 0.0, 0.75)))
    assert law.level(np.array([1.0, 1.7, 2.0])).tolist() == [0.25, 0.25, 0.25]
    assert law.quantile(np.array([0.125, 0.625])).tolist() == [0.5, 2.5]


def test_an_atom_keeps_its_share():
    scale = Scale.of(Column("pay", "numeric", 0, 1e6, grid="log", decimals=2))
    quantiles = np.array([0.0, 0.0, *scale.forward(np.array([50.0, 90.0, 200.0]))])
    law = BaseLaw.of(fit_atom_curve(np.array([0.1, 0.3, 0.5, 0.7, 0.9]), quantiles, 5000, 4.0, scale))
    _, high = scale.lowest_cell
    assert 0.3 < law.level(np.array([high]))[0] < 0.5


def test_cell_shares_of_a_shifted_law_add_up():
    law = BaseLaw.of(StepCurve((0.0, 1.0, 2.0), (0.5, 0.5)))
    shares = law.cell_shares(np.array([0.5, 1.5]), np.array([0.0, 1.0]))
    np.testing.assert_allclose(shares, [[0.25, 0.5, 0.25], [0.0, 0.25, 0.75]])


def test_an_atom_without_width_is_a_step():
    scale = Scale.of(Column("debt", "numeric", -1e99, 1e99, grid="log", decimals=2)).crossing(1e97)
    low, high = scale.lowest_cell
    assert low == high  # doubles cannot tell a hundredth from nothing there
    quantiles = np.array([low, low, -1.0, 0.0, 1.0])
    law = BaseLaw.of(fit_atom_curve(np.array([0.1, 0.3, 0.5, 0.7, 0.9]), quantiles, 5000, 4.0, scale))
    below, at = law.level(np.array([np.nextafter(low, -np.inf), low])).tolist()
    assert below == 0.0
    assert 0.3 < at < 0.5
    assert law.quantile(np.array([at / 2])).tolist() == [low]
