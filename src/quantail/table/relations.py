"""What is asked about relations between columns, what was found, and what was lost: in words, from public facts alone.

A relation that no slope and no counted table names is not in the synthetic table. Before a fit the plan says how many
can be asked at all, and which budget would ask for more; afterwards the model says which were.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations

from quantail.privacy import Definition, Relation, cells_touched, histogram_noise, rho_from
from quantail.schema import Schema, core_of
from quantail.table.columns import NumberColumn, TableColumn
from quantail.table.design import TablesDesign, draw_tables_design
from quantail.table.stage_one.rules import TablesSettings
from quantail.table.tuning import FOUND_FACTOR, MOST_NAMED

_LARGEST = 2.0**20  # epsilon: beyond, no budget is named
_STEPS = 6  # of a bisection, to some two digits


@dataclass(frozen=True)
class Asked:
    """What a design asks about relations."""

    columns: int
    pairs: int  # pairs of columns that may be related
    slopes: int  # slopes of numbers on numbers
    rounds: int  # tables that are chosen and counted
    noise: float = 0.0  # standard deviation of the noise of a counted cell, as a share of the rows

    @classmethod
    def of(cls, design: TablesDesign, definition: Definition, neighbours: Relation) -> "Asked":
        """Read it off a design."""
        slopes = sum(len(column.slopes) for column in design.columns.columns)
        pairs, noise = sum(map(len, design.explained)), 0.0
        if design.rounds:
            counting = design.rounds[0].children[1].cost
            noise = histogram_noise(counting, cells_touched(neighbours), definition).deviation / design.rows
        return cls(len(design.explained), pairs, slopes, len(design.rounds), noise)

    @property
    def is_enough(self) -> bool:
        """Whether tables can join all columns."""
        return self.rounds >= self.columns - 1

    def lines(self, epsilon: str, enough: str) -> tuple[str, ...]:
        """Say it in words.

        `enough`: the epsilon from which tables can join all columns; empty if none is known.
        """
        if not self.pairs:
            return ()
        more = f"; from about epsilon {enough} on tables of counts can join all of them" if enough else ""
        if not self.rounds and not self.slopes:
            return (
                f"The {self.columns} columns come out independent of each other: epsilon {epsilon} is too little to "
                f"ask about relations{more}.",
            )
        parts = [f"{_many(self.slopes, 'slope')} of numbers on numbers"] if self.slopes else []
        if self.rounds:
            parts.append(
                f"{_many(self.rounds, 'table')} of counts, chosen where the model is most wrong (noise of a cell: "
                f"{self.noise:.2g} of the rows)"
            )
        pairs = _many(self.pairs, "pair")
        asked = f"Relations asked for: {' and '.join(parts)}; {pairs} of columns may be related."
        if self.is_enough:
            return (asked,)
        return asked, f"Relations that these do not reach are lost{more}."


@lru_cache(maxsize=64)  # twenty designs are drawn for it, and files, cards and reports all state it
def asked_lines(
    schema: Schema, rows: int, cost: Fraction, epsilon: Fraction, delta: Fraction | None
) -> tuple[str, ...]:
    """Say what a fit of so many rows asks about relations, and which epsilon would ask for more.

    Parameters
    ----------
    cost : Fraction
        What the fit may cost, in epsilon or rho.
    epsilon, delta : Fraction
        The budget of the release, to which others are compared; no delta under pure epsilon-DP.
    """
    definition: Definition = "pure" if delta is None else "zcdp"
    whole = epsilon if delta is None else rho_from(epsilon, delta)

    def asked(other: float) -> Asked:
        wanted = Fraction(str(other))
        then = cost / whole * (wanted if delta is None else rho_from(wanted, delta))
        design = draw_tables_design(TablesSettings(), schema, rows, then, definition, "table")
        return Asked.of(design, definition, schema.neighbours)

    own = float(epsilon)
    return asked(own).lines(f"{own:.3g}", enough_epsilon(asked, own))


def enough_epsilon(asked: Callable[[float], Asked], epsilon: float) -> str:
    """Return the epsilon from which tables can join all columns, to two digits; empty if there is none in reach."""
    if asked(epsilon).is_enough:
        return ""
    low, high = epsilon, 2 * epsilon
    while not asked(high).is_enough:
        low, high = high, 2 * high
        if high > _LARGEST:
            return ""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if asked(middle).is_enough else (middle, high)
    digit = 10.0 ** (math.floor(math.log10(high)) - 1)
    return f"{float(f'{math.ceil(high / digit - 1e-9) * digit:.2g}'):,g}"  # 120, not 1.2e+02


@dataclass(frozen=True)
class Relations:
    """What a model knows about relations."""

    # sets of columns whose relation a slope or a table tells, the column that it acts on last
    found: tuple[tuple[str, ...], ...]
    empty: tuple[tuple[str, ...], ...]  # sets that were asked about without a finding beyond noise
    lost: tuple[tuple[str, str], ...]  # pairs that may be related and were not asked about

    def lines(self) -> tuple[str, ...]:
        """Say it in words."""
        found = "Relations found, or noise that looks like one"
        titles = (found, "Asked about, nothing beyond noise found", "Not asked about, and lost")
        return tuple(
            f"{title}: {_listed(sets)}."
            for title, sets in zip(titles, (self.found, self.empty, self.lost), strict=True)
            if sets
        )


def relations_of(columns: Iterable[TableColumn], schema: Schema) -> Relations:
    """Read relations off released columns, of all groups of a table."""
    found: dict[tuple[str, ...], bool] = {}
    widths: dict[str, float] = {}
    for column in columns:  # group after group, predictors before what they explain
        if isinstance(column, NumberColumn):
            widths[column.name] = column.base.width
        for names, told in _asked_of(column, widths):
            found[names] = found.get(names, False) or told
    joined = {frozenset(pair) for names in found for pair in combinations(names, 2)} | _kept_by_rules(schema)
    lost = tuple(pair for pair in _possible(schema) if frozenset(pair) not in joined)
    kept, empty = (tuple(names for names in found if found[names] is told) for told in (True, False))
    return Relations(kept, empty, lost)


def _possible(schema: Schema) -> Iterator[tuple[str, str]]:
    """Yield the pairs of fields that may be related."""
    core = core_of(schema)
    statuses = set(core.statuses.values())
    for column in core.schema.columns:
        if column.name not in statuses and column.name not in schema.by and not column.public:
            for earlier in core.predictors_of(column.name):
                if earlier not in statuses:
                    yield earlier, column.name


def _kept_by_rules(schema: Schema) -> set[frozenset[str]]:
    """Return pairs of columns whose relation is declared: codes within codes, parts of totals."""
    kept = {frozenset((limit.part, limit.total)) for limit in schema.inequalities}
    kept |= {frozenset((identity.total, part)) for identity in schema.identities for part in identity.parts}
    for column in schema.columns:
        coarser = column.within
        while coarser:  # a place lies in a county, and so in its state
            kept.add(frozenset((coarser, column.name)))
            coarser = schema.column(coarser).within
    return kept


def _asked_of(column: TableColumn, widths: Mapping[str, float]) -> list[tuple[tuple[str, ...], bool]]:
    law = column.law
    asked: list[tuple[tuple[str, ...], bool]] = []
    if isinstance(column, NumberColumn):
        for slope in column.slopes:
            moved = abs(slope.slope) * widths[slope.on] / column.base.width
            asked.append(((slope.on, column.name), moved >= FOUND_FACTOR))
    for factor in law.factors if law is not None else ():
        if factor.on:
            unit = column.base.width if isinstance(column, NumberColumn) else 1.0
            told = [abs(value) for row in factor.values for value in row]
            told += [abs(shift) / unit for shift in factor.shifts]
            asked.append(((*factor.on, column.name), max(told) >= FOUND_FACTOR))
    return asked


def _many(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _listed(sets: Sequence[tuple[str, ...]]) -> str:
    shown = ", ".join(" x ".join(names) for names in sets[:MOST_NAMED])
    return shown if len(sets) <= MOST_NAMED else f"{shown} and {len(sets) - MOST_NAMED} more"
