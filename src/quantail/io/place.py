"""Where a table is: a file, a folder of Parquet files, or a table in a database that a URL names.

    payroll.parquet                                a file; its ending tells the format
    sqlite:///folder/file.db#table                 SQLite (four slashes for an absolute path)
    duckdb:///folder/file.db#table                 DuckDB
    postgresql://user@host:5432/database#table     PostgreSQL; "#schema.table" names a schema, too

A URL may hold a password. What is shown of a place never does: user, password and options are left out.
"""

import os
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal
from urllib.parse import unquote, urlsplit

from quantail.errors import DataError
from quantail.visible import SERVER, without_credentials

Scheme = Literal["file", "postgresql", "sqlite", "duckdb"]
_SCHEMES: dict[str, Scheme] = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "sqlite": "sqlite",
    "duckdb": "duckdb",
}
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
# What stands where an address was meant: a scheme without its slashes, or a user with a password.
_MISTYPED = re.compile(
    r"\W*(?:postgres|sqlite|duckdb)\w*\s*[:;]|(?![A-Za-z]:[\\/]).*:.*@", re.DOTALL | re.IGNORECASE
)
# Hosts with their ports; anything else after the @ may be part of a password.
_HOSTS = re.compile(
    r"(?:[^:@,\[\]]*|\[[0-9A-Fa-f:.%]+\])(?::\d*)?(?:,(?:[^:@,\[\]]*|\[[0-9A-Fa-f:.%]+\])(?::\d*)?)*"
)
_EXAMPLES = (
    f"{SERVER}, sqlite:///file.db#table or duckdb:///file.db#table "
    "(write special characters as %23 and the like)"
)


@dataclass(frozen=True, repr=False)
class Place:
    """Where a table is.

    Examples
    --------
    >>> print(Place.of("postgresql://ann:secret@db.example/census?sslmode=require#public.pay"))
    postgresql://db.example/census#public.pay
    """

    scheme: Scheme  # a file or folder, or the kind of database
    path: Path | None = None  # the file or folder, or the file of a SQLite or DuckDB database
    table: str = ""  # name of the table in a database
    # where a PostgreSQL server is, possibly with a password: never shown
    url: str = field(default="", repr=False)

    @classmethod
    def of(cls, where: "str | Path | Place") -> "Place":
        """Read a path or URL, or raise a DataError that does not quote it."""
        if isinstance(where, Place):
            return where
        found = _URL.match(where) if isinstance(where, str) else None
        if found is None:
            if _MISTYPED.match(str(where)) and not os.path.exists(where):
                raise DataError(f"this looks like the address of a database, mistyped; write {_EXAMPLES}")
            return cls("file", Path(where))
        scheme = _SCHEMES.get(found[1].lower())
        if scheme is None:
            raise DataError(f"this kind of URL is not known; write {_EXAMPLES}")
        address, _, table = str(where).partition("#")
        # Characters that separate parts may belong to a password; splitting it would show some of it.
        if not table or any(mark in table for mark in "#@/?"):
            raise DataError(f"the URL names no table; write {_EXAMPLES}")
        if scheme == "postgresql":
            _check_server(address)
            return cls(scheme, None, unquote(table), address)
        return cls(scheme, _database_file(address), unquote(table))

    @property
    def file(self) -> Path:
        """The file or folder; a DataError if there is none, because the table is on a server."""
        if self.path is None:
            raise DataError(f"{self} is not a file")
        return self.path

    @property
    def name(self) -> str:
        """A short name: the file's without its ending, or the table's."""
        return self.file.stem if self.scheme == "file" else self.table

    @property
    def folder(self) -> Path:
        """Where files that belong to the table go: beside its file, or here if it is on a server."""
        return Path() if self.path is None else self.path.parent

    def numbered(self, number: int) -> "Place":
        """Return the place of one of several tables: out-1.parquet, or the table out_1."""
        if self.scheme == "file":
            return replace(self, path=self.file.with_name(f"{self.file.stem}-{number}{self.file.suffix}"))
        return replace(self, table=f"{self.table}_{number}")

    def __str__(self) -> str:
        if self.scheme == "file":
            return str(self.path)
        if self.path is not None:
            return without_credentials(f"{self.scheme}:///{self.path}#{self.table}")
        parts = urlsplit(self.url)
        _, at, hosts = parts.netloc.rpartition("@")
        if not at:  # the port may be a password, if the host was forgotten
            hosts = re.sub(r":\d*(?=,|$)", "", hosts)
        return f"postgresql://{hosts}{parts.path}#{self.table}"

    def __repr__(self) -> str:
        return f"Place({str(self)!r})"


def _check_server(address: str) -> None:
    try:
        parts = urlsplit(address)
        hosts = parts.netloc.rpartition("@")[2]
        fits = len(parts.path) > 1 and not any(mark in parts.path for mark in "@:")
        # An @ among the options ends a password that has a ? in it, and begins before that.
        fits = fits and "@" not in parts.query and _HOSTS.fullmatch(hosts) is not None
    except ValueError:
        fits = False
    if not fits:
        raise DataError(f"the URL names no database on a server; write {_EXAMPLES}")


def _database_file(address: str) -> Path:
    rest = address.partition("://")[2]
    if not rest.startswith("/") or len(rest) < 2:
        raise DataError(f"the URL names no database file; write {_EXAMPLES}")
    return Path(unquote(rest[1:]))
