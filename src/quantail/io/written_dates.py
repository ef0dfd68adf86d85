"""Dates as people write them, 31.01.2020 or 1/31/2020, read in the form that the schema's `[csv]` section names."""

import re

import pyarrow as pa
import pyarrow.compute as pc

from quantail.schema import CsvFormat


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
