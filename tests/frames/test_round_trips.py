"""What a schema declares stands in every kind of file: types, labels, order, decimals, missing codes; no more."""

from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest

from quantail.errors import DataError
from quantail.frames import check_table, confidential_columns, release_table
from quantail.io import open_source, read_header, read_table, write_table
from quantail.io.codebook import Codebook
from quantail.io.statistical_files import tag_code
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer

SAS_FILE = Path(__file__).parent / "data" / "wages.sas7bdat"

TYPED = ("parquet", "feather", "arrow", "sqlite", "duckdb", "pg")  # these know every type
KINDS = (*TYPED, "csv", "xlsx", "dta", "sav", "xpt")

SCHEMA = Schema(
    (
        Column("pay", "numeric", 0, 10_000, decimals=2, missing=True, label="Yearly pay, with a céntime"),
        Column("sex", "category", categories=("1", "2"), storage="int8"),
        Column("jobs", "integer", 0, 500, missing_codes=(-8, -9), storage="int16"),
        Column("moment", "datetime", "1990-01-01", "2030-12-31", missing=True, storage="timestamp[ms]"),
        Column("region", "category", categories=("north", "south", "so=uth, 'x'")),
        Column("day", "date", "1950-01-01", "2030-12-31"),
    ),
    unit="person",
    name="Wages of 2020",
)
ROWS = {
    "pay": [1200.25, None, 0.1, 99.99],
    "sex": [1, 2, 1, 2],
    "jobs": [3, -8, 500, -9],
    "moment": [
        datetime(2020, 2, 29, 13, 30, 5),
        None,
        datetime(1999, 12, 31, 23, 59, 59),
        datetime(2000, 1, 1),
    ],
    "region": ["north", "so=uth, 'x'", "south", "north"],
    "day": [date(2020, 2, 29), date(1950, 1, 1), date(1969, 12, 31), date(2000, 1, 1)],
}
PLAIN = pa.table(ROWS, schema=pa.schema({
    "pay": pa.float64(), "sex": pa.int8(), "jobs": pa.int16(), "moment": pa.timestamp("ms"),
    "region": pa.string(), "day": pa.date32(),
}))  # fmt: skip


def reborn(source, schema=SCHEMA):
    """Make the synthetic copy of a table that a model which knows it by heart would make."""
    return release_table(confidential_columns(read_table(source, schema), schema), schema, "pyarrow")


def assert_alike(original, copy, schema=SCHEMA):
    one, other = read_table(original, schema), read_table(copy, schema)
    assert other.schema.equals(one.schema), other.schema
    assert other.to_pydict() == one.to_pydict()
    assert read_header(original) == read_header(copy)


@pytest.fixture
def places(request, tmp_path):
    """Where an original is, and where its copy shall go."""
    kind = request.param
    if kind == "pg":
        server = request.getfixturevalue("postgres")
        mark = uuid4().hex
        yield f"{server}#original_{mark}", f"{server}#copy_{mark}"
    elif kind in ("sqlite", "duckdb"):
        yield f"{kind}:///{tmp_path}/a.db#original", f"{kind}:///{tmp_path}/b.db#copy"
    else:
        yield str(tmp_path / f"original.{kind}"), str(tmp_path / f"copy.{kind}")


@pytest.mark.parametrize("places", KINDS, indirect=True)
def test_every_kind_of_table_comes_back_as_it_was(places):
    original, copy = places
    write_table(PLAIN, original)
    write_table(reborn(original), copy)
    assert_alike(original, copy)
    assert read_table(copy, SCHEMA).column_names == list(ROWS)
    numbers = read_table(copy, SCHEMA)
    assert numbers["pay"].to_pylist() == ROWS["pay"]
    assert numbers["jobs"].to_pylist() == ROWS["jobs"]


@pytest.mark.parametrize("places", KINDS, indirect=True)
def test_chunks_are_the_table_in_order_and_in_its_types(places):
    original, _ = places
    write_table(pa.concat_tables([PLAIN] * 5), original)
    source = open_source(original, SCHEMA)
    chunks = list(source.chunks(3))
    assert all(1 <= chunk.num_rows <= 3 for chunk in chunks)
    assert all(chunk.schema.equals(source.types) for chunk in chunks)
    assert pa.concat_tables(chunks).to_pydict() == source.read().to_pydict()
    assert source.names == tuple(ROWS)
    assert source.rows in (None, 20)
    assert [chunk.num_rows for chunk in source.chunks(3)] == [chunk.num_rows for chunk in chunks]


