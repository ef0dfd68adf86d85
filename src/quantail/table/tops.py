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
from quantail.curves import AnyCurve, AtomCurve, Curve
from quantail.curves.tail import choose_threshold, draw_tail_sum, fit_tail, likeliest_tail
from quantail.curves.top import Implied, Top, fit_cap
from quantail.privacy import count_epsilon
from quantail.table.column_leaves import ColumnLeaves
from quantail.table.columns import NumberColumn
from quantail.table.stage_one.column import CategoryModel, NumericModel
from quantail.table.stage_one.fit_state import Fit
from quantail.table.tuning import FEWEST_DRAWN, FEWEST_SIMULATED

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
        implied = Implied.of(simulated, column.scale)
        if implied.ordered.size < FEWEST_SIMULATED:
            return column
        rows = self.fit.present(column.status) * implied.share
        if column.name in self.asked.leaves:
            top: Top | None = self._released(column, implied)
        else:
            top = fit_cap(implied, rows, self._known(column.name, rows), _last_level(column.curve))
        bottom = None
        if column.scale.lower < 0:
            mirrored = replace(column.scale, lower=-column.scale.upper, upper=-column.scale.lower)
            bottom = fit_cap(Implied.of(-simulated, mirrored), rows)
        return column if top is None and bottom is None else replace(column, top=top, bottom=bottom)

    def _known(self, name: str, rows: float) -> float:
        """Return the level, among rows beyond an atom, up to which tables tell where they are."""
        return max(1 - self.told.get(name, 1.0) * self.fit.rows / max(rows, 1.0), 0.0)

    def _released(self, column: NumericModel, implied: Implied) -> Top:
        """Release the sum above a high quantile, and return the top that follows from it."""
        # What slopes explain has a curve of residuals, which says nothing of how far the column itself is known.
        fit, leaf = self.fit, self.asked.leaves[column.name]
        epsilon = float(count_epsilon(leaf.cost, fit.gate.definition))
        threshold = choose_threshold(
            implied,
            fit.present(column.status),
            epsilon,
            0.0 if any(slope.slope for slope in column.slopes) else _last_level(column.curve),
            self.shapes,
            self._known(column.name, fit.present(column.status) * implied.share),
        )
        total = draw_tail_sum(fit.gate, leaf, fit.confidential.column(column.name), threshold)
        sigma, shape = likeliest_tail(threshold, total, fit.gate.sum_noise(leaf, threshold.cut))
        self.shapes.append(shape)
        return fit_tail(implied, threshold, sigma, shape)


def _last_level(curve: AnyCurve) -> float:
    """Return the highest level at which a curve, or its part beyond an atom, was released; 1 if it was counted."""
    quantiles = curve.rest if isinstance(curve, AtomCurve) else curve
    return quantiles.levels[-1] if isinstance(quantiles, Curve) else 1.0
