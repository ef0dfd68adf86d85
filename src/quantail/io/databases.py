"""Tables in databases: read through a cursor, written in one transaction, with credentials that are never shown.

This file holds what SQLite, DuckDB and PostgreSQL have in common; each has a file of its own.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping

import pyarrow as pa

from quantail.errors import DataError
from quantail.io.place import Place

# Names of types that all three databases understand, by Arrow's names.
SQL_TYPES: Mapping[str, str] = {
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


class Writing(ABC):
    """A transaction that writes tables into a database: what is not committed when it is closed was never there."""

    @abstractmethod
    def put(self, table: pa.Table, place: Place, overwrite: bool) -> None:
        """Write one table."""

    @abstractmethod
    def commit(self) -> None:
        """Make all tables appear."""

    @abstractmethod
    def close(self) -> None:
        """End the transaction."""


def quoted(name: str) -> str:
    """Write a name so that a database takes it as one, whatever it holds."""
    if "\0" in name:
        raise DataError("a name holds a character that no database accepts; rename the column or table")
    return '"' + name.replace('"', '""') + '"'


def quoted_table(place: Place) -> str:
    """Write the name of a table, after that of its schema if it has one."""
    return ".".join(quoted(part) for part in table_parts(place))


def table_parts(place: Place) -> list[str]:
    """Split "schema.table"; SQLite knows no schemas, so a dot belongs to the name there."""
    return [place.table] if place.scheme == "sqlite" else place.table.split(".", 1)


def column_list(types: pa.Schema, names: Mapping[str, str] = SQL_TYPES) -> str:
    """Write the columns of a CREATE TABLE statement."""
    return ", ".join(f"{quoted(field.name)} {_sql_type(field, names)}" for field in types)


def exists_already(place: Place) -> DataError:
    """Say that a table is not replaced unless asked for."""
    return DataError(f"the table of {place} exists already; choose another name, or ask to overwrite it")


def _sql_type(field: pa.Field, names: Mapping[str, str]) -> str:
    if pa.types.is_decimal(field.type):
        return f"NUMERIC({field.type.precision}, {field.type.scale})"
    name = names.get(str(field.type))
    if name is None:
        raise DataError(f"column {field.name!r} cannot be stored in a database; use plain values")
    return name
