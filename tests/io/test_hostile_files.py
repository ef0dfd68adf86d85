"""Broken files and unwilling databases: our own errors, without values, names of users or passwords."""

import importlib
import json
import sqlite3
from contextlib import closing
from dataclasses import asdict

import pyarrow as pa
import pytest

from quantail.errors import DataError, OptionError
from quantail.io import Place, check_output, open_source, read_header, read_table, write_table
from quantail.io.codebook import Codebook, Entry
from quantail.io.files import FORMATS
from quantail.schema import Column, Schema

TABLE = pa.table({"region": ["CANARY-7"] * 50, "pay": [918273.645] * 50})
WRITTEN = [suffix for suffix, kind in FORMATS.items() if kind.write is not None]
SECRET = "geheim-7"


def told_by(action):
    with pytest.raises(DataError) as caught:
        action()
    error = caught.value
    assert error.__cause__ is None and error.__context__ is None  # nor a link to what a reader said
    for word in ("CANARY", "918273", SECRET):
        assert word not in str(error)
    return str(error)


def every_way(where):
    """Open a table in each way a caller may; each must fail with a product error."""
    told = told_by(lambda: read_table(where))
    assert told_by(lambda: read_header(where))
    assert told_by(lambda: list(open_source(where).chunks(7)))
    return told


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("content", [b"", b"CANARY-7", b"CANARY-7,918273.645\n\xff\xfe\x00" * 40])
def test_other_content_than_the_name_says(tmp_path, suffix, content):
    path = tmp_path / f"t{suffix}"
    path.write_bytes(content)
    if suffix in (".csv", ".tsv", ".txt") and b"\xff" not in content and content:
        return  # a header without rows is a table
    assert f"cannot read {path}" in every_way(path)


