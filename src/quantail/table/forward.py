"""Forward sampling: field after field, first the cell, then the number within its cell. Exact, nothing iterates.

One uniform number a row and field decides both: the law of cells is inverted, and where the number fell within its
cell's share is where it lies in the base law restricted to the cell. So balanced uniform numbers give balanced rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Scale
from quantail.curves.balanced import balanced_uniform
from quantail.curves.lookup import Lookup
from quantail.schema import Schema
from quantail.table.base_law import BaseLaw
from quantail.table.cells import FieldCells
from quantail.table.columns import Field, NumberColumn, TableColumn, fields_of
from quantail.table.law import (
    ETA,
    Contexts,
    Factor,
    FieldLaw,
    distinct_contexts,
    draw_cells,
    group_of,
    log_shares,
    normalised,
)
from quantail.table.stage_one.column import ColumnModel, NumericModel
from quantail.table.zeros import PATTERN, Zeros, hidden_names, zeros_of

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass
class DrawnRows:
    """Synthetic rows as they grow, field by field.

    Attributes
    ----------
    cells : dict
        The finest cell of every field.
    innovations : dict
        Of numbers that others have slopes on: what explains these.
    values : dict
        Plain columns: codes, or numbers on the modelling scale.
    hidden : dict
        Numbers that relations look at, also where they are absent.
    """

    size: int
    cells: dict[str, Codes] = field(default_factory=dict)
    innovations: dict[str, Floats] = field(default_factory=dict)
    values: dict[str, NDArray[Any]] = field(default_factory=dict)
    hidden: dict[str, Floats] = field(default_factory=dict)

    @property
    def whole(self) -> dict[str, NDArray[Any]]:
        """Plain columns with the numbers that are hidden: what a table is decoded from."""
        return self.values | self.hidden


@dataclass(frozen=True, eq=False)
class FieldSampler:
    """Draws one field.

    Attributes
    ----------
    known : mapping
        Cells of the fields before it.
    explains : bool
        Whether a later number has a slope on it.
    zeros : Zeros, optional
        Cells that a row cannot have.
    hides : bool
        Whether relations look at its numbers where they are absent.
    """

    field: Field
    law: FieldLaw
    base: BaseLaw | None
    known: Mapping[str, FieldCells]
    explains: bool
    zeros: Zeros | None = None
    hides: bool = False

    @classmethod
    def of(
        cls,
        own: Field,
        law: FieldLaw,
        known: Mapping[str, FieldCells],
        explains: bool,
        zeros: Zeros | None = None,
        hides: bool = False,
    ) -> "FieldSampler":
        """Prepare a field whose law is known."""
        column = own.column
        base = None
        if isinstance(column, NumericModel):
            base = column.base if isinstance(column, NumberColumn) else BaseLaw.of(column.curve)
        return cls(own, law, base, known, explains, zeros, hides)

    def eta(self, rows: DrawnRows) -> Floats | None:
        """Return the sum of a number's slopes; none acts beyond the range where its predictor has rows."""
        column = self.field.column
        return sum_of_slopes(column, self.law.reach, rows) if isinstance(column, NumericModel) else None

    def contexts(self, rows: DrawnRows, eta: Floats | None) -> Contexts:
        """Return the distinct contexts of rows that the law tells apart."""
        parts: dict[tuple[str, int], tuple[Codes, int]] = {}
        if eta is not None:
            cuts = np.asarray(self.law.cuts)
            bins = Lookup(cuts).below(eta) if cuts.size else np.zeros(eta.size, dtype=np.int64)
            parts[ETA] = bins, len(self.law.centres)
        if self.zeros is not None:
            parts[PATTERN] = self.zeros.patterns(rows.whole), self.zeros.number
        for factor in self.law.factors:
            for name, level in zip(factor.on, factor.levels, strict=True):
                if (name, level) not in parts:
                    cells = self.known[name]
                    parts[name, level] = np.asarray(cells.coarse[level])[rows.cells[name]], cells.size(level)
        return distinct_contexts(parts, rows.size)

    def shifts(self, contexts: Contexts) -> Floats | None:
        """Return how far tables move the base law in every context; None if none does."""
        found = None
        for factor in self.law.factors:
            if factor.shifts:
                own = np.asarray(factor.shifts)[self._groups(factor, contexts)]
                found = own if found is None else found + own
        return found

    def base_logs(self, contexts: Contexts) -> Floats:
        """Return logarithms of the base law, a row for each context."""
        centres, bins, shifts = np.asarray(self.law.centres), contexts.bins, self.shifts(contexts)
        logs = self.shifted_logs
        found = logs(centres)[bins] if shifts is None else logs(centres[bins] + shifts)
        if self.law.trust == 1.0:
            return found
        implied = self.implied_logs()
        return implied + self.law.trust * (found - implied)

    def implied_logs(self) -> Floats:
        """Return logarithms of what slopes imply for the cells on average, before any table shifts them."""
        if not self.law.reach:
            return np.asarray(self.shifted_logs(np.zeros(1))[0])
        return self._made_up(log_shares(np.asarray(self.law.implied)))

    def shifted_logs(self, shifts: Floats) -> Floats:
        """Return logarithms of the law of stage one in cells, a row for each of some shifts of its numbers."""
        column = self.field.column
        if self.base is None:
            assert not isinstance(column, NumericModel)
            return self._made_up(log_shares(np.asarray([column.shares])))
        shares = self.base.cell_shares(np.asarray(self.law.cells.edges), shifts)
        if self.field.status is None:
            return log_shares(shares)
        there, *others = self.field.status.shares
        rest = np.broadcast_to(others, (shifts.size, len(others)))
        return self._made_up(log_shares(np.concatenate([there * shares, rest], axis=1)))

    def _made_up(self, logs: Floats) -> Floats:
        return logs + np.asarray(self.law.zeros) if self.law.zeros else logs

    def forbidden(self, contexts: Contexts) -> NDArray[np.bool_] | None:
        """Return the cells that every context cannot have, if there are any."""
        return None if self.zeros is None else self.zeros.forbidden(self.law.cells)[contexts.parts[PATTERN]]

    def probabilities(self, contexts: Contexts) -> Floats:
        """Return the law of cells in every context."""
        logits = self.base_logs(contexts) + np.asarray(self.law.margin)
        for factor in self.law.factors:
            values = np.asarray(factor.values)[:, np.asarray(self.law.cells.coarse[factor.level])]
            logits += values[self._groups(factor, contexts)]
        return normalised(logits, self.forbidden(contexts))

    def _groups(self, factor: Factor, contexts: Contexts) -> Codes:
        """Return the row of a factor that every context falls in."""
        named = [
            (name, level, self.known[name].size(level))
            for name, level in zip(factor.on, factor.levels, strict=True)
        ]
        return group_of(contexts.parts, named, contexts.number)

    def draw(self, rows: DrawnRows, u: Floats) -> None:
        """Add the field to rows."""
        eta = self.eta(rows)
        if self.base is not None and self.field.status is None and not self.law.factors:
            value = self.base.quantile(u, eta)
            self._place(rows, value, self.law.cells.of_number(value), eta, u)
            return
        contexts = self.contexts(rows, eta)
        cell, within = draw_cells(self.probabilities(contexts), contexts.of_rows, u)
        if self.base is None:
            rows.cells[self.field.name] = rows.values[self.field.name] = cell
            return
        self._place(rows, self._within(cell, within, self._moved(contexts, cell, eta)), cell, eta, u)

    def _moved(self, contexts: Contexts, cell: Codes, eta: Floats | None) -> Floats | None:
        """Return how far slopes and tables move every row; of the two outer cells tables know no more than counts."""
        shifts = self.shifts(contexts)
        if shifts is None:
            return eta
        inner = (cell > 0) & (cell < len(self.law.cells.edges))
        own = np.where(inner, shifts[contexts.of_rows], 0.0)
        return own if eta is None else eta + own

    def _place(self, rows: DrawnRows, value: Floats, cell: Codes, eta: Floats | None, u: Floats) -> None:
        """Add drawn numbers with their cells, after what tops, counted values and heaps make of them."""
        column = self.field.column
        assert isinstance(column, NumericModel)
        exact = isinstance(column, NumberColumn) and bool(column.heaps or column.cuts)
        if column.top is not None or column.bottom is not None or exact:
            value = column.topped(value)
            if isinstance(column, NumberColumn):
                value = column.settled(value, u)
            number = cell <= len(self.law.cells.edges)
            cell = np.where(number, self.law.cells.of_number(value), cell)
        self.keep(rows, value, cell, eta)

    def _within(self, cell: Codes, within: Floats, eta: Floats | None) -> Floats:
        """Return numbers of the base law restricted to cells; 0 where the cell is another status."""
        assert self.base is not None
        edges = np.concatenate([[-np.inf], self.law.cells.edges, [np.inf]])
        value_cell = np.minimum(cell, edges.size - 2)
        if self.hides:
            return np.where(
                cell == value_cell,
                self._restricted(edges, value_cell, within, eta),
                self.base.quantile(within, eta),
            )
        return self._restricted(edges, value_cell, within, eta)

    def _restricted(self, edges: Floats, value_cell: Codes, within: Floats, eta: Floats | None) -> Floats:
        """Return numbers of the base law between the edges of their cells."""
        assert self.base is not None
        if eta is None:
            levels = self.base.level(edges)
            low, high = levels[value_cell], levels[value_cell + 1]
        else:
            low, high = (self.base.level(edges[value_cell + k], eta) for k in (0, 1))
        value = self.base.quantile(low + within * (high - low), eta)
        return np.clip(value, edges[value_cell], edges[value_cell + 1])

    def keep(self, rows: DrawnRows, value: Floats, cell: Codes, eta: Floats | None) -> None:
        """Note numbers with their cells, statuses, and what explains later numbers."""
        column, status = self.field.column, self.field.status
        assert isinstance(column, NumericModel) and self.base is not None
        value = np.clip(value, *column.scale.ends)
        absent = None
        if status is not None:
            code = np.maximum(cell - len(self.law.cells.edges), 0)
            absent = code > 0
            rows.values[status.name] = code
        rows.cells[column.name] = cell
        if self.hides:
            rows.hidden[column.name] = value
        if self.explains:
            innovation = column.scale.recorded(value) if eta is None else value - eta
            innovation = column.centred(innovation, value)
            rows.innovations[column.name] = (
                innovation if absent is None else np.where(absent, column.centre, innovation)
            )
        rows.values[column.name] = value if absent is None else np.where(absent, np.nan, value)

    def accept(self, rows: DrawnRows, given: Mapping[str, NDArray[Any]]) -> None:
        """Add the field as it is given: codes, or numbers on the modelling scale."""
        name, status = self.field.name, self.field.status
        if self.base is None:
            rows.cells[name] = rows.values[name] = given[name].astype(np.int64)
            return
        codes = None if status is None else given[status.name].astype(np.int64)
        cell, eta = self.law.cells.of_number(given[name], codes), self.eta(rows)
        middle = self.base.quantile(np.full(1, 0.5)) + (0.0 if eta is None else eta)
        self.keep(rows, np.where(np.isnan(given[name]), middle, given[name]), cell, eta)


