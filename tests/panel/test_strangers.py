"""Panels of ordinary kinds that nobody tuned on: what followers, attributes, gaps and small panels must keep."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from quantail.frames import confidential_panel
from quantail.panel import PanelSynthesizer
from quantail.panel.absence import Absence
from quantail.panel.attributes import KINDS, believed, release_attribute
from quantail.panel.pay import Zeros
from quantail.panel.place import Located, unplaced
from quantail.panel.pooled import read_pooled, write_pooled
from quantail.privacy import Gate, Plan, SimulatedNoise
from quantail.schema import Column, Panel, PanelNames, Schema, draft

PERIODS = 8


def wide(columns, **more):
    stored = {"farm": np.arange(len(next(iter(columns.values()))))}
    for name, values in columns.items():
        stored |= {f"{name}_{k + 1}": pa.array(values[:, k], from_pandas=True) for k in range(PERIODS)}
    return pa.table(stored | more)


def farms(n=600, seed=1):
    """Make up farms: half never keep cattle, and a farm's cattle have nothing to do with its land."""
    rng = np.random.default_rng(seed)
    land = np.exp(rng.normal(3.3, 0.9, (n, 1)) + rng.normal(0, 0.03, (n, PERIODS)))
    cattle = np.rint(np.exp(rng.normal(3.4, 0.9, (n, 1)) + rng.normal(0, 0.1, (n, PERIODS)))) + 1
    keeps = rng.random((n, 1)) < 0.45
    grants = np.where(rng.random((n, PERIODS)) < 0.12, land * np.exp(rng.normal(5, 0.7, (n, PERIODS))), 0.0)
    return wide({"land": land.round(1), "cattle": cattle * keeps, "grants": grants.round(2)})


FARMS = Schema(
    (
        Column("land", "numeric", 0, 10_000, grid="log", decimals=1),
        Column("cattle", "integer", 0, 20_000, grid="log"),
        Column("grants", "numeric", 0, 10**7, grid="log", decimals=2),
    ),
    unit="farm",
    name="farms",
    panel=Panel("farm", start=1, end=PERIODS),
)


def made(table, schema, epsilon, seed):
    model = PanelSynthesizer(schema, epsilon, noise="simulated", seed=seed).fit(table)
    return model.draw(np.random.default_rng(seed))


