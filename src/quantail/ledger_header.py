"""How to tell a ledger by the first bytes of its file, without opening it as a database.

It stands outside of the rooms: those that write files must leave every ledger alone, and know nothing else of ledgers.
"""

import os
from pathlib import Path

APPLICATION = 0x51544C47  # "QTLG", SQLite's application id

_MAGIC = b"SQLite format 3\0"
_PLACE = slice(68, 72)  # of the application id in the header of a SQLite file


def is_ledger(path: str | os.PathLike[str]) -> bool:
    """Say whether there is a file at `path` that is the ledger of some data set.

    Examples
    --------
    >>> is_ledger("no such file")
    False
    """
    file = Path(path)
    try:
        if not file.is_file():  # opening a pipe would wait for somebody to write to it
            return False
        with file.open("rb") as opened:
            header = opened.read(_PLACE.stop)
    except OSError:  # what cannot be read cannot be replaced by us either, and says so when that is tried
        return False
    return header.startswith(_MAGIC) and int.from_bytes(header[_PLACE], "big") == APPLICATION
