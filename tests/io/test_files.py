"""Files are read without quoting a cell, and written completely or not at all."""

import os
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quantail.errors import DataError
from quantail.frames import confidential_columns
from quantail.io import check_output, read_header, read_table, write_table
from quantail.io import files as files_module
from quantail.schema import Column, Schema, draft

TABLE = {"region": ["north", 'so"uth, x', "line\nend"], "jobs": [1, 2, 3], "pay": [0.1, 1e20, -2.5]}
KINDS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def told_by(action):
    with pytest.raises(DataError) as caught:
        action()
    # No link to the reader's own error either, which may quote cells.
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".CSV"])
def test_what_is_written_reads_back(tmp_path, kind, suffix):
    path = tmp_path / f"table{suffix}"
    write_table(KINDS[kind](TABLE), path)
    assert read_table(path).to_pydict() == TABLE
    assert read_table(str(path)).column_names == list(TABLE)
    assert os.listdir(tmp_path) == [path.name]


def test_categoricals_are_written_as_their_labels(tmp_path):
    for name in ("t.csv", "t.parquet"):
        write_table(pd.DataFrame({"region": pd.Categorical(["b", "a"])}), tmp_path / name)
        assert read_table(tmp_path / name)["region"].to_pylist() == ["b", "a"]


def test_names_in_a_csv_header_are_quoted_only_where_needed(tmp_path):
    path = tmp_path / "t.csv"
    write_table(pa.table({"pay": [1.5], 'a "b", c': [2]}), path)
    assert path.read_text(encoding="utf-8").splitlines()[0] == 'pay,"a ""b"", c"'
    assert read_table(path).column_names == ["pay", 'a "b", c']