# Text and transport files have no end mark: cut short they are shorter tables.
@pytest.mark.parametrize("suffix", [suffix for suffix in WRITTEN if suffix not in (".csv", ".xpt")])
@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_truncated_files(tmp_path, suffix, kept):
    path = tmp_path / f"t{suffix}"
    write_table(TABLE, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    told_by(lambda: read_table(path))


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_database_files_that_are_none(tmp_path, scheme):
    path = tmp_path / "a.db"
    assert "does not exist" in told_by(lambda: open_source(f"{scheme}:///{path}#pay"))
    path.write_bytes(b"CANARY-7" * 500)
    every_way(f"{scheme}:///{path}#pay")
    told_by(lambda: write_table(TABLE, f"{scheme}:///{path}#pay"))
    told_by(lambda: check_output(f"{scheme}:///{path}#pay"))
    assert path.read_bytes() == b"CANARY-7" * 500


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_tables_that_are_not_there(tmp_path, scheme):
    write_table(TABLE, f"{scheme}:///{tmp_path}/a.db#pay")
    every_way(f"{scheme}:///{tmp_path}/a.db#nothing")
    # A name is a name, never a statement, a variable of Python or a file.
    for name in ("TABLE", 'pay"; DROP TABLE pay; --', "pay%23x", f"{tmp_path.name}.csv"):
        told_by(lambda name=name: read_table(f"{scheme}:///{tmp_path}/a.db#{name.replace('/', '')}"))
    assert read_table(f"{scheme}:///{tmp_path}/a.db#pay").num_rows == 50


def test_values_of_another_type_than_declared(tmp_path):
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("CREATE TABLE pay (amount INTEGER, day DATE)")
        connection.execute("INSERT INTO pay VALUES ('CANARY-7', '2020-01-01'), (1, 'CANARY-7')")
    told = told_by(lambda: read_table(f"sqlite:///{tmp_path}/a.db#pay"))
    assert "column 'amount'" in told


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("scheme", ["sqlite", "duckdb", "postgresql"])
def test_a_failure_half_way_changes_nothing_in_a_database(tmp_path, scheme, overwrite, request):
    base = request.getfixturevalue("postgres") if scheme == "postgresql" else f"{scheme}:///{tmp_path}/a.db"
    where = f"{base}#half_{overwrite}"
    before = pa.table({"pay": [1.5]})
    if overwrite:
        write_table(before, where)
    bad = pa.table({"pay": [1.5], "nested": [["CANARY-7"]]}) if scheme != "duckdb" else _unwritable()
    told_by(lambda: write_table(bad, where, overwrite=overwrite))
    assert overwrite == any(tmp_path.iterdir()) or scheme == "postgresql"
    if overwrite:
        assert read_table(where).to_pydict() == before.to_pydict()
    elif scheme != "postgresql":
        write_table(before, where)
    assert check_output(where, overwrite=True)


def _unwritable():
    return pa.table({"pay": [1.5], "gap": pa.array([2**80], pa.decimal256(60, 0))})


def test_a_server_that_refuses_is_told_without_credentials(postgres):
    address = postgres.partition("@")[2]
    for url in (
        f"{postgres}#nothing",
        f"postgresql://nobody:{SECRET}@{address}#pay",
        f"postgresql://quantail:{SECRET}@{address}x#pay",
        f"postgresql://quantail:{SECRET}@127.0.0.1:1/db?password={SECRET}#pay",
    ):
        told = every_way(url)
        assert "nobody" not in told and "password=" not in told


@pytest.mark.parametrize(
    "url",
    [
        f"mysql://ann:{SECRET}@host/db#pay",
        f"postgresql://ann:{SECRET}@host/db",
        f"postgresql://ann:{SECRET}@host#pay",
        f"postgresql://ann:x/{SECRET}@host/db#pay",
        f"postgresql://ann:x#{SECRET}@host/db#pay",
        f"postgresql://ann:{SECRET}@[host/db#pay",
        "sqlite://#pay",
        "duckdb:///#pay",
    ],
)
def test_urls_that_cannot_be_read_are_not_quoted(url):
    told = told_by(lambda: Place.of(url))
    assert "postgresql://user@host/database#table" in told and "ann" not in told


def test_a_place_shows_no_credentials():
    place = Place.of(f"postgres://ann:{SECRET}@host:5432/db?sslpassword={SECRET}#public.pay")
    assert str(place) == "postgresql://host:5432/db#public.pay"
    assert SECRET not in repr(place) and "ann" not in repr(place)
    assert Place.of("sqlite:///a%23b.db#pay").path.name == "a#b.db"
    assert str(Place.of("sqlite:////x/a.db#pay").path) == "/x/a.db"


@pytest.mark.parametrize(
    ("where", "package", "extra"),
    [
        ("t.dta", "pyreadstat", "files"),
        ("t.xlsx", "openpyxl", "files"),
        ("duckdb:///t.db#pay", "duckdb", "databases"),
        ("postgresql://host/db#pay", "psycopg", "databases"),
    ],
)
def test_a_package_that_is_not_installed_is_named_with_its_extra(
    tmp_path, monkeypatch, where, package, extra
):
    monkeypatch.chdir(tmp_path)
    for name in ("t.dta", "t.xlsx", "t.db"):
        (tmp_path / name).write_bytes(b"x")

    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    told = told_by(lambda: read_table(where))
    assert package in told and f'pip install "quantail[{extra}]"' in told


def test_streams_of_csv_need_a_schema_where_later_rows_are_of_another_type(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("pay,code\n" + "1,7\n" * 300_000 + "1.5,007\n")
    assert "pass a schema" in told_by(lambda: list(open_source(path).chunks(50_000)))
    schema = Schema(
        (Column("pay", "integer", 0, 10), Column("code", "category", categories=("7", "007"))), unit="firm"
    )
    chunks = list(open_source(path, schema).chunks(50_000))
    assert sum(chunk.num_rows for chunk in chunks) == 300_001 and len(chunks) > 6
    assert chunks[-1].to_pydict()["pay"][-1] == 1.5
    assert chunks[-1].to_pydict()["code"][-1] == "007"


def test_folders_of_parquet(tmp_path):
    for year, count in ((2019, 3), (2020, 2)):
        (tmp_path / f"year={year}").mkdir()
        write_table(pa.table({"pay": [float(year)] * count}), tmp_path / f"year={year}" / "part.parquet")
    source = open_source(tmp_path)
    assert source.rows == 5 and set(source.names) == {"pay", "year"}
    assert source.read()["year"].to_pylist() == [2019] * 3 + [2020] * 2
    assert [chunk.num_rows for chunk in source.chunks(2)] == [2, 1, 2]
    assert read_header(tmp_path) == {"pay": "numeric", "year": "integer"}
    write_table(pa.table({"pay": ["CANARY-7"]}), tmp_path / "year=2020" / "other.parquet")
    told_by(lambda: read_table(tmp_path))


def test_bad_sizes_of_chunks_are_refused(tmp_path):
    write_table(TABLE, tmp_path / "t.csv")
    for size in (0, -1, 1.5, True):
        with pytest.raises(OptionError, match="batch_rows"):
            open_source(tmp_path / "t.csv").chunks(size)


@pytest.mark.parametrize(
    "damage",
    [
        None,
        [],
        {"label": "", "columns": {}},
        {"program": "", "label": 7, "columns": {}},
        {"program": "", "label": "", "columns": {"pay": {"label": ""}}},
        {"program": "spss", "label": "", "columns": {"pay": {**asdict(Entry()), "measure": 7}}},
        {"program": "spss", "label": "", "columns": {"pay": {**asdict(Entry()), "values": [[1]]}}},
        {"program": "spss", "label": "", "columns": {"pay": {**asdict(Entry()), "missing": [[None, 1]]}}},
        {"program": "spss", "label": "", "columns": {"pay": {**asdict(Entry()), "width": float("inf")}}},
    ],
)
def test_a_table_with_a_damaged_codebook_is_read_and_written_without_it(damage, tmp_path):
    table = TABLE.replace_schema_metadata({"quantail.codebook": json.dumps(damage)})
    assert not Codebook.of(table)
    for suffix in (".parquet", ".dta", ".sav", ".xpt"):
        write_table(table, tmp_path / f"t{suffix}")
        assert read_table(tmp_path / f"t{suffix}").to_pydict() == TABLE.to_pydict()
