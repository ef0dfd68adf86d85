"""Files, databases and frames: tables are opened, read and written here; nothing private is asked."""

from quantail.io.databases import database_tables
from quantail.io.files import (
    Where,
    check_output,
    csv_format,
    open_source,
    read_header,
    read_released,
    read_table,
    write_table,
)
from quantail.io.native import Kind, library_kind
from quantail.io.place import Place
from quantail.io.source import Source

__all__ = [
    "Kind",
    "Place",
    "Source",
    "Where",
    "check_output",
    "csv_format",
    "database_tables",
    "library_kind",
    "open_source",
    "read_header",
    "read_released",
    "read_table",
    "write_table",
]