def test_csv_details(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbfpay,region\r\n1.5,NA\r\n2,x\r\n")
    assert read_table(path).to_pydict() == {"pay": [1.5, 2.0], "region": ["NA", "x"]}


SCHEMA = Schema(
    (
        Column("code", "category", categories=("007", "011")),
        Column("open", "category", categories=("true", "false", "NA")),
        Column("pay", "numeric", 0, 10),
        Column("jobs", "integer", 0, 10),
    ),
    unit="firm",
)


def test_with_a_schema_labels_stay_as_written_and_numbers_are_floats(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code,open,pay,jobs\n007,true,1,2\n011,NA,2,3\n")
    table = read_table(path, SCHEMA)
    assert table["code"].to_pylist() == ["007", "011"]
    assert table.schema.field("pay").type == pa.float64()
    assert table.schema.field("jobs").type == pa.int64()
    columns = confidential_columns(table, SCHEMA)
    assert columns["code"].tolist() == [0, 1]
    assert columns["open"].tolist() == [0, 2]


def test_text_among_numbers_is_left_to_the_border_which_names_the_column(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("code,open,pay,jobs\n007,true,CANARY-7,2\n007,true,3,2\n")
    told = told_by(lambda: confidential_columns(read_table(path, SCHEMA), SCHEMA))
    assert "column 'pay' does not hold numbers" in told
    assert "CANARY" not in told


BAD_FILES = {
    "ragged.csv": b"a,b\n1,2\nCANARY-7\n",
    "empty.csv": b"",
    "latin.csv": b"code,b\nCANARY-7\xff,2\n",
    "text.parquet": b"CANARY-7 and more of the same",
    "short.parquet": b"PAR1CANARY-7PAR1",
    "empty.parquet": b"",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_damaged_files_are_refused_without_quoting_them(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(BAD_FILES[name])
    told = told_by(lambda: read_table(path, SCHEMA))
    assert f"cannot read {path}" in told
    assert "CANARY" not in told


def test_a_truncated_parquet_file_is_refused(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(pa.table({"region": ["CANARY-7"] * 100}), path)
    path.write_bytes(path.read_bytes()[:-20])
    for read in (read_table, read_header):
        assert "CANARY" not in told_by(lambda read=read: read(path))


def test_missing_files_folders_and_other_kinds_are_refused(tmp_path):
    assert "does not exist" in told_by(lambda: read_table(tmp_path / "no.csv"))
    assert "complete Parquet files" in told_by(lambda: read_table(tmp_path))
    other = tmp_path / "t.docx"
    other.write_bytes(b"CANARY-7")
    for read in (read_table, read_header):
        assert "read as .csv, .tsv, .txt, .parquet" in told_by(lambda read=read: read(other))


def test_an_unreadable_file_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")

    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "Permission denied" in told_by(lambda: read_table(path))


def test_headers_tell_names_and_declared_types(tmp_path):
    write_table(pa.table({**TABLE, "open": [True, False, True]}), tmp_path / "t.parquet")
    header = read_header(tmp_path / "t.parquet")
    assert header == {"region": "category", "jobs": "integer", "pay": "numeric", "open": "boolean"}
    assert draft(header) == draft(pa.table({**TABLE, "open": [True, False, True]}))


@pytest.mark.parametrize("name", ["t.csv", "t.xlsx"])
def test_the_header_of_a_file_without_declared_types_tells_names_only(tmp_path, name):
    # On a0899be types were inferred from all values: one cell of 3.5 among whole numbers changed the draft.
    drafts = set()
    for jobs in ([1, 2, 3], [1, 2, 3.5], [1, 2, None], ["x", "1", "2"], [None, None, None]):
        path = tmp_path / f"{len(drafts)}-{len(str(jobs))}-{name}"
        write_table(pa.table({"region": ["a", "b", "c"], "jobs": jobs, "open": [True, False, None]}), path)
        assert read_header(path) == {"region": "", "jobs": "", "open": ""}
        drafts.add(draft(read_header(path)))
    assert len(drafts) == 1


def test_the_header_of_a_csv_file_is_read_without_its_rows(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(b'\xef\xbb\xbf\n"a ""b""\nc",pay\n' + b"\xff\xfe,,,, ragged and not UTF-8\n")
    assert list(read_header(path)) == ['a "b"\nc', "pay"]
    path.write_bytes(b"caf\xe9,pay\n1,2\n")
    assert list(read_header(path)) == ["caf\u00e9", "pay"]
    assert "UTF-8" in told_by(lambda: read_table(path))


def test_the_header_of_a_parquet_file_is_read_from_its_metadata(tmp_path, monkeypatch):
    write_table(pa.table(TABLE), tmp_path / "t.parquet")
    monkeypatch.setattr(pq, "ParquetFile", None)
    assert read_header(tmp_path / "t.parquet")["pay"] == "numeric"


@pytest.mark.parametrize("text", ["918273.645,CANARY-7\n1.5,x\n", "918273,12\n1,2\n", "-918273,a\n3,b\n"])
def test_a_file_without_a_header_is_refused_rather_than_drafted(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(text)
    told = told_by(lambda: read_header(path))
    assert "column names" in told
    assert "918273" not in told


def test_years_may_be_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("firm,2019,2020\n1,2,3\n")
    assert list(read_header(path)) == ["firm", "2019", "2020"]


def test_an_existing_output_is_kept_unless_overwriting_is_asked_for(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("precious")
    assert "exists already" in told_by(lambda: write_table(pa.table(TABLE), path))
    assert "exists already" in told_by(lambda: check_output(path))
    assert path.read_text() == "precious"
    write_table(pa.table(TABLE), path, overwrite=True)
    assert read_table(path).to_pydict() == TABLE


def test_bad_outputs_are_refused_before_anything_is_written(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for name, said in [
        ("no/t.csv", "does not exist"),
        ("t.docx", "written as .csv, .parquet"),
        ("folder.csv", "folder"),
    ]:
        assert said in told_by(lambda name=name: check_output(tmp_path / name, overwrite=True))
    assert os.listdir(tmp_path) == ["folder.csv"]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), pa.ArrowInvalid("CANARY-7")])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_failure_half_way_leaves_nothing_behind(tmp_path, monkeypatch, failure, overwrite):
    path = tmp_path / "t.csv"
    if overwrite:
        path.write_text("precious")

    def fail(write, table, partial):
        partial.write_bytes(b"half")
        raise failure

    monkeypatch.setattr(files_module, "_write", fail)
    told = told_by(lambda: write_table(pa.table(TABLE), path, overwrite=overwrite))
    assert "cannot write" in told
    assert "CANARY" not in told
    assert os.listdir(tmp_path) == (["t.csv"] if overwrite else [])
    assert not overwrite or path.read_text() == "precious"


def test_an_interrupt_leaves_nothing_behind(tmp_path, monkeypatch):
    def interrupt(write, table, partial):
        partial.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(files_module, "_write", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_table(pa.table(TABLE), tmp_path / "t.csv")
    assert os.listdir(tmp_path) == []


def test_nested_columns_cannot_be_written_as_csv(tmp_path):
    told = told_by(lambda: write_table(pa.table({"a": [["CANARY-7"]]}), tmp_path / "t.csv"))
    assert "CANARY" not in told
    assert os.listdir(tmp_path) == []
