"""Numbers as people write them, 1.234,5 or 1 234.5, read by the marks that the schema's `[csv]` section names.

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
