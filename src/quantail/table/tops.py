"""The last pass of a fit, which sets tops right (`curves/cap.py`, `curves/tail.py`).

It looks at what all released parts together imply for a number, column after column in synthesis order: every column
is simulated in the light of the earlier ones as they will be drawn. What it asks is in the plan; the rest is free.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats
from quantail.curves import AtomCurve, Curve
from quantail.curves.tail import choose_threshold, draw_tail_sum, fit_tail, likeliest_tail
from quantail.curves.top import Implied, Top, fit_cap
from quantail.privacy import count_epsilon
from quantail.table.column_leaves import ColumnLeaves
from quantail.table.columns import NumberColumn
from quantail.table.stage_one.column import CategoryModel, NumericModel
from quantail.table.stage_one.fit_state import Fit
from quantail.table.tuning import FEWEST_DRAWN, FEWEST_SIMULATED, RELIED_ON

Model = TypeVar("Model", bound=NumericModel | CategoryModel)
Drawing = Callable[[Sequence[Any], int, np.random.Generator, bool, Any], Mapping[str, NDArray[Any]]]


def set_tops(
    fit: Fit,
    tails: ColumnLeaves,
    columns: Sequence[Model],
    draw: Drawing,
    told: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Model, ...]:
    """Return released columns with the tops of log-scaled numbers set right: the last pass of a fit.

    Parameters
    ----------
    draw : callable
        Draws rows of columns in the light of known ones: see `Method.draw`.
    told : mapping
        For columns in tables, the share of all rows above the highest edge that counts tell of.
    """
    pool = min(fit.rules.simulated_rows, max(FEWEST_DRAWN, 1 << (2 * fit.rows).bit_length()))
    done, known = list(columns), {name: values[:pool] for name, values in fit.public.items()}
    rng, tops = None, _Tails(fit, tails, told)
    for place in range(len(done)):
        column = done[place]
        if not isinstance(column, NumericModel) or not column.scale.log or column.name in fit.public:
            continue
        rng = rng or fit.gate.noise.generator()
        known |= draw(done[: place + 1], pool, rng, True, known)
        simulated = known[column.name]
        topped = tops.with_tops(column, simulated[~np.isnan(simulated)])
        done[place] = topped
        known[column.name] = topped.finish(topped.topped(simulated))
        done[place + 1 :] = [_following(each, topped) for each in done[place + 1 :]]
    return tuple(done)


def _following(column: Any, predictor: NumericModel) -> Any:
    """Return a later column whose slopes act as far as a predictor now reaches."""
    return column.following(predictor) if isinstance(column, NumberColumn) else column


@dataclass
class _Tails:
    """The tails of a fit: what is to be asked, and the shapes that were found so far."""

    fit: Fit
    asked: ColumnLeaves
    told: Mapping[str, float]
    shapes: list[float] = field(default_factory=list)

    def with_tops(self, column: Any, simulated: Floats) -> Any:
        """Return a number with its top (and bottom) set right."""
        top, bottom = self._top(column, Implied.of(simulated, column.scale)), None
        if column.scale.lower < 0:
            mirrored = replace(column.scale, lower=-column.scale.upper, upper=-column.scale.lower)
            below = Implied.of(-simulated, mirrored)
            if below.ordered.size >= FEWEST_SIMULATED:
                bottom = fit_cap(below, self.fit.present(column.status) * below.share)
        return column if top is None and bottom is None else replace(column, top=top, bottom=bottom)

    def _top(self, column: NumericModel, implied: Implied) -> Top | None:
        """Return the map of the upper tail: by its sum, if that is asked, and within its cap."""
        if implied.ordered.size < FEWEST_SIMULATED:
            return None
        if column.name in self.asked.leaves:
            return self._released(column, implied)
        known, last = self._known(column, implied), _last_level(column, implied)
        return fit_cap(implied, self._rows(column, implied), known, last)

    def _rows(self, column: NumericModel, implied: Implied) -> float:
        """Return how many rows lie beyond an atom, or above zero, as released and implied."""
        return self.fit.present(column.status) * implied.share

    def _counted(self, column: NumericModel, implied: Implied) -> float:
        """Return the level among these rows up to which tables tell where they are."""
        rows = max(self._rows(column, implied), 1.0)
        return max(1 - self.told.get(column.name, 1.0) * self.fit.rows / rows, 0.0)

    def _known(self, column: NumericModel, implied: Implied) -> float:
        """Return the level up to which counts, or quantiles far out, tell where rows are."""
        last, counted = _last_level(column, implied), self._counted(column, implied)
        return max(last, counted) if RELIED_ON <= last < 1 else counted

    def _released(self, column: NumericModel, implied: Implied) -> Top:
        """Release the sum above a high quantile, and return the top that follows from it."""
        # What slopes explain has a curve of residuals, which says nothing of how far the column itself is known.
        fit, leaf = self.fit, self.asked.leaves[column.name]
        epsilon = float(count_epsilon(leaf.cost, fit.gate.definition))
        threshold = choose_threshold(
            implied,
            fit.present(column.status),
            epsilon,
            0.0 if any(slope.slope for slope in column.slopes) else _last_level(column, implied),
            self.shapes,
            self._counted(column, implied),
        )
        total = draw_tail_sum(fit.gate, leaf, fit.confidential.column(column.name), threshold)
        sigma, shape = likeliest_tail(threshold, total, fit.gate.sum_noise(leaf, threshold.cut))
        self.shapes.append(shape)
        return fit_tail(implied, threshold, sigma, shape, self._known(column, implied))


def _last_level(column: NumericModel, implied: Implied) -> float:
    """Return the highest level, among rows beyond an atom or above zero, that was released; 1 if all was counted."""
    curve = column.curve
    quantiles = curve.rest if isinstance(curve, AtomCurve) else curve
    if not isinstance(quantiles, Curve):
        return 1.0
    above = (1 - quantiles.levels[-1]) / (implied.share if column.scale.lower < 0 else 1.0)
    return max(1 - above, 0.0)
