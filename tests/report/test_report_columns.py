"""Columns taken apart for drawing: kinds, missing values, rare labels."""

import datetime

import numpy as np
import pyarrow as pa
import pytest

from quantail.errors import DataError
from quantail.report.columns import MISSING, MOST_LABELS, OTHER, Labels, Numbers, table_columns
from quantail.schema import Column, Schema


def test_kinds_are_told_by_the_table():
    day = datetime.date(2020, 1, 31)
    table = pa.table({"pay": [1.0, None], "kind": ["a", None], "member": [True, False], "day": [day, day]})
    pay, kind, member, day_ = table_columns(table, table, None)
    assert isinstance(pay, Numbers) and pay.missing == (0.5, 0.5) and pay.ordered[0].tolist() == [1.0]
    assert isinstance(kind, Labels) and set(kind.labels) == {"a", MISSING}
    assert isinstance(member, Labels) and set(member.labels) == {"true", "false"}
    assert isinstance(day_, Numbers) and day_.dated and day_.written(day_.real[0]) == "2020-01-31"


def test_kinds_are_told_by_the_schema():
    schema = Schema(
        (Column("code", "category", categories=("7", "5")), Column("x", "numeric", 0, 9)), unit="firm"
    )
    table = pa.table({"x": [1.0, 2.0, 3.0], "code": [5, 7, 5], "unused": [0, 0, 0]})
    code, x = table_columns(table, table, schema)
    assert isinstance(x, Numbers) and isinstance(code, Labels)
    assert code.labels == ("7", "5")
    np.testing.assert_allclose(code.shares()[0], [1 / 3, 2 / 3])


def test_rare_labels_are_drawn_together():
    real = [f"k{place}" for place in range(40) for _ in range(40 - place)]
    synth = ["new"] * 10
    (column,) = table_columns({"k": np.array(real)}, {"k": np.array(synth)}, None)
    assert isinstance(column, Labels)
    assert len(column.labels) == MOST_LABELS and column.labels[-1] == OTHER
    assert column.labels[:2] == ("k0", "k1")
    for shares in column.shares():
        assert shares.sum() == pytest.approx(1)
    assert column.shares()[1][-1] == 1  # a label that only the synthetic table has


def test_tables_that_cannot_be_compared_are_refused():
    with pytest.raises(DataError, match="same columns"):
        table_columns({"a": [1.0]}, {"b": [1.0]}, None)
    with pytest.raises(DataError, match="numeric in one table"):
        table_columns({"a": [1.0]}, {"a": ["x"]}, None)


def test_codes_of_missing_values_are_drawn_as_missing():
    schema = Schema((Column("pay", "integer", 0, 100, missing_codes=(-9,)),), unit="person")
    (column,) = table_columns(pa.table({"pay": [1, -9, 5]}), pa.table({"pay": [-9, 2, 3]}), schema)
    assert np.isnan(column.real).tolist() == [False, True, False]
    assert np.isnan(column.synth).tolist() == [True, False, False]
