"""Types of columns in databases: as they are declared in SQL, and as Arrow holds them."""

import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from quantail.errors import DataError

# Names of types that SQLite and PostgreSQL understand, by Arrow's names; DuckDB reads Arrow's types themselves.
_SQL_TYPES: Mapping[str, str] = {
    "int8": "SMALLINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "SMALLINT",
    "uint16": "INTEGER",
    "uint32": "BIGINT",
    "uint64": "NUMERIC(20, 0)",
    "float": "REAL",
    "double": "DOUBLE PRECISION",
    "bool": "BOOLEAN",
    "string": "TEXT",
    "large_string": "TEXT",
    "date32[day]": "DATE",
    "timestamp[s]": "TIMESTAMP",
    "timestamp[ms]": "TIMESTAMP",
    "timestamp[us]": "TIMESTAMP",
    "timestamp[ns]": "TIMESTAMP",
}
# Words that a type declared in SQLite may hold, in the order that they are looked for; other types are read as text.
_SQLITE_WORDS: Mapping[str, pa.DataType] = {
    "BOOL": pa.bool_(),
    "DATETIME": pa.timestamp("us"),
    "TIMESTAMP": pa.timestamp("us"),
    "DATE": pa.date32(),
    "SMALLINT": pa.int16(),
    "INT": pa.int64(),
    "CHAR": pa.string(),
    "TEXT": pa.string(),
    "REAL": pa.float64(),
    "FLOA": pa.float64(),
    "DOUB": pa.float64(),
    "NUMERIC": pa.float64(),
    "DECIMAL": pa.float64(),
}
_SQLITE_DECIMAL = re.compile(r"(?:DECIMAL|NUMERIC)\s*\(\s*(\d{1,2})\s*(?:,\s*(\d{1,2})\s*)?\)")
# PostgreSQL's types by their fixed object identifiers; others, such as enumerations, are read as text.
_POSTGRES_TYPES: Mapping[int, pa.DataType] = {
    16: pa.bool_(),
    20: pa.int64(),
    21: pa.int16(),
    23: pa.int32(),
    700: pa.float32(),
    701: pa.float64(),
    1082: pa.date32(),
    1114: pa.timestamp("us"),
    1184: pa.timestamp("us", "UTC"),
}
_POSTGRES_NUMERIC = 1700
_MOST_DIGITS = 38


def sql_type(field: pa.Field) -> str:
    """Declare a column in SQL.

    Examples
    --------
    >>> sql_type(pa.field("pay", pa.decimal128(9, 2))), sql_type(pa.field("jobs", pa.int16()))
    ('NUMERIC(9, 2)', 'SMALLINT')
    """
    if pa.types.is_decimal(field.type):
        return f"NUMERIC({field.type.precision}, {field.type.scale})"
    name = _SQL_TYPES.get(str(field.type))
    if name is None:
        raise DataError(f"column {field.name!r} cannot be stored in a database; use plain values")
    return name


def sqlite_type(declared: str) -> pa.DataType:
    """Read the type that a column declares in SQLite, which takes any words for one.

    Examples
    --------
    >>> sqlite_type("varchar(20)"), sqlite_type("decimal(9, 2)")
    (DataType(string), Decimal128Type(decimal128(9, 2)))
    """
    words = declared.upper()
    decimal = _SQLITE_DECIMAL.search(words)
    if decimal is not None and int(decimal[2] or 0) <= int(decimal[1]) <= _MOST_DIGITS:
        return pa.decimal128(int(decimal[1]), int(decimal[2] or 0))
    return next((type_ for word, type_ in _SQLITE_WORDS.items() if word in words), pa.string())


def postgres_type(column: Any) -> pa.DataType:
    """Read the type of a column that psycopg describes."""
    if column.type_code == _POSTGRES_NUMERIC:
        digits, scale = column.precision, column.scale
        fits = digits is not None and 0 <= (scale or 0) <= digits <= _MOST_DIGITS
        return pa.decimal128(digits, scale or 0) if fits else pa.float64()
    return _POSTGRES_TYPES.get(column.type_code, pa.string())
