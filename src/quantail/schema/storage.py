"""How a column is stored in what is released: what the schema declares, or a default of its type.

    type                 default          may be declared
    integer              int64            int8 to int64, uint8 to uint64
    numeric              float64          float32, decimal128(precision, scale)
    category, ordinal    string           category; int8 to uint64 if every label is a whole number
    boolean              bool             int8 to uint64 (0 and 1), string
    date                 date32           timestamp[s | ms | us | ns], string
    datetime             timestamp[us]    as for dates, also with a time zone: timestamp[us, tz=Europe/Berlin]

Nothing of it is taken from a table: types that a program chose, or a reader guessed, may depend on single rows.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from zoneinfo import available_timezones

from quantail.schema.column_rules import wrong
from quantail.schema.column_types import DATED, LISTED

if TYPE_CHECKING:
    from quantail.schema.column import Column

DEFAULTS = {
    "integer": "int64",
    "numeric": "float64",
    "category": "string",
    "ordinal": "string",
    "boolean": "bool",
    "date": "date32",
    "datetime": "timestamp[us]",
}
WHOLE = {f"{sign}int{bits}": (sign, bits) for sign in ("", "u") for bits in (8, 16, 32, 64)}
TIMESTAMP = re.compile(r"timestamp\[(s|ms|us|ns)(?:, tz=([\w/+:-]{1,64}))?\]")
DECIMAL = re.compile(r"decimal128\((\d{1,2}), (\d{1,2})\)")
_OFFSET = re.compile(r"[+-]\d\d:\d\d")
_LARGEST_FLOAT32 = 3.4028234e38
_NANOSECONDS = 2**63 / 10**9  # seconds that can be counted in them, before and after 1970
_MOST_DIGITS = 38


def storage_of(column: "Column") -> str:
    """Return how a column is stored.

    Examples
    --------
    >>> from quantail.schema import Column
    >>> storage_of(Column("jobs", "integer", 0, 500)), storage_of(Column("jobs", "integer", 0, 500, storage="int16"))
    ('int64', 'int16')
    """
    return column.storage or DEFAULTS[column.type]


def check_storage(column: "Column") -> None:
    """Raise a SchemaError unless the declared storage exists, suits the type and holds what the column may hold."""
    name: object = column.storage
    advice = f"write one of {_choices(column)}, or remove storage for {DEFAULTS[column.type]}"
    if not isinstance(name, str):
        raise wrong(column, "storage must be text", advice)
    if not name:
        return
    if not _suits(name, column):
        raise wrong(column, f"storage does not suit type {column.type}", advice)
    if column.is_labelled:
        if column.type != "boolean":
            _check_labels(column, advice)
        return
    numbers = [n for n in (column.lower, column.upper, *column.missing_codes, *column.atoms) if n is not None]
    if not holds(column, numbers):
        raise wrong(column, f"storage {name} cannot hold its bounds, codes and atoms", "write a wider one")


def holds(column: "Column", numbers: Sequence[float]) -> bool:
    """Say whether a column of numbers or dates can store these (dates: days, moments: seconds since 1970)."""
    if not len(numbers):
        return True
    name, low, high = storage_of(column), float(min(numbers)), float(max(numbers))
    if name in WHOLE:
        least, most = limits(name)
        return least <= low and high <= most
    if name == "float32":
        return max(-low, high) <= _LARGEST_FLOAT32
    if decimal := DECIMAL.fullmatch(name):
        return max(-low, high) < float(10 ** (int(decimal[1]) - int(decimal[2])))
    if name.startswith("timestamp[ns"):
        day = 86_400 if column.type == "date" else 1
        return max(-low, high) * day < _NANOSECONDS
    return True


def limits(name: str) -> tuple[int, int]:
    """Return the smallest and the largest number of a type of whole numbers.

    Examples
    --------
    >>> limits("uint8")
    (0, 255)
    """
    sign, bits = WHOLE[name]
    return (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def is_whole_text(label: str) -> bool:
    """Say whether a label is a whole number as a program would write it: "7", not "007" or "+7"."""
    return (
        label.removeprefix("-").isascii() and label.removeprefix("-").isdigit() and str(int(label)) == label
    )


def _suits(name: str, column: "Column") -> bool:
    if name == DEFAULTS[column.type]:
        return True
    if name in WHOLE:
        return column.type not in ("numeric", *DATED)
    if column.type == "numeric":
        decimal = DECIMAL.fullmatch(name)
        is_decimal = decimal is not None and int(decimal[2]) <= int(decimal[1]) <= _MOST_DIGITS
        return name == "float32" or (is_decimal and decimal is not None and int(decimal[1]) > 0)
    if name == "category":
        return column.type in LISTED
    if name == "string":
        return column.type != "integer"
    moment = TIMESTAMP.fullmatch(name)
    if moment is None or not column.is_dated:
        return False
    zone = moment[2]
    if column.type == "date":
        return zone is None
    return zone is None or bool(_OFFSET.fullmatch(zone)) or zone in available_timezones()


def _check_labels(column: "Column", advice: str) -> None:
    if column.storage == "string":
        return
    if not column.categories:
        raise wrong(column, f"storage {column.storage} needs categories", "list them, or remove storage")
    if column.storage in WHOLE:
        least, most = limits(column.storage)
        if not all(is_whole_text(label) and least <= int(label) <= most for label in column.labels):
            what = f"storage {column.storage} cannot hold all of its categories"
            raise wrong(column, what, advice)


def _choices(column: "Column") -> str:
    whole = "int8, int16, int32, int64, uint8, uint16, uint32, uint64"
    return {
        "integer": whole,
        "numeric": "float64, float32, decimal128(12, 2)",
        "boolean": f"bool, string, {whole}",
        "date": "date32, timestamp[s], string",
        "datetime": "timestamp[us], timestamp[s, tz=Europe/Berlin], string",
    }.get(column.type, f"string, category, {whole}")
