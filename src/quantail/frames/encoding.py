"""From the columns of a table to the parts that are modelled, and back.

A table's columns are held as numbers: values as floats (dates as days, moments as seconds; NaN where missing), labels
as codes (the number of labels where missing). `encode` turns them into the plain columns of `core_of(schema)`,
`decode` turns synthetic ones back. Both work row by row, so what a row becomes depends on that row and the schema
alone; a number whose status is not "value" is NaN: it is *absent* (privacy/proofs/absent.md).
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.schema import Column, Schema, core_of
from quantail.schema.kinds import LOWEST, computed_columns, positioned_columns, special_numbers, status_labels

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def encode(columns: Mapping[str, NDArray[Any]], schema: Schema) -> dict[str, NDArray[Any]]:
    """Return the plain columns of a table, in synthesis order, numbers clipped to the public bounds.

    The first columns alone, in synthesis order, can be encoded too.

    Examples
    --------
    >>> schema = Schema((Column("pay", "numeric", 0, 100, missing=True, missing_codes=(-8,)),), unit="person")
    >>> parts = encode({"pay": np.array([20.0, -8.0, np.nan])}, schema)
    >>> parts["pay (status)"].tolist(), parts["pay"].tolist()
    ([0, 2, 1], [20.0, nan, nan])
    """
    core, computed, placed = core_of(schema), computed_columns(schema), positioned_columns(schema)
    parts: dict[str, NDArray[Any]] = {}
    known: dict[str, Floats] = {}  # numbers by which relations are kept
    for name in schema.synthesis_order:
        if name not in columns:
            break
        column = schema.column(name)
        if name in computed:
            known[name] = _computed(name, schema, known)
            continue
        values = columns[name]
        if column.is_labelled:
            parts[name] = values
            continue
        status, numbers = _split(values, column)
        inside = _clipped(numbers, column)
        room = _room(column, schema, known) if name in placed else None
        if room is None:
            known[name] = inside
        else:
            known[name] = np.clip(inside, *room)
            status, inside = _place(status, known[name], *room, column)
        if name in core.statuses:
            parts[core.statuses[name]] = status
            inside = np.where(status == 0, inside, np.nan)
        parts[name] = _clipped(
            _steps(inside, column) if column.is_dated else inside, core.schema.column(name)
        )
    return parts


def decode(parts: Mapping[str, NDArray[Any]], schema: Schema) -> dict[str, NDArray[Any]]:
    """Return the columns of a table from its plain columns (numbers need not be rounded yet).

    Examples
    --------
    >>> schema = Schema((Column("day", "date", "1970-01-01", "1970-01-31"),), unit="person")
    >>> decode({"day": np.array([3.2, 30.0])}, schema)["day"].tolist()
    [3.0, 30.0]
    """
    core, computed, placed = core_of(schema), computed_columns(schema), positioned_columns(schema)
    related = {name for identity in schema.identities for name in identity.names}
    related |= {name for inequality in schema.inequalities for name in inequality.names}
    columns: dict[str, NDArray[Any]] = {}
    for name in schema.synthesis_order:
        column = schema.column(name)
        if name in computed:
            columns[name] = _computed(name, schema, columns)
        elif column.is_labelled:
            columns[name] = parts[name]
        else:
            status = parts[core.statuses[name]] if name in core.statuses else None
            room = _room(column, schema, columns) if name in placed else None
            values = settled(parts[name], column) if name in related - placed else parts[name]
            columns[name] = _joined(values, status, column, room)
    return columns


def content_order(keys: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return the order of rows by the first key, then by the second, and so on; missing numbers come last.

    Examples
    --------
    >>> content_order([np.array([1, 0, 1]), np.array([2.0, 5.0, np.nan])]).tolist()
    [1, 0, 2]
    """
    return np.lexsort(tuple(reversed(keys)))


def settled(values: Floats, column: Column) -> Floats:
    """Return numbers rounded to what the column is recorded with, within its bounds."""
    if column.type == "integer":
        values = np.rint(values)
    elif column.decimals is not None:
        values = np.round(values, column.decimals)
    return _clipped(values, column)


def _split(values: Floats, column: Column) -> tuple[Codes, Floats]:
    """Return the status of every row, and its number: NaN where it is missing or a code, kept where it is an atom."""
    status = np.zeros(values.size, dtype=np.int64)
    if not column.missing and not special_numbers(column):
        return status, values
    if column.missing:
        status[np.isnan(values)] = 1
    first = 1 + int(column.missing)
    special = special_numbers(column)
    # A value beyond a bound that is an atom becomes that atom.
    inside = np.where(np.isin(values, special), values, np.clip(values, column.lower, column.upper))
    for place, number in enumerate(special, start=first):
        status[(values if number in column.missing_codes else inside) == number] = place
    is_number = (status == 0) | (status >= first + len(column.missing_codes))
    return status, np.where(is_number, values, np.nan)


