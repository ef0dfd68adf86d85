"""Kinds of columns compiled to the two that are modelled: numbers and categories.

    boolean, ordinal, other, missing labels   a category (missing is one more label)
    date, datetime                            a whole number of steps from the lower bound
    missing values, codes, atoms of a number  a category, the *status*, and a number where the status is "value"
    a part of a relation                      its position in [0, 1] between what the other columns allow
    a total of parts, the last part           nothing: it follows from the others (whether it is missing is a category)

The result is a schema of plain columns in synthesis order. It is a function of the schema alone; what the tables hold
goes through `quantail.frames.encoding`, row by row.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache

from quantail.errors import SchemaError
from quantail.schema.column import Column
from quantail.schema.structure import following, placed_parts
from quantail.schema.table import Schema

VALUE = "value"
MISSING = "(missing)"
LOWEST, HIGHEST = "lowest", "highest"
ALONE = "alone"  # a part whose place is not known, because what it belongs to is missing
_POSITION_DECIMALS = 5


@dataclass(frozen=True)
class Core:
    """What a schema compiles to."""

    schema: Schema  # plain columns, in synthesis order
    # for every column of the original schema the plain columns it is modelled by
    parts: dict[str, tuple[str, ...]]
    # for a number that may be absent, the category that says whether it is there
    statuses: dict[str, str] = field(default_factory=dict)
    # for a category whose labels have an order, how many they are ("missing" comes after them)
    ordered: dict[str, int] = field(default_factory=dict)
    # for a number that follows from others and may be missing, the category that says whether it is
    gaps: dict[str, str] = field(default_factory=dict)

    def predictors_of(self, name: str) -> tuple[str, ...]:
        """Plain columns that explain `name`; its own status is constant where a number is observed."""
        own = self.statuses.get(name)
        return tuple(predictor for predictor in self.schema.predictors_of(name) if predictor != own)


@lru_cache(maxsize=64)
def core_of(schema: Schema) -> Core:
    """Compile a schema; one of plain columns in declared order is its own core.

    Examples
    --------
    >>> pay = Column("pay", "numeric", 0, 1e6, missing=True, atoms=(0,))
    >>> core = core_of(Schema((Column("hired", "date", "2020-01-01", "2020-12-31"), pay), unit="person"))
    >>> [(column.name, column.type) for column in core.schema.columns]
    [('hired', 'integer'), ('pay (status)', 'category'), ('pay', 'numeric')]
    >>> core.schema.column("pay (status)").categories
    ('value', '(missing)', '0')
    """
    if _is_plain(schema):
        return Core(schema, {name: (name,) for name in schema.names})
    columns: list[Column] = []
    parts: dict[str, tuple[str, ...]] = {}
    explaining: dict[str, tuple[str, ...]] = {}  # what stands for a column among the predictors of others
    statuses: dict[str, str] = {}
    gaps: dict[str, str] = {}
    computed, placed = computed_columns(schema), positioned_columns(schema)
    for name in schema.synthesis_order:
        column = schema.column(name)
        named = column.predictors
        listed = None if named is None else _expanded(named, explaining)
        labels = () if column.is_labelled else status_labels(column, schema)
        if labels:
            status = status_name(schema, name)
            (gaps if name in computed else statuses)[name] = status
            columns.append(
                Column(status, "category", categories=labels, predictors=listed, public=column.public)
            )
        if name in computed:
            parts[name] = (gaps[name],) if labels else ()
            # It is no column of the model: what it follows from tells as much.
            identity = next(each for each in schema.identities if name in each.names)
            sources = [part for other in identity.names if other != name for part in explaining[other]]
            explaining[name] = tuple(dict.fromkeys((*parts[name], *sources)))
            continue
        columns.append(_plain(column, name in placed, listed))
        explaining[name] = parts[name] = (statuses[name], name) if labels else (name,)
    core = Schema(tuple(columns), schema.unit, schema.neighbours, schema.by, schema.name)
    ordered = {column.name: len(column.labels) for column in schema.columns if column.type == "ordinal"}
    return Core(core, parts, statuses, ordered, gaps)


def status_labels(column: Column, schema: Schema) -> tuple[str, ...]:
    """Return what may be known of a number: it is there, or what stands in its place; empty if it is always there."""
    missing = (MISSING,) if column.missing else ()
    numbers = tuple(f"{number:.15g}" for number in special_numbers(column))
    if column.name in computed_columns(schema):
        numbers = numbers[: len(column.missing_codes)]
    ends: tuple[str, ...] = ()
    if column.name in positioned_columns(schema):
        others = (schema.column(name) for name in place_given_by(column.name, schema))
        loose = any(other.missing or other.missing_codes for other in others)
        ends = (LOWEST, HIGHEST, ALONE) if loose else (LOWEST, HIGHEST)
    return (VALUE, *missing, *numbers, *ends) if missing or numbers or ends else ()


def place_given_by(name: str, schema: Schema) -> tuple[str, ...]:
    """Return the columns that say what a part may be: its total, and the parts of an identity before it."""
    for inequality in schema.inequalities:
        if inequality.part == name:
            return (inequality.total,)
    order = schema.synthesis_order
    identity = next(relation for relation in schema.identities if name in relation.parts)
    earlier = (part for part in identity.parts if order.index(part) < order.index(name))
    return (identity.total, *earlier)


def special_numbers(column: Column) -> tuple[float, ...]:
    """Return the numbers that stand for themselves: codes of missing values, then atoms."""
    return (*column.missing_codes, *column.atoms)


@lru_cache(maxsize=64)
def computed_columns(schema: Schema) -> frozenset[str]:
    """Return the columns that follow from others by an identity."""
    return following(schema.identities, schema.synthesis_order)


@lru_cache(maxsize=64)
def positioned_columns(schema: Schema) -> frozenset[str]:
    """Return the columns that are modelled by their position between what other columns allow."""
    return frozenset(placed_parts(schema.identities, schema.inequalities, computed_columns(schema)))


def status_name(schema: Schema, name: str) -> str:
    """Return the name of a column's status, which no column of the table may have."""
    status = f"{name} (status)"
    if status in schema.names:
        raise SchemaError(f"column {status!r} has a name that {name!r} needs for its own status; rename it")
    return status


