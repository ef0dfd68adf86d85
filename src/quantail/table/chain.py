"""The model as rounds improve it: laws of all fields, the tables that were released, and rows simulated from it.

Simulated rows have uniform numbers of their own that never change, so that a changed law moves few of them. A table
ends in its last field and is fitted there; summed over that field it is also an answer about the earlier ones, with
more noise, and is handed on to them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.table.alike import Alike
from quantail.table.estimate import Fitted, Margin, Observed, fit_factors, prior_width
from quantail.table.forward import DrawnRows, FieldSampler
from quantail.table.law import Contexts, Factor, group_of
from quantail.table.shifted_base import ShiftedBase
from quantail.table.stage_one.column import NumericModel
from quantail.table.tuning import TOLD

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Released:
    """A released table: fields by place, their coarsenings, noisy counts and the deviation of their noise."""

    places: tuple[int, ...]
    levels: tuple[int, ...]
    counts: Floats
    deviation: float

    def without_last(self) -> "Released":
        """Return what the table says of its earlier fields."""
        deviation = self.deviation * float(np.sqrt(self.counts.shape[-1]))
        return Released(self.places[:-1], self.levels[:-1], self.counts.sum(axis=-1), deviation)

    def averaged(self, other: "Released") -> "Released":
        """Return two answers to the same question as one."""
        first, second = self.deviation**-2, other.deviation**-2
        counts = (first * self.counts + second * other.counts) / (first + second)
        return replace(self, counts=counts, deviation=float((first + second) ** -0.5))


Key = tuple[tuple[int, ...], tuple[int, ...]]


class Chain:
    """Laws of all fields, in synthesis order.

    Parameters
    ----------
    samplers : sequence of FieldSampler
        Fields with their laws of stage one.
    margins : sequence of Margin or None
        What stage one said of every field; None of a public one, which is never drawn.
    uniform : array
        Numbers of the simulated rows, one row for every field.
    given : dict
        Public columns of the simulated rows.
    """

    def __init__(
        self,
        samplers: Sequence[FieldSampler],
        margins: Sequence[Margin | None],
        rows: int,
        uniform: Floats,
        given: dict[str, NDArray[Any]],
    ) -> None:
        self.samplers, self.margins, self.rows = list(samplers), margins, rows
        self.uniform, self.given = uniform, given
        self.simulated = DrawnRows(uniform.shape[1])
        self._tables: list[dict[Key, Released]] = [{} for _ in samplers]
        self._priors: dict[tuple[int, Key], float] = {}
        self._bases: dict[tuple[int, bool], ShiftedBase] = {}
        for place in range(len(samplers)):
            self.simulate_field(place)

    @property
    def cells(self) -> list[Codes]:
        """Cells of the simulated rows, by field."""
        return [self.simulated.cells[sampler.field.name] for sampler in self.samplers]

    def add(self, table: Released) -> None:
        """Take note of a released table, and of what it says of its earlier fields; public ones are known."""
        if self.margins[table.places[-1]] is None:
            return
        own, key = self._tables[table.places[-1]], (table.places, table.levels)
        own[key] = own[key].averaged(table) if key in own else table
        if len(table.places) > 1:
            self.add(table.without_last())

    def absorb(self, table: Released, steps: int, later_steps: int) -> set[int]:
        """Fit the fields of a table, and set right those that follow them; return all fields that changed."""
        self.add(table)
        changed = set[int]()
        for place in range(table.places[0], len(self.samplers)):
            if place in table.places or changed & self._follows(place):
                self.refit(place, steps if place == table.places[-1] else later_steps)
                self.simulate_field(place)
                changed.add(place)
        return changed

    def sweep(self, steps: int) -> None:
        """Fit all fields, in order."""
        for place in range(len(self.samplers)):
            self.refit(place, steps)
            self.simulate_field(place)

    def _follows(self, place: int) -> set[int]:
        """Return the fields that a field's law looks at: those of its tables, and those it has slopes on."""
        column = self.samplers[place].field.column
        slopes = {slope.on for slope in column.slopes} if isinstance(column, NumericModel) else set()
        named = {k for k, sampler in enumerate(self.samplers) if sampler.field.name in slopes}
        return named | {k for places, _ in self._tables[place] for k in places[:-1]}

    def told_shares(self) -> dict[str, float]:
        """Return, for numbers in tables, the share of all rows above the highest edge that counts tell of."""
        found: dict[str, float] = {}
        for table in (each for own in self._tables for each in own.values()):
            for axis, place in enumerate(table.places):
                if self.samplers[place].field.is_number:
                    name = self.samplers[place].field.name
                    found[name] = min(found.get(name, 1.0), self._told(table, axis))
        return found

    def _told(self, table: Released, axis: int) -> float:
        """Return the share of rows above the highest edge of one of a table's numbers that its counts tell of."""
        sampler = self.samplers[table.places[axis]]
        cells = sampler.law.cells
        values = np.asarray(cells.coarse[table.levels[axis]])[: len(cells.edges) + 1]
        simulated = self.simulated.cells[sampler.field.name]
        shares = np.bincount(simulated, minlength=cells.number)[: values.size] / simulated.size
        above = np.cumsum(np.bincount(values, weights=shares)[:0:-1])
        added = np.arange(1, above.size + 1) * table.counts.size / table.counts.shape[axis]
        told = above[self.rows * above >= TOLD * table.deviation * np.sqrt(added)]
        return float(told[0]) if told.size else 1.0

    def simulate_field(self, place: int) -> None:
        """Draw one field of the simulated rows again."""
        sampler = self.samplers[place]
        if self.margins[place] is None:
            sampler.accept(self.simulated, self.given)
        else:
            sampler.draw(self.simulated, self.uniform[place])

    def refit(self, place: int, steps: int) -> None:
        """Fit the factors of one field to its tables, given the simulated rows of the fields before it."""
        margin, tables = self.margins[place], list(self._tables[place].values())
        if margin is None or not tables:
            return
        old, sampler = self.samplers[place].law, self.samplers[place]
        laws = [self._start(place, table) for table in tables]
        sampler = replace(sampler, law=replace(old, factors=tuple(laws)))
        contexts = sampler.contexts(self.simulated, sampler.eta(self.simulated))
        observed = [self._observed(place, table, contexts) for table in tables]
        observed = self._with_priors(place, tables, observed, contexts)
        values, shifts = [np.asarray(law.values) for law in laws], [np.asarray(law.shifts) for law in laws]
        base = self._base(place, any(law.shifts for law in laws)).seen_in(contexts)
        margin, forbidden = margin.doubted(observed), sampler.forbidden(contexts)
        own = np.asarray(old.margin)
        alike = None if sampler.field.is_number else Alike.of(observed, forbidden)
        if alike is not None:
            base, margin, own = alike.base(base), alike.margin(margin), own[alike.first]
            observed = [alike.table(table) for table in observed]
            forbidden = None if forbidden is None else forbidden[:, alike.first]
        start = Fitted(old.trust, own, values, shifts)
        found = fit_factors(base, contexts.shares, self.rows, margin, observed, start, steps, forbidden)
        own = found.margin if alike is None else found.margin[alike.group]
        fitted = tuple(
            replace(law, values=tuple(map(tuple, values.tolist())), shifts=tuple(moved.tolist()))
            for law, values, moved in zip(laws, found.factors, found.shifts, strict=True)
        )
        law = replace(old, margin=tuple(own.tolist()), factors=fitted, trust=found.trust)
        self.samplers[place] = replace(sampler, law=law)

    def _base(self, place: int, moving: bool) -> ShiftedBase:
        """Return the base law of a field, tabulated when it is first fitted."""
        if (place, moving) not in self._bases:
            self._bases[place, moving] = ShiftedBase.of(self.samplers[place], moving)
        return self._bases[place, moving]

    def _with_priors(
        self,
        place: int,
        tables: list[Released],
        observed: list[Observed],
        contexts: Contexts,
    ) -> list[Observed]:
        """Give every table its prior, found when it is first seen."""
        masses = None
        for number, (table, seen) in enumerate(zip(tables, observed, strict=True)):
            key = place, (table.places, table.levels)
            if key not in self._priors:
                if masses is None:
                    masses = contexts.shares[:, None] * self.samplers[place].probabilities(contexts)
                self._priors[key] = prior_width(seen, masses, self.rows)
            observed[number] = replace(seen, prior=self._priors[key])
        return observed

    def _start(self, place: int, table: Released) -> Factor:
        """Return the factor of a table as it was fitted before, or all zero; those of numbers also shift their law."""
        names = tuple(self.samplers[k].field.name for k in table.places[:-1])
        groups, key = int(np.prod(table.counts.shape[:-1])), (names, table.levels[:-1], table.levels[-1])
        for factor in self.samplers[place].law.factors:
            if (factor.on, factor.levels, factor.level) == key:
                return factor
        moving = bool(names) and self.samplers[place].field.is_number
        zeros = ((0.0,) * table.counts.shape[-1],) * groups
        return Factor(*key, zeros, (0.0,) * groups if moving else ())

    def _observed(self, place: int, table: Released, contexts: Contexts) -> Observed:
        """Return a table as contexts and cells of the field see it."""
        sampler = self.samplers[place]
        named = [
            (self.samplers[k].field.name, level, size)
            for k, level, size in zip(table.places, table.levels, table.counts.shape[:-1], strict=False)
        ]
        group = group_of(contexts.parts, named, contexts.number)
        cell = np.asarray(sampler.law.cells.coarse[table.levels[-1]])
        counts = table.counts.reshape(-1, table.counts.shape[-1])
        return Observed(group, cell, counts, table.deviation)
