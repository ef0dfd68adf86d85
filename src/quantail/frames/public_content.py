"""What a public column of a panel holds, whatever type it was stored in: its values, written anew.

Identities of units and public columns are public, the way they are stored is not: a dictionary is in the order of the
rows and may hold units that were dropped, and a float may be there because of one missing value. So 3 and 3.0 are
the same identity, and a type is computed from the set of values (identities) or follows from the schema (columns).
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quantail.arrays import Integers
from quantail.frames.release import stored
from quantail.frames.rules import Problem, admit_column
from quantail.frames.storage import PER_SECOND
from quantail.io.native import Table, arrow_column
from quantail.schema import Column
from quantail.schema.dates import date_text


def identities(table: Table, name: str) -> pa.Array | Problem:
    """Return identities of units, row by row: int64 if all are whole numbers, else text."""
    data = arrow_column(table, name)
    if data is None:
        return Problem(name, "holds values of several types", "store identities as text or numbers")
    if data.null_count or has_nan(data):
        return Problem(name, "holds missing values", "give every row the identity of its unit")
    if _is_rounded(data):
        what = "holds floating-point numbers too large to be told apart"
        return Problem(name, what, "store identities as whole numbers or as text")
    whole = _whole(data)
    if whole is not None:
        return pa.array(whole)
    texts = _texts(data)
    hint = "store identities as text or numbers"
    return Problem(name, "holds values that are no identities", hint) if texts is None else texts


def public_column(table: Table, column: Column) -> pa.Array | Problem:
    """Return a public column of a panel in the type that the schema says; values may be missing."""
    if column.labels or not column.is_labelled:
        lenient = replace(column, missing=True)  # what is public may be missing without being declared so
        outcome = admit_column(table, lenient)
        if isinstance(outcome, Problem):
            return outcome
        return stored(outcome, lenient, kept=True)
    data = arrow_column(table, column.name)
    texts = None if data is None else _texts(data)
    if texts is None:
        return Problem(column.name, "holds values of several types", "store them in one plain type")
    return texts


def _is_rounded(data: pa.Array) -> bool:
    """Say whether some are floating-point numbers so large that one may stand for several whole ones."""
    if not pa.types.is_floating(data.type):
        return False
    values = np.asarray(data.to_numpy(zero_copy_only=False))
    return bool((np.abs(values) >= 2.0 ** (np.finfo(values.dtype).nmant + 1)).any())


def _whole(data: pa.Array) -> Integers | None:
    """Return whole numbers that fit into int64, or None if some are not."""
    kind = data.type
    if pa.types.is_integer(kind):
        if kind == pa.uint64() and len(data) and pc.max(data).as_py() >= 2**63:
            return None
        return np.asarray(data.cast(pa.int64()).to_numpy(zero_copy_only=False))
    if pa.types.is_decimal(kind):
        data = _decimal_as_whole(data)
        return None if data is None else np.asarray(data.to_numpy(zero_copy_only=False))
    if not pa.types.is_floating(kind):
        return None
    values = np.asarray(data.to_numpy(zero_copy_only=False)).astype(np.float64)
    if (values != np.rint(values)).any():
        return None
    return values.astype(np.int64)


def _decimal_as_whole(data: pa.Array) -> pa.Array | None:
    try:
        return data.cast(pa.int64())
    except pa.ArrowInvalid:  # a fraction, or too large
        return None


def _texts(data: pa.Array) -> pa.Array | None:
    """Return values as text, or None if they have none; equal values have equal texts."""
    encoded = data.dictionary_encode()  # only distinct values are spelled out
    known, kind = encoded.dictionary, data.type
    if pa.types.is_null(kind):
        return pa.nulls(len(data), pa.string())
    try:
        values = known.to_pylist()
        if pa.types.is_timestamp(kind):
            values = [tick / PER_SECOND[kind.unit] for tick in known.cast(pa.int64()).to_pylist()]
        # NaN alone differs from itself.
        texts = [None if value != value else _spelled(value, kind) for value in values]
    except (TypeError, UnicodeDecodeError):  # its message quotes the value
        return None
    return pa.array(texts, pa.string()).take(encoded.indices)


def _spelled(value: Any, kind: pa.DataType) -> str:
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return str(value)
    if pa.types.is_boolean(kind):
        return str(value).lower()
    if pa.types.is_integer(kind):
        return str(value)
    if pa.types.is_floating(kind):
        return str(int(value)) if float(value).is_integer() else repr(float(value) + 0.0)
    if pa.types.is_decimal(kind):
        return format(value.normalize(), "f")
    if pa.types.is_timestamp(kind):
        return date_text("datetime", value)
    if pa.types.is_date(kind):
        return str(value.isoformat())
    raise TypeError("no text")


def has_nan(data: pa.Array) -> bool:
    """Say whether a column holds NaN, which is missing whatever the library."""
    return pa.types.is_floating(data.type) and bool(pc.any(pc.is_nan(data)).as_py())
