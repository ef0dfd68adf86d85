"""What the rows of a table show and its schema does not say: advice for internal eyes.

Declared, it is known from the start and holds in every synthetic row; undeclared it has to be found with noise, or is
lost. A pattern of the rows is no reason to declare it: a form, a codebook or a law that says so is.
"""

import math
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Flags, Floats, Integers
from quantail.frames.broken_rules import amounts
from quantail.frames.rules import NOTE, Problem
from quantail.io.native import Table, arrow_column
from quantail.schema import Column, Schema
from quantail.schema.kinds import computed_columns, special_numbers

_MANY_VALUES, _ENOUGH_ROWS, _GOOD_PART = 200, 50, 0.1
_MOST_DECIMALS = 6
_MOST_COLUMNS = 40  # of a kind that are compared with each other
_BY_CHANCE = 0.05  # of rows: what holds as often among rows that do not belong together says nothing
_STANDS_OUT = 3  # times as often as the values beside it
_SURE = 20  # nats: a pattern by chance in one table of ten million, for each pair of columns
_FIGURES = (1_000_000, 100_000, 10_000, 1_000, 500, 100, 50, 10)


def undeclared(
    admitted: Mapping[str, NDArray[np.generic]], table: Table, schema: Schema
) -> Iterator[Problem]:
    """Yield a note for everything that a schema could say about a table and does not.

    Parameters
    ----------
    admitted : mapping of str to array
        All columns, as `admit_all` returns them.
    table : Table
        The table itself, for its keys.
    """
    yield from _repeated_keys(table, schema)
    if table.shape[0] < _ENOUGH_ROWS:
        return
    numbers = {
        column.name: np.asarray(admitted[column.name], dtype=np.float64)
        for column in schema.columns
        if not column.is_labelled and not column.public
    }
    computed = computed_columns(schema)
    for name, values in numbers.items():
        yield from _of_a_number(values, schema.column(name), is_computed=name in computed)
    labels = {
        column.name: np.asarray(admitted[column.name], dtype=np.int64)
        for column in schema.columns
        if column.categories and not column.public and column.name not in schema.by
    }
    yield from _nested(labels, schema)
    yield from _empty_together({**numbers, **labels}, schema)
    yield from _relations(numbers, schema)


def _note(name: str, what: str, hint: str) -> Problem:
    return Problem(name, what, hint + NOTE)


def _repeated_keys(table: Table, schema: Schema) -> Iterator[Problem]:
    for key in schema.keys:
        data = arrow_column(table, key.name) if key.name in table.columns else None
        if data is not None and len(data.unique()) < len(data):
            hint = (
                f"one row is protected, so if these are rows of one {schema.unit}, the promise of the card is wrong: "
                "make one row of them, describe a panel, or name in unit what one row is"
            )
            yield _note(key.name, "holds a value in several rows", hint)


def _of_a_number(values: Floats, column: Column, *, is_computed: bool) -> Iterator[Problem]:
    assert column.lower is not None and column.upper is not None
    values = values[~np.isnan(values) & ~np.isin(values, special_numbers(column))]
    if column.is_dated or values.size < _ENOUGH_ROWS:
        return
    beyond = values[(values < column.lower) | (values > column.upper)]
    if beyond.size > 1 and beyond.min() == beyond.max():
        hint = "if it is a code of missing values, list it in missing_codes"
        yield _note(column.name, "holds always the same value outside its bounds", hint)
    is_open = column.type == "numeric" and column.decimals is None and column.resolution is None
    if is_open and (places := _decimals(values)) is not None:
        hint = f"if they are recorded like that, declare it: decimals = {places}"
        yield _note(column.name, f"holds values of at most {places} decimals", hint)
    if not is_computed and (column.upper - column.lower) / column.lattice > _MANY_VALUES:
        yield from _atoms(values, column)


def _decimals(values: Floats) -> int | None:
    for places in range(_MOST_DECIMALS + 1):
        if np.allclose(values, np.round(values, places), rtol=1e-12, atol=1e-9):
            return places
    return None


def _atoms(values: Floats, column: Column) -> Iterator[Problem]:
    found, counts = np.unique(values, return_counts=True)
    frequent = counts >= _GOOD_PART * values.size
    if column.lower in found[frequent]:
        hint = f"if that is in its nature, declare it: atoms = [{column.lower:.15g}]"
        yield _note(column.name, "holds its lowest value in a good part of the rows", hint)
    beside = np.maximum(
        np.append(counts[1:], 0), np.append(0, counts[:-1])
    )  # small counts are frequent, all of them
    if ((found != column.lower) & frequent & (counts > _STANDS_OUT * beside)).any():
        hint = "if that is in its nature (a full week, a top code), list it in atoms"
        yield _note(column.name, "holds another value in a good part of the rows", hint)
    if not column.heaps:
        yield from _round_figures(values[~np.isin(values, found[frequent])], values.size, column)


def _round_figures(values: Floats, rows: int, column: Column) -> Iterator[Problem]:
    step = 1.0 if column.decimals is None else 10.0**-column.decimals
    for figure in (figure for figure in _FIGURES if step / figure <= _BY_CHANCE):
        above = values[np.abs(values) >= figure]
        multiples = np.abs(above - np.rint(above / figure) * figure) < step / 2
        if np.count_nonzero(multiples) >= 2 * _GOOD_PART * rows:
            hint = f"if people round it, declare it: heaps = [{figure}]"
            yield _note(column.name, f"holds multiples of {figure} in a good part of the rows", hint)
            return