def steps_of(column: Column) -> int:
    """Return how many steps of its resolution lie between the bounds of a column of dates."""
    assert column.lower is not None and column.upper is not None
    return max(int((column.upper - column.lower) / column.lattice + 1e-9), 1)


def _is_plain(schema: Schema) -> bool:
    if schema.identities or schema.inequalities or schema.synthesis_order != schema.names:
        return False
    return all(column.is_plain for column in schema.columns)


def _plain(column: Column, placed: bool, predictors: tuple[str, ...] | None) -> Column:
    """Return the column that is modelled: a category, or the number of rows whose status is "value"."""
    if column.is_labelled:
        labels = (*column.labels, MISSING) if column.missing else column.labels
        return Column(column.name, "category", categories=labels, predictors=predictors, public=column.public)
    if placed and column.heaps:
        raise SchemaError(
            f"column {column.name!r}: a part of an identity or inequality has no heaps; remove heaps"
        )
    if placed:
        return Column(column.name, "numeric", 0, 1, decimals=_POSITION_DECIMALS, predictors=predictors)
    if column.is_dated:
        return Column(
            column.name, "integer", 0, steps_of(column), predictors=predictors, public=column.public
        )
    lower, upper = _beside_atoms(column)
    return replace(
        column,
        lower=lower,
        upper=upper,
        predictors=predictors,
        missing=False,
        missing_codes=(),
        atoms=(),
        storage="",
        universe="",
        outside="",
        missing_with="",
        only_outside=False,
    )


def _beside_atoms(column: Column) -> tuple[float, float]:
    """Return the bounds of what is no atom: an atom at a bound is counted, so the rest starts a step beside it."""
    assert column.lower is not None and column.upper is not None
    lower = column.lower + column.lattice * (column.lower in column.atoms)
    upper = column.upper - column.lattice * (column.upper in column.atoms)
    return (lower, upper) if lower < upper else (column.lower, column.upper)


def _expanded(names: tuple[str, ...], explaining: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for name in names for part in explaining[name]))
