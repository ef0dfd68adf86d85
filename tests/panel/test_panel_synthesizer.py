"""PanelSynthesizer: what goes in, what comes out, and what may never happen."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from quantail.errors import BudgetError, DataError, ModelError, OptionError, SchemaError
from quantail.evaluation import gross_mape, size_class_difference
from quantail.frames import confidential_panel
from quantail.panel import PanelModel, PanelSynthesizer
from quantail.privacy import Ledger
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer
from studies.lbd.standin import lbd_industry, lbd_long

PANEL = Panel("lbdnum", "firstyear", "lastyear", 1976, 2000, synthesis="partial")
EMP = Column("emp", "integer", 0, 2000)
PAY = Column("pay", "integer", 0, 500_000, grid="log")
SIC = Column("sic3", "category", categories=("178", "239", "542"))
MU = Column("mu", "integer", public=True)
ALONE = Schema((EMP,), "establishment", panel=PANEL)
FULL = Schema((SIC, MU, EMP, PAY), "establishment", by=("sic3",), name="panel", panel=PANEL)


@pytest.fixture(scope="module")
def industry() -> pa.Table:
    return lbd_industry(178, seed=0)


@pytest.fixture(scope="module")
def two_industries() -> pa.Table:
    return pa.concat_tables([lbd_industry(sic).slice(0, 400) for sic in (178, 239)])


@pytest.fixture(scope="module")
def model(two_industries) -> PanelModel:
    return PanelSynthesizer(FULL, 1, noise="simulated", seed=3).fit(two_industries)


def synthesise(table, schema=ALONE, epsilon=1, seed=0):
    return PanelSynthesizer(schema, epsilon, noise="simulated", seed=seed).fit(table).sample(seed=seed)


def assert_sound(synthetic, original, schema=ALONE):
    """Public columns kept; nothing outside entry to exit, beyond bounds or fractional."""
    made, real = (confidential_panel(table, schema) for table in (synthetic, original))
    assert made.units.equals(real.units)
    np.testing.assert_array_equal(made.entry, real.entry)
    np.testing.assert_array_equal(made.exit, real.exit)
    for name, values in made.public.items():
        assert values.equals(real.public[name])
    for column in schema.confidential:
        values = made.values[column.name]
        np.testing.assert_array_equal(np.isnan(values), ~real.active)
        there = values[real.active]
        assert there.min() >= column.lower and there.max() <= column.upper
        if column.type == "integer":
            assert (there == np.rint(there)).all()


def test_a_panel_with_groups_public_columns_and_pay_comes_back_sound(model, two_industries):
    synthetic = model.sample(seed=1)
    assert synthetic.column_names[:5] == ["lbdnum", "firstyear", "lastyear", "sic3", "mu"]
    assert set(synthetic.column_names) == set(two_industries.column_names)
    assert synthetic.schema.field("sic3").type == pa.string()
    assert {str(field.type) for field in synthetic.schema if field.name != "sic3"} == {"int64"}
    assert_sound(synthetic, two_industries, FULL)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_library_of_the_table_is_kept(two_industries, kind):
    few = two_industries.slice(0, 60)
    table = {"pandas": few.to_pandas, "polars": lambda: pl.from_arrow(few), "pyarrow": lambda: few}[kind]()
    made = synthesise(table)
    assert isinstance(made, {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.Table}[kind])


def test_a_long_panel_stays_long():
    schema = Schema((EMP,), "establishment", panel=replace(PANEL, layout="long", time="year"))
    table = lbd_long(178).slice(0, 3000)
    last = table["lbdnum"][-1]  # the cut may have split a unit
    table = table.filter(pc.not_equal(table["lbdnum"], last))
    made = synthesise(table, schema)
    assert made.num_rows == table.num_rows
    assert_sound(made, table, schema)


@pytest.mark.parametrize("units", [1, 2, 20, 200])
def test_small_industries_give_a_sound_panel_that_does_not_explode(industry, units):
    table = industry.slice(0, units)
    for seed in range(3):
        made = synthesise(table, seed=seed)
        assert_sound(made, table)
        sizes = confidential_panel(made, ALONE).values["emp"]
        assert np.nanmean(sizes) < 60


def test_an_industry_without_units_is_left_out(model, two_industries):
    assert [group.group for group in model.groups] == [0, 1]
    with pytest.raises(DataError, match="no rows"):
        PanelSynthesizer(ALONE, 1).fit(two_industries.slice(0, 0))


def test_single_period_all_periods_and_years_without_births(industry):
    always = industry.filter(
        pc.and_(pc.equal(industry["firstyear"], 1976), pc.equal(industry["lastyear"], 2000))
    )
    assert_sound(synthesise(always), always)
    no_births = industry.filter(pc.not_equal(industry["firstyear"], 1985)).slice(0, 800)
    assert_sound(synthesise(no_births), no_births)
    schema = Schema((EMP,), "establishment", panel=replace(PANEL, end=1976))
    rng = np.random.default_rng(0)
    once = pa.table(
        {"lbdnum": range(900), "firstyear": [1976] * 900, "lastyear": [1976] * 900}
        | {"emp_1976": rng.geometric(0.2, 900) - 1}
    )
    assert_sound(synthesise(once, schema), once, schema)


def _wide(columns: dict[str, np.ndarray]) -> pa.Table:
    rng = np.random.default_rng(0)
    units = len(next(iter(columns.values())))
    first = rng.integers(0, 5, units)
    last = np.minimum(first + rng.geometric(0.4, units), 5)
    there = (np.arange(6) >= first[:, None]) & (np.arange(6) <= last[:, None])
    table = {"id": np.arange(units), "f": first, "l": last}
    for name, values in columns.items():
        table |= {f"{name}_{t}": pa.array(values[:, t], mask=~there[:, t]) for t in range(6)}
    return pa.table(table)


@pytest.mark.parametrize(
    "columns",
    [
        (Column("sales", "numeric", 0, 1e6, grid="log", decimals=2),),
        (
            Column("sales", "numeric", 1, 1e6, grid="log", decimals=2),
            Column("profit", "numeric", -1e4, 1e4, grid="log"),
        ),
        (Column("share", "numeric", 0, 1), Column("hours", "numeric", -5, 60)),
        (Column("flag", "integer", 0, 1),),
    ],
    ids=["sales", "profit", "linear", "flag"],
)
def test_other_columns_than_employment(columns):
    rng = np.random.default_rng(1)
    size = np.exp(rng.normal(3, 1, (600, 1)) + 0.3 * rng.laplace(size=(600, 6)).cumsum(axis=1))
    values = {
        "sales": np.clip(size, 1, 1e6).round(2),
        "profit": size - 20,
        "share": 1 / (1 + size / 20),
        "hours": np.minimum(size, 60),
        "flag": (size > 20).astype(np.int64),
    }
    table = _wide({column.name: values[column.name] for column in columns})
    schema = Schema(columns, "firm", panel=Panel("id", "f", "l", 0, 5, synthesis="partial"))
    assert_sound(synthesise(table, schema), table, schema)


def test_a_large_budget_reproduces_totals_and_size_classes(industry):
    table = industry.slice(0, 2500)
    real = confidential_panel(table, ALONE).values["emp"]
    made = confidential_panel(synthesise(table, epsilon=100), ALONE).values["emp"]
    assert gross_mape(real, made) < 15
    assert size_class_difference(real, made) < 2


def _always_there(values: np.ndarray) -> tuple[pa.Table, Schema]:
    """A panel of units that are there in all periods."""
    units, periods = values.shape
    public = {"id": np.arange(units), "f": np.zeros(units, np.int64), "l": np.full(units, periods - 1)}
    table = pa.table(public | {f"emp_{t}": values[:, t] for t in range(periods)})
    return table, Schema((EMP,), "firm", panel=Panel("id", "f", "l", 0, periods - 1, synthesis="partial"))


def test_sizes_that_drift_apart_do_so_in_the_copy():
    rng = np.random.default_rng(1)
    steps = np.where(rng.random((3000, 12)) < 0.1, rng.normal(0, 1.2, (3000, 12)), 0.0)
    sizes = np.exp(1.5 + rng.normal(0, 0.4, (3000, 1)) + steps.cumsum(axis=1))
    table, schema = _always_there(np.clip(np.rint(sizes), 1, 2000).astype(np.int64))
    made = confidential_panel(synthesise(table, schema, epsilon=3), schema).values["emp"]
    real = confidential_panel(table, schema).values["emp"]
    growth = [panel[:, -3:].sum() / panel[:, :3].sum() for panel in (real, made)]
    assert growth[0] > 1.5 and abs(growth[1] / growth[0] - 1) < 0.15


def test_zeros_are_as_frequent_as_they_were():
    rng = np.random.default_rng(2)
    values = np.rint(np.exp(rng.normal(1.5, 0.8, (3000, 8)))).astype(np.int64)
    table, schema = _always_there(np.where(rng.random((3000, 8)) < 0.15, 0, values))
    made = confidential_panel(synthesise(table, schema, epsilon=3), schema).values["emp"]
    assert abs((made[:, 1:] == 0).mean() - 0.15) < 0.02


@pytest.mark.slow
def test_epsilon_one_meets_totals_and_size_classes(industry):
    real = confidential_panel(industry, ALONE).values["emp"]
    made = [confidential_panel(synthesise(industry, seed=s), ALONE).values["emp"] for s in range(2)]
    assert np.mean([gross_mape(real, panel) for panel in made]) < 10
    assert np.mean([size_class_difference(real, panel) for panel in made]) < 4


def test_pay_follows_employment_and_last_years_pay(industry):
    schema = Schema((EMP, PAY), "establishment", panel=PANEL)
    made = confidential_panel(synthesise(industry.slice(0, 2500), schema, epsilon=50), schema)
    emp, pay = (np.where(made.values[name] > 0, made.values[name], np.nan) for name in ("emp", "pay"))
    ratio = np.log(pay / emp)
    ratio -= np.nanmean(ratio, axis=0)
    before, after = ratio[:, :-1], ratio[:, 1:]
    both = np.isfinite(before) & np.isfinite(after)
    assert np.corrcoef(before[both], after[both])[0, 1] > 0.7


def test_the_same_seed_gives_the_same_and_replicates_differ(model):
    first, second = model.sample(replicates=2, seed=5)
    again = model.sample(seed=5)
    assert first.equals(again)
    assert not first.equals(second)


def test_simulated_noise_is_marked_and_secure_noise_is_not(two_industries, model):
    assert "NOT PRIVATE" in model.to_dict()["notice"]
    secure = PanelSynthesizer(ALONE, 1).fit(two_industries.slice(0, 50))
    assert secure.private and "notice" not in secure.to_dict()


def test_a_model_survives_a_file(model, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    loaded = PanelModel.load(path)
    assert loaded.groups == model.groups and loaded.plan == model.plan
    assert loaded.sample(seed=2).equals(model.sample(seed=2))


@pytest.mark.parametrize(
    "damage",
    [
        lambda form: form.pop("groups"),
        lambda form: form.update(list="AAAA"),
        lambda form: form.update(kind="table"),
        lambda form: form["groups"].pop(),
        lambda form: form["groups"][0]["released"]["lead"]["sums"]["total"].update(cap="much"),
        lambda form: form["groups"][0]["released"]["lead"]["dynamics"].update(permanent=None),
        lambda form: form["groups"][0]["released"]["lead"]["effects"].pop(),
    ],
)
def test_damaged_models_are_refused(model, tmp_path, damage):
    form = json.loads(json.dumps(model.to_dict()))
    damage(form)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(form))
    with pytest.raises(ModelError):
        PanelModel.load(path)


def test_the_ledger_is_charged_once_and_refuses_what_is_too_much(two_industries, tmp_path):
    ledger = Ledger.create(tmp_path / "ledger.db", "panel", 1)
    PanelSynthesizer(FULL, 1, noise="simulated", seed=1).fit(two_industries, ledger)
    assert ledger.spent == 1
    with pytest.raises(BudgetError):
        PanelSynthesizer(FULL, "1/10", noise="simulated", seed=1).fit(two_industries, ledger)
    broken = two_industries.set_column(0, "lbdnum", pa.array([1] * two_industries.num_rows))
    other = Ledger.create(tmp_path / "other.db", "panel", 1)
    with pytest.raises(DataError):
        PanelSynthesizer(FULL, 1, noise="simulated", seed=1).fit(broken, other)
    assert other.spent == 0


def test_plans_cost_epsilon_whatever_the_columns_and_groups():
    for schema in (ALONE, FULL):
        plan = PanelSynthesizer(schema, "1/3").plan(5000)
        assert str(plan.cost) == "1/3"
        assert all(leaf.cost > 0 for leaf in plan.leaves())
    with pytest.raises(OptionError):
        PanelSynthesizer(ALONE, 1).plan(0)


def test_tables_of_whole_groups_are_fitted_one_by_one_at_the_cost_of_one(two_industries, tmp_path):
    ledger = Ledger.create(tmp_path / "ledger.db", "panel", 1)
    parts = [two_industries.slice(0, 400), two_industries.slice(400, 400)]
    synthesizer = PanelSynthesizer(FULL, 1, noise="simulated", seed=1)
    models = list(synthesizer.fit_each(parts, ledger))
    assert [[group.group for group in model.groups] for model in models] == [[0], [1]]
    assert ledger.spent == 1
    for model, part in zip(models, parts, strict=True):
        assert_sound(model.sample(seed=0), part, FULL)
    with pytest.raises(DataError, match="more than one table"):
        list(PanelSynthesizer(FULL, 1, noise="simulated", seed=1).fit_each([parts[0], parts[0]]))


def test_progress_names_groups_and_columns(two_industries):
    told = []
    PanelSynthesizer(FULL, 1, noise="simulated", seed=1).fit(
        two_industries, progress=lambda label, share: told.append((label, share))
    )
    assert [label for label, _ in told] == ["178: emp", "178: pay", "239: emp", "239: pay"]
    assert [share for _, share in told] == [0.0, 0.25, 0.5, 0.75]


def test_wrong_options_are_refused():
    with pytest.raises(SchemaError, match="panel"):
        PanelSynthesizer(Schema((EMP,), "firm"), 1)
    with pytest.raises(SchemaError, match="PanelSynthesizer"):
        TableSynthesizer(ALONE, 1)
    for options in ({"method": "stepwize"}, {"noise": "loud"}, {"seed": 1}, {"slopes": "fixed"}):
        with pytest.raises(OptionError):
            PanelSynthesizer(ALONE, 1, **options)
    with pytest.raises(BudgetError):
        PanelSynthesizer(ALONE, 0)
