"""Under add/remove a table without rows is a table like any other: nothing but noisy answers tells that it is one."""

from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from quantail.auditing.replay import replay
from quantail.cli import app
from quantail.errors import DataError
from quantail.frames import check_table
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

NUMBERS = (
    Column("jobs", "integer", 0, 500, grid="log", source="rules"),
    Column("debt", "numeric", -1e4, 1e4, grid="log", resolution=1.0, source="rules"),
)
COLUMNS = (Column("kind", "category", categories=("a", "b"), source="rules"), *NUMBERS)
ONE = {"kind": ["b"], "jobs": [500], "debt": [-1e4]}


def schema_of(columns, neighbours: str = "add-remove", **facts) -> Schema:
    return Schema(columns, "firm", neighbours=neighbours, **facts)


@pytest.mark.parametrize(
    ("columns", "method"), [(COLUMNS, "tables"), (NUMBERS, "kng"), (NUMBERS, "sandwich")]
)
def test_the_only_row_can_be_taken_out_at_the_price_of_one(columns, method) -> None:
    maker = TableSynthesizer(schema_of(columns), 2, method=method)
    full = pa.table({name: ONE[name] for name in maker.schema.names})
    found = replay(maker, full, full.slice(0, 0), 3, removed=0)
    assert found.kept and found.total <= 2 + 1e-9


def test_a_table_without_rows_is_refused_where_its_number_is_public() -> None:
    empty = pa.table(ONE).slice(0, 0)
    assert [problem.what for problem in check_table(empty, schema_of(COLUMNS, "replace-one"))] == [
        "has no rows"
    ]
    assert check_table(empty, schema_of(COLUMNS)) == []
    with pytest.raises(DataError, match="has no rows"):
        TableSynthesizer(schema_of(COLUMNS, "replace-one"), 1).fit(empty)


def test_a_missing_column_is_missing_all_the_same() -> None:
    (problem,) = check_table(pa.table(ONE).slice(0, 0).drop_columns(["jobs"]), schema_of(COLUMNS))
    assert problem.column == "jobs"


def test_a_file_with_a_header_alone_is_released_like_any_other(tmp_path: Path) -> None:
    schema_of(COLUMNS, name="firms").save(tmp_path / "schema.toml")
    (tmp_path / "firms.csv").write_text("kind,jobs,debt\n")
    options = [
        "-s",
        tmp_path / "schema.toml",
        "-e",
        "1",
        "-l",
        tmp_path / "l",
        "--new-ledger",
        "-o",
        tmp_path / "out.csv",
    ]
    done = CliRunner().invoke(app, ["synth", str(tmp_path / "firms.csv"), *map(str, options)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out.card.md").exists()
