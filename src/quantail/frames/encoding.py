"""From the columns of a table to the parts that are modelled, and back.

A table's columns are held as numbers: values as floats (dates as days, moments as seconds; NaN where missing), labels
as codes (the number of labels where missing). `encode` turns them into the plain columns of `core_of(schema)`,
`decode` turns synthetic ones back. Both work row by row, so what a row becomes depends on that row and the schema
alone; a number whose status is not "value" is NaN: it is *absent* (privacy/proofs/absent.md).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Flags, Floats, Integers
from quantail.frames.nesting import finer_decides
from quantail.frames.universes import conditioning, followed, missing_together, outside, ruled, universes
from quantail.schema import Column, Schema, core_of
from quantail.schema.kinds import (
    ALONE,
    LOWEST,
    computed_columns,
    positioned_columns,
    special_numbers,
    status_labels,
)


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
    columns = finer_decides(missing_together(columns, schema), schema)
    parts: dict[str, NDArray[Any]] = {}
    known: dict[str, Floats] = {}  # numbers by which relations are kept
    seen: dict[str, NDArray[Any]] = {}  # columns as they will be released, for rules to look at
    for name in schema.synthesis_order:
        if name not in columns:
            break
        column = schema.column(name)
        values = ruled(name, columns[name], seen, schema)
        if column.is_labelled:
            parts[name] = seen[name] = values
            continue
        status, numbers = _split(values, column)
        if name in computed:
            known[name] = _computed(name, schema, known)
            seen[name] = np.where(np.isnan(numbers), values, known[name])
            if name in core.gaps:
                parts[core.gaps[name]] = np.where(np.isnan(numbers), status, 0)
            continue
        inside = _clipped(numbers, column)
        if name in placed:
            room = _room(column, schema, known)
            known[name] = np.where(np.isnan(room[1]), inside, np.clip(inside, *room))
            status, inside = _place(status, known[name], *room, column, schema)
        else:
            known[name] = inside
        if name in conditioning(schema):
            seen[name] = np.where(np.isnan(known[name]), values, _recorded(known[name], column))
        if name in core.statuses:
            parts[core.statuses[name]] = status
            inside = np.where(status == 0, inside, np.nan)
        parts[name] = _clipped(
            _steps(inside, column) if column.is_dated and name not in placed else inside,
            core.schema.column(name),
        )
    return parts


def decode(
    parts: Mapping[str, NDArray[Any]], schema: Schema, names: Collection[str] | None = None
) -> dict[str, NDArray[Any]]:
    """Return the columns of a table from its plain columns (numbers need not be rounded yet).

    Numbers whose status says that they are absent may be there all the same: what relations leave to other columns is
    taken from them, and they are not returned.

    `names`: return these columns, and those that they follow from, only.

    Examples
    --------
    >>> schema = Schema((Column("day", "date", "1970-01-01", "1970-01-31"),), unit="person")
    >>> decode({"day": np.array([3.2, 30.0])}, schema)["day"].tolist()
    [3.0, 30.0]
    """
    core, computed, placed = core_of(schema), computed_columns(schema), positioned_columns(schema)
    related = {name for identity in schema.identities for name in identity.names} | conditioning(schema)
    related |= {name for inequality in schema.inequalities for name in inequality.names}
    wanted = None if names is None else followed(names, schema)
    columns: dict[str, NDArray[Any]] = {}
    amounts: dict[str, Floats] = {}
    for name in schema.synthesis_order:
        column = schema.column(name)
        if wanted is not None and name not in wanted:
            continue
        if column.is_labelled:
            columns[name] = ruled(name, parts[name], columns, schema)
            continue
        status = parts[core.statuses[name]] if name in core.statuses else None
        if name in computed:
            amounts[name] = _computed(name, schema, amounts)
            status = _gaps(name, parts[core.gaps[name]], columns, schema) if name in core.gaps else None
        else:
            room = _room(column, schema, amounts) if name in placed else None
            settle = name in related - placed and not column.is_dated
            values = settled(parts[name], column) if settle else parts[name]
            amounts[name] = _amounts(values, status, column, room, schema)
        columns[name] = ruled(name, _shown(amounts[name], status, column), columns, schema)
        if name in universes(schema):
            amounts[name] = np.where(_are_amounts(columns[name], column), columns[name], amounts[name])
    return columns


def content_order(keys: Sequence[NDArray[Any]]) -> Integers:
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


def _split(values: Floats, column: Column) -> tuple[Integers, Floats]:
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


def _amounts(
    values: Floats,
    status: Integers | None,
    column: Column,
    room: tuple[Floats, Floats] | None,
    schema: Schema,
) -> Floats:
    """Return the number of every row, also of one that is not shown."""
    if room is not None:
        low, high = room
        numbers = np.clip(_recorded(low + values * (high - low), column), low, high)
    elif column.is_dated:
        assert column.lower is not None
        numbers = column.lower + np.rint(values) * column.lattice
    else:
        numbers = values
    if status is None:
        return numbers
    first = 1 + int(column.missing) + len(column.missing_codes)
    for place, number in enumerate(column.atoms, start=first):
        instead = number if room is None else np.clip(number, *room)
        numbers = np.where(status == place, instead, numbers)
    if room is not None:
        lowest = status_labels(column, schema).index(LOWEST)
        for place, end in zip((lowest, lowest + 1), room, strict=True):
            numbers = np.where(status == place, end, numbers)
    return np.asarray(numbers)


def _gaps(name: str, status: Integers, columns: Mapping[str, NDArray[Any]], schema: Schema) -> Integers:
    """Return where a number that follows from others is missing: where its rule says so, not where it must be there."""
    rule, column = universes(schema).get(name), schema.column(name)
    if rule is None or not rule.both_ways:
        return status
    gone = 1 if rule.outside is None else 1 + int(column.missing) + column.missing_codes.index(rule.outside)
    return np.where((status == gone) & ~outside(rule, columns, schema), 0, status)


def _shown(amounts: Floats, status: Integers | None, column: Column) -> Floats:
    """Return numbers with what stands in place of those that are missing."""
    if status is None:
        return amounts
    numbers = np.where(status == 1, np.nan, amounts) if column.missing else amounts
    for place, code in enumerate(column.missing_codes, start=1 + int(column.missing)):
        numbers = np.where(status == place, code, numbers)
    return np.asarray(numbers)


def _are_amounts(values: Floats, column: Column) -> Flags:
    return np.asarray(~(np.isnan(values) | np.isin(values, column.missing_codes)))


def _place(
    status: Integers, inside: Floats, low: Floats, high: Floats, column: Column, schema: Schema
) -> tuple[Integers, Floats]:
    """Return status and position of a part; at the ends of its room a part has no position, but a status."""
    labels = status_labels(column, schema)
    lowest = labels.index(LOWEST)
    is_value = status == 0
    status = np.where(is_value & (inside >= high), lowest + 1, status)
    if ALONE in labels:
        status = np.where(is_value & np.isnan(high), labels.index(ALONE), status)
    status = np.where(is_value & (inside <= low), lowest, status)
    with np.errstate(divide="ignore", invalid="ignore"):
        position = (inside - low) / (high - low)
    return status, np.where(status == 0, position, np.nan)


def _room(column: Column, schema: Schema, known: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Return the lowest and the highest value that a part may have, given the columns before it; NaN if not known."""
    lower, upper = _bounds(column)
    for inequality in schema.inequalities:
        if inequality.part == column.name:
            high = np.clip(known[inequality.total], lower, upper)
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


def _recorded(values: Floats, column: Column) -> Floats:
    """Return numbers within the bounds as they are released."""
    if not column.is_dated:
        return settled(values, column)
    lower, _ = _bounds(column)
    return np.asarray(lower + _steps(values, column) * column.lattice)


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
