"""The fit of one table (or group): the design, followed question by question through the gate.

Confidential rows are asked for totals and secret parts (`quantiles/rows.py`), so that they may lie in memory, in a
file or on other machines. Everything that decides how to go on (grids, bins, targets) comes from the schema, from
the public number of rows, or from what was released before.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quantail.privacy import Gate, Plan, cells_touched, strength_of
from quantail.quantiles import (
    BEND_LEVELS,
    Bend,
    Curve,
    Rows,
    Scale,
    StepCurve,
    Vector,
    choose_slope,
    draw_bend,
    draw_calibration,
    draw_rungs,
    draw_tilt,
    fit_curve,
)
from quantail.quantiles.depth import rung_levels
from quantail.quantiles.grid import increasing, local, near, wide, with_cells
from quantail.synthesis.column import CategoryModel, ColumnModel, NumericModel, Slope, context_cell, draw_rows
from quantail.synthesis.design import ColumnDesign, Design

Floats = NDArray[np.float64]
_SIMULATED_ROWS = 2**16
_LOW_END = 0.05
_TYPICAL = 0.6  # the quantile of absolute values that tells small from large
_MARGIN = 0.25  # residuals may lie beyond the column's own range by this share of it
_REACH = 0.25  # largest slope: it moves a column by this share of its range over a predictor's quartiles


@dataclass
class Fit:
    """A fit in progress: the gate, the public number of rows, confidential rows and the models released so far."""

    gate: Gate
    rows: int
    confidential: Rows
    rng: np.random.Generator
    innovations: dict[str, Vector] = field(default_factory=dict)
    values: dict[str, Vector] = field(default_factory=dict)
    models: dict[str, ColumnModel] = field(default_factory=dict)

    def predictor(self, name: str) -> NumericModel:
        """Return the released model of an earlier numeric column."""
        model = self.models[name]
        assert isinstance(model, NumericModel)
        return model

    def rate(self, leaf: Plan) -> float:
        """Return the strength of a leaf, as the depth rules count it."""
        return float(strength_of(leaf.cost, self.gate.definition))

    def noise_rows(self, leaf: Plan) -> float:
        """Return the scale of noise, in rows, of a joint draw or a selection."""
        return 2 * cells_touched(self.gate.relation) / self.rate(leaf)


def fit_columns(
    gate: Gate, design: Design, confidential: Rows, progress: Callable[[str], None]
) -> tuple[ColumnModel, ...]:
    """Release the models of all columns of a design."""
    fit = Fit(gate, design.rows, confidential, gate.noise.generator())
    for column in design.columns:
        progress(column.column.name)
        release = _fit_category if column.column.type == "category" else _fit_numeric
        fit.models[column.column.name] = release(fit, column)
    return tuple(fit.models.values())


def _fit_numeric(fit: Fit, design: ColumnDesign) -> NumericModel:
    scale = _fit_scale(fit, design)
    values = fit.values[design.column.name] = _dithered(fit, design.column.name, scale)
    residual = values.kept()
    shifts: list[tuple[str, Bend]] = []
    for name in design.shifts:
        shift = _fit_shift(fit, design, scale, residual, name)
        residual = residual.map(shift.flatten, fit.innovations[name]).kept()
        shifts.append((name, shift))
    slopes = []
    for name in design.slopes:
        slope = _fit_slope(fit, design, scale, residual, name)
        residual = residual.map(slope.flatten, fit.innovations[name]).kept()
        slopes.append(slope)
    bends, curve, residual = _fit_rest(fit, design, scale, residual)
    fit.innovations[design.column.name] = residual
    model = NumericModel(design.column.name, scale, tuple(shifts), tuple(slopes), tuple(bends), curve)
    return _calibrated(fit, design, model) if design.calibrated else model


def _dithered(fit: Fit, name: str, scale: Scale) -> Vector:
    """Return a column on its modelling scale, every row spread over its lattice cell by a number of its own."""
    column = fit.confidential.column(name)
    return column.map(scale.spread, column.uniform(fit.gate.noise))


def _calibrated(fit: Fit, design: ColumnDesign, model: NumericModel) -> NumericModel:
    """Release how many rows the column has in cells of what the models imply, and set its distribution right."""
    name, scale = model.name, model.scale
    simulated = draw_rows((*fit.models.values(), model), _SIMULATED_ROWS, fit.rng, balanced=True).built[name]
    atom = float(scale.forward(np.array([scale.lower + scale.step / 2]))[0])
    (leaf,) = design.leaves("calibration")
    remap = draw_calibration(fit.gate, leaf, fit.values[name], simulated, atom, design.calibrated, fit.rows)
    return replace(model, remap=remap)


def _fit_scale(fit: Fit, design: ColumnDesign) -> Scale:
    """Return the column's scale; a log grid on both sides of zero needs to be told first what is small."""
    scale = Scale.of(design.column)
    if not design.two_sided:
        return scale
    sizes = _dithered(fit, design.column.name, scale).map(np.abs)
    grid = wide(0.0, max(-scale.ends[0], scale.ends[1]), log=True)
    (leaf,) = design.leaves("scale")
    (typical,) = scale.unfolded(draw_rungs(fit.gate, leaf, sizes, grid, np.array([_TYPICAL]), fit.rows))
    return scale.crossing(2 * float(typical))


def _fit_slope(fit: Fit, design: ColumnDesign, scale: Scale, residual: Vector, name: str) -> Slope:
    predictor = fit.predictor(name)
    low, high = scale.ends
    first, centre, last = predictor.innovation(np.array([0.25, 0.5, 0.75])).tolist()
    slope = choose_slope(
        fit.gate,
        design.leaves(f"slope on {name}"),
        residual,
        fit.innovations[name],
        centre,
        _REACH * (high - low) / max(last - first, _least(predictor.scale)),
        fit.rows,
    )
    # Measured from the predictor's end where the column is low, residuals of columns that start near zero stay near
    # zero, where linear candidates are dense.
    low_end = predictor.innovation(np.array([_LOW_END if slope >= 0 else 1 - _LOW_END]))
    return Slope(name, slope, float(low_end[0]))


def _fit_rest(
    fit: Fit, design: ColumnDesign, scale: Scale, residual: Vector
) -> tuple[list[tuple[str, Bend]], Curve | StepCurve, Vector]:
    """Release the bends and the curve of what the slopes left over."""
    leaves = design.leaves("curve")
    if design.cells:
        column = fit.confidential.column(design.column.name)
        return [], _count_cells(fit, leaves[0], scale, column), residual
    low, high = residual_range(scale, bool(design.slopes or design.shifts))
    grid = wide(low, high, scale.log)
    bends: list[tuple[str, Bend]] = []
    if not design.bins:
        for name in design.bends:
            bends.append((name, _fit_tilt(fit, design, residual, name, grid, high - low)))
            residual = residual.map(bends[-1][1].flatten, fit.innovations[name]).kept()
    if len(leaves) == 2:
        overall = draw_rungs(fit.gate, leaves[0], residual, grid, _levels(), fit.rows)
        grid = near(*_around(overall, scale), low, high)
        if not (design.slopes or design.shifts):  # what other columns explain has no atoms left
            grid = with_cells(grid, scale.atom_cells())
        for name in design.bends if design.bins else ():
            bend = _fit_bend(fit, design, residual, overall, name, local(*_around(overall, scale)))
            residual = residual.map(bend.flatten, fit.innovations[name]).kept()
            bends.append((name, bend))
    levels = rung_levels(fit.rows * fit.rate(leaves[-1]))
    rungs = draw_rungs(fit.gate, leaves[-1], residual, grid, levels, fit.rows)
    return (
        bends,
        fit_curve(levels, rungs, fit.rows, fit.noise_rows(leaves[-1]), _least(scale), scale.log),
        residual,
    )


def _fit_tilt(fit: Fit, design: ColumnDesign, residual: Vector, name: str, grid: Floats, span: float) -> Bend:
    predictor = fit.predictor(name)
    leaves = design.leaves(f"bend on {name}")
    x = fit.innovations[name]
    return draw_tilt(fit.gate, leaves, residual, x, predictor.innovation, grid, _REACH * span, fit.rows)


def _fit_bend(
    fit: Fit, design: ColumnDesign, residual: Vector, overall: Floats, name: str, grid: Floats
) -> Bend:
    predictor = fit.predictor(name)
    bins = design.bins
    cuts = predictor.innovation(_even_levels(bins))
    cell = fit.innovations[name].map(lambda x: np.searchsorted(cuts, x))
    centres = increasing(predictor.innovation((np.arange(bins) + 0.5) / bins))
    expected = np.full(bins, fit.rows / bins)
    leaves = design.leaves(f"bend on {name}")
    noise = fit.noise_rows(leaves[0]) / 2
    return draw_bend(fit.gate, leaves, residual, cell, expected, centres, overall, grid, noise, steps=False)


def _fit_shift(fit: Fit, design: ColumnDesign, scale: Scale, residual: Vector, name: str) -> Bend:
    """Release the median and spread of a column in every category of an earlier one."""
    first, *leaves = design.leaves(f"shift on {name}")
    low, high = scale.ends
    overall = draw_rungs(fit.gate, first, residual, wide(low, high, scale.log), _levels(), fit.rows)
    simulated = draw_rows(tuple(fit.models.values()), _SIMULATED_ROWS, fit.rng)
    model = fit.models[name]
    assert isinstance(model, CategoryModel)
    codes = np.arange(len(model.shares[0]), dtype=np.float64)
    share = np.bincount(simulated.values[name], minlength=codes.size) / _SIMULATED_ROWS
    expected = np.maximum(fit.rows * share, 1.0)
    grid = local(*_around(overall, scale))
    noise = fit.noise_rows(leaves[0]) / 2
    return draw_bend(
        fit.gate, leaves, residual, fit.innovations[name], expected, codes, overall, grid, noise, steps=True
    )


def _fit_category(fit: Fit, design: ColumnDesign) -> CategoryModel:
    column = design.column
    codes = fit.values[column.name] = fit.innovations[column.name] = fit.confidential.column(column.name)
    cuts: tuple[float, ...] = ()
    cell, cells = codes.map(np.zeros_like), 1
    if design.context:
        cells = design.bins
        if isinstance(fit.models[design.context], NumericModel):
            simulated = draw_rows(tuple(fit.models.values()), _SIMULATED_ROWS, fit.rng).values[design.context]
            cuts = tuple(np.quantile(simulated, _even_levels(cells)).tolist())
        cell = fit.values[design.context].map(partial(context_cell, cuts=cuts))
    size = len(column.categories)
    counts = cell.total(lambda k, code: np.bincount(k * size + code, minlength=cells * size), codes)
    noisy = _released_shares(fit, design.leaves("count")[0], counts).reshape(cells, size)
    marginal = noisy.sum(axis=0) + 1e-9
    rows = [row if row.sum() > 0 else marginal for row in noisy]
    return CategoryModel(
        column.name, design.context, cuts, tuple(tuple((row / row.sum()).tolist()) for row in rows)
    )


def _count_cells(fit: Fit, leaf: Plan, scale: Scale, values: Vector) -> StepCurve:
    """Release how many rows hold each of a column's few possible values."""
    cells = round((scale.upper - scale.lower) / scale.step) + 1
    position = values.map(lambda part: np.rint((part - scale.lower) / scale.step).astype(np.int64))
    counts = position.total(partial(np.bincount, minlength=cells))
    edges = scale.forward(scale.lower + scale.step * (np.arange(cells + 1, dtype=np.float64) - 0.5))
    return StepCurve(tuple(edges.tolist()), tuple(_released_shares(fit, leaf, counts).tolist()))


def _released_shares(fit: Fit, leaf: Plan, counts: NDArray[np.int64]) -> Floats:
    """Release counts and turn them into shares: what noise alone could show is cleared, the rest adds up to 1."""
    sensitivity = cells_touched(fit.gate.relation)
    noisy = fit.gate.count(leaf, counts, sensitivity).astype(np.float64)
    scale = sensitivity * fit.rows / fit.gate.signal(leaf, fit.rows)
    cleared = np.where(noisy > min(2 * scale, fit.rows / counts.size), noisy, 0.0)
    return cleared / cleared.sum() if cleared.sum() > 0 else np.full(counts.size, 1 / counts.size)


def residual_range(scale: Scale, explained: bool) -> tuple[float, float]:
    """Return the public range in which candidates for a column, or for its residual, lie."""
    low, high = scale.ends
    margin = _MARGIN * (high - low) if explained else 0.0
    return low - margin, high + margin


def _around(overall: Floats, scale: Scale) -> tuple[float, float]:
    """Return the released outer quantiles, at least a lattice step apart."""
    first, last = float(overall[0]), float(overall[2])
    missing = max(_least(scale) - (last - first), 0.0) / 2
    return first - missing, last + missing


def _least(scale: Scale) -> float:
    """Return the smallest spread that a residual can have: a lattice step, or a millionth of the range."""
    low, high = scale.ends
    return (high - low) * 1e-6 if scale.log else max(scale.step, (high - low) * 1e-6)


def _levels() -> Floats:
    return np.asarray([float(level) for level in BEND_LEVELS])


def _even_levels(bins: int) -> Floats:
    """Return the levels that cut a distribution into equal parts, ends left out."""
    return np.asarray([k / bins for k in range(1, bins)])
