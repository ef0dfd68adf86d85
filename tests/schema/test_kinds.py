"""Rich kinds of columns compile to numbers and categories, by the schema alone."""

import datetime
from dataclasses import replace

import pandas as pd
import pytest

from quantail.errors import SchemaError
from quantail.schema import Column, Identity, Inequality, Schema, core_of, header_of
from quantail.schema.kinds import steps_of


def schema(*columns, **table):
    return Schema(columns, "person", **table)


RICH = schema(
    Column(
        "pay", "numeric", 0, 1e6, grid="log", decimals=2, missing=True, missing_codes=(-8, -9), atoms=(0,)
    ),
    Column("hired", "date", datetime.date(2020, 1, 1), "2020-12-31", missing=True),
    Column("seen", "datetime", "2020-01-01T08:00", "2020-01-01T20:00", resolution=60),
    Column("mood", "ordinal", categories=("bad", "fair", "good"), missing=True),
    Column("sector", "category", categories=("farm", "mill"), other=True, predictors=("pay", "mood")),
    Column("owner", "boolean"),
)


def test_parts_types_and_labels():
    core = core_of(RICH)
    assert [(column.name, column.type) for column in core.schema.columns] == [
        ("pay (status)", "category"),
        ("pay", "numeric"),
        ("hired (status)", "category"),
        ("hired", "integer"),
        ("seen", "integer"),
        ("mood", "category"),
        ("sector", "category"),
        ("owner", "category"),
    ]
    assert core.schema.column("pay (status)").categories == ("value", "(missing)", "-8", "-9", "0")
    assert core.schema.column("mood").categories == ("bad", "fair", "good", "(missing)")
    assert core.schema.column("sector").categories == ("farm", "mill", "other")
    assert core.schema.column("hired").upper == 365
    assert core.schema.column("seen").upper == steps_of(RICH.column("seen")) == 720
    assert core.statuses == {"pay": "pay (status)", "hired": "hired (status)"}
    assert core.ordered == {"mood": 3}
    assert all(column.is_plain for column in core.schema.columns)


def test_predictors_name_all_parts_but_never_a_numbers_own_status():
    core = core_of(RICH)
    assert core.predictors_of("pay") == ()
    assert core.predictors_of("hired") == ("pay (status)", "pay")
    assert core.predictors_of("sector") == ("pay (status)", "pay", "mood")
    assert core.predictors_of("owner") == core.schema.names[:-1]


def test_what_is_no_atom_starts_a_step_beside_it():
    core = core_of(
        schema(
            Column("jobs", "integer", 0, 99, atoms=(0, 99)),
            Column("pay", "numeric", 0, 9, decimals=2, atoms=(0,)),
        )
    ).schema
    assert (core.column("jobs").lower, core.column("jobs").upper) == (1, 98)
    assert (core.column("pay").lower, core.column("pay").upper) == (0.01, 9)


def test_a_plain_schema_is_its_own_core():
    plain = schema(Column("region", "category", categories=("a",)), Column("pay", "numeric", 0, 1))
    assert core_of(plain).schema is plain


def test_rich_schemas_survive_toml():
    whole = schema(
        *(replace(column, predictors=None) for column in RICH.columns),
        Column("total", "integer", 0, 100),
        Column("part", "integer", 0, 60),
        Column("rest", "integer", 0, 60),
        Column("less", "integer", -5, 60),
        order="auto",
        by=("mood",),
        merge_below=200,
        identities=(Identity("total", ("part", "rest")),),
        inequalities=(Inequality("less", "total"),),
    )
    text = whole.to_toml()
    assert Schema.from_toml(text) == whole
    assert Schema.from_toml(text).to_toml() == text
    assert "lower = 2020-01-01\nupper = 2020-12-31" in text


def test_public_columns_stand_first_and_order_follows_its_rule():
    columns = (
        Column("pay", "numeric", 0, 1),
        Column("area", "category", categories=("a", "b", "c")),
        Column("sex", "category", categories=("f", "m")),
        Column("year", "integer", 2000, 2020, public=True),
    )
    assert schema(*columns).synthesis_order == ("year", "pay", "area", "sex")
    assert schema(*columns, order="auto").synthesis_order == ("year", "sex", "area", "pay")
    assert core_of(schema(*columns, order="auto")).schema.names == ("year", "sex", "area", "pay")


def test_columns_that_follow_from_others_are_not_modelled():
    total, part, rest = (Column(name, "integer", 0, 50) for name in ("total", "part", "rest"))
    first = schema(total, part, rest, identities=(Identity("total", ("part", "rest")),))
    assert core_of(first).schema.names == ("total", "part (status)", "part")
    assert core_of(first).schema.column("part").upper == 1
    wide = Column("total", "integer", 0, 100)
    last = schema(part, rest, wide, identities=(Identity("total", ("part", "rest")),))
    assert core_of(last).schema.names == ("part", "rest")


