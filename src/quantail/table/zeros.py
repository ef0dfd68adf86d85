"""Structural zeros: cells of a field that a row cannot have, by rules of the schema. They cost nothing.

    outside of a universe      only what the schema says stands there,
    missing together           not missing where the other column is there,
    within another column      a label that belongs to another of its labels,
    a part of a missing total  a number of unknown place, or nothing; of a total that is there, a known place.

Which pattern of zeros a row has is a function of its earlier columns as they are released, so it is known before the
field is drawn. Patterns are part of the context of a row, and a law has no mass in the cells that its pattern forbids.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Flags, Floats, Integers
from quantail.curves import Scale
from quantail.frames.encoding import decode
from quantail.frames.nesting import belonging, fitting
from quantail.frames.universes import followed, missing_with, outside, universes
from quantail.schema import Column, Schema, core_of
from quantail.schema.kinds import ALONE, HIGHEST, LOWEST, MISSING, place_given_by, status_labels
from quantail.schema.nesting import ANYWHERE
from quantail.schema.universe import Universe
from quantail.table.cells import FieldCells

PATTERN = ("", 1)
"""The part of a context that says which cells a row cannot have."""

_PATTERNS = 4
_OUTSIDE, _UNPLACED, _GONE = 1, 2, 4
_RAKING_STEPS, _LEAST = 50, 1e-9


@dataclass(frozen=True, eq=False)
class Zeros:
    """The zeros of one field."""

    schema: Schema
    column: Column
    rule: Universe | None  # its universe
    outside: int  # the label, or status, that stands outside of it
    statuses: tuple[str, ...]  # statuses of a number; empty for labels
    # of a part: statuses of what gives it its place, each with the codes that leave it unknown
    givers: tuple[tuple[str, tuple[int, ...]], ...]
    # ends of its room that are not known then: the lowest part of an inequality is its lower bound
    unknown_ends: tuple[str, ...]
    scales: Mapping[str, Scale]  # modelling scales of numbers
    within: Column | None = None  # the column that its labels lie within

    @cached_property
    def fitting(self) -> Flags:
        """Which labels go with every code of the column that they lie within."""
        assert self.within is not None
        return fitting(self.column, self.within)

    @property
    def number(self) -> int:
        """How many patterns there are."""
        return self._of_rule * (1 if self.within is None else len(self.fitting))

    @property
    def _of_rule(self) -> int:
        """How many patterns universe and relations make."""
        return _PATTERNS if self.rule is None or self.rule.partner is None else 2 * _PATTERNS

    def patterns(self, values: Mapping[str, NDArray[Any]]) -> Integers:
        """Return the pattern of every row, from its earlier columns on their modelling scales."""
        found = self._of_rules(values)
        return found if self.within is None else found + self._of_rule * values[self.within.name]

    def _of_rules(self, values: Mapping[str, NDArray[Any]]) -> Integers:
        """Return the pattern that universes and relations give every row."""
        found = np.zeros(next(iter(values.values())).size, dtype=np.int64)
        if self.rule is not None:
            away, gone = self._is_away(self.rule, values)
            found += _OUTSIDE * away + _GONE * gone
        unknown = [np.isin(values[status], codes) for status, codes in self.givers]
        return found + _UNPLACED * np.logical_or.reduce(unknown) if unknown else found

    def _is_away(self, rule: Universe, values: Mapping[str, NDArray[Any]]) -> tuple[Flags, Flags]:
        """Return which rows lie outside of the universe, and which are missing with another column."""
        core = core_of(self.schema)
        needed = [part for name in followed(rule.names, self.schema) for part in core.parts[name]]
        parts = {
            name: self.scales[name].backward(values[name]) if name in self.scales else values[name]
            for name in needed
        }
        columns = decode(parts, self.schema, rule.names)
        return outside(rule, columns, self.schema), missing_with(rule, columns, self.schema)

    def forbidden(self, cells: FieldCells) -> Flags:
        """Return, for every pattern, the cells that it forbids."""
        found = self._forbidden_by_rules(cells)
        if self.within is None:
            return found
        return np.concatenate([found | ~fits for fits in self.fitting])

    def _forbidden_by_rules(self, cells: FieldCells) -> Flags:
        found = np.zeros((self._of_rule, cells.number), dtype=bool)
        if ALONE in self.statuses:
            found[:_UNPLACED, self._cell(ALONE, cells)] = True
            found[_UNPLACED:, : len(cells.edges) + 1] = True
            found[_UNPLACED:, [self._cell(end, cells) for end in self.unknown_ends]] = True
        if self.rule is not None:
            only = self.outside + len(cells.edges)
            found[_OUTSIDE::2] = True
            found[_OUTSIDE::2, only] = False
            if self.rule.both_ways:
                found[::2, only] = True
            if self.rule.partner is not None:
                missing = len(cells.edges) + (len(self.column.labels) if self.column.is_labelled else 1)
                found[:_GONE, missing] = True
                found[_GONE:] = True
                found[_GONE:, missing] = False
        return found

    def factors(self, shares: Floats, cells: FieldCells, values: Mapping[str, NDArray[Any]]) -> Floats:
        """Return log factors with which shares of cells hold on average over rows, zeros included (raking)."""
        weights = np.bincount(self._of_rules(values), minlength=self._of_rule).astype(np.float64)
        allowed, found = ~self._forbidden_by_rules(cells), np.ones(cells.number)
        for _ in range(_RAKING_STEPS):
            law = allowed * (shares * found) + _LEAST * allowed
            law /= law.sum(axis=1, keepdims=True)
            found *= np.maximum(shares, _LEAST) / np.maximum(weights @ law / weights.sum(), _LEAST)
            found = np.clip(found / found.max(), _LEAST, 1.0)
        return np.log(found) + self._within_factors(shares)

    def _within_factors(self, shares: Floats) -> Floats:
        """Return log factors of labels that share what the label they lie within has, beside those of all rows."""
        if self.within is None:
            return np.zeros(shares.size)
        own = belonging(self.column, self.within)
        anywhere, held = own == ANYWHERE, np.bincount(own + 1, weights=shares)
        listed = (1 - float(shares[anywhere].sum())) / np.maximum(held[own + 1], _LEAST)
        return np.log(np.where(anywhere, 1.0, np.maximum(listed, _LEAST)))

    def _cell(self, word: str, cells: FieldCells) -> int:
        return len(cells.edges) + self.statuses.index(word)


def zeros_of(name: str, schema: Schema, scales: Mapping[str, Scale]) -> Zeros | None:
    """Return the structural zeros of a field, if rules give it any.

    A universe that looks at columns of `by` needs none: every group has laws of its own.
    """
    if name not in schema.names:
        return None
    column, rule = schema.column(name), universes(schema).get(name)
    if rule is not None and followed(rule.names, schema) & set(schema.by):
        rule = None
    statuses = () if column.is_labelled else status_labels(column, schema)
    givers = _givers(name, schema) if ALONE in statuses else ()
    if rule is None and not givers and not column.within:
        return None
    code = len(column.labels) if column.is_labelled else 1
    if rule is not None and rule.outside is not None:
        code = int(rule.outside) if column.is_labelled else statuses.index(f"{rule.outside:.15g}")
    is_part = any(inequality.part == name for inequality in schema.inequalities)
    ends = (HIGHEST,) if is_part else (LOWEST, HIGHEST)
    within = schema.column(column.within) if column.within else None
    return Zeros(schema, column, rule, code, statuses, givers, ends, scales, within)


def _givers(name: str, schema: Schema) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Return the statuses of columns that give a part its place, with the codes that say nothing of it."""
    core, found = core_of(schema), []
    for giver in place_given_by(name, schema):
        column = schema.column(giver)
        status = (core.statuses | core.gaps).get(giver)
        labels = status_labels(column, schema)
        codes = {labels.index(f"{code:.15g}") for code in column.missing_codes}
        codes |= {labels.index(MISSING)} if column.missing else set()
        if status is not None and codes:
            found.append((status, tuple(sorted(codes))))
    return tuple(found)


def hidden_names(schema: Schema) -> frozenset[str]:
    """Return the numbers that relations look at even where they are not shown."""
    core = core_of(schema)
    related = {name for identity in schema.identities for name in identity.names}
    related |= {name for inequality in schema.inequalities for name in inequality.names}
    return frozenset(related & set(core.statuses))
