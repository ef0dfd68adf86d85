"""Full synthesis: nothing of a unit is copied, and what is drawn resembles the panel."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail.errors import DataError, OptionError
from quantail.frames import check_table, confidential_panel
from quantail.panel import PanelModel, PanelSynthesizer
from quantail.panel.absence import Absence, draw_absence, gap_table
from quantail.panel.attributes import draw_attribute, release_attribute
from quantail.panel.skeleton import counted_out, plan_skeleton, release_skeleton
from quantail.panel.tables import LATTICE
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import Gate, Plan, SimulatedNoise
from quantail.schema import Column, Panel, Schema

PERIODS = 10
REGION = Column("region", "category", categories=("north", "south", "west"))
COLUMNS = (
    REGION,
    Column("emp", "integer", 0, 5000),
    Column("pay", "numeric", 0, 1e6, grid="log", missing=True),
)
WIDE = Schema(
    COLUMNS, "firm", name="firms", panel=Panel("id", start=2001, end=2010, attributes=("region",), gaps=True)
)
LONG = replace(WIDE, panel=replace(WIDE.panel, layout="long", time="year"))


def firms(n=2500, seed=1):
    """Make up firms with entries, exits, gaps, missing pay and regions in which firms differ in size."""
    rng = np.random.default_rng(seed)
    first = np.where(rng.random(n) < 0.5, 0, rng.integers(1, PERIODS, n))
    last = np.minimum(first + rng.geometric(0.1, n) - 1, PERIODS - 1)
    place = np.arange(PERIODS)
    active = (place >= first[:, None]) & (place <= last[:, None])
    ends = (place == first[:, None]) | (place == last[:, None])
    active &= ends | (rng.random(active.shape) > 0.1)
    level = rng.normal(2.0, 1.0, (n, 1))
    region = np.where(level[:, 0] > 3, 2, rng.integers(0, 2, n))
    emp = np.rint(np.exp(level + 0.2 * rng.standard_normal(active.shape)))
    pay = np.round(emp * 30 * np.exp(0.3 * rng.standard_normal((n, 1))), 1)
    pay = np.where(rng.random(active.shape) < 0.2, np.nan, pay)
    names = np.array(REGION.categories)[region]
    return names, np.where(active, emp, np.nan), np.where(active, pay, np.nan)


def wide_table(region, emp, pay):
    columns = {"id": [f"firm {k}" for k in range(len(emp))], "region": region}
    for name, values in (("emp", emp), ("pay", pay)):
        columns |= {f"{name}_{2001 + k}": pa.array(values[:, k], from_pandas=True) for k in range(PERIODS)}
    return pa.table(columns)


def long_table(region, emp, pay):
    unit, place = np.nonzero(~np.isnan(emp))
    return pa.table(
        {
            "id": pa.array([f"firm {k}" for k in unit]),
            "year": 2001 + place,
            "region": region[unit],
            "emp": emp[unit, place].astype(np.int64),
            "pay": pa.array(pay[unit, place], from_pandas=True),
        }
    )


@pytest.fixture(scope="module")
def data():
    return firms()


@pytest.fixture(scope="module")
def made(data):
    model = PanelSynthesizer(WIDE, 3, noise="simulated", seed=3).fit(wide_table(*data))
    return model, confidential_panel(model.sample(seed=1), WIDE)


def test_a_synthetic_panel_has_ids_lives_gaps_and_missing_values_of_its_own(made, data):
    drawn = made[1]
    real = confidential_panel(wide_table(*data), WIDE)
    assert drawn.units.to_pylist() == list(range(1, 2501))
    assert sorted(zip(drawn.entry, drawn.exit, strict=True)) != sorted(
        zip(real.entry, real.exit, strict=True)
    )
    for panel in (real, drawn):
        assert 0.03 < np.mean((panel.within & ~panel.active).sum() / panel.within.sum()) < 0.15
        assert 0.1 < np.mean(np.isnan(panel.values["pay"][panel.active])) < 0.3
    assert (drawn.active == ~np.isnan(drawn.values["emp"])).all()


def test_entries_exits_and_the_number_of_active_units_are_close(made, data):
    real, drawn = confidential_panel(wide_table(*data), WIDE), made[1]
    for name in ("entry", "exit"):
        counts = [np.bincount(getattr(panel, name) - 2001, minlength=PERIODS) for panel in (real, drawn)]
        assert np.abs(counts[1] - counts[0]).max() < 60
    active = [panel.active.sum(axis=0) for panel in (real, drawn)]
    np.testing.assert_allclose(active[1], active[0], rtol=0.08)


def test_attributes_are_as_frequent_as_they_were_and_go_with_size(made, data):
    real, drawn = confidential_panel(wide_table(*data), WIDE), made[1]
    shares = [np.bincount(panel.attributes["region"], minlength=3) / len(panel) for panel in (real, drawn)]
    np.testing.assert_allclose(shares[1], shares[0], atol=0.05)
    for panel in (real, drawn):
        large = panel.attributes["region"] == 2
        sizes = [np.nanmedian(panel.values["emp"][part]) for part in (large, ~large)]
        assert sizes[0] > 2 * sizes[1]


def test_long_and_wide_panels_give_the_same_model(data):
    models = [
        PanelSynthesizer(schema, 1, noise="simulated", seed=5).fit(table(*firms(300)))
        for schema, table in ((WIDE, wide_table), (LONG, long_table))
    ]
    assert models[0].groups == models[1].groups
    long = models[1].sample(seed=3)
    assert long.column_names == ["id", "year", "region", "emp", "pay"]
    assert check_table(long, LONG) == []
    assert long["emp"].null_count == 0 and long["pay"].null_count > 0


def test_a_saved_model_draws_the_same_panel(made, tmp_path):
    model = made[0]
    model.save(tmp_path / "model.json")
    again = PanelModel.load(tmp_path / "model.json")
    assert again.sample(seed=1).equals(model.sample(seed=1))
    text = (tmp_path / "model.json").read_text()
    assert "firm 17" not in text


def test_replicates_share_the_skeleton_and_differ_in_values(made):
    one, other = made[0].sample(replicates=2, seed=4)
    assert one["id"].equals(other["id"])
    assert not one["emp_2001"].equals(other["emp_2001"])


def test_add_remove_protects_the_number_of_units(data):
    schema = replace(WIDE, neighbours="add-remove")
    sizes = {
        len(PanelSynthesizer(schema, 1, noise="simulated", seed=seed).fit(wide_table(*firms(300))).units)
        for seed in (1, 2)
    }
    assert len(sizes) == 2 and 300 not in sizes


@pytest.mark.parametrize("method", ["sandwich", "kng", "stepwise"])
def test_methods_that_need_public_lives_say_so(method):
    with pytest.raises(OptionError, match="needs public entries and exits"):
        PanelSynthesizer(WIDE, 1, method=method)


# The border


def small(**columns):
    return pa.table({"id": [1, 2], "emp_2001": [3, 4], "emp_2002": [3, None], "emp_2003": [5, 6], **columns})


THREE = Schema((COLUMNS[1],), "firm", panel=Panel("id", start=2001, end=2003, gaps=True))


def test_lives_follow_from_the_values_and_an_open_exit_is_the_last_period():
    read = confidential_panel(small(), THREE)
    assert read.entry.tolist() == [2001, 2001] and read.exit.tolist() == [2003, 2003]
    assert read.active.tolist() == [[True] * 3, [True, False, True]]
    named = replace(THREE, panel=replace(THREE.panel, entry="first", exit="last"))
    assert confidential_panel(small(first=[2001, 2001], last=[2003, None]), named).exit.tolist() == [
        2003,
        2003,
    ]


WRONG = {
    "gaps that are not declared": (
        replace(THREE, panel=replace(THREE.panel, gaps=False)),
        {},
        "write gaps = true",
    ),
    "an entry that values contradict": (
        replace(THREE, panel=replace(THREE.panel, entry="first")),
        {"first": [2001, 2002]},
        "is not the first period in which a unit has a value",
    ),
    "an exit that values contradict": (
        replace(THREE, panel=replace(THREE.panel, exit="last")),
        {"last": [None, 2002]},
        "is not the last period",
    ),
    "a unit without values": (
        THREE,
        {"emp_2001": [3, None], "emp_2003": [5, None]},
        "units without any value",
    ),
    "an unknown category": (
        replace(THREE, columns=(*THREE.columns, REGION), panel=replace(THREE.panel, attributes=("region",))),
        {"region": ["north", "mars"]},
        "region",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_panel_that_contradicts_itself_is_refused_without_a_value_or_a_count(case):
    schema, columns, said = WRONG[case]
    table = small()
    for name, values in columns.items():
        table = table.drop_columns([name]) if name in table.column_names else table
        table = table.append_column(name, pa.array(values))
    with pytest.raises(DataError, match=said) as raised:
        confidential_panel(table, schema)
    assert "2002" not in str(raised.value) and "mars" not in str(raised.value)


def test_missing_values_need_to_be_declared(data):
    strict = replace(WIDE, columns=(REGION, COLUMNS[1], replace(COLUMNS[2], missing=False)))
    with pytest.raises(DataError, match="write missing = true"):
        confidential_panel(wide_table(*data), strict)


# The parts


def test_expected_lives_are_counted_out_to_the_unit():
    rng = np.random.default_rng(1)
    lives = np.triu(rng.gamma(1.0, 3.0, (7, 7)))
    first, last = counted_out(lives, 500)
    counts = np.zeros((7, 7))
    np.add.at(counts, (first, last), 1)
    assert counts.sum() == 500
    assert np.abs(counts - 500 * lives / lives.sum()).max() <= 1.0


def skeleton(first, last, periods, epsilon, seed=1):
    plan = plan_skeleton(epsilon, periods, counted=False)
    return release_skeleton(Gate(plan, SimulatedNoise(seed), "replace-one"), plan, first, last, periods)


def test_a_panel_in_which_nobody_moves_stays_one():
    first, last = skeleton(np.zeros(600, np.int64), np.full(600, 7), 8, epsilon=0.2)
    assert (first == 0).all() and (last == 7).all()


def test_rotating_samples_keep_their_steps():
    first = np.repeat([0, 4, 8], 700)
    made = skeleton(first, first + 3, 12, epsilon=1)
    entries = np.bincount(made[0], minlength=12)
    assert entries[[0, 4, 8]].min() > 500 and entries[[1, 2, 3, 5, 6, 7, 9, 10, 11]].max() < 60


def test_a_large_budget_gives_the_hazard_by_age():
    rng = np.random.default_rng(2)
    first = rng.integers(0, 12, 20_000)
    young = rng.random(20_000) < 0.4
    last = np.minimum(np.where(young, first, first + rng.geometric(0.05, 20_000)), 11)
    made = skeleton(first, last, 12, epsilon=100)
    for duration in (1, 2, 5):
        shares = [np.mean((b - a + 1 <= duration) & (a > 0) & (b < 11)) for a, b in ((first, last), made)]
        assert abs(shares[1] - shares[0]) < 0.01


def test_gaps_are_drawn_as_often_as_the_chain_says_and_never_at_the_ends():
    lives = UnitPeriods.of(np.zeros(4000, np.int64), np.full(4000, 9), 10)
    away = draw_absence(Absence(0.0, 0.2, 0.6), lives, np.random.default_rng(1), ends=False)
    assert not away[lives.age == 0].any() and not away[lives.left == 0].any()
    table = gap_table(lives.without(away)) / LATTICE
    assert Absence.of(table, 1e-9, (0.05, 0.1)).leave == pytest.approx(0.2, abs=0.01)
    assert Absence.of(table, 1e-9, (0.05, 0.1)).stay == pytest.approx(0.6, abs=0.01)


def test_attributes_of_a_kind_without_units_come_from_all_kinds():
    leaf = Plan.leaf("attribute", 50)
    kinds, codes = np.repeat([0, 1], 500), np.repeat([0, 1], 500)
    model = release_attribute(Gate(leaf, SimulatedNoise(1), "replace-one"), leaf, "a", kinds, codes, 2, 1000)
    assert model.shares[0][0] > 0.95 and model.shares[1][1] > 0.95
    assert model.shares[7][0] == pytest.approx(0.5, abs=0.1)
    drawn = draw_attribute(model, np.repeat([0, 7], 1000), np.random.default_rng(1))
    assert np.bincount(drawn[:1000]).argmax() == 0 and 400 < drawn[1000:].sum() < 600