def sum_of_slopes(
    column: NumericModel, reach: Sequence[tuple[float, float]], rows: DrawnRows
) -> Floats | None:
    """Return what slopes add to a number, each within the reach of its predictor; None if it has none."""
    if not column.slopes:
        return None
    total = np.zeros(rows.size)
    for slope, (low, high) in zip(column.slopes, reach, strict=True):
        total += slope.at(np.clip(rows.innovations[slope.on], low, high))
    return total


def samplers_of(columns: Sequence[TableColumn], schema: Schema) -> list[FieldSampler]:
    """Return the samplers of released columns."""
    known: dict[str, FieldCells] = {}
    explaining, hidden, scales = explaining_names(columns), hidden_names(schema), scales_of(columns)
    found = []
    for own in fields_of(columns):
        assert isinstance(own.column, TableColumn) and own.column.law is not None
        law, zeros = own.column.law, zeros_of(own.name, schema, scales)
        found.append(
            FieldSampler.of(own, law, dict(known), own.name in explaining, zeros, own.name in hidden)
        )
        known[own.name] = law.cells
    return found


def scales_of(columns: Sequence[ColumnModel]) -> dict[str, Scale]:
    """Return the modelling scales of numbers."""
    return {column.name: column.scale for column in columns if isinstance(column, NumericModel)}


