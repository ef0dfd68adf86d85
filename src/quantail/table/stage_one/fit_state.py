"""A fit in progress: the gate, confidential rows, and what was released so far.

Numbers that are absent are NaN (privacy/proofs/absent.md).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Rows, Vector
from quantail.privacy import Gate, Plan, cells_touched, selection_epsilon
from quantail.table.stage_one.column import ColumnModel, NumericModel
from quantail.table.stage_one.rules import STAGE_ONE_RULES, StageOneRules

Floats = NDArray[np.float64]


@dataclass
class Fit:
    """A fit in progress.

    Attributes
    ----------
    rows : int
        Public number of rows.
    ordered : mapping of str to int
        Labels of ordinals that are in order.
    values : dict of str to Vector
        Confidential codes, and numbers on their modelling scales.
    innovations : dict of str to Vector
        What is left of numbers once earlier columns are taken out (recorded values where there are none): see
        `NumericModel.explaining`.
    models : dict of str to ColumnModel
        What was released.
    shares : dict of str to array
        Released shares of categories by themselves.
    public : dict of str to array
        A sample of the public columns, on their modelling scales, for simulations.
    heaped : dict of str to float
        Of numbers with an atom that was noticed: its share of the rows that have the number.
    rules : StageOneRules
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
    rules: StageOneRules = STAGE_ONE_RULES

    def release(self, model: ColumnModel) -> None:
        """Take note of a released column."""
        self.models[model.name] = model

    def predictor(self, name: str) -> NumericModel:
        """Return the released model of an earlier numeric column."""
        model = self.models[name]
        assert isinstance(model, NumericModel)
        return model

    def explaining(self, name: str) -> Vector:
        """Return what an earlier column explains others by; where it is absent, the middle of its innovations."""
        model, innovation = self.predictor(name), self.innovations[name]
        if not (model.status or model.apart):
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
        """Return the epsilon of a leaf, as the depth rules count it."""
        return float(selection_epsilon(leaf.cost, self.gate.definition))

    def noise_rows(self, leaf: Plan) -> float:
        """Return the scale of noise, in rows, of a joint draw or a selection."""
        return 2 * cells_touched(self.gate.relation) / self.rate(leaf)


def _filled(innovation: Floats, centre: float) -> Floats:
    return np.where(np.isnan(innovation), centre, innovation)