def _joined(
    values: Floats, status: Codes | None, column: Column, room: tuple[Floats, Floats] | None
) -> Floats:
    if column.is_dated:
        assert column.lower is not None
        numbers = column.lower + np.rint(values) * column.lattice
    elif room is not None:
        low, high = room
        numbers = np.clip(settled(low + values * (high - low), column), low, high)
    else:
        numbers = values
    if status is None:
        return numbers
    numbers = np.where(status == 0, numbers, np.nan)
    first = 1 + int(column.missing)
    for place, number in enumerate(special_numbers(column), start=first):
        is_code = place - first < len(column.missing_codes)
        instead = np.clip(number, *room) if room is not None and not is_code else number
        numbers = np.where(status == place, instead, numbers)
    if room is not None:
        lowest = status_labels(column, placed=True).index(LOWEST)
        for place, end in zip((lowest, lowest + 1), room, strict=True):
            numbers = np.where(status == place, end, numbers)
    return np.asarray(numbers)


def _place(status: Codes, inside: Floats, low: Floats, high: Floats, column: Column) -> tuple[Codes, Floats]:
    """Return status and position of a part; at the ends of its room a part has no position, but a status."""
    lowest = status_labels(column, placed=True).index(LOWEST)
    is_value = status == 0
    status = np.where(is_value & (inside >= high), lowest + 1, status)
    status = np.where(is_value & (inside <= low), lowest, status)
    with np.errstate(divide="ignore", invalid="ignore"):
        position = (inside - low) / (high - low)
    return status, np.where(status == 0, position, np.nan)


def _room(column: Column, schema: Schema, known: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value that a part may have, given the columns before it."""
    lower, upper = _bounds(column)
    for inequality in schema.inequalities:
        if inequality.part == column.name:
            total = known[inequality.total]
            high = np.where(np.isnan(total), upper, np.clip(total, lower, upper))
            return np.full(high.size, lower), high
    identity = next(relation for relation in schema.identities if column.name in relation.parts)
    rest = _rest(identity.total, identity.parts, schema, known)
    later = [schema.column(name) for name in _unknown(identity.parts, schema, column.name)]
    low = np.clip(rest - sum(_bounds(part)[1] for part in later), lower, upper)
    high = np.clip(rest - sum(_bounds(part)[0] for part in later), lower, upper)
    return low, np.maximum(low, high)


def _computed(name: str, schema: Schema, known: Mapping[str, Floats]) -> Floats:
    """Return the column of an identity that follows from the others."""
    column = schema.column(name)
    for identity in schema.identities:
        if name == identity.total:
            return settled(np.asarray(sum(known[part] for part in identity.parts)), column)
        if name in identity.parts:
            return settled(_rest(identity.total, identity.parts, schema, known), column)
    raise LookupError(f"{name} follows from no identity")


def _rest(total: str, parts: tuple[str, ...], schema: Schema, known: Mapping[str, Floats]) -> Floats:
    """Return what the parts that are known leave of a total, in the unit that the total is recorded with."""
    own = [_bounds(schema.column(part)) for part in parts]
    reached = np.clip(known[total], sum(low for low, _ in own), sum(high for _, high in own))
    decimals = schema.column(total).decimals
    rest = np.asarray(reached - sum(known[part] for part in parts if part in known))
    return rest if decimals is None else np.round(rest, decimals)


def _unknown(parts: tuple[str, ...], schema: Schema, after: str) -> list[str]:
    order = schema.synthesis_order
    return [part for part in parts if order.index(part) > order.index(after)]


def _steps(values: Floats, column: Column) -> Floats:
    lower, _ = _bounds(column)
    return np.asarray(np.rint((values - lower) / column.lattice))


def _clipped(values: Floats, column: Column) -> Floats:
    """Return values within the bounds: the same array if they are, since a long column should not be held twice."""
    lower, upper = _bounds(column)
    if values.size and values.min() >= lower and values.max() <= upper and not _has_negative_zeros(values):
        return values
    # Adding zero turns -0.0 into 0.0, which would otherwise show in saved models.
    return np.asarray(np.clip(values, lower, upper) + 0.0)


def _has_negative_zeros(values: Floats) -> bool:
    return bool(np.any(np.signbit(values) & (values == 0.0)))


def _bounds(column: Column) -> tuple[float, float]:
    assert column.lower is not None and column.upper is not None
    return column.lower, column.upper
