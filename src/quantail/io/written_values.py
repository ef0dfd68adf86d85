"""Numbers and dates as people write them, 1.234,5 and 31.01.2020, by the marks that the schema's `[csv]` section names.

A text is a number only if it is one throughout: groups of three digits, one decimal mark. So a mark that was declared
wrongly is refused and never read as another number (1.234 is no number where the comma is the decimal mark).
"""

import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from quantail.schema import CsvFormat

_SPACES = " \u00a0\u202f\u2009"
MISSING = tuple(pa.csv.ConvertOptions().null_values)
"""What stands for a missing number in any CSV file."""


def written_numbers(texts: pa.ChunkedArray, written: CsvFormat) -> pa.ChunkedArray | None:
    """Return the numbers that texts stand for, or None if one of them is no number written in this way.

    Examples
    --------
    >>> german = CsvFormat(separator=";", decimal=",", thousands=".")
    >>> written_numbers(pa.chunked_array([["1.234,5", "", "-7"]]), german).to_pylist()
    [1234.5, None, -7.0]
    >>> written_numbers(pa.chunked_array([["1.5"]]), german) is None
    True
    """
    plain = pc.utf8_trim_whitespace(texts)
    words = pa.array([*MISSING, *written.missing])  # not above: an array of a list imports pandas
    missing = pc.is_in(plain, value_set=words)
    plain = pc.if_else(missing, pa.scalar(None, plain.type), plain)
    if not pc.all(pc.match_substring_regex(plain, _pattern(written))).as_py() and plain.null_count < len(
        plain
    ):
        return None
    if written.thousands:
        plain = pc.replace_substring_regex(plain, f"[{_class(written.thousands)}]", "")
    return pc.replace_substring(plain, written.decimal, ".").cast(pa.float64())


def _pattern(written: CsvFormat) -> str:
    decimal = re.escape(written.decimal)
    whole = r"\d+"
    if written.thousands:
        whole = rf"(?:\d{{1,3}}(?:[{_class(written.thousands)}]\d{{3}})+|\d+)"
    return rf"^[+-]?(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][+-]?\d+)?$"


def _class(mark: str) -> str:
    return {" ": _SPACES, "'": "'\u2019"}.get(mark, re.escape(mark))


def written_dates(texts: pa.ChunkedArray, written: CsvFormat) -> pa.ChunkedArray:
    """Return dates as 2020-01-31; a time may follow them, and text that is no date in this form stays as it is.

    Examples
    --------
    >>> american = CsvFormat(dates="01/31/2020")
    >>> written_dates(pa.chunked_array([["4/17/2020", "12/31/2020 08:30", None]]), american).to_pylist()
    ['2020-04-17', '2020-12-31 08:30', None]
    """
    if written.dates == CsvFormat.dates:
        return texts
    year, month, day = (r"(?P<year>\d{4})", r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})")
    form = re.escape(written.dates).replace("2020", year).replace("01", month).replace("31", day)
    pattern = re.compile(rf"\s*{form}(?!\d)")
    encoded = texts.dictionary_encode().unify_dictionaries().combine_chunks()
    plain = [
        pattern.sub(_iso, text, count=1) if pattern.match(text) else text
        for text in encoded.dictionary.to_pylist()
    ]
    return pa.chunked_array([pa.array(plain, pa.string()).take(encoded.indices)])


def dates_as_written(texts: pa.Array, written: CsvFormat) -> pa.Array:
    """Return dates that stand as 2020-01-31, alone or before a time, in the form that is declared.

    Examples
    --------
    >>> dates_as_written(pa.array(["2020-04-17 08:30:00", None]), CsvFormat(dates="31.01.2020")).to_pylist()
    ['17.04.2020 08:30:00', None]
    """
    form = written.dates.replace("2020", r"\1").replace("01", r"\2").replace("31", r"\3")
    return pc.replace_substring_regex(texts, r"^(\d{4})-(\d{2})-(\d{2})", form)


def _iso(found: re.Match[str]) -> str:
    return f"{found['year']}-{int(found['month']):02}-{int(found['day']):02}"
