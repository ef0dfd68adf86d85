"""Input that is far too large or too wide: an answer in time, not a full memory."""

from pathlib import Path

import pyarrow.csv
import pytest
from typer.testing import CliRunner

from quantail.cli import app
from quantail.errors import DataError, SchemaError
from quantail.frames import check_table, confidential_columns, empty_release
from quantail.io import read_table
from quantail.schema import Column, Schema
from quantail.table import plan

NARROW = Schema((Column("jobs", "integer", 0, 500), Column("pay", "numeric", 0, 1e6)), "firm")
WIDE = 10_000


def wide_schema(columns: int, **facts: object) -> Schema:
    return Schema(tuple(Column(f"c{k}", "integer", 0, 9, **facts) for k in range(columns)), "firm")


@pytest.mark.parametrize("columns", [1000, pytest.param(WIDE, marks=pytest.mark.slow)])
def test_thousands_of_columns_are_read_checked_and_planned(columns: int, tmp_path: Path) -> None:
    schema = wide_schema(columns, predictors=())
    path = tmp_path / "wide.csv"
    rows = [",".join(str((row * place) % 10) for place in range(columns)) for row in range(20)]
    path.write_text(",".join(schema.names) + "\n" + "\n".join(rows) + "\n")
    table = read_table(path, schema)
    assert check_table(table, schema) == []
    assert len(confidential_columns(table, schema)) == columns
    assert empty_release(schema).num_columns == columns
    assert len(plan(schema, 20, 1).leaves()) >= columns
    schema.save(tmp_path / "wide.toml")
    done = CliRunner().invoke(app, ["check", str(path), "-s", str(tmp_path / "wide.toml")])
    assert done.exit_code == 0, done.output[-500:]


def test_predictors_beyond_measure_are_refused_with_advice() -> None:
    with pytest.raises(SchemaError, match=r"more than 200000 predictors in all.*predictors = \[\]"):
        plan(wide_schema(WIDE), 20, 1)


def test_a_hundred_columns_that_explain_each_other_are_planned() -> None:
    # Dropping slopes one by one used to take time in the fifth power of the columns: minutes for these.
    assert plan(wide_schema(300), 5000, 1).cost == 1


@pytest.mark.parametrize("content", [b"jobs,pay\n1,", b'jobs,pay\n1,"', b"", b"jobs,pay,"])
def test_a_line_of_a_gigabyte_is_given_up_early(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "line.csv"
    with path.open("wb") as file:  # a hole in the file: it takes no room, and reads as one line
        file.write(content)
        file.truncate(2**30)
    with pytest.raises(DataError, match="no row longer than a megabyte"):
        read_table(path, NARROW)


def test_a_gigabyte_of_zeros_is_no_parquet_file(tmp_path: Path) -> None:
    path = tmp_path / "zeros.parquet"
    with path.open("wb") as file:
        file.write(b"PAR1")
        file.truncate(2**30)
    with pytest.raises(DataError, match="cannot read"):
        read_table(path, NARROW)


def test_a_table_beyond_the_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*arguments: object, **options: object) -> None:
        raise MemoryError("malloc of size 73917391 failed")

    monkeypatch.setattr(pyarrow.csv, "read_csv", exhausted)
    (tmp_path / "t.csv").write_text("jobs,pay\n1,2\n")
    with pytest.raises(DataError, match="does not fit into memory") as caught:
        read_table(tmp_path / "t.csv", NARROW)
    assert "73917391" not in str(caught.value)