@pytest.mark.parametrize("places", TYPED, indirect=True)
def test_types_of_databases_and_arrow_files_are_kept(places):
    original, copy = places
    columns = {
        "size": pa.array([1, 2], pa.int16()),
        "count": pa.array([1, None], pa.int64()),
        "open": [True, None],
        "rent": pa.array([Decimal("1.50"), None], pa.decimal128(9, 2)),
        "text": ['quo"te,\nline', ""],
    }
    write_table(pa.table(columns), original)
    write_table(read_table(original), copy)
    assert read_table(copy).schema.equals(pa.table(columns).schema)
    assert read_table(copy).to_pydict() == pa.table(columns).to_pydict()


@pytest.mark.parametrize("places", ["dta", "sav"], indirect=True)
def test_through_a_fitted_model(places, tmp_path):
    """The whole way: a file, a fit, a saved model, a draw, a file; what is synthetic is of the same kind."""
    original, copy = places
    write_table(pa.concat_tables([PLAIN] * 50), original)
    fitted = TableSynthesizer(SCHEMA, 50, noise="simulated", seed=1).fit(read_table(original, SCHEMA))
    fitted.save(tmp_path / "model.json")
    write_table(TableModel.load(tmp_path / "model.json").sample(seed=1), copy)
    one, other = read_table(original, SCHEMA), read_table(copy, SCHEMA)
    assert other.schema.equals(one.schema)
    assert Codebook.of(other).entry("pay").label == "Yearly pay, with a céntime"
    assert not check_table(other, SCHEMA)
    drawn = other.to_pydict()
    assert {-8, -9} & set(drawn["jobs"]) and set(drawn["jobs"]) <= {-8, -9, *range(501)}
    assert None in drawn["pay"] and all(pay is None or round(pay, 2) == pay for pay in drawn["pay"])


LABELS = {"sex": {1: "men", 2: "women"}}


def frame():
    shown = pd.DataFrame(PLAIN.drop(["moment"]).to_pylist(), columns=["pay", "sex", "jobs", "region", "day"])
    return shown.astype({"sex": "int32", "jobs": "int32"})


SCHEMA_WITHOUT_MOMENT = replace(SCHEMA, columns=tuple(c for c in SCHEMA.columns if c.name != "moment"))


def test_an_spss_file_has_the_labels_formats_measures_and_missing_codes_of_the_schema(tmp_path):
    original, copy = tmp_path / "original.sav", tmp_path / "copy.sav"
    pyreadstat.write_sav(
        frame(), original, file_label="HEADER", column_labels={"pay": "HEADER", "sex": "HEADER"}
    )
    write_table(reborn(original, SCHEMA_WITHOUT_MOMENT), copy)
    assert b"HEADER" not in copy.read_bytes()
    _, head = pyreadstat.read_sav(copy, user_missing=True)
    assert head.file_label == "Wages of 2020"
    assert head.column_names_to_labels["pay"] == "Yearly pay, with a céntime"
    assert {part["lo"] for part in head.missing_ranges["jobs"]} == {-8.0, -9.0}
    assert head.variable_measure["sex"] == "nominal" and head.variable_measure["pay"] == "scale"
    formats = head.original_variable_types
    assert (formats["pay"], formats["jobs"], formats["day"]) == ("F8.2", "F3.0", "DATE11")


