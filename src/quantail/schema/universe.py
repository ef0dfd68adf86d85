"""Where a column has a value at all: its universe, and what stands outside of it.

    universe = "age >= 15"        only where this holds of earlier columns; elsewhere the column is missing,
    outside = 0                   or this atom, or this label or missing code, which then stands nowhere else,
    only_outside = true           that stands nowhere else: within, the column is never zero, or never missing,
    missing_with = "employees"    the column is missing where the other is, and nowhere else; a universe then speaks
                                  of the other rows.

Rules are public and hold in every synthetic row. A confidential row that breaks one is read as if it did not, as
values beyond the bounds are.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from quantail.errors import SchemaError
from quantail.schema.column import Column
from quantail.schema.column_rules import wrong
from quantail.schema.condition import Condition

MISSING_WORD = "missing"


@dataclass(frozen=True)
class Universe:
    """The rule of one column."""

    condition: Condition  # where the column may have a value
    outside: float | None = None  # what it is elsewhere: the code of a label, a number, or None for missing
    both_ways: bool = False  # whether that stands nowhere else
    partner: Condition | None = (
        None  # of a column with a universe: where it is missing with another one, this fails
    )

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it looks at."""
        return (*self.condition.names, *(() if self.partner is None else self.partner.names))


def universe_of(column: Column) -> Universe | None:
    """Return the rule of a column, if it has one.

    Examples
    --------
    >>> universe_of(Column("pay", "integer", 0, 9, atoms=(0,), universe="jobs > 0", outside=0)).outside
    0.0
    """
    partner = None
    if column.missing_with:
        quoted = column.missing_with.replace("`", "")
        partner = Condition.parse(f"`{quoted}` is not missing")
    if not column.universe:
        return None if partner is None else Universe(partner, both_ways=True)
    try:
        condition = Condition.parse(column.universe)
    except SchemaError as error:
        raise wrong(column, "universe cannot be read", str(error)) from None
    outside = _outside(column)
    named = outside is not None and (column.is_labelled or outside in column.missing_codes)
    if column.only_outside and outside in column.atoms and outside not in (column.lower, column.upper):
        advice = "write it as lower or upper, which no other value reaches, or remove only_outside"
        raise wrong(column, "values beside what stands outside may be rounded to it", advice)
    if partner is not None and outside is None:
        advice = "write outside = ... (a label, an atom or a missing code), or remove missing_with"
        raise wrong(
            column, "with missing_with it is missing in other rows than those outside of its universe", advice
        )
    return Universe(condition, outside, named or column.only_outside, partner)


def _outside(column: Column) -> float | None:
    given = column.outside
    if given == "" or (given == MISSING_WORD and MISSING_WORD not in column.labels):
        if not column.missing:
            advice = "write missing = true, or what stands there: outside = ..."
            raise wrong(column, "outside of its universe it would be missing, which it cannot be", advice)
        return None
    if column.is_labelled:
        text = given if isinstance(given, str) else f"{given:.15g}"
        if text not in column.labels:
            raise wrong(column, "outside is none of its labels", "spell it as in categories")
        return column.labels.index(text)
    if isinstance(given, str) or float(given) not in (*column.missing_codes, *column.atoms):
        advice = f"write atoms = [{given}]" if not isinstance(given, str) else 'write outside = "missing"'
        raise wrong(column, "outside must be one of its atoms or missing_codes", advice)
    return float(given)


def check_universes(
    columns: Mapping[str, Column],
    places: Mapping[str, int],
    by: tuple[str, ...],
    placed: Mapping[str, bool],
    computed: frozenset[str],
) -> None:
    """Raise a SchemaError unless every rule can be kept.

    Parameters
    ----------
    places : mapping
        Positions in synthesis order.
    placed : mapping
        Parts of relations, by name: whether one is the part of an inequality.
    computed : frozenset of str
        Columns that follow from others.
    """
    for column in columns.values():
        rule = universe_of(column)
        if rule is None:
            continue
        option = "universe" if column.universe else "missing_with"
        _check_names(column, rule, option, columns, places)
        if column.public or column.name in by:
            raise wrong(
                column, f"{option} is for columns that are drawn", f"remove {option}, or public or by"
            )
        if column.is_labelled and rule.both_ways and len(column.labels) + column.missing < 2:
            advice = "add a label to categories for the rows inside, or remove the rule"
            raise wrong(column, f"its only label stands outside of its {option}", advice)
        if column.only_outside and by:
            raise wrong(
                column, "only_outside is for tables that are fitted as one", "remove by, or only_outside"
            )
        if column.name in computed and rule.outside is not None and rule.outside not in column.missing_codes:
            advice = (
                'write outside = "missing", or move its [[column]] section before another one of the identity'
            )
            raise wrong(column, "it follows from an identity, and is the sum wherever it is there", advice)
        if column.missing_with and column.universe and column.name in computed:
            raise wrong(
                column, "it follows from an identity, and has both universe and missing_with", "keep one"
            )
        if column.missing_with:
            _check_partner(column, columns[column.missing_with], by)
        if column.universe and column.name in placed:
            _check_placed(column, rule.outside, placed[column.name])


def _check_names(
    column: Column,
    rule: Universe,
    option: str,
    columns: Mapping[str, Column],
    places: Mapping[str, int],
) -> None:
    try:
        for condition in (rule.condition, *(() if rule.partner is None else (rule.partner,))):
            condition.check(columns)
    except SchemaError as error:
        raise wrong(column, f"{option} cannot be kept", str(error)) from None
    for name in rule.names:
        if places[name] >= places[column.name]:
            advice = (
                f"move the [[column]] section of {name!r} before this one" + ', and keep order = "declared"'
            )
            raise wrong(column, f"{option} names {name!r}, which does not stand before it", advice)


def _check_partner(column: Column, partner: Column, by: tuple[str, ...]) -> None:
    for each in (column, partner):
        if not each.missing:
            raise wrong(
                column, f"missing_with, but {each.name!r} is never missing", "write missing = true there"
            )
    if partner.public or partner.name in by:
        raise wrong(
            column, "missing_with names a public column", f'write universe = "{partner.name} is not missing"'
        )
    rule = universe_of(partner)
    if rule is not None and rule.outside is not None and partner.universe != column.universe:
        advice = f"give {column.name!r} the same universe, and outside = ..., too"
        raise wrong(
            column,
            f"missing_with names {partner.name!r}, which is not missing outside of its universe",
            advice,
        )


def _check_placed(column: Column, outside: float | None, is_part: bool) -> None:
    """Raise a SchemaError unless a number outside of the universe fits whatever the relation leaves."""
    if column.only_outside and outside is not None and outside not in column.missing_codes:
        advice = "remove only_outside, or the relation"
        raise wrong(column, "a part of a relation may be as small as what stands outside", advice)
    if outside is None or outside in column.missing_codes or (is_part and outside == column.lower):
        return
    if is_part:
        advice = 'write its lower bound, or outside = "missing"'
        raise wrong(column, "outside may be above its total in the [[inequality]]", advice)
    advice = 'write outside = "missing", or move the total after its parts'
    raise wrong(column, "outside may not add up in the [[identity]]", advice)