@pytest.fixture(scope="module")
def drawn():
    return [made(farms(), FARMS, 3, seed) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def real():
    return confidential_panel(farms(), FARMS)


def test_columns_of_mostly_zeros_keep_them_and_their_totals(drawn, real):
    for name, off in (("cattle", 1.0), ("grants", 1.0)):
        zeros = [np.mean(panel.values[name][panel.active] == 0) for panel in drawn]
        totals = [np.nansum(panel.values[name]) / np.nansum(real.values[name]) for panel in drawn]
        assert np.median(zeros) == pytest.approx(np.mean(real.values[name] == 0), abs=0.1)
        assert abs(np.log(np.median(totals))) < np.log(1.0 + off)


def test_a_linear_grid_and_wide_bounds_leave_the_order_of_magnitude(real):
    columns = tuple(replace(column, grid="linear") for column in FARMS.columns)
    panel = made(farms(), replace(FARMS, columns=columns), 3, 2)
    for name, values in real.values.items():
        assert 0.4 < np.nansum(panel.values[name]) / np.nansum(values) < 2.5


def test_farms_without_cattle_stay_without(drawn):
    def staying(panel):
        before, now = panel.values["cattle"][:, :-1], panel.values["cattle"][:, 1:]
        return np.mean(now[~np.isnan(now) & (before == 0)] == 0)

    shares = [staying(panel) for panel in drawn]
    assert np.median(shares) > 0.87 and min(shares) > 0.5


def test_ratios_spread_as_far_as_they_do(drawn, real):
    def spread(panel):
        both = (panel.values["cattle"] > 0) & (panel.values["land"] > 0)
        return np.log(panel.values["cattle"][both] / panel.values["land"][both]).std()

    assert np.median([spread(panel) for panel in drawn]) > 0.65 * spread(real)


def test_who_has_no_staff_pays_nobody_unless_told_otherwise():
    rng = np.random.default_rng(4)
    staff = rng.poisson(np.exp(rng.normal(1.2, 1.1, (2500, 1))), (2500, PERIODS))
    pay = np.round(staff * 30_000 * np.exp(rng.normal(0, 0.3, (2500, 1))), 2)
    columns = (
        Column("land", "integer", 0, 10**5),
        Column("pay", "numeric", 0, 10**10, grid="log", decimals=2),
    )
    schema = Schema(columns, unit="firm", name="firms", panel=FARMS.panel)
    panel = made(wide({"land": staff, "pay": pay}), schema, 1, 2)
    idle = panel.values["land"] == 0
    assert idle.mean() > 0.05 and (panel.values["pay"][idle] == 0).all()


def test_balances_of_both_signs_are_located_too():
    rng = np.random.default_rng(5)
    n = 3000
    income = np.rint(np.exp(rng.normal(10.3, 0.7, (n, 1)) + rng.normal(0, 0.1, (n, PERIODS))))
    saving = np.rint(income * rng.normal(0.1, 0.2, (n, PERIODS)))
    columns = (
        Column("land", "integer", 0, 10**7, grid="log"),
        Column("saving", "integer", -(10**6), 10**6, grid="log"),
    )
    schema = Schema(columns, unit="household", name="households", panel=FARMS.panel)
    sizes = [
        np.nanquantile(
            np.abs(made(wide({"land": income, "saving": saving}), schema, 1, seed).values["saving"]), 0.99
        )
        for seed in (1, 2, 3)
    ]
    assert np.median(sizes) < 4 * np.quantile(np.abs(saving), 0.99)


def test_a_bounded_mean_is_read_as_that_of_sizes_which_spread_far():
    sizes = np.random.default_rng(6).exponential(1.4, 50_000) + 2.0
    bounded = np.clip((sizes - 3.0) / 1.25, -1.0, 1.0).mean()
    found = Located(3.0, 1.25, float(bounded))
    assert found.centre < sizes.mean() - 0.15  # what a mean of bounded distances says as it is
    assert found.shift(sizes - 7.0) == pytest.approx(7.0, abs=0.01)
    assert found.among(0.5).mean == pytest.approx(2 * found.mean)


def test_shares_of_attributes_keep_their_noise_in_small_panels():
    leaf, labels = Plan.leaf("attribute", Fraction(1, 25)), 16
    shares = np.array([0.3, 0.2, *[0.5 / 14] * 14])
    off = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        kinds, codes = rng.integers(0, KINDS, 3000), rng.choice(labels, 3000, p=shares)
        gate = Gate(leaf, SimulatedNoise(seed), "replace-one")
        model = release_attribute(gate, leaf, "region", kinds, codes, labels, 3000)
        off.append(np.abs(np.mean(model.shares, axis=0) - np.bincount(codes) / 3000).sum() / 2)
    assert np.median(off) < 0.15  # 12 kinds apart: .35


def test_noisy_counts_of_labels_keep_their_sum_and_lose_no_label():
    counts = believed(np.array([400.0, 90.0, -60.0, 3.0]), 40.0, 420.0)
    assert counts.sum() == pytest.approx(420.0) and (counts > 0).all()
    assert np.argsort(counts).tolist() == [2, 3, 1, 0]


def test_declared_absence_is_neither_lost_nor_made_of_noise():
    steps = np.array([900.0, 0.0, 7000.0, 60.0, 40.0, 20.0])
    rng = np.random.default_rng(7)
    leave = [Absence.of(steps + rng.laplace(0, 300, 6), 424.0, (0.01, 0.05)).leave for _ in range(200)]
    assert 0 < np.median(leave) < 0.03 and np.quantile(leave, 0.95) < 0.08


def test_a_plan_says_which_columns_it_cannot_locate():
    plan = PanelSynthesizer(FARMS, Fraction(1)).plan(60)
    assert unplaced(plan, 60, {}) == ("land", "cattle", "grants")
    assert unplaced(PanelSynthesizer(FARMS, Fraction(10)).plan(600), 600, {}) == ()


@pytest.mark.parametrize("between", ["", ".", "-", " "])
def test_columns_of_a_wide_panel_may_be_named_in_other_ways(between):
    table = farms(50)
    table = table.rename_columns([name.replace("_", between) for name in table.column_names])
    schema = Schema(FARMS.columns, unit="farm", panel=Panel("farm", start=1, end=PERIODS, between=between))
    assert Schema.from_toml(schema.to_toml()) == schema
    panel = PanelSynthesizer(schema, 1, noise="simulated", seed=1).fit(table).sample(seed=1)
    assert set(table.column_names) == set(panel.column_names)


def test_a_draft_of_a_panel_finds_its_periods_and_has_only_what_panels_take():
    text = draft({"id": "", "zone": "", "y2010": "", "y2011": ""}, panel=PanelNames.of("id"))
    assert 'between = ""' in text and "start = 2010" in text and 'name = "y"' in text
    for word in ("heaps", "atoms", "missing_codes", "datetime", "predictors", "order ="):
        assert word not in text and word in draft({"id": "", "pay": ""})
    assert "between =" not in draft({"id": "", "q1_2010": "", "q1_2011": ""}, panel=PanelNames.of("id"))


def test_models_saved_before_zeros_lasted_are_read():
    model = PanelSynthesizer(FARMS, 3, noise="simulated", seed=1).fit(farms(200))
    form = write_pooled(model.groups[0].released)
    form["followers"][0]["zeros"] = [0.4, 0.1]
    assert read_pooled(form).followers[0].zeros == Zeros(0.4, 0.1, 0.4)
