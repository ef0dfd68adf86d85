"""The rules that a column must meet, in one place: `check_table` lists breaches, the border refuses them.

A rule either yields the column as numbers (floats, NaN where missing; or codes of labels, the number of labels
where missing) or a `Problem`, which names the column and never a value or a count. Values outside the bounds break
no rule: they are clipped, and that some of them lie outside is itself confidential.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.arrays import Floats, Integers
from quantail.errors import DataError
from quantail.frames.storage import DAY, PER_SECOND
from quantail.io.native import Table, arrow_column
from quantail.schema import Column, Schema
from quantail.schema.column import OTHER
from quantail.schema.column_rules import LARGEST_INTEGER
from quantail.schema.dates import DateType, date_number
from quantail.schema.kinds import special_numbers
from quantail.schema.storage import holds

FEWEST_ROWS = 20
"""Fewer rows are refused where their number is public."""

NOTE = " (internal note)"
"""What every note for internal eyes ends in."""


@dataclass(frozen=True)
class Problem:
    """One way in which a table does not fit its schema."""

    column: str  # name of the column, empty if the whole table is meant
    what: str  # what is wrong, without any value or count
    hint: str  # what to do next

    @property
    def is_note(self) -> bool:
        """Whether it is no misfit but a note for internal eyes, which depends on the values of single rows."""
        return self.hint.endswith(NOTE)

    def __str__(self) -> str:
        where = f"column {self.column!r}" if self.column else "the table"
        return f"{where} {self.what}; {self.hint}"


def problem_lines(problems: Iterable[Problem]) -> list[str]:
    """Say each problem once, with all columns that have it, in the order of the first of them.

    Examples
    --------
    >>> same = [Problem(name, "holds missing values", "fill them in") for name in ("pay", "rent")]
    >>> problem_lines(same)
    ["each of columns 'pay', 'rent' holds missing values; fill them in"]
    """
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        alike.setdefault((problem.what, problem.hint), []).append(problem)
    return [
        str(group[0])
        if len(group) == 1
        else f"each of columns {', '.join(repr(one.column) for one in group)} {what}; {hint}"
        for (what, hint), group in alike.items()
    ]


class MisfitError(DataError):
    """A table does not fit its schema; every way in which it does not is listed.

    Attributes
    ----------
    problems : tuple of Problem
        What is wrong, without any value or count.
    """

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("the table does not fit the schema\n  " + "\n  ".join(problem_lines(self.problems)))


def admit_table(table: Table, schema: Schema) -> Problem | None:
    """Return what is wrong with the table as a whole, if anything.

    Under add/remove a table without rows is a table like any other: that it has none is protected, too.
    """
    if table.shape[0] == 0 and schema.neighbours == "replace-one":
        return Problem("", "has no rows", "pass the table with its data")
    return None


def admit_column(
    table: Table, column: Column, present: Collection[str] | None = None
) -> NDArray[np.generic] | Problem:
    """Return a column as float64 values (not yet clipped) or int64 codes, or else what is wrong with it.

    `present` holds the names of the table's columns; pass it for wide tables, where listing them takes long.
    """
    if column.name not in (table.columns if present is None else present):
        return Problem(column.name, "is missing", "add it to the table, or remove it from the schema")
    data = arrow_column(table, column.name)
    if data is None:
        return Problem(
            column.name, "holds values of several types", f"make every value fit type {column.type}"
        )
    if len(data) == 0:  # of whatever type: a file without rows declares none
        return np.zeros(0, dtype=np.int64 if column.is_labelled else np.float64)
    if pa.types.is_null(data.type):
        if not column.missing:
            return _missing(column)
        return np.full(len(data), len(column.labels) if column.is_labelled else np.nan)
    if data.null_count and not column.missing:
        return _missing(column)
    if column.is_labelled:
        return _codes(data, column)
    return _stored_as_declared(_dates(data, column) if column.is_dated else _numbers(data, column), column)


def _stored_as_declared(outcome: Floats | Problem, column: Column) -> Floats | Problem:
    """Refuse public values that are kept and would not fit into their storage; others are clipped."""
    if isinstance(outcome, Problem) or not column.public:
        return outcome
    there = outcome[~np.isnan(outcome)]
    if there.size == 0:
        return outcome
    if column.type == "integer" and np.abs(there).max() >= LARGEST_INTEGER:
        hint = 'write type = "category", or use smaller numbers'
        return Problem(column.name, "holds whole numbers beyond 2^53, which cannot be kept exactly", hint)
    if holds(column, (there.min(), there.max())):
        return outcome
    return Problem(column.name, "holds values that its storage cannot hold", "declare a wider storage")


def require_columns(names: Collection[str], schema: Schema) -> None:
    """Raise a DataError that names the first column of a schema which a table lacks."""
    for name in schema.names:
        if name not in names:
            raise DataError(f"column {name!r} is missing; add it to the table, or remove it from the schema")


def outside_bounds(values: NDArray[np.generic], column: Column) -> tuple[int, int]:
    """Count values below and above the bounds. The counts are confidential."""
    if column.lower is None or column.upper is None:
        return 0, 0
    numbers = values.astype(np.float64, copy=False)
    if special := special_numbers(column):
        numbers = numbers[~np.isin(numbers, special)]
    return int(np.count_nonzero(numbers < column.lower)), int(np.count_nonzero(numbers > column.upper))


def admit_all(table: Table, schema: Schema) -> tuple[dict[str, NDArray[np.generic]], list[Problem]]:
    """Apply every rule; returns the columns that pass, in synthesis order, and all the problems."""
    trouble, present = admit_table(table, schema), frozenset(table.columns)
    if trouble is not None:
        missing = [column for column in schema.columns if column.name not in present]
        return {}, [
            trouble,
            *(p for c in missing if isinstance(p := admit_column(table, c, present), Problem)),
        ]
    admitted: dict[str, NDArray[np.generic]] = {}
    problems: list[Problem] = []
    for column in schema.columns:
        outcome = admit_column(table, column, present)
        if isinstance(outcome, Problem):
            problems.append(outcome)
        else:
            admitted[column.name] = outcome
    return admitted, problems


def _numbers(data: pa.Array, column: Column) -> Floats | Problem:
    kind = data.type
    if pa.types.is_decimal(kind):
        data = data.cast(pa.float64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        hint = (
            "store it as numbers without units; of a CSV file, [csv] in the schema says how numbers are written "
            '(decimal, thousands) and which words mean a missing value (missing = ["NA"]); times of day are numbers as '
            'minutes since midnight; or write type = "category"'
        )
        return Problem(column.name, "does not hold numbers", hint)
    values = np.asarray(data.to_numpy(zero_copy_only=False)).astype(np.float64, copy=False)
    absent = np.isnan(values)
    if absent.any() and not column.missing:
        return _missing(column)
    if np.isinf(values).any():
        return Problem(
            column.name, "holds infinite values", "replace them by finite values, or drop those rows"
        )
    if column.type == "integer" and (values[~absent] != np.floor(values[~absent])).any():
        return Problem(
            column.name, "holds values that are not whole", 'round them, or write type = "numeric"'
        )
    return values


def _dates(data: pa.Array, column: Column) -> Floats | Problem:
    """Return days ("date") or seconds ("datetime") since 1970-01-01."""
    kind, is_date = data.type, column.type == "date"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _written_dates(data, column)
    if pa.types.is_timestamp(kind):
        ticks = data.cast(pa.int64())
        seconds = np.asarray(ticks.to_numpy(zero_copy_only=False)).astype(np.float64) / PER_SECOND[kind.unit]
        return np.floor(seconds / DAY) if is_date else seconds
    if pa.types.is_date(kind):
        days = data.cast(pa.date32()).cast(pa.int32()).to_numpy(zero_copy_only=False).astype(np.float64)
        return np.asarray(days if is_date else days * DAY)
    return Problem(column.name, "does not hold dates", "store it as dates, or as text such as 2020-01-31")


def _written_dates(data: pa.Array, column: Column) -> Floats | Problem:
    encoded = data.dictionary_encode()
    texts = _texts(encoded.dictionary)
    kind: DateType = "date" if column.type == "date" else "datetime"
    known = [np.nan if not text.strip() else date_number(kind, text) for text in texts or ()]
    if texts is None or any(number is None for number in known):
        hint = (
            'write dates as 2020-01-31; of a CSV file, [csv] in the schema says otherwise: dates = "31.01.2020", and '
            'words for a missing value, missing = ["NA"]'
        )
        return Problem(column.name, "holds text that is no date", hint)
    lookup = np.array([*known, np.nan], dtype=np.float64)
    indices: NDArray[np.int32] = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
    numbers = lookup[indices]
    return _missing(column) if np.isnan(numbers).any() and not column.missing else numbers


def _codes(data: pa.Array, column: Column) -> Integers | Problem:
    kind = data.type
    if pa.types.is_time(kind) or pa.types.is_duration(kind):
        hint = 'store it as whole numbers, such as minutes since midnight, type = "integer"; or leave it out'
        return Problem(column.name, "holds times of day or durations, which cannot be labels", hint)
    if not any(test(kind) for test in _LABEL_TYPES):
        return Problem(column.name, "holds values that cannot be labels", "store its categories as text")
    # Only distinct values are turned into text, so long columns stay cheap.
    encoded = data.dictionary_encode()
    texts = _texts(encoded.dictionary)
    if texts is None:
        return Problem(column.name, "holds text that is not UTF-8", "save the table as UTF-8 again")
    codes = _codes_of_texts(texts, kind, column)
    if None in codes and not column.missing:
        return _missing(column)
    missing = len(column.labels)
    lookup = np.array([*(missing if code is None else code for code in codes), missing], dtype=np.int64)
    if (lookup < 0).any():
        return _unlisted(kind, column)
    indices: NDArray[np.int32] = encoded.indices.fill_null(len(codes)).to_numpy(zero_copy_only=False)
    return lookup[indices]


def _codes_of_texts(texts: list[str], kind: pa.DataType, column: Column) -> list[int | None]:
    """Return the code of every text that stands in a column: None if it is blank, -1 if it is no label."""
    positions = {label: code for code, label in enumerate(column.labels)}
    if pa.types.is_boolean(kind) or column.type == "boolean":  # files write true, Python writes True
        texts = [text.lower() for text in texts]
        positions = {label.lower(): code for label, code in positions.items()}
    if column.type == "boolean":
        positions |= {"0": 0, "1": 1, "0.0": 0, "1.0": 1}
    is_float = pa.types.is_floating(kind)
    if is_float:  # how SPSS, and pandas where values are missing, store whole codes
        texts = [text if text in positions else text.removesuffix(".0") for text in texts]
    unlisted = positions[OTHER] if column.other else -1
    return [
        None if not text.strip() or (is_float and text == "nan") else positions.get(text, unlisted)
        for text in texts
    ]


def _unlisted(kind: pa.DataType, column: Column) -> Problem:
    """Say that a value is none of the labels, and why that may be."""
    if column.type == "boolean":
        hint = 'write true and false, or 1 and 0; or make it a category, categories = ["yes", "no"]'
        return Problem(column.name, "holds a value that is neither true nor false", hint)
    hint = (
        "list every label in categories, spelled as in the table, or correct the table; a word for a missing value "
        'is none: [csv] in the schema tells it, missing = ["NA"], and the column says missing = true'
    )
    if pa.types.is_integer(kind) and any(label.isdigit() and label[:1] == "0" for label in column.categories):
        hint = "numbers have lost the leading zeros of its labels: read it as text, as pandas does with dtype=str"
    elif pa.types.is_integer(kind) and not any(map(_is_number, column.categories)):
        hint = (
            'the table holds numbers here, and the categories are words: list the codes, categories = ["1", "2"]; '
            "labels that Stata and SPSS files give to codes are not read"
        )
    return Problem(column.name, "holds a value that is not among its categories", hint)


def _texts(labels: pa.Array) -> list[str] | None:
    """Return labels as Python text, or None if a damaged file holds bytes that are no text."""
    try:
        return [str(value) for value in labels.to_pylist()]
    except UnicodeDecodeError:  # its message quotes the bytes
        return None


_LABEL_TYPES = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_boolean,
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_date,
)


def _is_number(label: str) -> bool:
    return label.removeprefix("-").isdigit()


def _missing(column: Column) -> Problem:
    hint = "write missing = true in the schema, or fill them in"
    return Problem(column.name, "holds missing values", hint)
