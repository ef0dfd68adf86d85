"""Pay does not depend on the unit of measure or on bounds: ratios are located first, all else is asked around them."""

import numpy as np
import pyarrow as pa
import pytest

from quantail.frames import confidential_panel
from quantail.panel import PanelSynthesizer
from quantail.panel.place import mean_table, unit_means, window_counts, windows
from quantail.panel.tables import LATTICE, Track
from quantail.panel.tuning import MEAN_REACH, WINDOW
from quantail.panel.unit_periods import UnitPeriods
from quantail.schema import Column, Panel, Schema

PERIODS = 6
WAGE = 40_000.0


def register(n=1400, seed=1, unit=1.0):
    """Make up firms with Pareto sizes and pay per head of log-sd .35, in some unit of money."""
    rng = np.random.default_rng(seed)
    size = np.minimum(np.floor(rng.pareto(1.1, (n, 1)) + 1), 50_000)
    emp = np.maximum(np.rint(size * np.exp(0.1 * rng.standard_normal((n, PERIODS)))), 1)
    pay = np.round(emp * WAGE / unit * np.exp(0.35 * rng.standard_normal((n, 1))), 2)
    columns = {"id": np.arange(n)}
    for name, values in (("emp", emp), ("pay", pay)):
        columns |= {f"{name}_{2001 + k}": values[:, k] for k in range(PERIODS)}
    return pa.table(columns)


def schema(upper):
    pay = Column("pay", "numeric", 0, upper, grid="log", decimals=2)
    panel = Panel("id", start=2001, end=2000 + PERIODS)
    return Schema((Column("emp", "integer", 0, 100_000, grid="log"), pay), "firm", panel=panel)


def per_head(panel):
    emp, pay = panel.values["emp"], panel.values["pay"]
    return (pay / emp)[panel.active & (emp > 0)]


def synthetic(n, unit, upper, seed=3):
    facts = schema(upper)
    model = PanelSynthesizer(facts, 1, noise="simulated", seed=seed).fit(register(n, unit=unit))
    return model.draw(np.random.default_rng(seed)), confidential_panel(register(n, unit=unit), facts)


UNITS = [
    ("cents", 0.01, 1e12),
    ("euros", 1.0, 1e10),
    ("thousands", 1000.0, 1e7),
    ("thousands, wide", 1000.0, 1e12),
]


@pytest.mark.parametrize(("unit", "upper"), [case[1:] for case in UNITS], ids=[case[0] for case in UNITS])
def test_pay_per_head_is_the_same_in_every_unit_and_under_all_bounds(unit, upper):
    made, real = synthetic(1400, unit, upper)
    middle = np.median(per_head(made))
    assert middle == pytest.approx(np.median(per_head(real)), rel=0.12)
    assert per_head(made).min() > 0.1 * middle


def test_sizes_of_the_lead_do_not_depend_on_the_unit_of_the_follower():
    totals = [
        np.nansum(np.minimum(synthetic(500, unit, upper)[0].values["emp"], 100))
        for _, unit, upper in UNITS[:2]
    ]
    assert totals[0] == totals[1]


def test_a_unit_is_counted_once_in_every_window_that_holds_its_mean():
    lives = UnitPeriods.of(np.array([0, 0, 0]), np.array([1, 1, 1]), 2)
    track = Track(
        np.array([1.0, 5.0, 9.0, 2.0, 5.0, 9.0]), np.array([False, False, True, False, False, True])
    )
    means = unit_means(lives, track)
    np.testing.assert_array_equal(means, [1.5, 5.0, np.nan])
    starts = windows(0.0, 10.0, WINDOW)
    counts = window_counts(means, starts, WINDOW)
    for start, count in zip(starts, counts, strict=True):
        assert count == sum(start <= mean < start + WINDOW for mean in (1.5, 5.0))
    assert starts[0] <= 0.0 and starts[-1] + WINDOW >= 10.0


def test_means_are_bounded_and_units_without_one_add_nothing():
    means = np.array([np.nan, 2.0, 99.0, -99.0])
    assert mean_table(means, 2.0)[0] == 0
    assert mean_table(np.array([99.0]), 2.0)[0] == LATTICE
    assert mean_table(np.array([2.0 + MEAN_REACH / 2]), 2.0)[0] == LATTICE // 2
