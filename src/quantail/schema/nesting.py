"""Codes within codes: a county lies in one state, an industry belongs to one sector.

    within = "state"                 every label of this column belongs to one label of that earlier one:
    parents = ["GA", "GA", "FL"]     named in the order of the labels ("" where that column is missing); left out, it
                                     is the longest label of that column with which its own begins.

Rules are public and hold in every synthetic row: where the coarser code is missing, the finer one is missing, too,
unless it belongs there; "other" and missing labels may stand everywhere. In a confidential row that breaks a rule the
finer code decides.
"""

from collections.abc import Collection, Mapping, Sequence

from quantail.schema.column import OTHER, Column
from quantail.schema.column_rules import wrong
from quantail.schema.universe import universe_of

ANYWHERE = -1
_FEWEST_COARSER = 3  # of two, digits begin with one or the other by chance


def parents_of(column: Column, parent: Column) -> tuple[int, ...]:
    """Return, for every label of a column, the code of the label of another that it belongs to, or `ANYWHERE`.

    Examples
    --------
    >>> sector = Column("sector", "category", categories=("23", "31"))
    >>> parents_of(Column("code", "category", categories=("2361", "2362", "3111"), within="sector"), sector)
    (0, 0, 1)
    """
    codes = {label: code for code, label in enumerate(parent.labels)}
    if column.parents and parent.missing:
        codes[""] = len(parent.labels)
    named = column.parents or tuple(_beginning(label, parent) for label in column.categories)
    for label, name in zip(column.categories, named, strict=True):
        if name not in codes and label != OTHER:
            raise _without_place(column, label, name, parent)
    found = [codes.get(name, ANYWHERE) for name in named]
    return (*found, *[ANYWHERE] * (len(column.labels) - len(found)))


def _beginning(label: str, parent: Column) -> str:
    """Return the longest label of a parent that a label begins with; empty if there is none."""
    return max(
        (name for name in parent.labels if name != OTHER and label.startswith(name)), key=len, default=""
    )


def _without_place(column: Column, label: str, name: str, parent: Column) -> Exception:
    if not column.parents:
        advice = f"write parents = [...]: for each of its categories the label of {parent.name!r} that it belongs to"
        return wrong(column, f"{label[:60]!r} begins with no label of {parent.name!r}", advice)
    if not name:
        advice = f"name its label of {parent.name!r}, or write missing = true there"
        return wrong(
            column, f"parents has no entry for {label[:60]!r}, and {parent.name!r} is never missing", advice
        )
    advice = f"add it to the categories of {parent.name!r}, or correct parents"
    return wrong(column, f"parents holds {name[:60]!r}, which is no label of {parent.name!r}", advice)


def begin_with(labels: Sequence[str], coarser: Sequence[str]) -> bool:
    """Say whether labels look like codes within coarser codes: each begins with one, and two or more do on average.

    Examples
    --------
    >>> begin_with(("2361", "2362", "3111", "3112", "4210", "4220"), ("23", "31", "42"))
    True
    """
    found = dict.fromkeys(coarser, 0)
    if len(coarser) < _FEWEST_COARSER or len(labels) < 2 * len(coarser):
        return False
    for label in labels:
        starts = [each for each in coarser if each != label and label.startswith(each)]
        if len(starts) != 1:
            return False
        found[starts[0]] += 1
    return all(found.values())


def undeclared_nesting(labels: Mapping[str, Sequence[str]], known: Collection[str]) -> dict[str, str]:
    """Return columns that may lie within one before them, with that one; it rests on lists of labels alone.

    Parameters
    ----------
    labels : mapping
        The labels of columns, in synthesis order.
    known : collection of str
        Columns that say already what they lie within.
    """
    names, found = list(labels), dict[str, str]()
    for place, name in enumerate(names):
        before = [each for each in names[:place] if begin_with(labels[name], labels[each])]
        if before and name not in known:
            found[name] = max(before, key=lambda each: len(labels[each]))
    return found


def check_nesting(columns: Mapping[str, Column], places: Mapping[str, int], by: tuple[str, ...]) -> None:
    """Raise a SchemaError unless every label has a place, and every row can have a label.

    Parameters
    ----------
    places : mapping
        Positions in synthesis order.
    """
    for column in columns.values():
        if column.within:
            _check_names(column, columns, places, by)
            _check_labels(column, columns[column.within])


def _check_names(
    column: Column, columns: Mapping[str, Column], places: Mapping[str, int], by: tuple[str, ...]
) -> None:
    name = column.within
    if name not in columns or not columns[name].labels:
        raise wrong(
            column, f"within names {name[:60]!r}, which is no column of labels", "name one, or remove within"
        )
    if column.public or {column.name, name} & set(by):
        advice = "remove within, or public or by"
        raise wrong(
            column, "within is for columns that are drawn, and for tables that are fitted as one", advice
        )
    if places[name] >= places[column.name]:
        advice = f'move the [[column]] section of {name!r} before this one, and keep order = "declared"'
        raise wrong(column, f"within names {name!r}, which does not stand before it", advice)


def _check_labels(column: Column, parent: Column) -> None:
    """Raise a SchemaError unless some label is left for every row, whatever its coarser code and its universe are."""
    own, rule = (*parents_of(column, parent), *[ANYWHERE] * column.missing), universe_of(column)
    outside = None
    if rule is not None:
        outside = len(column.labels) if rule.outside is None else int(rule.outside)
        if own[outside] != ANYWHERE:
            what = (
                f"outside of its universe it is {column.labels[outside][:60]!r}, which has a place of its own"
            )
            raise wrong(column, what, 'write outside = "missing", or remove within')
    # What stands outside of a universe alone is no label for the rows inside.
    away = {outside} if rule is not None and rule.both_ways else set()
    away |= {len(column.labels)} if rule is not None and rule.partner is not None else set()
    inside = [place for code, place in enumerate(own) if code not in away]
    if ANYWHERE in inside:
        return
    empty = [label for code, label in enumerate(parent.labels) if code not in inside]
    if empty:
        advice = "add one to categories, or write other = true or missing = true"
        raise wrong(column, f"none of its labels belongs to {empty[0][:60]!r} of {parent.name!r}", advice)
    if parent.missing and len(parent.labels) not in inside and column.missing_with != parent.name:
        advice = f"write missing = true here, too, or remove it from {parent.name!r}"
        raise wrong(column, f"it is never missing, so that {parent.name!r} is known in every row", advice)