def _empty_together(columns: Mapping[str, NDArray[np.generic]], schema: Schema) -> Iterator[Problem]:
    """Find columns without a value, or zero, in the same rows as a column before them, or at least in those."""
    before: dict[str, Flags] = {}
    computed = computed_columns(schema)
    parts = {(limit.part, limit.total) for limit in schema.inequalities}
    parts |= {(part, identity.total) for identity in schema.identities for part in identity.parts}
    for name in [name for name in schema.synthesis_order if name in columns][: 2 * _MOST_COLUMNS]:
        column, empty = schema.column(name), _empty(columns[name], schema.column(name))
        if not _BY_CHANCE / 2 < empty.mean() < 1 - _BY_CHANCE / 2:
            continue
        is_said = column.universe or column.missing_with or name in computed
        same = next((other for other, gone in before.items() if np.array_equal(gone, empty)), None)
        wider = (
            None
            if same
            else _widest_within(empty, {o: g for o, g in before.items() if (name, o) not in parts})
        )
        if same is None:
            before[name] = empty
        if (other := same or wider) is None or is_said:
            continue
        what = "missing" if column.is_labelled or column.is_dated else "missing or zero"
        if same is not None:
            hint = "if a rule says so, declare it: universe with outside and only_outside = true, or missing_with"
            yield _note(name, f"is {what} in the same rows as {other!r}", hint)
        else:
            hint = "if a rule says so, declare it: universe, with outside where it is not missing"
            yield _note(name, f"is {what} in every row in which {other!r} is missing or zero", hint)


def _empty(values: NDArray[np.generic], column: Column) -> Flags:
    """Return which rows have no value, or zero."""
    if column.is_labelled:
        return np.asarray(values == len(column.labels))
    numbers = values.astype(np.float64, copy=False)
    zeros = () if column.is_dated else (0.0,)
    return np.isnan(numbers) | np.isin(numbers, (*column.missing_codes, *zeros))


def _widest_within(empty: Flags, before: Mapping[str, Flags]) -> str | None:
    """Return the column with the most empty rows that are all empty here, too, beyond chance."""
    found, most = None, 0
    for name, gone in before.items():
        rows = int(np.count_nonzero(gone))
        if rows <= most or (gone & ~empty).any():
            continue
        elsewhere = float(empty[~gone].mean())
        if rows * -math.log(max(elsewhere, 1e-300)) >= _SURE:
            found, most = name, rows
    return found


def _nested(labels: Mapping[str, Integers], schema: Schema) -> Iterator[Problem]:
    """Find columns of labels each of which stands beside one label of a coarser column only."""
    names = [name for name in schema.synthesis_order if name in labels][:_MOST_COLUMNS]
    for name in names:
        column = schema.column(name)
        for parent in names:
            is_finer = len(column.labels) > len(schema.column(parent).labels) > 2
            if is_finer and not column.within and _belongs(labels[name], labels[parent], len(column.labels)):
                hint = "if a codebook says so, declare it in the finer one, which stands last: within"
                yield _note(name, f"has labels that each stand beside one label of {parent!r}", hint)
                break


def _belongs(codes: Integers, parents: Integers, missing: int) -> bool:
    """Say whether each code has one parent, which it would not have among rows that do not belong together."""
    codes, parents = codes[codes < missing], parents[codes < missing]
    often = np.bincount(codes, minlength=missing)[codes] > 1
    codes, parents = codes[often], parents[often]
    if codes.size < _ENOUGH_ROWS:
        return False
    first = np.zeros(missing, dtype=np.int64)
    first[codes] = parents
    apart = [np.mean(first[codes] != each) for each in (parents, np.roll(parents, parents.size // 2))]
    return bool(apart[0] == 0 and apart[1] > _BY_CHANCE)


def _relations(numbers: Mapping[str, Floats], schema: Schema) -> Iterator[Problem]:
    kinds: dict[tuple[Any, ...], list[str]] = {}
    for name in numbers:
        column = schema.column(name)
        kinds.setdefault((column.type, column.decimals, column.resolution), []).append(name)
    bound = {name for identity in schema.identities for name in identity.names}
    bound |= {name for inequality in schema.inequalities for name in inequality.names}
    for names in (kind[:_MOST_COLUMNS] for kind in kinds.values()):
        known = {name: amounts(numbers[name], schema.column(name)) for name in names if name not in bound}
        sums = dict(_sums(known, schema))
        for total, parts in sums.items():
            hint = "if that is a rule, declare it: [[identity]]"
            yield _note(total, f"is the sum of {' and '.join(map(repr, parts))}", hint)
        summed = {name for total, parts in sums.items() for name in (total, *parts)}
        for part, total in permutations((name for name in known if name not in summed), 2):
            if _is_within(known[part], known[total]):
                hint = "if that is a rule, declare it: [[inequality]]"
                yield _note(part, f"is never above {total!r}", hint)


def _sums(known: Mapping[str, Floats], schema: Schema) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Find columns that are the sum of two or more right before or right after them."""
    names = [name for name in known if not schema.column(name).is_dated]
    for place, total in enumerate(names):
        step = schema.column(total).lattice
        for side in (names[:place][::-1], names[place + 1 :]):
            running = np.zeros(known[total].size)
            for count, part in enumerate(side, start=1):
                running = running + known[part]
                apart = np.abs(running - known[total])
                if (
                    count > 1
                    and np.nanmax(apart, initial=0) <= step / 2
                    and (known[part] != 0).mean() > _BY_CHANCE
                ):
                    yield total, tuple(sorted(side[:count], key=names.index))
                    break


def _is_within(part: Floats, total: Floats) -> bool:
    """Say whether a part is never above its total, which it would be among rows that do not belong together."""
    if (part > total).any():
        return False
    there = ~np.isnan(part) & ~np.isnan(total) & (part != 0) & (total != 0)
    part, total = part[there], total[there]
    return part.size >= _ENOUGH_ROWS and bool(np.mean(part > np.roll(total, part.size // 2)) > _BY_CHANCE)
