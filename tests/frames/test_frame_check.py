"""A check lists every problem at once and tells nothing of values, unless it is asked for internal notes."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail.errors import DataError
from quantail.frames import Problem, check_table, confidential_columns
from quantail.schema import Column, Schema

SCHEMA = Schema(
    (
        Column("region", "category", categories=("north", "south")),
        Column("jobs", "integer", 0, 500),
        Column("pay", "numeric", 0, 1000),
        Column("rent", "numeric", 0, 1000),
    ),
    unit="firm",
)
GOOD = {"region": ["north"], "jobs": [3], "pay": [1.5], "rent": [9.0]}


def test_a_table_that_fits_has_no_problems():
    assert check_table(pa.table(GOOD), SCHEMA) == []
    assert check_table(pa.table(GOOD), SCHEMA, internal=True) == []


def test_every_problem_is_listed_once_in_the_order_of_the_schema():
    frame = pa.table({"region": ["CANARY-7"], "jobs": [918273.645], "pay": ["CANARY-7"]})
    problems = check_table(frame, SCHEMA)
    assert [problem.column for problem in problems] == ["region", "jobs", "pay", "rent"]
    assert all(problem.what and problem.hint for problem in problems)
    told = "".join(map(str, problems)) + repr(problems)
    assert "CANARY" not in told
    assert "918273" not in told


def test_codes_that_lost_their_leading_zeros_are_told():
    codes = Schema((Column("code", "category", categories=("007", "010")),), unit="firm")
    (lost,) = check_table(pa.table({"code": [7, 10]}), codes)
    assert "leading zeros" in lost.hint
    (text,) = check_table(pa.table({"code": ["7", "010"]}), codes)
    assert "leading zeros" not in text.hint


def test_the_border_refuses_with_the_same_list():
    frame = pa.table({"region": ["CANARY-7"], "jobs": [918273.645], "pay": ["CANARY-7"]})
    with pytest.raises(DataError) as caught:
        confidential_columns(frame, SCHEMA)
    assert all(str(problem) in str(caught.value) for problem in check_table(frame, SCHEMA))


def test_values_outside_the_bounds_are_told_only_internally():
    frame = pa.table({**GOOD, "pay": [918273.645], "jobs": [-4]})
    assert check_table(frame, SCHEMA) == []
    notes = check_table(frame, SCHEMA, internal=True)
    assert [note.column for note in notes] == ["jobs", "pay"]
    assert "918273" not in "".join(map(str, notes))


def test_values_on_the_bounds_are_inside():
    frame = pa.table({**GOOD, "pay": [1000.0], "jobs": [0]})
    assert check_table(frame, SCHEMA, internal=True) == []


def test_an_empty_table_still_tells_of_missing_columns():
    problems = check_table(pa.table({"jobs": pa.array([], pa.int64())}), SCHEMA)
    assert [problem.column for problem in problems] == ["", "region", "pay", "rent"]
    assert str(problems[0]).startswith("the table has no rows; ")


def test_a_problem_reads_as_a_sentence():
    assert str(Problem("pay", "is missing", "add it")) == "column 'pay' is missing; add it"


def test_undeclared_atoms_are_advised_in_internal_notes_alone():
    rng = np.random.default_rng(1)
    pay = np.where(rng.random(400) < 0.3, 0.0, np.round(rng.lognormal(8, 1, 400), 2))
    table = pa.table({"pay": pay, "jobs": rng.integers(0, 20, 400)})
    columns = Column("pay", "numeric", 0, 1e6, decimals=2), Column("jobs", "integer", 0, 99)
    schema = Schema(columns, unit="firm")
    assert check_table(table, schema) == []
    (note,) = check_table(table, schema, internal=True)
    assert note.column == "pay" and "atoms = [0]" in str(note) and "internal" in str(note)
    declared = Schema((replace(columns[0], atoms=(0.0,)), columns[1]), unit="firm")
    assert check_table(table, declared, internal=True) == []


def test_labels_that_a_file_gives_to_codes_are_not_its_categories():
    sexes = Schema((Column("sex", "category", categories=("men", "women")),), unit="person")
    (told,) = check_table(pa.table({"sex": [1, 2]}), sexes)
    assert "list the codes" in told.hint
    (other,) = check_table(pa.table({"sex": ["man", "woman"]}), sexes)
    assert "list the codes" not in other.hint


def test_times_of_day_are_told_what_to_become():
    schema = Schema((Column("at", "category", categories=("08:00",)),), unit="person")
    for values in (pa.array([8], pa.time32("s")), pa.array([8], pa.duration("s"))):
        (told,) = check_table(pa.table({"at": values}), schema)
        assert "minutes since midnight" in told.hint