def explaining_names(columns: Sequence[ColumnModel]) -> set[str]:
    """Return the numbers that others have slopes on."""
    return {slope.on for column in columns if isinstance(column, NumericModel) for slope in column.slopes}


def draw_table(
    columns: Sequence[TableColumn],
    n: int,
    rng: np.random.Generator,
    balanced: bool,
    given: Mapping[str, NDArray[Any]] | None,
    schema: Schema,
) -> dict[str, NDArray[Any]]:
    """Draw n synthetic rows from released columns: post-processing, free of charge.

    Columns that are `given` (codes, or values on the modelling scale) are kept, and the others drawn in their light.
    Numbers that relations look at are returned even where their status says that they are absent.
    """
    return draw_fields(columns, n, rng, balanced, given, schema).whole


def draw_fields(
    columns: Sequence[TableColumn],
    n: int,
    rng: np.random.Generator,
    balanced: bool,
    given: Mapping[str, NDArray[Any]] | None,
    schema: Schema,
) -> DrawnRows:
    """Draw n synthetic rows, field by field: see `draw_table`."""
    known, rows = given or {}, DrawnRows(n)
    samplers = samplers_of(columns, schema)
    free = [sampler for sampler in samplers if sampler.field.name not in known]
    uniform = balanced_uniform(len(free), n, rng) if balanced else rng.random((len(free), n))
    drawn = dict(zip((sampler.field.name for sampler in free), uniform, strict=True))
    for sampler in samplers:
        if sampler.field.name in known:
            sampler.accept(rows, known)
        else:
            sampler.draw(rows, drawn[sampler.field.name])
    return rows
