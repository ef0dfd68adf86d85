"""No synthetic row ever breaks a declared rule, whatever the table holds, the budget is or the noise says."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.errors import DataError
from quantail.frames import check_table
from quantail.frames.encoding import decode, encode
from quantail.report import release_card
from quantail.schema import Column, Identity, Inequality, Schema
from quantail.table import TableModel, TableSynthesizer

MONEY = {"type": "numeric", "lower": 0, "upper": 1e12, "grid": "log", "decimals": 2}


def schema_of(**options):
    columns = (
        Column("region", "category", categories=("north", "south")),
        Column("age", "integer", 0, 99, missing=True),
        Column(
            "job",
            "category",
            categories=("none", "some", "not asked"),
            universe="age >= 15",
            outside="not asked",
        ),
        Column("wage", **MONEY, missing=True, universe="job = some and age >= 15"),
        Column("staff", "integer", 0, 1000, grid="log", atoms=(0,)),
        Column("payroll", **MONEY, atoms=(0,), universe="staff > 0", outside=0),
        Column("sales", **MONEY, missing=True, missing_codes=(-8,)),
        Column("exports", **MONEY, missing=True),
        Column("costs", **MONEY, missing=True, missing_with="sales"),
        Column("rents", **MONEY, missing=True),
        Column("gifts", **MONEY),
        Column("income", "numeric", 0, 2e12, grid="log", decimals=2, missing=True),
        Column("bonus", **MONEY, atoms=(0,), universe="staff > 0", outside=0, only_outside=True),
        Column("spent", **MONEY, missing=True, universe="staff = 0", only_outside=True),
    )
    return Schema(
        columns,
        unit="person",
        inequalities=(Inequality("exports", "sales"),),
        identities=(Identity("income", ("rents", "gifts")),),
        **options,
    )


def columns_of(seed, rows, broken=0.0):
    """Draw a table that keeps its rules, but for a share of rows in which every column is drawn by itself."""
    rng = np.random.default_rng(seed)
    age = np.where(rng.random(rows) < 0.1, np.nan, rng.integers(0, 100, rows))
    free = rng.random(rows) < broken
    inside = (age >= 15) | free
    job = np.where(inside, rng.integers(0, 2 + free, rows), 2)
    wage = np.where((job == 1) & (age >= 15) | free, np.exp(rng.normal(8, 1, rows)).round(2), np.nan)
    staff = np.floor(np.exp(rng.normal(1, 1.5, rows))) * (rng.random(rows) < 0.7)
    payroll = np.where((staff > 0) | free, ((staff + free) * 100 * rng.random(rows)).round(2), 0.0)
    sales = np.exp(rng.normal(9, 2, rows)).round(2)
    exports = np.where(rng.random(rows) < 0.4, 0.0, np.floor(sales * rng.random(rows) * (1 + 5 * free)))
    away = rng.random(rows) < 0.3
    rents, gifts = (np.exp(rng.normal(5, 1, rows)).round(2) for _ in range(2))
    return {
        "region": rng.integers(0, 2, rows),
        "age": age,
        "job": job,
        "wage": wage,
        "staff": staff,
        "payroll": payroll,
        "sales": np.where(away, np.where(rng.random(rows) < 0.5, np.nan, -8.0), sales),
        "exports": np.where(rng.random(rows) < 0.2, np.nan, exports),
        "costs": np.where(away & ~free, np.nan, sales / 2),
        "rents": np.where(rng.random(rows) < 0.2, np.nan, rents),
        "gifts": gifts,
        "income": np.where(rng.random(rows) < 0.3, np.nan, (rents + gifts).round(2) * (1 + free)),
        "bonus": np.where((staff > 0) ^ (free & (rng.random(rows) < 0.5)), 1 + gifts, 0.0),
        "spent": np.where((staff == 0) ^ (free & (rng.random(rows) < 0.5)), rents, np.nan),
    }


def table_of(columns, schema):
    found = {}
    for column in schema.columns:
        values = columns[column.name]
        if column.is_labelled:
            values = np.array(column.labels)[values]
        found[column.name] = pa.array(values, from_pandas=True)
    return pa.table(found)


def assert_kept(table, schema, *, one_way=False):
    """Check the rules one by one, beside what `check --internal` says of them."""
    assert [str(p) for p in check_table(table, schema, internal=True) if "breaks" in p.what] == []
    frame = {name: table[name].to_numpy(zero_copy_only=False) for name in table.column_names}
    grown = frame["age"].astype(float) >= 15
    assert np.array_equal(frame["job"] == "not asked", ~grown)
    earning = (frame["job"] == "some") & grown
    assert np.isnan(frame["wage"].astype(float)[~earning]).all()
    assert (frame["payroll"][frame["staff"] == 0] == 0).all()
    assert (frame["bonus"][frame["staff"] == 0] == 0).all()
    assert one_way or (frame["bonus"][frame["staff"] > 0] > 0).all()
    assert np.isnan(frame["spent"].astype(float)[frame["staff"] > 0]).all()
    assert one_way or np.array_equal(np.isnan(frame["spent"].astype(float)), frame["staff"] > 0)
    sales, exports = (frame[name].astype(float) for name in ("sales", "exports"))
    known = ~np.isnan(sales) & (sales != -8)
    assert not (exports[known] > sales[known]).any()
    assert np.array_equal(np.isnan(frame["costs"].astype(float)), ~known)
    rents, income = (frame[name].astype(float) for name in ("rents", "income"))
    missed = np.abs(rents + frame["gifts"] - income)
    assert not (missed > 0.006 + 1e-9 * np.nan_to_num(income)).any()


@pytest.mark.parametrize(
    ("epsilon", "relation"), [("1/10", "add-remove"), (1, "replace-one"), (10, "add-remove")]
)
def test_synthetic_rows(epsilon, relation):
    schema = schema_of(neighbours=relation)
    table = table_of(columns_of(1, 600, broken=0.2), schema)
    made = TableSynthesizer(schema, epsilon, method="tables", noise="simulated", seed=3)
    model = made.fit(table)
    said = release_card(model, rows=3000)["relations"]
    assert "bonus only where staff > 0, elsewhere 0, and nowhere else" in said
    assert "payroll only where staff > 0, elsewhere 0" in said
    drawn = model.sample(3000, seed=1)
    assert_kept(drawn, schema)
    assert TableModel.from_dict(model.to_dict()).sample(3000, seed=1).equals(drawn)


def test_groups_and_rules_on_them():
    schema = schema_of()
    payroll = Column("payroll", **MONEY, atoms=(0,), universe="region = north and staff > 0", outside=0)
    columns = tuple(payroll if column.name == "payroll" else column for column in schema.columns)
    columns = tuple(replace(column, only_outside=False) for column in columns)  # of tables fitted as one
    schema = Schema(
        columns, "person", by=("region",), inequalities=schema.inequalities, identities=schema.identities
    )
    data = columns_of(2, 900)
    data["payroll"] = data["payroll"] * (data["region"] == 0)
    model = TableSynthesizer(schema, 5, method="tables", noise="simulated", seed=1).fit(
        table_of(data, schema)
    )
    drawn = model.sample(2000, seed=2)
    assert_kept(drawn, schema, one_way=True)
    assert (drawn["payroll"].to_numpy()[drawn["region"].to_numpy(zero_copy_only=False) == "south"] == 0).all()


def test_given_rows():
    schema = schema_of()
    data = columns_of(3, 600)
    table = table_of(data, schema)
    model = TableSynthesizer(schema, 3, method="tables", noise="simulated", seed=1).fit(table)
    for first in (2, 7):
        assert_kept(model.sample(given=table.select(list(schema.names[:first])), seed=1), schema)


def test_a_missing_total_does_not_send_its_part_to_the_upper_bound():
    schema = part_of("sales", "exports")
    drawn = fitted(schema, 3).sample(4000, seed=1)
    sales, exports = (drawn[name].to_numpy(zero_copy_only=False) for name in ("sales", "exports"))
    away = np.isnan(sales) | (sales == -8)
    there = exports[away & ~np.isnan(exports)]
    assert there.size > 500
    assert there.max() < 1e8  # sales of the table are below 1e7, bounds at 1e12
    assert 0.3 < (there == 0).mean() < 0.5  # 0.4 in the table


def test_shares_hold_inside_of_a_universe():
    schema = part_of("age", "job", "wage", "staff", "payroll")
    table = table_of(columns_of(5, 2000), schema)
    drawn = fitted(schema, 3).sample(seed=1)
    for name, value in (("wage", None), ("payroll", 0.0)):
        real, made = (part[name].to_numpy(zero_copy_only=False) for part in (table, drawn))
        shares = [np.isnan(x).mean() if value is None else (x == value).mean() for x in (real, made)]
        assert abs(shares[0] - shares[1]) < 0.03


def part_of(*names):
    whole = schema_of()
    inequalities = whole.inequalities if "exports" in names else ()
    return Schema(tuple(whole.column(name) for name in names), "person", inequalities=inequalities)


def fitted(schema, epsilon):
    table = table_of(columns_of(5, 2000), schema)
    return TableSynthesizer(schema, epsilon, method="tables", noise="simulated", seed=2).fit(table)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10**6), broken=st.sampled_from([0.0, 0.5, 1.0]))
def test_rows_are_read_as_if_they_kept_the_rules(seed, broken):
    """What a row becomes behind the border and back keeps all rules that do not hold both ways, by itself."""
    schema = schema_of()
    columns = columns_of(seed, 40, broken)
    parts = encode(columns, schema)
    whole = {name: x if x.dtype.kind == "i" else np.where(np.isnan(x), 0.5, x) for name, x in parts.items()}
    back = decode(whole, schema)
    one_way = ~((back["job"] == 2) & (back["age"] >= 15))
    one_way &= (back["bonus"] == 0) == (back["staff"] == 0)
    one_way &= np.isnan(back["spent"]) == (back["staff"] > 0)
    kept = {name: values[one_way] for name, values in back.items()}
    if one_way.any():
        assert_kept(table_of(kept, schema), schema)
    # Row by row: a row by itself becomes what it becomes among others.
    alone = encode({name: values[7:8] for name, values in columns.items()}, schema)
    assert all(np.array_equal(alone[name], parts[name][7:8], equal_nan=True) for name in parts)


def test_rows_that_keep_the_rules_are_not_changed():
    schema = schema_of()
    columns = columns_of(6, 200)
    back = decode(encode(columns, schema), schema)
    for name in ("age", "job", "wage", "staff", "payroll", "sales"):
        assert np.array_equal(back[name], columns[name], equal_nan=True), name
    known = ~np.isnan(columns["sales"]) & (columns["sales"] != -8)
    assert np.allclose(back["exports"][known], columns["exports"][known], rtol=1e-4, atol=1, equal_nan=True)


def test_broken_rules_are_named_for_internal_eyes_only():
    schema = schema_of()
    table = table_of(columns_of(7, 300, broken=0.5), schema)
    assert check_table(table, schema) == []
    named = {
        problem.column for problem in check_table(table, schema, internal=True) if "breaks" in problem.what
    }
    assert named >= {"job", "wage", "payroll", "exports", "costs", "income"}
    assert not any(
        character.isdigit() for p in check_table(table, schema, internal=True) for character in p.what
    )


def test_given_rows_that_break_a_rule_are_refused():
    schema = part_of("age", "job", "wage")
    given = pa.table({"age": [10.0, 40.0], "job": ["some", "none"]})
    with pytest.raises(DataError, match="'job' breaks its universe"):
        fitted(schema, 1).sample(given=given)


@pytest.mark.parametrize(
    "rule",
    [
        {"missing_with": "rents"},
        {"universe": "age >= 15"},
        {"universe": "age >= 15", "only_outside": True},
        {"universe": "age >= 15", "missing_codes": (-8,), "outside": -8},
    ],
)
@pytest.mark.parametrize("last", ["income", "gifts"])
def test_a_number_that_follows_from_others_has_rules_of_its_own(rule, last):
    """A total that is asked of some only, or missing with one of its parts, could not be declared."""
    parts = {"rents": 1e6, "gifts": 1e6, "income": 2e6}
    names = [name for name in ("income", "rents", "gifts") if name != last] + [last]
    kinds = {
        name: Column(name, "numeric", 0, parts[name], grid="log", decimals=2, missing=name != "gifts")
        for name in names
    }
    kinds[last] = replace(kinds[last], missing=True, **rule)
    schema = Schema(
        (Column("age", "integer", 0, 99), *kinds.values()),
        "person",
        identities=(Identity("income", ("rents", "gifts")),),
    )
    rng = np.random.default_rng(1)
    data = {"age": rng.integers(0, 100, 500)} | {
        name: rng.lognormal(5, 1, 500).round(2) for name in ("rents", "gifts")
    }
    data["income"] = (data["rents"] + data["gifts"]).round(2)
    for name in names:  # rows that keep the rule and rows that break it either way
        if kinds[name].missing:
            data[name] = np.where(rng.random(500) < 0.3, np.nan, data[name])
    drawn = (
        TableSynthesizer(schema, 1, noise="simulated", seed=1)
        .fit(table_of(data, schema))
        .sample(2000, seed=1)
    )
    found = {name: drawn[name].to_numpy(zero_copy_only=False).astype(float) for name in drawn.column_names}
    gone = np.isnan(found[last]) | (found[last] == -8)
    away = np.isnan(found["rents"]) if "missing_with" in rule else found["age"] < 15
    assert gone[away].all() and 0 < away.mean() < 1
    assert np.array_equal(found[last] == -8, away & ("outside" in rule))
    if rule.get("only_outside") or "missing_with" in rule:
        assert not gone[~away].any()
    there = ~gone & ~np.isnan(found["rents"]) & ~np.isnan(found["income"])
    assert (
        np.allclose(found["income"][there], (found["rents"] + found["gifts"])[there], atol=0.006)
        and there.any()
    )
    assert [str(p) for p in check_table(drawn, schema, internal=True) if "breaks" in p.what] == []


@pytest.mark.parametrize("only", [False, True])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_zero_outside_of_a_universe_and_missing_with_another_column(only, relation):
    """Hours are zero where nobody works and missing where the wage was refused: one of the two could be declared."""
    outside = {"universe": "job = some", "only_outside": only}
    schema = Schema(
        (
            Column("job", "category", categories=("none", "some")),
            Column("wage", **MONEY, atoms=(0,), missing=True, outside=0, **outside),
            Column(
                "hours", "integer", 0, 80, atoms=(0,), missing=True, missing_with="wage", outside=0, **outside
            ),
            Column("sales", **MONEY, missing=True),
            Column(
                "branch",
                "category",
                categories=("a", "b", "c"),
                missing=True,
                missing_with="sales",
                universe="job = some",
                outside="c",
            ),
        ),
        "person",
        neighbours=relation,
    )
    rng = np.random.default_rng(2)
    some, refused, broken = rng.random(900) < 0.6, rng.random(900) < 0.3, rng.random(900) < 0.1
    wage = np.where(some, np.where(refused, np.nan, rng.lognormal(7, 1, 900).round(2)), 0.0)
    hours = np.where(some, np.where(refused, np.nan, rng.integers(1, 60, 900)), 0.0)
    sales = np.where(rng.random(900) < 0.2, np.nan, rng.lognormal(7, 1, 900).round(2))
    branch = np.where(np.isnan(sales), 3, np.where(some, rng.integers(0, 2, 900), 2))
    hours, branch = (np.where(broken, rng.permutation(each), each) for each in (hours, branch))
    data = {"job": some.astype(int), "wage": wage, "hours": hours, "sales": sales}
    table = table_of(data, Schema(schema.columns[:4], "person")).append_column(
        "branch", pa.array([[*"abc", None][code] for code in branch])
    )
    broken_ones = {p.column for p in check_table(table, schema, internal=True) if "breaks" in p.what}
    assert broken_ones == {"hours", "branch"}
    model = TableSynthesizer(schema, "1/2", noise="simulated", seed=1).fit(table)
    drawn = model.sample(3000, seed=1)
    assert [str(p) for p in check_table(drawn, schema, internal=True) if "breaks" in p.what] == []
    found = {name: drawn[name].to_numpy(zero_copy_only=False) for name in drawn.column_names}
    works, hours = found["job"] == "some", found["hours"].astype(float)
    assert np.array_equal(np.isnan(hours), np.isnan(found["wage"].astype(float)))
    assert (hours[~works] == 0).all() and np.isnan(hours[works]).any()
    assert not only or not (hours[works] == 0).any()
    gone = np.isnan(found["sales"].astype(float))
    assert np.array_equal(drawn["branch"].is_null().to_numpy(), gone)
    assert np.array_equal(found["branch"] == "c", ~works & ~gone)
    assert TableModel.from_dict(model.to_dict()).sample(3000, seed=1).equals(drawn)
    given = model.sample(seed=2, given=table.select(["job"]))
    assert [str(p) for p in check_table(given, schema, internal=True) if "breaks" in p.what] == []
