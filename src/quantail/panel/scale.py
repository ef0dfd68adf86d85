"""The public scale of a panel's column: how far apart two sizes are, and the cells sizes are counted in.

Sizes are compared on asinh(y / step), close to a logarithm from two steps on: growth is relative, as it is for
employment, sales or pay, whatever the grid that a table would use. Bounds are often far above most sizes, of which next
to nothing is left on an even scale. Columns with both signs are compared on asinh(y / c), c a thousandth of the larger
bound, or as they are if numeric with a linear grid. If the lower bound is zero, zero is a state of its own ("idle": a
period without staff) and cells hold positive sizes only.
"""

from dataclasses import dataclass, replace

import numpy as np

from quantail.arrays import Flags, Floats
from quantail.curves import Scale
from quantail.panel.tables import Track
from quantail.panel.tuning import (
    CELL_RATIO,
    FEWEST_CELLS,
    LINEAR_UNITS,
    MEAN_ENDS,
    MOST_CELLS,
    NEAR_ZERO,
    SINGLE_CELLS,
    SIZES_ABOVE,
    SIZES_BELOW,
)
from quantail.schema import Column


@dataclass(frozen=True)
class PanelScale:
    """Scale, cells and zero state of a column.

    Examples
    --------
    >>> scale = PanelScale.of(Column("emp", "integer", 0, 2000))
    >>> scale.value(scale.scale.forward(np.array([0.2, 3.4, 5000.0]))).tolist()
    [1.0, 3.0, 2000.0]
    """

    scale: Scale  # map between the column's unit and the scale on which growth is a difference
    idle: bool  # whether zero is a state of its own
    # ends of the cells on that scale, from the smallest size that is not idle to the upper bound
    edges: tuple[float, ...]
    whole: bool

    @classmethod
    def of(cls, column: Column) -> "PanelScale":
        """Return the scale of a confidential column."""
        assert column.lower is not None and column.upper is not None
        whole = column.type == "integer"
        log = whole or column.lower >= 0 or column.grid == "log"
        scale = replace(Scale.of(column), log=log)
        if column.lower < 0:
            scale = scale.crossing(NEAR_ZERO * max(abs(column.lower), abs(column.upper)))
        idle = column.lower == 0
        low = scale.step / 2 if idle else column.lower - scale.step / 2
        low, high = scale.forward(np.array([low, column.upper + scale.step / 2]))
        if high <= low:
            return cls(scale, idle, (float(low), float(low) + 1.0), whole)
        edges = np.linspace(
            low, high, int(np.clip(np.ceil((high - low) / np.log(CELL_RATIO)), 8, MOST_CELLS)) + 1
        )
        if not log:
            edges = np.linspace(low, high, MOST_CELLS // 2 + 1)
        elif whole and column.lower >= 0:
            edges = _whole_edges(scale, max(column.lower, 1.0), column.upper)
        return cls(scale, idle, tuple(edges.tolist()), whole)

    def coarse(self, cells: float, middle: float | None = None) -> "PanelScale":
        """Return the scale with at most so many cells, neighbours put together; at least `FEWEST_CELLS`.

        If it is known where sizes lie, cells are kept there, and one cell each takes what is far below and above.
        """
        number = len(self.edges) - 1
        keep = min(max(int(cells), FEWEST_CELLS), number)
        low, high = 0, number
        if middle is not None and keep < number:
            reach = np.array([middle - SIZES_BELOW, middle + SIZES_ABOVE])
            low, high = np.clip(np.searchsorted(self.edges, reach) - [1, 0], 0, number).tolist()
        inside = np.rint(np.linspace(low, high, min(keep, high - low) + 1)).astype(np.int64)
        places = np.unique([0, *inside, number])
        return replace(self, edges=tuple(self.edges[place] for place in places))

    def around(self, mean: float) -> "PanelScale":
        """Return the scale with the few cells that tell how sizes spread around a mean."""
        near = np.searchsorted(self.edges, mean + np.array(MEAN_ENDS))
        places = np.unique([0, *np.clip(near, 0, len(self.edges) - 1), len(self.edges) - 1])
        return replace(self, edges=tuple(self.edges[place] for place in places))

    @property
    def unit(self) -> float:
        """What counts as one unit of distance: a factor of e on logarithmic scales, else a part of the bounds."""
        return 1.0 if self.scale.log else (self.edges[-1] - self.edges[0]) / LINEAR_UNITS

    @property
    def relative(self) -> bool:
        """Whether sizes are logarithms of values that are never negative, so that differences are ratios."""
        return self.scale.log and self.scale.lower >= 0

    def logs(self, values: Floats) -> Floats:
        """Return logarithms of values; the scale differs from them for the smallest, and so would ratios."""
        return np.asarray(np.log(2.0 * np.maximum(values / self.scale.step, 0.5)))

    def is_idle(self, values: Floats) -> Flags:
        """Say which values are in the zero state."""
        return np.asarray(values < self.scale.step / 2) if self.idle else np.zeros(values.shape, dtype=bool)

    def track(self, values: Floats) -> Track:
        """Return the sizes of values along a line of unit-periods, and which are idle."""
        return Track(self.scale.forward(values), self.is_idle(values))

    def seen(self, size: Floats) -> Floats:
        """Return sizes as the column shows them: rounded, within the bounds, on the scale again."""
        return self.scale.forward(self.value(size))

    def value(self, size: Floats) -> Floats:
        """Map sizes on the scale to the column's unit: whole if they must be, never idle, within the bounds."""
        values = self.scale.backward(size)
        if self.whole:
            values = np.rint(values)
        least = self.scale.step if self.idle else self.scale.lower
        return np.clip(values, min(least, self.scale.upper), self.scale.upper)


def _whole_edges(scale: Scale, lower: float, upper: float) -> Floats:
    """Cells of whole numbers: one each for the smallest, then a fixed ratio."""
    ends = [lower - 0.5]
    while ends[-1] < upper + 0.5:
        last = ends[-1] + 0.5
        ends.append(ends[-1] + max(1.0, np.floor(last * (CELL_RATIO - 1.0)) if last > SINGLE_CELLS else 1.0))
    ends[-1] = upper + 0.5
    return scale.forward(np.array(ends))
