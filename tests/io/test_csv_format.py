"""CSV files of any form: recognised from the header, told by the schema, never guessed from rows."""

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import DataError, SchemaError
from quantail.frames import check_table
from quantail.io import csv_format, open_source, read_header, read_released, read_table
from quantail.io.written_numbers import written_numbers
from quantail.schema import Column, CsvFormat, Schema

COLUMNS = (Column("größe", "numeric", 0, 1e9), Column("ort", "category", categories=("Köln", "007")))


def schema_of(csv):
    return Schema(COLUMNS, unit="firm", csv=csv)


def file_of(folder, text, encoding="utf-8"):
    path = folder / "t.csv"
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "windows-1252"]
)
@pytest.mark.parametrize(
    ("separator", "number"), [(";", "1.234,5"), ("\t", "1 234.5"), ("|", "1'234.5"), (",", '"1,234.5"')]
)
def test_every_form_is_read_as_the_same_table(tmp_path, encoding, separator, number):
    text = f"größe{separator}ort\r\n{number}{separator}Köln\r\n7{separator}007\r\n"
    path = file_of(tmp_path, text, encoding)
    marks = {";": (",", "."), "\t": (".", " "), "|": (".", "'"), ",": (".", ",")}[separator]
    declared = "windows-1252" if encoding == "windows-1252" else "utf-16" if "16" in encoding else "utf-8"
    schema = schema_of(CsvFormat(separator, *marks, declared))
    source = open_source(path, schema)
    expected = {"größe": [1234.5, 7.0], "ort": ["Köln", "007"]}
    assert source.read().to_pydict() == expected
    assert pa.concat_tables(source.chunks(1)).to_pydict() == expected
    assert list(read_header(path)) == ["größe", "ort"]
    found = csv_format(path)
    assert (found.separator, found.encoding) == (separator, declared)


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_a_file_without_commas_is_refused_by_name_with_the_lines_to_write(tmp_path, separator):
    path = file_of(tmp_path, f"größe{separator}ort\n1{separator}Köln\n")
    with pytest.raises(DataError) as caught:
        read_table(path, schema_of(None))
    message = str(caught.value)
    assert {";": "semicolons", "\t": "tabs", "|": "bars"}[separator] in message
    assert "[csv]" in message and "separator = " in message
    with pytest.raises(DataError, match="separated by"):
        read_table(path)


def test_a_file_that_is_not_utf8_is_refused_with_the_encoding_to_write(tmp_path):
    path = file_of(tmp_path, "größe,ort\n1,Köln\n", "windows-1252")
    with pytest.raises(DataError, match='encoding = "windows-1252"'):
        read_table(path, schema_of(None))
    below = file_of(tmp_path, "größe,ort\n".encode().decode() + "1,x\n").read_bytes() + "2,Köln\n".encode(
        "cp1252"
    )
    (tmp_path / "below.csv").write_bytes(below)
    with pytest.raises(DataError, match="its rows are not utf-8") as caught:
        read_table(tmp_path / "below.csv", schema_of(None))
    assert "ln" not in str(caught.value).replace("column", "")


def test_a_schema_that_names_another_separator_is_told(tmp_path):
    path = file_of(tmp_path, "größe,ort\n1,Köln\n")
    with pytest.raises(DataError, match=r"separated by commas, and \[csv\] in the schema says semicolons"):
        read_table(path, schema_of(CsvFormat(";", ",")))
    assert read_released(path, schema_of(CsvFormat(";", ","))).num_rows == 1


def test_a_line_for_excel_is_refused(tmp_path):
    with pytest.raises(DataError, match="remove that line"):
        read_header(file_of(tmp_path, "sep=;\ngröße;ort\n1;Köln\n"))


def test_commas_inside_quoted_names_separate_nothing(tmp_path):
    assert csv_format(file_of(tmp_path, '"a, b, c";d\n1;2\n')).separator == ";"
    assert csv_format(file_of(tmp_path, "alone\n1\n")).separator == ","