JOBS = Column("jobs", "integer", 0, 9)
MORE = Column("more", "integer", 0, 9)
DAYS = tuple(Column(name, "date", "2020-01-01", "2020-01-31") for name in "de")
BAD = {
    "bound is no date": (lambda: Column("d", "date", "soon", "2020-01-01"), "not a date"),
    "dates on a log grid": (lambda: Column("d", "date", "2019-01-01", "2020-01-01", grid="log"), "grid"),
    "codes of labels": (lambda: Column("c", "category", categories=("a",), missing_codes=(1,)), "categories"),
    "labels of a boolean": (lambda: Column("b", "boolean", categories=("a",)), "remove categories"),
    "other of an ordinal": (lambda: Column("o", "ordinal", categories=("a",), other=True), "other"),
    "code and atom": (lambda: Column("x", "integer", 0, 9, missing_codes=(1,), atoms=(1,)), "twice"),
    "code that is text": (lambda: Column("x", "integer", 0, 9, missing_codes=("a",)), "number"),
    "atom that is not whole": (lambda: Column("x", "integer", 0, 9, atoms=(0.5,)), "whole"),
    "missing is text": (lambda: Column("x", "integer", 0, 9, missing="yes"), "true or false"),
    "unknown order": (lambda: schema(JOBS, order="best"), "declared, auto"),
    "merging without groups": (lambda: schema(JOBS, merge_below=9), "by"),
    "status taken": (
        lambda: core_of(
            schema(Column("x", "integer", 0, 9, missing=True), Column("x (status)", "integer", 0, 9))
        ),
        "rename",
    ),
    "public under add-remove": (
        lambda: schema(JOBS, Column("y", "integer", 0, 9, public=True), neighbours="add-remove"),
        "add-remove",
    ),
    "one part": (lambda: Identity("a", ("b",)), "two parts"),
    "unknown column": (lambda: schema(JOBS, inequalities=(Inequality("x", "jobs"),)), "not a column"),
    "total after its part": (
        lambda: schema(JOBS, MORE, inequalities=(Inequality("jobs", "more"),)),
        "before",
    ),
    "total between": (
        lambda: schema(
            MORE,
            JOBS,
            Column("z", "integer", 0, 9),
            identities=(Identity("jobs", ("more", "z")),),
        ),
        "between its parts",
    ),
    "sum of dates": (
        lambda: schema(
            *DAYS, Column("z", "date", "2020-01-01", "2020-02-01"), identities=(Identity("z", ("d", "e")),)
        ),
        "numeric or integer",
    ),
    "dates in other steps": (
        lambda: schema(DAYS[0], replace(DAYS[1], resolution=7), inequalities=(Inequality("e", "d"),)),
        "resolution",
    ),
    "a date and a number": (
        lambda: schema(DAYS[0], Column("e", "integer", 0, 9), inequalities=(Inequality("e", "d"),)),
        "differ in type",
    ),
    "sum beyond its bounds": (
        lambda: schema(
            MORE, JOBS, Column("z", "integer", 0, 9), identities=(Identity("z", ("jobs", "more")),)
        ),
        "upper = 18",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_contradictions_are_refused(case):
    make, said = BAD[case]
    with pytest.raises(SchemaError, match=said):
        make()


def test_drafts_know_dates_and_orders():
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-01"]),
            "size": pd.Categorical(["s"], categories=["s", "m"], ordered=True),
            "colour": pd.Categorical(["red"]),
        }
    )
    assert header_of(frame) == {"day": "datetime", "size": "ordinal", "colour": "category"}


def test_what_a_computed_predictor_follows_from_stands_for_it():
    """predictors = ["income"] of a computed income was a column independent of everything."""
    money = {"type": "numeric", "lower": 0, "upper": 9, "missing": True}
    schema = Schema(
        (
            Column("wages", **money),
            Column("rents", "numeric", 0, 9),
            Column("income", "numeric", 0, 18, missing=True),
            Column("gifts", "numeric", 0, 9),
            Column("all", "numeric", 0, 27),
            Column("tax", "numeric", 0, 9, predictors=("income",)),
            Column("rate", "numeric", 0, 9, predictors=("wages", "all")),
        ),
        "person",
        identities=(Identity("income", ("wages", "rents")), Identity("all", ("gifts", "rents"))),
    )
    core = core_of(schema).schema
    assert core.column("tax").predictors == ("income (status)", "wages (status)", "wages", "rents")
    assert core.column("rate").predictors == ("wages (status)", "wages", "gifts", "rents")
