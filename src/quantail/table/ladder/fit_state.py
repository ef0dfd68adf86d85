"""A fit in progress: the gate, confidential rows, what was released so far, and what can be simulated from it.

Numbers that are absent are NaN (privacy/proofs/absent.md). What is simulated here sees released models and public
columns only.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Rows, Vector
from quantail.curves.grid import dividing
from quantail.privacy import Gate, Plan, cells_touched, strength_of
from quantail.table.ladder.choosing import Cells
from quantail.table.ladder.column import (
    CategoryModel,
    ColumnModel,
    Draw,
    NumericModel,
    context_cell,
    draw_column,
    draw_rows,
)
from quantail.table.ladder.design import NUMBER_CELLS
from quantail.table.ladder.rules import LADDER_RULES, LadderRules

Floats = NDArray[np.float64]
_APART = 6  # up to so many labels in order are told apart as a context


@dataclass
class Fit:
    """A fit in progress.

    Attributes
    ----------
    rows : int
        Public number of rows.
    ordered : mapping of str to int
        Labels of ordinals that are in order.
    values, innovations : dict of str to Vector
        Confidential values on their modelling scales, and what is left of them once earlier columns are taken out
        (recorded values where there are none): see `NumericModel.explaining`.
    models : dict of str to ColumnModel
        What was released.
    shares : dict of str to array
        Released shares of categories by themselves.
    public : dict of str to array
        A sample of the public columns, on their modelling scales, for simulations.
    heaped : dict of str to float
        Of numbers with an atom that was noticed: its share of the rows that have the number.
    simulated : Draw, optional
        In wide tables rows simulated from the released models, extended column by column.
    rules : LadderRules
        Public rules.
    """

    gate: Gate
    rows: int
    confidential: Rows
    rng: np.random.Generator
    ordered: Mapping[str, int] = field(default_factory=dict)
    innovations: dict[str, Vector] = field(default_factory=dict)
    values: dict[str, Vector] = field(default_factory=dict)
    models: dict[str, ColumnModel] = field(default_factory=dict)
    shares: dict[str, Floats] = field(default_factory=dict)
    public: dict[str, NDArray[Any]] = field(default_factory=dict)
    heaped: dict[str, float] = field(default_factory=dict)
    simulated: Draw | None = None
    rules: LadderRules = LADDER_RULES

    def release(self, model: ColumnModel) -> None:
        """Take note of a released column."""
        self.models[model.name] = model
        if self.simulated is not None:
            draw_column(self.simulated, model, self.rng.random(self.rules.simulated_rows), self.public)

    def predictor(self, name: str) -> NumericModel:
        """Return the released model of an earlier numeric column."""
        model = self.models[name]
        assert isinstance(model, NumericModel)
        return model

    def explaining(self, name: str) -> Vector:
        """Return what an earlier column explains others by; where it is absent, the middle of its innovations."""
        model, innovation = self.models[name], self.innovations[name]
        if isinstance(model, CategoryModel) or not (model.status or model.apart):
            return innovation
        return innovation.map(partial(_filled, centre=model.centre))

    def absent(self, status: str) -> float:
        """Return the released share of rows whose number is absent."""
        return float(1 - self.shares[status][0]) if status else 0.0

    def held_out(self, name: str, status: str) -> float:
        """Return the released share of rows that a number's curve says nothing of: absent, or in its atom."""
        return 1 - (1 - self.absent(status)) * (1 - self.heaped.get(name, 0.0))

    def present(self, status: str) -> int:
        """Return the released number of rows whose number is there, at least one."""
        return max(round(self.rows * (1 - self.absent(status))), 1) if status else self.rows

    def rate(self, leaf: Plan) -> float:
        """Return the strength of a leaf, as the depth rules count it."""
        return float(strength_of(leaf.cost, self.gate.definition))

    def noise_rows(self, leaf: Plan) -> float:
        """Return the scale of noise, in rows, of a joint draw or a selection."""
        return 2 * cells_touched(self.gate.relation) / self.rate(leaf)

    def simulate(self, *more: ColumnModel, balanced: bool = False) -> Draw:
        """Return rows simulated from the columns released so far, and more of them."""
        if self.simulated is None:
            columns = (*self.models.values(), *more)
            return draw_rows(columns, self.rules.simulated_rows, self.rng, balanced, self.public)
        rows = Draw(*map(dict, (self.simulated.innovations, self.simulated.built, self.simulated.values)))
        for model in more:
            draw_column(rows, model, self.rng.random(self.rules.simulated_rows), self.public)
        return rows

    def cells(
        self, name: str, status: str = "", by_innovation: bool = False
    ) -> tuple[Cells, tuple[float, ...]]:
        """Return an earlier column in cells, with their cut points.

        Parameters
        ----------
        status : str
            Shares are those among the rows that this status says are there.
        by_innovation : bool
            Cut a number by what earlier columns leave of it, which is what slopes are taken on.
        """
        simulated, model = self.simulate(), self.models[name]
        own, vector = simulated.values[name], self.values[name]
        if isinstance(model, NumericModel):
            if by_innovation:
                own = np.where(np.isnan(own), np.nan, simulated.innovations[name])
                vector = self.innovations[name]
            cuts = _context_cuts(there(own))
            number = len(cuts) + 1 + bool(model.status)
        else:
            cuts = () if by_innovation else self._ordered_cuts(name)
            number = len(cuts) + 1 if cuts else self.shares[name].size
        if cuts:
            vector = vector.map(partial(context_cell, cuts=cuts))
        cell = context_cell(own, cuts)
        kept = cell[simulated.values[status] == 0] if status else cell
        shares = np.bincount(kept, minlength=number) / max(kept.size, 1)
        return Cells(name, vector, shares), cuts

    def _ordered_cuts(self, name: str) -> tuple[float, ...]:
        """Return cut points between labels in order, if they are so many that neighbours had better share a cell."""
        labels = self.ordered.get(name, 0)
        if labels <= _APART:
            return ()
        ends = np.cumsum(self.shares[name][:labels]) / max(self.shares[name][:labels].sum(), 1e-9)
        places = np.searchsorted(ends, even_levels(NUMBER_CELLS)) + 0.5
        beyond = [labels - 0.5] if self.shares[name].size > labels else []
        return tuple(np.unique([*places, *beyond]).tolist())


def _context_cuts(values: Floats) -> tuple[float, ...]:
    """Return cut points of a number as a context: even, fewer where many rows have the same value."""
    cuts = dividing(np.quantile(values, even_levels(NUMBER_CELLS)), values)
    return tuple(cuts.tolist()) or (float(values.max()),)


def even_levels(bins: int) -> Floats:
    """Return the levels that cut a distribution into equal parts, ends left out."""
    return np.asarray([k / bins for k in range(1, bins)])


def there(simulated: Floats) -> Floats:
    """Return the simulated numbers that are there; a single zero if none is, as where all rows seem to be missing."""
    present = simulated[~np.isnan(simulated)]
    return present if present.size else np.zeros(1)


def _filled(innovation: Floats, centre: float) -> Floats:
    return np.where(np.isnan(innovation), centre, innovation)
