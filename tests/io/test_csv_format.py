"""CSV files of any form: recognised from the header, told by the schema, never guessed from rows."""

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantail.errors import DataError, SchemaError
from quantail.frames import check_table
from quantail.io import csv_format, open_source, read_header, read_released, read_table, write_table
from quantail.io.written_values import written_numbers
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


GERMAN = CsvFormat(";", ",", ".", "windows-1252", "31.01.2020", ("k.A.", "?"))
FIRMS = (
    Column("größe", "numeric", -1e9, 1e9, missing=True),
    Column("leute", "integer", 0, 10**6, missing=True),
    Column("ort", "category", categories=("Köln; rechts", 'die "Mitte"', "?"), missing=True),
    Column("seit", "date", "1990-01-01", "2030-12-31", missing=True),
    Column("um", "datetime", "1990-01-01", "2030-12-31", missing=True),
    Column("offen", "boolean", missing=True),
)


def firms(csv):
    return Schema(FIRMS, unit="firm", csv=csv)


def rows():
    return pa.table(
        {
            "größe": [-1234.5, None, 1e-7],
            "leute": [1, 20000, None],
            "ort": ["Köln; rechts", 'die "Mitte"', None],
            "seit": [datetime.date(2020, 1, 31), None, datetime.date(1999, 12, 1)],
            "um": [None, datetime.datetime(2020, 1, 31, 12, 30), datetime.datetime(2001, 2, 3)],
            "offen": [True, False, None],
        }
    )


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252"])
@pytest.mark.parametrize("dates", ["2020-01-31", "31.01.2020", "01/31/2020"])
@pytest.mark.parametrize("missing", [(), ("k.A.",)])
def test_what_is_written_as_declared_is_read_back_as_it_was(tmp_path, separator, encoding, dates, missing):
    csv = CsvFormat(separator, "." if separator == "," else ",", "", encoding, dates, missing)
    write_table(rows(), tmp_path / "t.csv", schema=firms(csv))
    for read in (read_table, read_released):
        back = read(tmp_path / "t.csv", firms(csv))
        labels = [label or None for label in back["ort"].to_pylist()]  # an empty cell of text is read as ""
        assert back.drop(["ort"]).to_pydict() == rows().drop(["ort"]).to_pydict()
        assert labels == rows()["ort"].to_pylist()
    assert check_table(read_table(tmp_path / "t.csv", firms(csv)), firms(csv)) == []


def test_a_curator_gets_back_the_form_that_was_put_in(tmp_path):
    write_table(rows(), tmp_path / "t.csv", schema=firms(GERMAN))
    assert (tmp_path / "t.csv").read_bytes().decode("windows-1252").splitlines() == [
        "größe;leute;ort;seit;um;offen",
        '-1234,5;1;"Köln; rechts";31.01.2020;k.A.;true',
        'k.A.;20000;"die ""Mitte""";k.A.;31.01.2020 12:30:00;false',
        "1e-7;k.A.;k.A.;01.12.1999;03.02.2001 00:00:00;k.A.",
    ]


def test_moments_of_whole_seconds_have_no_fractions_and_others_have_them_throughout(tmp_path):
    moments = [datetime.datetime(2020, 1, 31, 12, 30), None, datetime.datetime(2020, 1, 31, 12, 30, 0, 5)]
    for number, said in ((2, "2020-01-31 12:30:00\n"), (3, "2020-01-31 12:30:00.000000\n")):
        write_table(pa.table({"um": moments[:number]}), tmp_path / f"{number}.csv")
        assert (tmp_path / f"{number}.csv").read_text().startswith(f"um\n{said}")


def test_a_missing_value_in_a_single_column_is_still_a_row(tmp_path):
    write_table(pa.table({"x": [1.5, None, 2.0]}), tmp_path / "t.csv")
    assert read_table(tmp_path / "t.csv")["x"].to_pylist() == [1.5, None, 2.0]


def test_text_that_the_encoding_lacks_is_refused_without_quoting_it(tmp_path):
    with pytest.raises(DataError, match="cannot be stored in windows-1252") as caught:
        write_table(pa.table({"ort": ["Łódź"]}), tmp_path / "t.csv", schema=schema_of(GERMAN))
    assert "Ł" not in str(caught.value) and not list(tmp_path.iterdir())
    with pytest.raises(SchemaError, match="'Łódź', cannot be stored in windows-1252"):
        Schema((Column("ort", "category", categories=("Łódź",)),), unit="firm", csv=GERMAN)