def test_a_stata_file_has_the_labels_formats_storage_and_missing_letters_of_the_schema(tmp_path):
    original, copy = tmp_path / "original.dta", tmp_path / "copy.dta"
    shown = frame()
    shown["jobs"] = pd.Series([3, "a", 500, "z"], dtype=object)
    pyreadstat.write_dta(
        shown,
        original,
        version=14,
        file_label="HEADER",
        column_labels={"pay": "HEADER"},
        variable_value_labels={"sex": {1: "HEADER"}},
        missing_user_values={"jobs": ["a", "z"]},
    )
    columns = [c for c in SCHEMA_WITHOUT_MOMENT.columns if c.name != "jobs"]
    codes = (tag_code("a"), tag_code("z"))
    jobs = Column("jobs", "integer", 0, 500, missing_codes=codes)
    schema = Schema((*columns, jobs, Column("open", "boolean")), unit="person", name="Wages of 2020")
    table = read_table(original, schema).append_column("open", pa.array([True, False, True, True]))
    made = release_table(confidential_columns(table, schema), schema, "pyarrow")
    write_table(made, copy)
    assert b"HEADER" not in copy.read_bytes()
    again, head = pyreadstat.read_dta(copy, user_missing=True)
    assert again["jobs"].tolist() == [3, "a", 500, "z"]
    assert head.file_label == "Wages of 2020"
    assert head.column_names_to_labels["pay"] == "Yearly pay, with a céntime"
    assert head.variable_value_labels == {"open": {0: "false", 1: "true"}}
    assert head.readstat_variable_types == {
        "pay": "double", "sex": "int8", "region": "string", "day": "int32", "jobs": "int16", "open": "int8",
    }  # fmt: skip
    assert head.original_variable_types["pay"] == "%8.2f" and head.original_variable_types["day"] == "%td"


def test_letters_that_are_not_declared_are_missing_values(tmp_path):
    shown = pd.DataFrame({"jobs": pd.Series([3, "a", 500], dtype=object)})
    pyreadstat.write_dta(shown, tmp_path / "t.dta", missing_user_values={"jobs": ["a"]})
    assert read_table(tmp_path / "t.dta")["jobs"].to_pylist() == [3, None, 500]
    told = refused(lambda: confidential_columns(
        read_table(tmp_path / "t.dta"), Schema((Column("jobs", "integer", 0, 500),), unit="person")
    ))  # fmt: skip
    assert "holds missing values" in told


def refused(action):
    with pytest.raises(DataError) as caught:
        action()
    return str(caught.value)


def test_stata_itself_would_read_our_files_as_pandas_does(tmp_path):
    # Another reader than ours, for every storage type, its missing value and its largest value.
    types = {"b": pa.int8(), "i": pa.int16(), "l": pa.int32(), "f": pa.float32(), "d": pa.float64()}
    largest = {"b": 100, "i": 32_740, "l": 2_147_483_620, "f": 1.5e38, "d": 8.9e307}
    full = pa.table({name: pa.array([largest[name], -5], kind) for name, kind in types.items()})
    write_table(full, tmp_path / "full.dta")
    assert [str(kind) for kind in pd.read_stata(tmp_path / "full.dta").dtypes] == [
        "int8", "int16", "int32", "float32", "float64",
    ]  # fmt: skip
    table = pa.table({name: pa.array([largest[name], None, -5], kind) for name, kind in types.items()})
    write_table(table, tmp_path / "t.dta")
    shown = pd.read_stata(tmp_path / "t.dta")
    for name in types:
        assert shown[name].isna().tolist() == [False, True, False]
        assert shown[name][0] == pytest.approx(largest[name], rel=1e-6)
    wide = pa.table({"b": pa.array([101, 1], pa.int8())})  # 101 would mean a missing value in a byte
    write_table(wide, tmp_path / "wide.dta")
    assert pd.read_stata(tmp_path / "wide.dta")["b"].tolist() == [101, 1]


def test_a_sas_file_becomes_a_transport_file(tmp_path):
    schema = Schema(
        (
            Column("sex", "category", categories=("1", "2"), storage="int8"),
            Column("region", "category", categories=("north", "south")),
            Column("pay", "numeric", 0, 10_000, decimals=2, missing=True),
            Column("day", "date", "1950-01-01", "2030-12-31", label="First day of all"),
        ),
        unit="person",
    )
    assert read_table(SAS_FILE)["day"].to_pylist()[0] == date(2020, 1, 1)
    assert read_table(SAS_FILE)["pay"].to_pylist() == [1200.5, None, 880.25, 43.0]
    write_table(reborn(SAS_FILE, schema), tmp_path / "copy.xpt")
    copy = read_table(tmp_path / "copy.xpt")
    assert copy.to_pydict() == read_table(SAS_FILE).select(copy.column_names).to_pydict()
    entry = Codebook.of(copy).entry("day")
    assert (entry.label, entry.format) == ("First day of all", "DATE9")
    assert "can only be read" in refused(lambda: write_table(PLAIN, tmp_path / "copy.sas7bdat"))


