"""Categories that change over a unit's life: first ones, how often they change, and to what, in every kind of panel."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail import PanelModel, PanelSynthesizer, PeriodSynthesizer
from quantail.errors import DataError, SchemaError
from quantail.frames import check_table, confidential_panel, release_panel
from quantail.panel import borrowing
from quantail.panel.attributes import KINDS, AttributeModel
from quantail.panel.changing import ChangingModel, change_table, draw_changing, rates_of
from quantail.panel.tables import LATTICE
from quantail.panel.unit_periods import UnitPeriods
from quantail.planning import expect_panel
from quantail.schema import Column, Panel, Schema

FORM = Column("form", "category", categories=("owner", "limited", "public"))
STAFF = Column("staff", "integer", 0, 5000, grid="log")
LONG = Panel("id", start=2001, end=2008, layout="long", time="year", changing=("form",))
SCHEMA = Schema((FORM, STAFF), "firm", name="forms", panel=LONG)
WIDE = replace(SCHEMA, panel=replace(LONG, layout="wide", time=""))
START, CHANCE, TO = (0.7, 0.3, 0.0), 0.08, (0.0, 0.75, 0.25)


def forms(units=4000, seed=1, chance=CHANCE, periods=8):
    """Return a long panel in which owners and limited firms change, mostly to limited."""
    rng = np.random.default_rng(seed)
    first = np.where(rng.random(units) < 0.6, 0, rng.integers(0, periods - 1, units))
    last = np.minimum(first + rng.geometric(0.1, units), periods - 1)
    staff = np.ceil(np.exp(rng.normal(2, 1, (units, 1)) + rng.normal(0, 0.1, (units, periods))))
    code = np.zeros((units, periods), dtype=int)
    code[:, 0] = rng.choice(3, units, p=START)
    for place in range(1, periods):
        new = rng.choice(3, units, p=TO)
        code[:, place] = np.where(rng.random(units) < chance, new, code[:, place - 1])
    place = np.arange(periods)
    unit, when = np.nonzero((place >= first[:, None]) & (place <= last[:, None]))
    labels = np.array(FORM.categories)[code[unit, when]]
    return pa.table({"id": unit, "year": 2001 + when, "form": labels, "staff": staff[unit, when]})


TABLE = forms()


def rates(table, schema=SCHEMA):
    """Return the share of steps with a change, shares of new categories, and those of categories in all periods."""
    data = confidential_panel(table, schema)
    codes, active = data.attributes["form"], data.active
    step = active[:, 1:] & active[:, :-1]
    changed = step & (codes[:, 1:] != codes[:, :-1])
    new = np.bincount(codes[:, 1:][changed], minlength=3)
    shares = np.array([np.bincount(codes[:, k][active[:, k]], minlength=3) for k in (0, -1)], dtype=float)
    return changed.sum() / step.sum(), new / max(new.sum(), 1), shares / shares.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def model():
    return PanelSynthesizer(SCHEMA, 20, noise="simulated", seed=1).fit(TABLE)


def test_synthetic_units_change_as_often_and_to_the_same_as_real_ones(model):
    real, made = rates(TABLE), rates(model.sample(seed=1))
    assert real[0] > 0.03 and made[0] == pytest.approx(real[0], rel=0.15)
    assert np.abs(made[1] - real[1]).max() < 0.08
    assert (
        np.abs(made[2] - real[2]).max() < 0.06
    )  # categories drift apart over the years, as the real ones do
    assert np.abs(real[2][0] - real[2][1]).max() > 0.15


def test_where_nobody_changes_nobody_does():
    table = forms(1500, chance=0.0)
    made = [
        rates(PanelSynthesizer(SCHEMA, 1, noise="simulated", seed=seed).fit(table).sample(seed=1))[0]
        for seed in range(5)
    ]
    assert np.median(made) < 0.02  # what is above its noise by chance is believed


def test_a_saved_model_is_read_as_it_was(model, tmp_path):
    model.save(tmp_path / "m.json")
    again = PanelModel.load(tmp_path / "m.json")
    assert again.sample(seed=5).equals(model.sample(seed=5)) and again.groups == model.groups
    assert model.sample(seed=5).column_names == ["id", "year", "form", "staff"]


def test_wide_and_long_tables_say_the_same():
    data = confidential_panel(TABLE, SCHEMA)
    wide = release_panel(replace(data, schema=WIDE))
    assert "form_2001" in wide.column_names and check_table(wide, WIDE) == []
    assert (confidential_panel(wide, WIDE).attributes["form"] == data.attributes["form"]).all()
    made = PanelSynthesizer(WIDE, 1, noise="simulated", seed=1).fit(wide.slice(0, 300)).sample(seed=1)
    assert check_table(made, WIDE) == []


def test_appended_periods_go_on_changing():
    until = replace(SCHEMA, panel=replace(LONG, end=2007))
    before = PanelSynthesizer(until, 4, noise="simulated", seed=1).fit(
        TABLE.filter(pa.compute.field("year") < 2008)
    )
    released = before.sample(seed=1)
    made = PeriodSynthesizer(SCHEMA, 1, released, noise="simulated", seed=1).fit(TABLE).sample()
    kept = made.filter(pa.compute.field("year") < 2008)
    assert kept.sort_by([("id", "ascending"), ("year", "ascending")]).equals(released)
    data = confidential_panel(made, SCHEMA)
    step = data.active[:, -1] & data.active[:, -2]
    changed = (data.attributes["form"][:, -1] != data.attributes["form"][:, -2])[step].mean()
    assert changed == pytest.approx(rates(released, until)[0], rel=0.4)


def test_groups_that_borrow_ask_for_changes_of_their_own(monkeypatch):
    monkeypatch.setattr(borrowing, "BORROWING_UNITS", 10**6)
    trade = Column("trade", "category", categories=("a", "b"))
    schema = Schema((trade, FORM, STAFF), "firm", panel=LONG, by=("trade",))
    first, second = forms(500, 1, 0.0), forms(500, 2, 0.5)
    second = second.set_column(0, "id", pa.compute.add(second["id"], 1000))
    parts = [
        one.append_column("trade", pa.array([name] * len(one))) for one, name in ((first, "a"), (second, "b"))
    ]
    model = PanelSynthesizer(schema, 20, noise="simulated", seed=1).fit(pa.concat_tables(parts))
    assert model.plan.find("small groups").find("each/a/changing form/changes").cost > 0
    chances = [sum(group.released.changing[0].rates) for group in model.groups]
    assert chances[0] < 0.05 < 0.3 < chances[1]


def test_plans_know_changing_categories():
    for schema in (SCHEMA, WIDE):
        assert expect_panel(schema, 40, panels=3).errors.keys() == {"staff"}


def test_changes_are_counted_along_lives_and_not_over_gaps():
    life = UnitPeriods.of(np.array([0]), np.array([4]), 5, np.array([[True, True, False, True, True]]))
    table = change_table(life, np.array([0, 1, 2, 0, 0]), 3)
    assert (table * 4 // LATTICE).tolist() == [
        1,
        0,
        0,
        0,
        1,
        0,
    ]  # 0 stays, and 0 to 1; not from 1 over the gap


def test_units_move_to_other_categories_at_their_rates():
    lives = UnitPeriods.of(np.zeros(2000, int), np.full(2000, 4), 5)
    rng, kinds = np.random.default_rng(1), np.zeros(2000, int)
    owners = AttributeModel("form", ((1.0, 0.0, 0.0),) * KINDS)
    drawn = draw_changing(ChangingModel(owners, (0.5, 0.3, 0.1)), kinds, lives, rng)
    assert (drawn[:, 0] == 0).all()
    assert np.bincount(drawn[:, 1], minlength=3) / 2000 == pytest.approx([0.6, 0.3, 0.1], abs=0.04)
    assert (draw_changing(ChangingModel(owners, (0.0, 0.0, 0.0)), kinds, lives, rng) == 0).all()
    away = UnitPeriods.of(np.zeros(9, int), np.full(9, 2), 3, np.tile([True, False, True], (9, 1)))
    gone = draw_changing(ChangingModel(owners, (0.0, 1.0, 0.0)), kinds[:9], away, rng)
    assert gone.tolist() == [[0, 3, 0]] * 9


def test_rates_give_back_the_changes_that_they_come_from():
    """A chain with these rates has the counts from which they were read, up to the change of its shares."""
    rates, share = np.array([0.02, 0.05, 0.01]), np.array([0.5, 0.3, 0.2])
    changed = rates * (1 - share)
    unchanged = share * (1 - (rates.sum() - rates))
    table = 1000 * np.concatenate([unchanged, changed])
    assert rates_of(table, 1e-9) == pytest.approx(rates, rel=0.05)
    assert rates_of(table, 40.0) == (0.0, 0.0, 0.0)  # 41 steps with a change, below the noise of three cells
    assert 0 < sum(rates_of(table, 15.0)) < rates.sum()
    assert sum(rates_of(np.array([0.0, 0.0, 50.0, 50.0]), 1e-9)) <= 1.0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.drop_columns(["form"]), "is missing"),
        (lambda t: t.set_column(2, "form", pa.array(["other"] * len(t))), "form"),
        (lambda t: t.set_column(2, "form", pa.nulls(len(t), pa.string())), "exactly the active periods"),
    ],
)
def test_tables_that_do_not_fit_are_refused(change, said):
    with pytest.raises(DataError, match=said):
        confidential_panel(change(TABLE), SCHEMA)


@pytest.mark.parametrize(
    ("panel", "said"),
    [
        ({"changing": "form"}, "must be a list"),
        ({"changing": ("form", "form")}, "twice"),
        ({"changing": ("form",), "attributes": ("form",)}, "twice"),
        ({"synthesis": "partial", "entry": "a", "exit": "b"}, "full synthesis"),
    ],
)
def test_contradictions_are_refused(panel, said):
    with pytest.raises(SchemaError, match=said):
        replace(LONG, **panel)


def test_what_is_no_category_is_refused():
    with pytest.raises(SchemaError, match="changing lists 'staff'"):
        Schema((FORM, STAFF, replace(STAFF, name="pay")), "firm", panel=replace(LONG, changing=("staff",)))
    with pytest.raises(SchemaError, match="changing if it may change"):
        Schema((FORM, STAFF), "firm", panel=replace(LONG, changing=()))
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA
