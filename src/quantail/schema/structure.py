"""Relations between columns that hold in every row: a total is the sum of its parts, a part is at most its total.

They are kept by construction. The column of a relation that stands last in synthesis order is not free any more:

    identity, total last        the total is the sum of the parts,
    identity, total first       each part is its position in what earlier parts leave over, the last part is the rest,
    inequality                  the part is its position between its lower bound and the total.

A position is a number in [0, 1]: 0 at the lowest value that the other columns allow, 1 at the highest. Where one of the
others is missing, its number is still drawn, and not shown: what is shown holds in every row whose values are there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quantail.errors import SchemaError
from quantail.schema.column import Column
from quantail.schema.column_rules import check_text, is_list
from quantail.schema.column_types import DATED, NUMBERS


@dataclass(frozen=True)
class Identity:
    """`total` is the sum of `parts` in every row where all of them hold a value.

    Examples
    --------
    >>> Identity("income", ("wages", "rents")).names
    ('income', 'wages', 'rents')
    """

    total: str
    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        advice = 'write total = "a" and parts = ["b", "c"]'
        check_text(self.total, "[[identity]] total", advice)
        given: Any = self.parts
        if not is_list(given):
            raise SchemaError(f"[[identity]] parts must be a list; {advice}")
        object.__setattr__(self, "parts", tuple(given))
        for part in self.parts:
            check_text(part, "[[identity]] an entry of parts", advice)
        if len(self.parts) < 2:
            raise SchemaError(f"[[identity]] of {self.total!r} needs at least two parts; {advice}")

    @property
    def names(self) -> tuple[str, ...]:
        """All columns of the relation, the total first."""
        return (self.total, *self.parts)


@dataclass(frozen=True)
class Inequality:
    """`part` is at most `total` in every row where both hold a value.

    Examples
    --------
    >>> Inequality("tips", "wages").names
    ('wages', 'tips')
    """

    part: str
    total: str

    def __post_init__(self) -> None:
        for option in ("part", "total"):
            text = getattr(self, option)
            check_text(text, f"[[inequality]] {option}", 'write part = "tips" and total = "wages"')

    @property
    def names(self) -> tuple[str, ...]:
        """Both columns of the relation, the total first."""
        return (self.total, self.part)


def following(identities: Sequence[Identity], order: Sequence[str]) -> frozenset[str]:
    """Return the columns that follow from others: of each identity the one that stands last in synthesis order."""
    return frozenset(max(identity.names, key=order.index) for identity in identities)


def placed_parts(
    identities: Sequence[Identity], inequalities: Sequence[Inequality], computed: frozenset[str]
) -> dict[str, bool]:
    """Return the parts that are modelled by a position, each with whether it is the part of an inequality.

    `computed`: columns that follow from others.
    """
    placed = {part: False for each in identities if each.total not in computed for part in each.parts}
    placed |= {inequality.part: True for inequality in inequalities}
    return {part: alone for part, alone in placed.items() if part not in computed}


def check_structure(
    identities: Sequence[Identity],
    inequalities: Sequence[Inequality],
    columns: Mapping[str, Column],
    places: Mapping[str, int],
) -> None:
    """Raise a SchemaError unless the relations can be kept; `places` are positions in synthesis order."""
    bound: set[str] = set()  # columns that follow from others
    for identity in identities:
        _check_names("[[identity]]", identity.names, columns, NUMBERS)
        own, parts = places[identity.total], [places[part] for part in identity.parts]
        if min(parts) < own < max(parts):
            raise SchemaError(
                f"[[identity]]: the total {identity.total!r} stands between its parts; "
                "move its [[column]] section before all of them, or after them"
            )
        total_last = own > max(parts)
        _check_reach(identity, columns, total_last)
        derived = {identity.total} if total_last else set(identity.parts)
        _claim(derived, bound)
    for inequality in inequalities:
        _check_names("[[inequality]]", inequality.names, columns, (*NUMBERS, *DATED))
        if places[inequality.total] > places[inequality.part]:
            raise SchemaError(
                f"[[inequality]]: {inequality.total!r} must stand before {inequality.part!r}; "
                "move its [[column]] section up"
            )
        if (columns[inequality.part].lower or 0) > (columns[inequality.total].lower or 0):
            raise SchemaError(
                f"[[inequality]]: {inequality.total!r} may be below all that {inequality.part!r} may be; "
                f"raise the lower bound of {inequality.total!r}, or lower that of {inequality.part!r}"
            )
        _claim({inequality.part}, bound)


def _check_names(
    where: str, names: Sequence[str], columns: Mapping[str, Column], types: Sequence[str]
) -> None:
    if len(set(names)) < len(names):
        raise SchemaError(f"{where} names a column twice; name different columns")
    for name in names:
        if name not in columns:
            raise SchemaError(
                f"{where} names {name!r}, which is not a column; describe it, or correct the name"
            )
        column = columns[name]
        if column.type not in types or column.public:
            wanted = f"{', '.join(types[:-1])} or {types[-1]}"
            raise SchemaError(f"{where}: {name!r} must be a column of type {wanted} that is not public")
    if len({columns[name].type for name in names}) > 1 or len({columns[name].decimals for name in names}) > 1:
        raise SchemaError(
            f"{where}: {', '.join(map(repr, names))} differ in type or decimals; give all the same, "
            "since sums are exact only in one unit"
        )
    first = columns[names[0]]
    if first.is_dated and any(_off_the_steps(columns[name], first) for name in names[1:]):
        raise SchemaError(
            f"{where}: {', '.join(map(repr, names))} differ in resolution, or in the moments that it makes of their "
            "lower bounds; give both the same"
        )


def _off_the_steps(column: Column, other: Column) -> bool:
    apart = ((column.lower or 0.0) - (other.lower or 0.0)) / other.lattice
    return column.lattice != other.lattice or apart != round(apart)


def _check_reach(identity: Identity, columns: Mapping[str, Column], total_last: bool) -> None:
    """Raise a SchemaError unless bounds can be kept whatever is drawn."""
    total = columns[identity.total]
    lower = sum(columns[part].lower or 0.0 for part in identity.parts)
    upper = sum(columns[part].upper or 0.0 for part in identity.parts)
    if total_last and not ((total.lower or 0.0) <= lower and upper <= (total.upper or 0.0)):
        raise SchemaError(
            f"[[identity]]: the total {identity.total!r} is the sum of its parts, which may lie outside of its "
            f"bounds; write lower = {lower:.15g} and upper = {upper:.15g}, or move its [[column]] section before the "
            "parts"
        )
    if lower > (total.upper or 0.0) or upper < (total.lower or 0.0):
        raise SchemaError(
            f"[[identity]]: no parts within their bounds add up to a {identity.total!r} within its bounds; "
            "correct the bounds"
        )


def _claim(derived: set[str], bound: set[str]) -> None:
    twice = sorted(derived & bound)
    if twice:
        raise SchemaError(f"column {twice[0]!r} follows from two relations; keep one of them")
    bound |= derived
