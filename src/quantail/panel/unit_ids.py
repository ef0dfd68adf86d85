"""Who the units of a panel are, when it comes in several tables: a unit may be in one of them only.

Tables that are charged together spend the same epsilon each, because no unit is in two of them (proofs/panel.md).
That is checked before the charge: of every table only keyed hashes of its identities are kept, 16 bytes a unit, and
no hash may come from two tables. The key is drawn anew for every check and forgotten with it.

Identities are compared by what they say, not by how they are stored: 3, 3.0 and an entry of a dictionary are one unit.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.errors import DataError
from quantail.frames.public_content import identities
from quantail.frames.rules import Problem
from quantail.io.native import Table, arrow_column, open_frame


def new_key() -> bytes:
    """Draw a key for the hashes of one check."""
    return secrets.token_bytes(32)


@dataclass(frozen=True, eq=False)
class UnitIds:
    """The identities in one table of several, as keyed hashes."""

    name: str  # what to call the table in a message; public
    kind: str  # what identities are: "number" if all are whole numbers, else "text"
    groups: Mapping[int, int]  # units of every group that the table holds, by its place
    hashes: NDArray[np.uint64]  # sorted, each once, shape (units, 2)

    @classmethod
    def of(cls, name: str, frame: Any, column: str, groups: Mapping[int, int], key: bytes) -> "UnitIds":
        """Hash the distinct identities in a column of a table.

        Raises a DataError if they are floating-point numbers that may stand for several identities.

        Examples
        --------
        >>> key = new_key()
        >>> one = UnitIds.of("a", pa.table({"id": [3, 4, 4]}), "id", {0: 2}, key)
        >>> other = UnitIds.of("b", pa.table({"id": pa.array([4.0, 3.0]).dictionary_encode()}), "id", {1: 2}, key)
        >>> one.digest == other.digest
        True
        """
        table = open_frame(frame)
        found = identities(table, column)
        if isinstance(found, Problem):
            raise DataError(str(found))
        if pa.types.is_string(found.type) and _is_floating(table, column):
            what = "identifies units by floating-point numbers that are not whole"
            raise DataError(str(Problem(column, what, "store identities as whole numbers or as text")))
        kind = "number" if pa.types.is_integer(found.type) else "text"
        words = (str(value).encode() for value in found.unique().to_pylist())
        digests = b"".join(hashlib.blake2b(word, key=key, digest_size=16).digest() for word in words)
        hashes = np.frombuffer(digests, dtype="<u8").reshape(-1, 2).astype(np.uint64)
        return cls(name, kind, groups, hashes[_order(hashes)])

    @property
    def digest(self) -> bytes:
        """A short stand-in for all identities: equal for the same units under the same key."""
        return hashlib.blake2b(self.hashes.tobytes(), digest_size=16).digest()


def check_disjoint(tables: Sequence[UnitIds]) -> None:
    """Raise a DataError unless every unit, and every group, is in one of the tables only."""
    seen: set[int] = set()
    for table in tables:
        if not seen.isdisjoint(table.groups):
            raise DataError("a group is in more than one table; give all of its units in one table")
        seen |= set(table.groups)
        if table.kind != tables[0].kind:
            raise DataError(
                f"units are identified by a {tables[0].kind} in {tables[0].name} and by a {table.kind} in "
                f"{table.name}, so that nobody can tell whether one is in both; store identities alike in all tables"
            )
    if shared := _shared(tables):
        raise DataError(
            f"a unit is in {shared[0]} and in {shared[1]}; all groups and tables that are charged together may use the "
            "whole budget only because no unit is in two of them: give every unit one place"
        )


def _shared(tables: Sequence[UnitIds]) -> tuple[str, str] | None:
    """Return the names of two tables that hold the same unit, if there are such."""
    if not tables:
        return None
    hashes = np.concatenate([table.hashes for table in tables])
    owner = np.repeat(np.arange(len(tables)), [len(table.hashes) for table in tables])
    order = _order(hashes)
    hashes, owner = hashes[order], owner[order]
    same = np.flatnonzero((hashes[1:] == hashes[:-1]).all(axis=1))
    if not same.size:
        return None
    pair = sorted(owner[same[0] : same[0] + 2].tolist())
    return tables[pair[0]].name, tables[pair[1]].name


def _order(hashes: NDArray[np.uint64]) -> NDArray[np.intp]:
    return np.lexsort((hashes[:, 1], hashes[:, 0]))


def _is_floating(table: Table, column: str) -> bool:
    data = arrow_column(table, column)
    return data is not None and pa.types.is_floating(data.type)