def test_words_for_a_missing_value_are_read_so_in_every_kind_of_column(tmp_path):
    text = "größe;leute;ort;seit;um;offen\n?;k.A.;k.A.;?;k.A.;?\n1,5;2;?;31.01.2020;1.2.2020 10:00;true\n"
    path = file_of(tmp_path, text, "windows-1252")
    for marks in ("", "."):
        schema = firms(CsvFormat(";", ",", marks, "windows-1252", "31.01.2020", ("k.A.", "?")))
        for table in (read_table(path, schema), pa.concat_tables(open_source(path, schema).chunks(1))):
            assert list(table.slice(0, 1).to_pylist()[0].values()) == [None] * 6
            assert table["ort"].to_pylist()[1] == "?"  # a label of its column
            assert check_table(table, schema) == []
    assert check_table(read_table(path, firms(CsvFormat(";", ",", "", "windows-1252"))), firms(None))


def test_words_for_a_missing_value_hold_for_workbooks_too(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (["größe", "ort"], ["k.A.", "?"], [1.5, "k.A."]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    schema = Schema((FIRMS[0], FIRMS[2]), unit="firm", csv=GERMAN)
    table = read_table(tmp_path / "t.xlsx", schema)
    assert table.to_pydict() == {"größe": [None, 1.5], "ort": ["?", None]}
    assert check_table(table, schema) == []


@pytest.mark.parametrize("missing", ["NA", [1], [" NA"], ["Ł"]])
def test_words_that_cannot_be_are_refused(missing):
    with pytest.raises(SchemaError, match="missing"):
        CsvFormat(encoding="windows-1252", missing=missing)


def test_the_words_survive_the_schema_file():
    assert Schema.from_toml(firms(GERMAN).to_toml()) == firms(GERMAN)


@pytest.mark.parametrize(("text", "said"), [("", "is empty"), ("12,3.5\n13,4.5\n", "values, not names")])
def test_a_file_without_names_is_told_so_and_not_that_all_columns_are_missing(tmp_path, text, said):
    (tmp_path / "t.csv").write_text(text)
    for read in (read_table, lambda *given: list(open_source(*given).chunks(1))):
        with pytest.raises(DataError, match=said):
            read(tmp_path / "t.csv", schema_of(None))


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_columns_of_the_same_name_are_told_by_their_places(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    if kind == "csv":
        path.write_text("a,b,a\n1,2,3\n")
    else:
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        book.active.append(["a", "b", "a"])
        book.save(path)
    with pytest.raises(DataError, match=r"two columns of the same name \(columns 1 and 3\)"):
        read_header(path)


@pytest.mark.parametrize("ending", [".tsv", ".txt"])
def test_text_files_are_read_as_csv_files_are_and_not_written(tmp_path, ending):
    path = tmp_path / f"pay{ending}"
    path.write_text("pay\tsex\n1,5\tf\n2\tm\n", encoding="utf-16")
    assert read_header(path) == {"pay": "", "sex": ""}
    told = csv_format(path)
    assert (told.separator, told.encoding) == ("\t", "utf-16")
    columns = (Column("pay", "numeric", 0, 9), Column("sex", "category", categories=("f", "m")))
    schema = Schema(columns, "person", csv=CsvFormat("\t", ",", "", "utf-16"))
    assert read_table(path, schema).to_pydict() == {"pay": [1.5, 2.0], "sex": ["f", "m"]}
    with pytest.raises(DataError, match="can only be read"):
        write_table(pa.table({"pay": [1]}), tmp_path / f"out{ending}")


def test_a_file_that_may_not_be_opened_is_told_so_and_not_how_files_are_written():
    from quantail.io.source import guarded

    def refuse():
        raise PermissionError(13, "Permission denied")

    with pytest.raises(DataError) as caught:
        guarded(refuse, "cannot read pay.csv", "a CSV file must be UTF-8")
    assert str(caught.value) == (
        "cannot read pay.csv: Permission denied; get the right to use it, or a copy that you may use"
    )
