"""The scale a column is modelled on: dithered values, linear or logarithmic.

A column lives on a lattice of step h (whole numbers, cents, or its resolution). On the way in each value is spread
uniformly over its lattice cell (`dither`), so that no two rows tie and an atom such as zero has a width in which
quantiles can be told apart; on the way out values are rounded back to the lattice. A log grid is asinh(y / c):
linear within c of zero, logarithmic beyond, and defined for negative values. c is the lattice step, or, for a column
on both sides of zero, a released measure of its spread.

Dither is drawn independently of the data, row by row, so a guarantee that holds for every fixed dither holds.
Under add/remove that needs secret, independent numbers: they come from the gate's noise (proofs/dither.md).
"""

from dataclasses import dataclass, replace

import numpy as np

from quantail.arrays import Floats
from quantail.privacy import Noise
from quantail.schema import Column

_FAR = 40.0  # on a log scale: more than 2^53 lattice steps from zero


@dataclass(frozen=True)
class Scale:
    """A monotone map between a column's own unit and the unit it is modelled in.

    Examples
    --------
    >>> scale = Scale.of(Column("jobs", "integer", 0, 100, grid="log"))
    >>> bool(np.allclose(scale.backward(scale.forward(np.array([0.0, 7.0, 100.0]))), [0, 7, 100]))
    True
    """

    log: bool
    step: float
    lower: float
    upper: float
    crossover: float = 0.0

    @classmethod
    def of(cls, column: Column) -> "Scale":
        """Return the scale of a numeric or integer column."""
        assert column.lower is not None and column.upper is not None
        step = column.lattice
        return cls(column.grid == "log", step, float(column.lower), float(column.upper), step)

    def crossing(self, crossover: float) -> "Scale":
        """Return the same scale with another point where linear turns into logarithmic."""
        return replace(self, crossover=max(crossover, self.step))

    def forward(self, values: Floats) -> Floats:
        """Map values of the column to the modelling scale."""
        return np.arcsinh(values / self.crossover) if self.log else np.asarray(values, dtype=np.float64)

    def backward(self, values: Floats) -> Floats:
        """Map modelled values back to the column's unit, clipped to its bounds."""
        low, high = self.ends
        inside = np.clip(values, low, high)
        return np.clip(self.unfolded(inside), self.lower, self.upper)

    def unfolded(self, values: Floats) -> Floats:
        """Map modelled values back to the column's unit, without clipping."""
        return np.sinh(values) * self.crossover if self.log else values

    def dithered(self, values: Floats, rng: Noise | np.random.Generator) -> Floats:
        """Spread values over their lattice cells and map them to the modelling scale."""
        return self.spread(values, rng.random(values.size))

    def spread(self, values: Floats, uniform: Floats) -> Floats:
        """Spread values over their lattice cells by numbers of their own, and map them to the modelling scale."""
        return self.forward(values + self.step * (uniform - 0.5))

    def atom_cells(self, parts: int = 16) -> Floats:
        """Return points that split the cells of likely atoms, both bounds and zero, on the modelling scale."""
        atoms = {self.lower, self.upper} | ({0.0} if self.lower < 0 < self.upper else set())
        within = (np.arange(parts) + 0.5) / parts - 0.5
        return np.sort(np.concatenate([self.forward(atom + self.step * within) for atom in atoms]))

    def borders(self, values: Floats) -> Floats:
        """Return the nearest borders of lattice cells, on the modelling scale as the values are.

        The lattice goes through zero, as rounding to decimals has it, wherever the bounds lie. Values too far out for
        doubles to tell steps apart stay where they are.
        """
        near = np.clip(values, -_FAR, _FAR) if self.log else values
        cells = np.rint(self.unfolded(near) / self.step - 0.5)
        return np.where(near == values, self.forward(self.step * (cells + 0.5)), values)

    def recorded(self, values: Floats) -> Floats:
        """Return modelled values as they are recorded: within the bounds, in the middle of their lattice cells."""
        nearest = self.step * np.rint(self.backward(values) / self.step)
        return self.forward(np.clip(nearest, self.lower, self.upper))

    @property
    def ends(self) -> tuple[float, float]:
        """The modelling scale's range: the bounds, half a lattice step wider."""
        ends = np.array([self.lower - self.step / 2, self.upper + self.step / 2])
        low, high = self.forward(ends)
        return float(low), float(high)

    @property
    def inner_ends(self) -> tuple[float, float]:
        """The bounds, half a lattice step inside: a quantile beyond tells of rows that hold the bound."""
        low, high = self.forward(np.array([self.lower + self.step / 2, self.upper - self.step / 2]))
        return float(low), float(high)

    @property
    def lowest_cell(self) -> tuple[float, float]:
        """The ends of the lattice cell of the lower bound, where atoms such as zero sit, on the modelling scale."""
        low, high = self.forward(self.lower + self.step * np.array([-0.5, 0.5]))
        return float(low), float(high)

    @property
    def zero_cell(self) -> tuple[float, float]:
        """The ends of the lattice cell of zero."""
        low, high = self.forward(self.step * np.array([-0.5, 0.5]))
        return float(low), float(high)

    @property
    def least(self) -> float:
        """The smallest difference that matters: a lattice step, or a millionth of the range."""
        low, high = self.ends
        return (high - low) * 1e-6 if self.log else max(self.step, (high - low) * 1e-6)