@pytest.mark.parametrize(
    "text", ["1.5", "1.23", "1.2345", "12.34.567", "1,2,3", "1.234.5", "x", "--1", ".", "1 234"]
)
def test_what_is_not_written_as_declared_is_no_number(text):
    german = CsvFormat(";", ",", ".")
    assert written_numbers(pa.chunked_array([[text]]), german) is None


@pytest.mark.parametrize("marks", [(",", "."), (".", ","), (",", " "), (".", "'"), (",", "")])
@given(number=st.decimals(-(10**12), 10**12, places=3))
def test_numbers_written_with_marks_are_the_numbers(marks, number):
    decimal, thousands = marks
    text = f"{number:,.3f}".replace(",", "T").replace(".", decimal).replace("T", thousands)
    read = written_numbers(pa.chunked_array([[text, "", "NA"]]), CsvFormat("|", decimal, thousands))
    assert read.to_pylist() == [float(number), None, None]


def test_text_in_a_column_of_numbers_is_left_for_the_border_to_refuse(tmp_path):
    schema = schema_of(CsvFormat(";", ",", "."))
    path = file_of(tmp_path, "größe;ort\nzwölf;Köln\n")
    assert pa.types.is_string(read_table(path, schema).schema.field("größe").type)
    with pytest.raises(DataError) as caught:
        list(open_source(path, schema).chunks())
    assert "zwölf" not in str(caught.value)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("31.01.2020", "7.2.2019"),
        ("31/01/2020", "07/02/2019"),
        ("31-01-2020", "07-02-2019"),
        ("01/31/2020", "2/7/2019"),
        ("2020-01-31", "2019-02-07"),
    ],
)
def test_dates_are_read_in_the_form_that_is_declared(tmp_path, form, text):
    day = Column("day", "date", "2000-01-01", "2030-01-01", missing=True)
    moment = Column("moment", "datetime", "2000-01-01", "2030-01-01")
    schema = Schema((day, moment), unit="row", csv=CsvFormat(";", ",", dates=form))
    path = file_of(tmp_path, f"day;moment\n{text};{text} 08:30\n;{text}\n")
    table = read_table(path, schema)
    assert table["day"].to_pylist() == [datetime.date(2019, 2, 7), None]
    assert table["moment"].to_pylist() == [
        datetime.datetime(2019, 2, 7, 8, 30),
        datetime.datetime(2019, 2, 7),
    ]
    assert [part["day"].to_pylist() for part in open_source(path, schema).chunks()] == [
        table["day"].to_pylist()
    ]


def test_a_day_in_another_form_than_declared_is_refused_and_never_another_day(tmp_path):
    column = Column("day", "date", "2000-01-01", "2030-01-01")
    schema = Schema((column,), unit="row", csv=CsvFormat(dates="31/01/2020"))
    table = read_table(file_of(tmp_path, "day\n01/31/2020\n"), schema)
    (problem,) = check_table(table, schema)
    assert "no date" in str(problem) and "dates =" in str(problem) and "01/31" not in str(problem)


@pytest.mark.parametrize(
    "wrong",
    [
        {"separator": ":"},
        {"decimal": ";"},
        {"thousands": "x"},
        {"encoding": "ebcdic"},
        {"dates": "31.12.2020"},
        {"separator": ",", "decimal": ","},
        {"decimal": 1},
    ],
)
def test_a_form_that_cannot_be_is_a_schema_error(wrong):
    with pytest.raises(SchemaError, match=r"\[csv\]"):
        CsvFormat(**wrong)


def test_the_section_is_written_and_read_back():
    for csv in (CsvFormat(), CsvFormat("\t", ",", " ", "windows-1252"), None):
        schema = schema_of(csv)
        assert Schema.from_toml(schema.to_toml()) == schema
    with pytest.raises(SchemaError, match="did you mean 'separator'"):
        Schema.from_toml(schema_of(CsvFormat(";")).to_toml().replace("separator", "seperator"))


def test_rows_that_are_not_in_the_declared_encoding_are_refused_by_name(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("größe,ort\n1,x\n".encode("cp1252") + b"2,\x81\n")  # a byte without a character
    with pytest.raises(DataError, match="its rows are not windows-1252") as caught:
        read_table(path, schema_of(CsvFormat(encoding="windows-1252")))
    assert caught.value.__context__ is None
