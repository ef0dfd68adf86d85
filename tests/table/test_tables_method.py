"""The method "tables", whole: relations that slopes do not see, saved models, given rows, streams, wide tables."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from quantail.examples.payroll import payroll_example, payroll_schema
from quantail.io import open_source
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer

ROWS = 4000


def schema_of(**options):
    columns = (
        Column(
            "sector", "category", categories=("farm", "shop", "mill"), public=options.pop("public", False)
        ),
        Column("pay", "numeric", 0, 1e6, grid="log", decimals=2, missing=True, atoms=(0,)),
        Column("score", "numeric", -1000, 1000),
    )
    return Schema(columns, unit="person", **options)


def frame_of(seed=1, rows=ROWS):
    """Draw a sector that decides whether pay is there, zero, and how large, and in which direction scores go."""
    rng = np.random.default_rng(seed)
    sector = rng.integers(0, 3, rows)
    pay = np.round(np.exp(np.array([3.0, 5.0, 6.0])[sector] + 0.4 * rng.standard_normal(rows)), 2)
    none = rng.random(rows) < np.array([0.5, 0.1, 0.0])[sector]
    zero = ~none & (rng.random(rows) < np.array([0.0, 0.3, 0.1])[sector])
    pay = np.where(zero, 0.0, pay)
    score = np.array([-1, 1, 0])[sector] * 20 + 5 * rng.standard_normal(rows)
    names = np.array(["farm", "shop", "mill"])[sector]
    return pa.table({"sector": names, "pay": pa.array(pay, mask=none), "score": score})


def fitted(frame=None, epsilon=3, **options):
    maker = TableSynthesizer(schema_of(**options), epsilon, method="tables", noise="simulated", seed=5)
    return maker.fit(frame_of() if frame is None else frame)


def by_sector(table):
    found = {}
    for name in ("farm", "shop", "mill"):
        part = table.filter(pa.compute.equal(table["sector"], name))
        pay = part["pay"].to_numpy(zero_copy_only=False).astype(float)
        there = pay[pay > 0]
        found[name] = (
            np.isnan(pay).mean(),
            (pay == 0).mean(),
            np.median(np.log(there)),
            part["score"].to_numpy().mean(),
        )
    return found


@pytest.fixture(scope="module")
def model():
    return fitted()


def test_a_category_moves_statuses_place_and_spread(model):
    real, made = by_sector(frame_of()), by_sector(model.sample(seed=1))
    for name in real:
        missing, zero, middle, score = np.abs(np.subtract(real[name], made[name]))
        assert missing < 0.06 and zero < 0.06 and middle < 0.35 and score < 5


def test_a_saved_model_draws_the_same_rows(model, tmp_path):
    model.save(tmp_path / "model.json")
    again = TableModel.load(tmp_path / "model.json")
    assert again == model
    assert again.sample(500, seed=3).equals(model.sample(500, seed=3))


def test_rows_may_be_given(model):
    given = pa.table({"sector": ["farm"] * 300 + ["mill"] * 300})
    made = model.sample(given=given, seed=2)
    assert made["sector"].to_pylist() == given["sector"].to_pylist()
    missing = np.array([value is None for value in made["pay"].to_pylist()])
    assert missing[:300].mean() > 0.35 > 0.1 > missing[300:].mean()


def test_streamed_rows_give_the_same_model(model, tmp_path):
    path = tmp_path / "table.parquet"
    pyarrow.parquet.write_table(frame_of(), path, row_group_size=700)
    streamed = fitted(open_source(path))
    assert streamed.to_dict()["groups"] == model.to_dict()["groups"]


def test_public_columns_explain_and_are_not_asked():
    public = fitted(public=True)
    assert "sector" not in [part.name for part in public.plan.find("columns").children]
    made = public.sample(given=frame_of().select(["sector"]), seed=1)
    assert by_sector(made)["farm"][0] > 0.3 > 0.1 > by_sector(made)["mill"][0]


def test_groups_have_laws_of_their_own():
    grouped = fitted(epsilon=5, by=("sector",))
    made = by_sector(grouped.sample(seed=1))
    assert made["farm"][0] > 0.4 and made["mill"][0] < 0.05


def test_the_plan_states_every_round_before_a_row_is_read():
    maker = TableSynthesizer(schema_of(), 3, method="tables")
    plan = maker.plan(ROWS)
    assert plan.cost == 3 == plan.committed
    rounds = plan.find("rounds").children
    assert len(rounds) >= 3
    assert all([leaf.name for leaf in part.children] == ["choose", "count"] for part in rounds)


def test_too_little_budget_for_a_round_leaves_all_of_it_to_columns():
    plan = TableSynthesizer(schema_of(), "0.1", method="tables").plan(ROWS)
    assert plan.cost == plan.committed and "rounds" not in [part.name for part in plan.children]


@pytest.mark.parametrize("columns", [1, 25])
def test_narrow_and_wide_tables_work(columns):
    rng = np.random.default_rng(1)
    kinds = tuple(Column(f"c{k}", "category", categories=("a", "b")) for k in range(columns))
    first = rng.integers(0, 2, 3000)
    codes = {kind.name: np.where(rng.random(3000) < 0.9, first, 1 - first) for kind in kinds}
    frame = pa.table({name: np.array(["a", "b"])[code] for name, code in codes.items()})
    schema = Schema(kinds, unit="person")
    made = TableSynthesizer(schema, 20, method="tables", noise="simulated", seed=1).fit(frame).sample(seed=1)
    labels = np.array([made[kind.name].to_pylist() for kind in kinds])
    agree = (labels[:, None] == labels[None]).mean(axis=2)[np.triu_indices(columns, 1)]
    assert columns == 1 or agree.mean() > 0.57  # 0.5 if columns came out independent


def test_a_label_that_moves_what_slopes_leave_over_is_followed():
    """Payroll follows employees, and a sector moves it beside them: its coefficient is that of the rows."""
    real = payroll_example(20_000)
    maker = TableSynthesizer(payroll_schema(), 1, method="tables", noise="simulated", seed=1)
    made = maker.fit(real).sample(seed=1)
    assert retail_coefficient(made) == pytest.approx(retail_coefficient(real), abs=0.12)


def retail_coefficient(table):
    sector, pay = (
        np.array(table["sector"].to_pylist()),
        np.log(np.maximum(np.array(table["payroll"], float), 1)),
    )
    labels = [sector == name for name in ("retail", "manufacturing", "services")]
    matrix = np.stack([*labels, np.log(np.array(table["employees"], float)), np.ones(len(pay))], axis=1)
    return np.linalg.lstsq(matrix.astype(float), pay, rcond=None)[0][0]


def test_what_a_label_moves_is_kept_in_a_small_table():
    rng = np.random.default_rng(3)
    sector = rng.integers(0, 2, 1250)
    pay = np.exp(3 + 3 * sector + 0.5 * rng.standard_normal(1250))
    real = pa.table({"sector": np.array(["farm", "bank"])[sector], "pay": pay})
    columns = (
        Column("sector", "category", categories=("farm", "bank")),
        Column("pay", "numeric", 0, 1e6, grid="log", decimals=2),
    )
    schema = Schema(columns, unit="person")
    for seed in range(3):
        made = TableSynthesizer(schema, 1, noise="simulated", seed=seed).fit(real).sample(seed=seed)
        paid, bank = np.log(made["pay"].to_numpy()), np.array(made["sector"].to_pylist()) == "bank"
        assert np.median(paid[bank]) - np.median(paid[~bank]) == pytest.approx(3, abs=0.6)
