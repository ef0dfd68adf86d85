"""Whole tables of rich kinds: what comes back, what is kept, what is conditioned on, and what is refused."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from quantail.errors import DataError, ModelError, OptionError
from quantail.schema import Column, Identity, Inequality, Schema
from quantail.table import TableModel, TableSynthesizer
from quantail.table.design import draw_tables_design
from quantail.table.stage_one.rules import TablesSettings

ROWS = 4000


def simulate(schema, frame, epsilon=20, **options):
    return TableSynthesizer(schema, epsilon, noise="simulated", seed=1, **options).fit(frame)


def people(rows=ROWS):
    rng = np.random.default_rng(5)
    edu = rng.integers(0, 3, rows)
    pay = np.exp(rng.normal(7 + 0.5 * edu, 0.5, rows)).round(2)
    kind = rng.random(rows)
    pay = np.where(kind < 0.1, 0.0, np.where(kind < 0.15, -8.0, pay))
    pay[(kind > 0.8) & (edu == 0)] = np.nan
    day = np.datetime64("2020-01-01") + rng.integers(0, 200, rows)
    tax = np.where(pay > 0, pay, 0) * rng.beta(2, 6, rows)
    return pd.DataFrame(
        {
            "edu": pd.Categorical(
                np.array(["low", "mid", "high"])[edu], ["low", "mid", "high"], ordered=True
            ),
            "pay": pay,
            "tax": np.where(np.isnan(tax), 0.0, tax).round(2),
            "day": day.astype("datetime64[s]"),
            "owner": rng.random(rows) < 0.2 + 0.2 * edu,
        }
    )


def people_schema(**table):
    columns = (
        Column("edu", "ordinal", categories=("low", "mid", "high"), storage="category"),
        Column(
            "pay", "numeric", 0, 1e6, grid="log", decimals=2, missing=True, missing_codes=(-8,), atoms=(0,)
        ),
        Column("tax", "numeric", 0, 1e6, grid="log", decimals=2),
        Column("day", "date", "2020-01-01", "2020-12-31", storage="timestamp[s]"),
        Column("owner", "boolean"),
    )
    return Schema(columns, "person", inequalities=(Inequality("tax", "pay"),), **table)


@pytest.fixture(scope="module")
def model():
    return simulate(people_schema(), people(), 60)


@pytest.fixture(scope="module")
def made(model):
    return model.sample(seed=2)


def test_types_orders_and_codes_come_back(made):
    real = people()
    pd.testing.assert_series_equal(made.dtypes, real.dtypes)
    assert made["edu"].cat.ordered
    assert ((made["pay"] >= 0) | (made["pay"] == -8) | made["pay"].isna()).all()
    assert (made["day"].dt.normalize() == made["day"]).all()


def test_missing_values_codes_and_atoms_are_as_frequent_as_they_were(made):
    real = people()
    for one, other in [
        (real["pay"].isna(), made["pay"].isna()),
        (real["pay"] == -8, made["pay"] == -8),
        (real["pay"] == 0, made["pay"] == 0),
    ]:
        assert abs(one.mean() - other.mean()) < 0.01
    by_edu = [table["pay"].isna().groupby(table["edu"], observed=True).mean() for table in (real, made)]
    assert abs(by_edu[0] - by_edu[1]).max() < 0.03  # only the low are missing: a status depends on others


def test_what_is_there_follows_what_explains_it(made):
    real = people()
    for label in ("low", "mid", "high"):
        medians = [
            np.log(table.loc[(table["edu"] == label) & (table["pay"] > 0), "pay"].median())
            for table in (real, made)
        ]
        assert abs(medians[0] - medians[1]) < 0.15


def test_inequalities_hold_in_every_row(made):
    both = made[made["pay"] >= 0]
    assert (both["tax"] <= both["pay"]).all()


def test_rich_models_survive_a_file(model, tmp_path):
    model.save(tmp_path / "model.json")
    again = TableModel.load(tmp_path / "model.json")
    assert again == model
    pd.testing.assert_frame_equal(again.sample(300, seed=3), model.sample(300, seed=3))


@pytest.mark.parametrize("wrong", ["edu", "", "pay (status)x"])
def test_a_status_that_does_not_match_the_schema_is_refused(model, tmp_path, wrong):
    form = model.to_dict()
    next(c for c in form["groups"][0]["columns"] if c["name"] == "pay")["status"] = wrong
    (tmp_path / "model.json").write_text(json.dumps(form), encoding="utf-8")
    with pytest.raises(ModelError):
        TableModel.load(tmp_path / "model.json")


class TestGiven:
    """Values of given rows stay as they are; the rest is drawn in their light."""

    def test_given_rows_are_kept_and_condition_the_rest(self, model):
        given = people(2000)[["edu", "pay"]].sample(frac=1, random_state=1).reset_index(drop=True)
        made = model.sample(given=given, seed=1)
        ordered = given.sort_values(["edu", "pay"], ignore_index=True)  # their own order is not kept
        pd.testing.assert_frame_equal(made[["edu", "pay"]], ordered)
        both = made[made["pay"] >= 0]
        assert (both["tax"] <= both["pay"]).all()
        owners = made["owner"].groupby(made["edu"], observed=True).mean()
        assert owners["high"] - owners["low"] > 0.2

    def test_a_scenario_that_never_was(self, model):
        poor, rich = (
            model.sample(given=pa.table({"edu": ["mid"] * 800, "pay": [pay] * 800}), seed=1)["tax"]
            for pay in (500.0, 5000.0)
        )
        assert rich.median() > 4 * poor.median()

    def test_given_columns_must_be_the_first(self, model):
        for names in (["pay"], ["edu", "tax"], []):
            with pytest.raises(OptionError, match="'edu'"):
                model.sample(given=people(50)[names])
        with pytest.raises(OptionError, match="nothing is left"):
            model.sample(given=people(50))
        with pytest.raises(OptionError, match="leave out rows"):
            model.sample(10, given=people(50)[["edu"]])

    def test_given_rows_must_fit_the_schema(self, model):
        with pytest.raises(DataError, match="not among its categories"):
            model.sample(given=pa.table({"edu": ["none"]}))

    def test_given_values_that_cannot_be_kept_are_refused(self):
        columns = (Column("size", "integer", 0, 100, storage="int8"), Column("pay", "numeric", 0, 1e6))
        model = simulate(Schema(columns, "firm"), pd.DataFrame({"size": range(60), "pay": 1.0}))
        for size, said in ((300, "its storage cannot hold"), (2**60, "cannot be kept exactly")):
            with pytest.raises(DataError, match=f"column 'size' holds .*{said}"):
                model.sample(given=pd.DataFrame({"size": [size]}))

    def test_groups_are_given_too(self):
        columns = tuple(c for c in people_schema().columns if c.name in ("edu", "pay", "day"))
        model = simulate(Schema(columns, "person", by=("edu",)), people())
        made = model.sample(given=people(300)[["edu"]], seed=1)
        assert made["edu"].tolist() == people(300)["edu"].sort_values().tolist()
        assert simulate(Schema(columns, "person", by=("edu",)), people()).sample(50, seed=1).shape == (50, 3)


class TestPublic:
    """Public columns cost nothing, are kept, and explain the others."""

    schema = Schema(
        (
            Column("pay", "numeric", 0, 1e6, grid="log", decimals=2),
            Column("size", "numeric", 0, 1000, public=True),
            Column("area", "category", categories=("a", "b"), public=True),
        ),
        "firm",
    )

    def frame(self, rows=3000):
        rng = np.random.default_rng(2)
        size = rng.uniform(1, 100, rows)
        area = rng.integers(0, 2, rows)
        pay = size * 50 * np.exp(rng.normal(area, 0.2, rows))
        return pd.DataFrame({"pay": pay.round(2), "size": size, "area": np.array(["a", "b"])[area]})

    def test_partial_synthesis(self):
        frame = self.frame()
        model = simulate(self.schema, frame, 5)
        assert [part.name for part in model.plan.children] == ["columns", "rounds", "tails"]
        assert [part.name for part in model.plan.find("columns").children] == ["pay"]
        assert [leaf.name for leaf in model.plan.find("tails").leaves()] == ["pay"]
        made = model.sample(given=frame[["size", "area"]], seed=1)
        ordered = frame[["size", "area"]].sort_values(["size", "area"], ignore_index=True)
        pd.testing.assert_frame_equal(made[["size", "area"]], ordered)
        real, synthetic = (np.corrcoef(np.log(t["pay"]), np.log(t["size"]))[0, 1] for t in (frame, made))
        assert abs(real - synthetic) < 0.15
        assert TableModel.from_dict(json.loads(json.dumps(model.to_dict()))) == model

    def test_sampling_without_the_public_columns_is_refused(self):
        model = simulate(self.schema, self.frame(), 5)
        with pytest.raises(OptionError, match="given=frame"):
            model.sample()


def test_identities_hold_in_every_row():
    rng = np.random.default_rng(3)
    wages, rents = rng.gamma(2, 500, 2000).round(2), rng.gamma(1, 200, 2000).round(2)
    frame = pd.DataFrame({"income": (wages + rents).round(2), "wages": wages, "rents": rents})
    money = {"decimals": 2, "grid": "log"}
    parts = (Column("wages", "numeric", 0, 1e5, **money), Column("rents", "numeric", 0, 1e5, **money))
    total = Column("income", "numeric", 0, 2e5, **money)
    for columns in ((total, *parts), (*parts, total)):
        schema = Schema(columns, "person", identities=(Identity("income", ("wages", "rents")),))
        made = simulate(schema, frame).sample(seed=1)
        np.testing.assert_allclose(made["income"], made["wages"] + made["rents"], atol=1e-6)
        for name in frame:
            assert 0.7 < made[name].median() / frame[name].median() < 1.4


class TestMergedGroups:
    """Groups of few rows are fitted together, by a public rule."""

    def schema(self, **table):
        columns = (
            Column("area", "category", categories=tuple("abcde")),
            Column("pay", "numeric", 0, 1e5, grid="log"),
        )
        return Schema(columns, "firm", by=("area",), merge_below=300, **table)

    def frame(self):
        rng = np.random.default_rng(4)
        sizes = {"a": 2000, "b": 150, "c": 100, "d": 700}
        area = np.repeat(list(sizes), list(sizes.values()))
        return pd.DataFrame({"area": area, "pay": np.exp(rng.normal(5, 1, area.size))})

    def test_small_groups_share_a_model_and_keep_their_sizes(self):
        model = simulate(self.schema(), self.frame(), 5)
        groups = {group.codes: group for group in model.groups}
        assert {codes: group.rows for codes, group in groups.items()} == {
            (0,): 2000,
            (1,): 150,
            (2,): 100,
            (3,): 700,
        }
        # 250 rows are still too few, so the smallest of the others joins
        assert groups[1,].columns == groups[2,].columns == groups[3,].columns != groups[0,].columns
        assert [part.name for part in model.plan.children] == ["a", "b and 2 small groups"]
        assert model.sample(seed=1)["area"].value_counts().to_dict() == {
            "a": 2000,
            "b": 150,
            "c": 100,
            "d": 700,
        }

    def test_under_add_remove_released_sizes_decide(self):
        model = simulate(self.schema(neighbours="add-remove"), self.frame(), 5)
        groups = {group.codes: group for group in model.groups}
        assert len(groups) == 5  # an empty group is one like any other
        assert groups[1,].columns == groups[4,].columns


def _wide(rows=ROWS):
    rng = np.random.default_rng(6)
    data = {f"x{k}": rng.normal(50, 10, rows) for k in range(11)}
    data["kind"] = rng.integers(0, 3, rows)
    data["y"] = 2 * data["x7"] + 30 * (data["kind"] == 1) + rng.normal(0, 5, rows)
    data["echo"] = (data["kind"] + (rng.random(rows) < 0.05)) % 3
    frame = pd.DataFrame(
        {name: values.astype(str) if name in ("kind", "echo") else values for name, values in data.items()}
    )
    columns = [Column(f"x{k}", "numeric", 0, 100) for k in range(11)]
    labels = {"categories": ("0", "1", "2")}
    columns += [
        Column("kind", "category", **labels),
        Column("y", "numeric", 0, 300),
        Column("echo", "category", **labels),
    ]
    return frame, Schema(tuple(columns), "row")


def _off(asked, frame, epsilon):
    """Return how far the correlation of a pair is from the real one."""
    made = simulate(asked, frame, epsilon).sample(seed=1)
    real, own = (np.corrcoef(table["x7"], table["y"])[0, 1] for table in (frame, made))
    return abs(own - real)


@pytest.mark.parametrize(("rows", "epsilon"), [(8000, 3), pytest.param(ROWS, 20, marks=pytest.mark.slow)])
def test_wide_tables_keep_what_is_declared_to_matter(rows, epsilon):
    frame, schema = _wide(rows)
    columns = [replace(c, predictors=("x7", "kind")) if c.name == "y" else c for c in schema.columns]
    assert _off(replace(schema, columns=tuple(columns)), frame, epsilon) < 0.05


@pytest.mark.slow
@pytest.mark.xfail(
    reason="a wide table without declared predictors has no slopes: .13 off, .05 wanted", strict=False
)
def test_wide_tables_keep_what_matters():
    frame, schema = _wide()
    assert _off(schema, frame, 20) < 0.05


def test_neighbouring_levels_share_cells():
    rng = np.random.default_rng(8)
    level = rng.integers(0, 12, ROWS)
    labels = tuple(f"level {k:02}" for k in range(12))
    frame = pd.DataFrame({"level": np.array(labels)[level], "senior": rng.random(ROWS) < level / 12})
    frame.loc[rng.random(ROWS) < 0.1, "level"] = None
    columns = (Column("level", "ordinal", categories=labels, missing=True), Column("senior", "boolean"))
    made = simulate(Schema(columns, "person"), frame, 2).sample(seed=1)
    high, low = (made["senior"][made["level"].isin(part)].mean() for part in (labels[-3:], labels[:3]))
    assert high - low > 0.5
    assert abs(made["senior"][made["level"].isna()].mean() - 0.46) < 0.15


def test_more_columns_degrade_gracefully():
    """Any number of columns can be designed; with little budget nothing but marginals is asked."""
    from fractions import Fraction

    for width, rows in ((20, 300), (50, 2000), (50, 100_000)):
        columns = tuple(Column(f"x{k}", "numeric", 0, 1, missing=k % 2 == 0) for k in range(width))
        design = draw_tables_design(
            TablesSettings(), Schema(columns, "row"), rows, Fraction(1), "pure", "table"
        )
        assert design.plan.cost == 1
        assert len(design.columns.columns) == width + width // 2
        assert bool(design.rounds) == (rows == 100_000)


@pytest.mark.parametrize("method", ["kng", "stepwise", "sandwich"])
def test_the_papers_orders_refuse_what_they_do_not_know(method):
    with pytest.raises(OptionError, match="tables"):
        TableSynthesizer(people_schema(), 1, method=method).plan(1000)
    dates = Schema((Column("day", "date", "2020-01-01", "2020-12-31"), Column("x", "integer", 0, 9)), "row")
    assert TableSynthesizer(dates, 1, method=method).plan(1000).cost == 1
