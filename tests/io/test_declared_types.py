"""With a schema, the types of files that declare none do not hang on a single cell."""

import datetime

import openpyxl
import pyarrow as pa
import pytest

from quantail import PanelSynthesizer
from quantail.errors import DataError
from quantail.frames import confidential_columns, confidential_panel, release_panel
from quantail.io import open_source, read_table
from quantail.schema import Column, Panel, Schema

WHOLE = Column("x", "integer", 0, 10, missing=True)
YES = Column("x", "boolean", missing=True)
DAY = Column("x", "date", "2020-01-01", "2021-12-31", missing=True)
MOMENT = Column("x", "datetime", "2020-01-01", "2021-12-31", missing=True)


def schema_of(column):
    return Schema((column, Column("y", "integer", 0, 9)), "person")


def workbook(path, cells):
    book = openpyxl.Workbook()
    for row in [("x", "y"), *((cell, 1) for cell in cells)]:
        book.active.append(row)
    book.save(path)


@pytest.mark.parametrize(
    ("column", "kind"), [(WHOLE, pa.int64()), (YES, pa.bool_()), (DAY, pa.date32())], ids=lambda p: str(p)
)
def test_a_column_of_a_csv_file_has_one_type_whatever_a_cell_holds(column, kind, tmp_path):
    cells = {
        pa.int64(): ["3", "3.0", "", "1e300"],
        pa.bool_(): ["true", "1", ""],
        pa.date32(): ["2020-03-01", ""],
    }
    for first in cells[kind]:
        for last in cells[kind]:
            path = tmp_path / "t.csv"
            path.write_text(f"x,y\n{first},1\n{last},1\n", encoding="utf-8")
            source = open_source(path, schema_of(column))
            assert source.types.field("x").type == kind
            assert source.read().schema.field("x").type == kind
            assert {chunk.schema.field("x").type for chunk in source.chunks()} == {kind}


SPRING = datetime.datetime(2020, 3, 1)


@pytest.mark.parametrize(
    ("column", "cells", "kind"),
    [
        (WHOLE, (3, 3.5e9, None), pa.int64()),
        (Column("x", "numeric", 0, 10, missing=True), (3, 3.5, None), pa.float64()),
        (YES, (True, 1, "true", None), pa.bool_()),
        (DAY, (SPRING, SPRING.replace(hour=9), "2020-03-01", None), pa.date32()),
        (MOMENT, (SPRING, "2020-03-01 09:00:00", None), pa.timestamp("s")),
    ],
)
def test_a_column_of_a_workbook_has_one_type_whatever_a_cell_holds(column, cells, kind, tmp_path):
    for first in cells:
        for last in cells:
            workbook(tmp_path / "t.xlsx", (first, last))
            assert read_table(tmp_path / "t.xlsx", schema_of(column)).schema.field("x").type == kind


def test_values_are_those_that_were_written(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n7.0,1\n,1\n1e300,1\n-4,1\n", encoding="utf-8")
    read = confidential_columns(read_table(tmp_path / "t.csv", schema_of(WHOLE)), schema_of(WHOLE))
    assert read["x"].tolist()[0::2] == [7.0, 10.0] and read["x"][3] == 0.0
    assert read["x (status)"].tolist() == [0, 1, 0, 0]
    workbook(tmp_path / "t.xlsx", (SPRING.replace(hour=9), "2020-03-02"))
    found = read_table(tmp_path / "t.xlsx", schema_of(DAY))["x"].to_pylist()
    assert found == [datetime.date(2020, 3, 1), datetime.date(2020, 3, 2)]


@pytest.mark.parametrize("cell", ["2.5", "inf"])
def test_numbers_that_are_not_whole_are_refused_at_the_border(cell, tmp_path):
    (tmp_path / "t.csv").write_text(f"x,y\n3,1\n{cell},1\n", encoding="utf-8")
    table = read_table(tmp_path / "t.csv", schema_of(WHOLE))
    with pytest.raises(DataError, match="column 'x' holds"):
        confidential_columns(table, schema_of(WHOLE))


def test_periods_of_a_panel_have_the_type_of_their_column(tmp_path):
    panel = Panel("id", "first", "last", 2000, 2001)
    schema = Schema((Column("emp", "integer", 0, 2000),), "establishment", panel=panel)
    made = []
    for last in ("9", "9.0"):
        (tmp_path / "t.csv").write_text(
            f"id,first,last,emp_2000,emp_2001\n7,2000,2001,5,6\n8,2001,2001,,{last}\n", encoding="utf-8"
        )
        made.append(release_panel(confidential_panel(read_table(tmp_path / "t.csv", schema), schema)))
    assert made[0].equals(made[1])


FIRMS = Schema(
    (Column("emp", "integer", 0, 9),),
    "firm",
    panel=Panel("id", start=2000, end=2000, firm="owner", establishments=1),
    neighbours="add-remove",
)
LONG = "12345678901234567890"  # no whole number of 64 bits: as a double it is also the next one


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize("name", ["id", "owner"])
def test_whether_two_identities_are_the_same_does_not_hang_on_another_row(name, kind, tmp_path):
    def distinct(*texts):
        rows = [(k, text, 1) if name == "owner" else (text, k, 1) for k, text in enumerate(texts)]
        path = tmp_path / f"{len(texts)} {texts[-1]}.{kind}"
        if kind == "csv":
            lines = [",".join(map(str, row)) for row in [("id", "owner", "emp_2000"), *rows]]
            path.write_text("\n".join(lines), encoding="utf-8")
        else:
            book = openpyxl.Workbook()
            for row in [("id", "owner", "emp_2000"), *rows]:
                book.active.append(row)
            book.save(path)
        return len(read_table(path, FIRMS)[name].unique())

    for one, other in (("7", "007"), (LONG, LONG[:-1] + "1"), ("7", "7.0")):
        assert (distinct(one, other), distinct(one, other, "A")) == (2, 3)
    assert (distinct("7", "7"), distinct("7", "7", "A")) == (1, 2)


def test_blank_identities_of_a_csv_file_are_missing_beside_text_and_beside_numbers(tmp_path):
    for other in ("7", "A"):
        (tmp_path / "t.csv").write_text(f"id,owner,emp_2000\n1,,3\n2,{other},3\n", encoding="utf-8")
        with pytest.raises(DataError, match="'owner' holds missing values; name the firm"):
            PanelSynthesizer(FIRMS, 1).read(tmp_path / "t.csv")