def test_a_codebook_survives_parquet_and_arrow_files(tmp_path):
    pyreadstat.write_dta(
        frame(), tmp_path / "a.dta", column_labels={"pay": "Pay"}, variable_value_labels=LABELS
    )
    book = Codebook.of(read_table(tmp_path / "a.dta"))
    assert book.entry("pay").label == "Pay"
    for name in ("b.parquet", "b.feather"):
        write_table(read_table(tmp_path / "a.dta"), tmp_path / name)
        assert Codebook.of(read_table(tmp_path / name)) == book
        write_table(read_table(tmp_path / name), tmp_path / f"{name}.dta")
        assert Codebook.of(read_table(tmp_path / f"{name}.dta")) == book


def test_formats_of_one_program_are_not_written_for_another(tmp_path):
    pyreadstat.write_dta(
        frame(), tmp_path / "a.dta", column_labels={"pay": "Pay"}, variable_value_labels=LABELS
    )
    write_table(read_table(tmp_path / "a.dta"), tmp_path / "b.sav")
    write_table(read_table(tmp_path / "a.dta"), tmp_path / "b.xpt")
    for name in ("b.sav", "b.xpt"):
        table = read_table(tmp_path / name)
        assert table["day"].to_pylist() == ROWS["day"]
        assert Codebook.of(table).entry("pay").label == "Pay"
    assert Codebook.of(read_table(tmp_path / "b.sav")).entry("sex").values == ((1.0, "men"), (2.0, "women"))


@pytest.mark.parametrize("suffix", ["dta", "sav", "xpt"])
def test_names_and_texts_that_a_format_lacks_are_refused(tmp_path, suffix):
    told = refused(lambda: write_table(pa.table({"a name": ["CANARY-7"]}), tmp_path / f"t.{suffix}"))
    assert "CANARY" not in told
    assert not list(tmp_path.iterdir())


def test_text_in_workbooks_is_never_a_formula(tmp_path):
    path = tmp_path / "t.xlsx"
    write_table(pa.table({"code": ["=1+1", "007", "x"], "pay": [1.0, 2.0, None]}), path)
    assert read_table(path).to_pydict() == {"code": ["=1+1", "007", "x"], "pay": [1.0, 2.0, None]}


@pytest.mark.parametrize("kind", ["dta", "sav"])
def test_what_a_program_made_of_the_rows_does_not_reach_the_copy(tmp_path, kind):
    """Text widths, storage types that `compress` chose, labels and formats: the bytes are the same without them."""
    schema = Schema(
        (
            Column("region", "category", categories=("north", "far south"), other=True),
            Column("size", "integer", 0, 500),
            Column("open", "boolean"),
            Column("day", "date", "2020-01-01", "2020-12-31"),
        ),
        unit="person",
    )
    first = {"region": ["north", "north"], "size": [3, 99], "open": ["1", "0"], "day": ["2020-01-01"] * 2}
    other = {"region": ["north", "a region of one"], "size": [3, 101], "open": ["1", "false"]}
    other["day"] = ["2020-01-01", "2020-01-01 00:00"]
    made = []
    for number, rows in enumerate((first, other)):
        shown = pd.DataFrame(rows).astype({"size": "int8" if number == 0 else "int16"})
        getattr(pyreadstat, f"write_{kind}")(shown, tmp_path / f"{number}.{kind}")
        table = read_table(tmp_path / f"{number}.{kind}", schema)
        fitted = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(pa.concat_tables([table] * 20))
        parts = {"region": [0, 1], "size": [7.0, 8.0], "open": [0, 1], "day": [3.0, 4.0]}
        drawn = release_table(
            {name: pd.array(v).to_numpy() for name, v in parts.items()}, schema, fitted.library
        )
        write_table(drawn, tmp_path / f"copy-{number}.{kind}")
        made.append((tmp_path / f"copy-{number}.{kind}").read_bytes())
    assert made[0] == made[1]
