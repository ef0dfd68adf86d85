"""The fit of one table (or group): the design, followed question by question through the gate.

Confidential rows are asked for totals and secret parts (`curves/rows.py`), so that they may lie in memory, in a
file or on other machines. Everything that decides how to go on (grids, bins, targets) comes from the schema, from
the public number of rows, or from what was released before.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves import (
    BEND_LEVELS,
    AnyCurve,
    AtomCurve,
    Bend,
    Rows,
    Scale,
    Vector,
    best_cuts,
    choose_slope,
    draw_bend,
    draw_calibration,
    draw_rungs,
    draw_tilt,
    fit_atom_curve,
    fit_curve,
    slope_reach,
    thinner_side,
)
from quantail.curves.depth import near_candidates, rung_levels
from quantail.curves.grid import dividing, height_prior, increasing, local, near, wide, with_cells
from quantail.curves.slope import Slope
from quantail.curves.tuning import LOCATED
from quantail.privacy import Gate, Plan
from quantail.table.ladder.category_fitting import count_cells, fit_category
from quantail.table.ladder.column import ColumnModel, NumericModel, draw_rows
from quantail.table.ladder.design import ColumnDesign, Design
from quantail.table.ladder.effects import chosen_effects, declared_effects
from quantail.table.ladder.fit_state import Fit, even_levels, there
from quantail.table.ladder.public_columns import TYPICAL, fit_public
from quantail.table.lowest import beyond_lowest, draw_lowest, stands_apart
from quantail.table.tops import set_tops

Floats = NDArray[np.float64]
_LOW_END = 0.05
_SEEN, _SEEN_CHOSEN = 40.0, 28.0  # signal that a label must have for its shift to be asked
_FEW_FINE, _NEAR = 10, 2  # candidates of a chosen shift: how fine, and how far
_FEW, _TOLD, _TOLD_BY_MANY = 0.1, 25.0, 10.0  # a side of so few rows, or so little signal, tells nothing
_MARGIN = 0.25  # residuals may lie beyond the column's own range by this share of it
_LIKELY = 2**11  # levels at which a predictor's likely values are looked up
_CURVED = 0.25  # largest curvature, in ranges per normal score


def fit_columns(
    gate: Gate, design: Design, confidential: Rows, progress: Callable[[str], None]
) -> tuple[ColumnModel, ...]:
    """Release the models of all columns of a design."""
    fit = run_design(gate, design, confidential, progress)
    return set_tops(fit, design.tails, tuple(fit.models.values()), _draw)


def _draw(
    columns: Sequence[ColumnModel], n: int, rng: np.random.Generator, balanced: bool, given: Any
) -> dict[str, NDArray[Any]]:
    return draw_rows(tuple(columns), n, rng, balanced, given).values


def run_design(gate: Gate, design: Design, confidential: Rows, progress: Callable[[str], None]) -> Fit:
    """Ask the questions of a design; return the fit with all that was released."""
    rng = gate.noise.generator()
    fit = Fit(gate, design.rows, confidential, rng, design.ordered, rules=design.rules)
    public = [column for column in design.columns if column.plan is None]
    if public:
        fit_public(fit, public)
    if any(column.choices for column in design.columns):
        fit.simulated = fit.simulate()
    for column in design.columns:
        progress(column.column.name)
        if column.plan is not None:
            release = fit_category if column.column.type == "category" else _fit_numeric
            fit.release(release(fit, column))
    return fit


def _fit_numeric(fit: Fit, design: ColumnDesign) -> NumericModel:
    scale = _fit_scale(fit, design)
    values = fit.values[design.column.name] = dithered(fit, design.column.name, scale)
    residual = _beyond_atom(fit, design, scale, values)
    effects = declared_effects(design)
    if design.choices:
        locate, *_ = design.leaves("choice 1")
        located = _rungs(fit, design, locate, residual, wide(*scale.ends, scale.log), _levels())
        effects = chosen_effects(fit, design, residual, located)
    # Slopes first: shifts are then what a label adds among rows alike in numbers, as a regression has it.
    slopes: list[Slope] = []
    overall = effects.overall
    for name, leaves in effects.slopes:
        slope = _fit_slope(fit, design, scale, residual, name, leaves)
        residual = residual.map(slope.flatten, fit.explaining(name)).kept()
        if overall is not None:
            overall = overall - slope.at(np.array([fit.predictor(name).centre]))
        slopes.append(slope)
    shifts: list[tuple[str, Bend]] = []
    for name, leaves in effects.shifts:
        ends = residual_range(scale, bool(slopes))
        shift = _fit_shift(fit, design, scale, residual, name, ends, overall, leaves)
        if shift is None:
            continue
        residual = residual.map(shift.flatten, fit.explaining(name)).kept()
        shifts.append((name, shift))
    bends, curve, residual = _fit_rest(fit, design, scale, residual, bool(shifts or slopes))
    if isinstance(curve, AtomCurve) and design.lowest:
        centres = [fit.predictor(slope.on).centre for slope in slopes]
        curve = replace(curve, apart=stands_apart(curve, scale, slopes, centres))
    model = NumericModel(
        design.column.name, scale, tuple(shifts), tuple(slopes), tuple(bends), curve, status=design.status
    )
    _note_innovations(fit, model, values, residual)
    return _calibrated(fit, design, model) if design.calibrated else model


def _beyond_atom(fit: Fit, design: ColumnDesign, scale: Scale, values: Vector) -> Vector:
    """Return the values that slopes and curve are about: without those of an atom, if one is noticed."""
    if design.lowest:
        (leaf,) = design.leaves("lowest")
        share = draw_lowest(fit.gate, leaf, values, scale, fit.present(design.status))
        if share > 0:
            fit.heaped[design.column.name] = share
            return values.map(partial(beyond_lowest, scale=scale)).kept()
    return values.kept()


def _note_innovations(fit: Fit, model: NumericModel, values: Vector, residual: Vector) -> None:
    """Take note of what a column explains others by: its recorded value, if nothing explains it.

    Rows in an atom that stands apart are as if absent; in another one they are numbers like others.
    """
    scale = model.scale
    if not model.explained:
        beyond = values.map(partial(beyond_lowest, scale=scale)) if model.apart else values
        residual = beyond.map(scale.recorded)
    elif model.name in fit.heaped and not model.apart:
        residual = values
        for slope in model.slopes:
            residual = residual.map(slope.flatten, fit.explaining(slope.on))
    fit.innovations[model.name] = residual.kept()


def dithered(fit: Fit, name: str, scale: Scale) -> Vector:
    """Return a column on its modelling scale, every row spread over its lattice cell by a number of its own."""
    column = fit.confidential.column(name)
    return column.map(scale.spread, column.uniform(fit.gate.noise))


def _rungs(
    fit: Fit, design: ColumnDesign, leaf: Plan, values: Vector, grid: Floats, levels: Floats
) -> Floats:
    """Release quantiles of the rows whose number is there; absent ones lie below all candidates.

    On a log scale every factor of e between the outermost costs a nat: where rows hardly tell, they do not run away.
    """
    absent = fit.held_out(design.column.name, design.status)
    spread = grid if design.column.grid == "log" else None
    height = None if spread is None or design.two_sided else height_prior(grid)
    asked = absent + (1 - absent) * levels
    return draw_rungs(fit.gate, leaf, values, grid, asked, fit.rows, spread, height)


def _calibrated(fit: Fit, design: ColumnDesign, model: NumericModel) -> NumericModel:
    """Release how many rows the column has in cells of what the models imply, and set its distribution right."""
    name, scale = model.name, model.scale
    simulated = there(fit.simulate(model, balanced=True).built[name])
    _, atom = scale.lowest_cell
    (leaf,) = design.leaves("calibration")
    rows = fit.present(design.status)
    remap = draw_calibration(
        fit.gate, leaf, fit.values[name], simulated, atom, design.calibrated, rows, scale.borders
    )
    return replace(model, remap=remap)


def _fit_scale(fit: Fit, design: ColumnDesign) -> Scale:
    """Return the column's scale; a log grid on both sides of zero needs to be told first what is small."""
    scale = Scale.of(design.column)
    if not design.two_sided:
        return scale
    sizes = dithered(fit, design.column.name, scale).map(np.abs)
    grid = wide(0.0, max(-scale.ends[0], scale.ends[1]), log=True)
    (leaf,) = design.leaves("scale")
    (typical,) = scale.unfolded(_rungs(fit, design, leaf, sizes, grid, np.array([TYPICAL])))
    return scale.crossing(2 * float(typical))


def _fit_slope(
    fit: Fit, design: ColumnDesign, scale: Scale, residual: Vector, name: str, leaves: tuple[Plan, ...]
) -> Slope:
    predictor = fit.predictor(name)
    first, last = predictor.beyond_atom(np.array([0.25, 0.75])).tolist()
    cuts, told = _instrument(fit, predictor, leaves[-1], _both(fit, design, predictor))
    slope = choose_slope(
        fit.gate,
        leaves,
        residual,
        fit.innovations[name],
        cuts,
        slope_reach(scale, last - first, predictor.scale.least),
        fit.rows,
        rules=fit.rules.slopes,
    )
    slope = slope if told else 0.0
    # Measured from the predictor's end where the column is low, residuals of columns that start near zero stay near
    # zero, where linear candidates are dense.
    low_end = predictor.beyond_atom(np.array([_LOW_END if slope >= 0 else 1 - _LOW_END]))
    return Slope(name, slope, float(low_end[0]))


def _instrument(
    fit: Fit, predictor: NumericModel, leaf: Plan, both: float
) -> tuple[tuple[float, float], bool]:
    """Return where a leaf cuts a predictor, and whether rows enough differ in it; else the answer is noise.

    Parameters
    ----------
    both : float
        Share of rows that have both numbers.
    """
    signal = fit.rows * fit.rate(leaf)
    cuts = best_cuts(predictor.explaining, fit.rows, signal)
    few = thinner_side(predictor.explaining, cuts)
    return cuts, few * signal * both >= (_TOLD_BY_MANY if few >= _FEW else _TOLD)


def _both(fit: Fit, design: ColumnDesign, predictor: NumericModel) -> float:
    """Return the released share of rows that have a column's number and a predictor's, were they independent."""
    own = fit.held_out(design.column.name, design.status)
    return (1 - own) * (1 - fit.held_out(predictor.name, predictor.status))


def _fit_rest(
    fit: Fit, design: ColumnDesign, scale: Scale, residual: Vector, explained: bool
) -> tuple[list[tuple[str, Bend]], AnyCurve, Vector]:
    """Release the bends and the curve of what the slopes left over."""
    leaves = design.leaves("curve")
    if design.cells:
        column = fit.confidential.column(design.column.name)
        return [], count_cells(fit, leaves[0], scale, column), residual
    low, high = residual_range(scale, explained)
    grid = wide(low, high, scale.log)
    bends: list[tuple[str, Bend]] = []
    if not design.bins:
        for name in design.bends:
            tilt = _fit_tilt(fit, design, residual, name, grid, high - low)
            leaf, both = design.leaves(f"bend on {name}")[0], _both(fit, design, fit.predictor(name))
            _, told = _instrument(fit, fit.predictor(name), leaf, both)
            if told:
                residual = residual.map(tilt.flatten, fit.explaining(name)).kept()
                bends.append((name, tilt))
    share = fit.heaped.get(design.column.name, 0.0)
    rows = max(round(fit.present(design.status) * (1 - share)), 1)
    signal = rows * fit.rate(leaves[-1])
    if len(leaves) == 2:
        overall = _rungs(fit, design, leaves[0], residual, grid, _levels())
        if rows * fit.rate(leaves[0]) >= LOCATED:  # else fewer rows have the number than was planned on
            grid = near(*_around(overall, scale), low, high, near_candidates(signal))
        if not explained and not share:  # what other columns explain has no atoms left
            grid = with_cells(grid, scale.atom_cells())
        for name in design.bends if design.bins else ():
            bend = _fit_bend(fit, design, residual, overall, name, local(*_around(overall, scale)))
            residual = residual.map(bend.flatten, fit.explaining(name)).kept()
            bends.append((name, bend))
    levels = rung_levels(signal)
    rungs = _rungs(fit, design, leaves[-1], residual, grid, levels)
    noise = fit.noise_rows(leaves[-1])
    if explained or share:
        curve = fit_curve(levels, rungs, rows, noise, scale.least, scale.log)
        return bends, AtomCurve(share, *scale.lowest_cell, curve) if share else curve, residual
    return bends, fit_atom_curve(levels, rungs, rows, noise, scale), residual


def _fit_tilt(fit: Fit, design: ColumnDesign, residual: Vector, name: str, grid: Floats, span: float) -> Bend:
    predictor = fit.predictor(name)
    leaves = design.leaves(f"bend on {name}")
    x = fit.innovations[name]
    absent = fit.absent(design.status)
    return draw_tilt(
        fit.gate,
        leaves,
        residual,
        x,
        predictor.explaining,
        grid,
        _CURVED * span,
        fit.rows,
        absent,
        design.column.grid == "log",
        fit.rules.tilts,
    )


def _fit_bend(
    fit: Fit, design: ColumnDesign, residual: Vector, overall: Floats, name: str, grid: Floats
) -> Bend:
    predictor = fit.predictor(name)
    # A value that many rows have is in one bin, whole: there are fewer bins then.
    likely = np.sort(predictor.explaining(np.union1d(even_levels(_LIKELY), even_levels(design.bins))))
    cuts = dividing(predictor.explaining(even_levels(design.bins)), likely)
    cell = fit.innovations[name].map(lambda x: np.where(np.isnan(x), -1, np.searchsorted(cuts, x)))
    parts = np.split(likely, np.searchsorted(likely, cuts, side="right"))
    centres = increasing(np.array([np.median(part) for part in parts]))
    rows = fit.present(design.status) * (1 - fit.absent(predictor.status))
    expected = np.array([max(rows * part.size / likely.size, 1.0) for part in parts])
    leaves = design.leaves(f"bend on {name}")
    noise = fit.noise_rows(leaves[0]) / 2
    return draw_bend(fit.gate, leaves, residual, cell, expected, centres, overall, grid, noise, steps=False)


def _fit_shift(
    fit: Fit,
    design: ColumnDesign,
    scale: Scale,
    residual: Vector,
    name: str,
    ends: tuple[float, float],
    overall: Floats | None,
    leaves: tuple[Plan, ...],
) -> Bend | None:
    """Release the median and spread of a column in those categories of an earlier one that rows enough should have.

    A declared predictor is asked about two labels at least, as planned, but what too few rows say is not believed; a
    chosen one with fewer candidates, or not at all.
    """
    if overall is None:
        first, *leaves = leaves  # type: ignore[assignment]
        overall = _rungs(fit, design, first, residual, wide(*ends, scale.log), _levels())
    simulated = fit.simulate().values
    number = fit.shares[name].size
    drawn = simulated[name][simulated[design.status] == 0] if design.status else simulated[name]
    share = np.bincount(drawn, minlength=number) / max(drawn.size, 1)
    expected = np.maximum(fit.present(design.status) * share, 1.0)
    signal = expected * fit.rate(leaves[0])
    seen = np.flatnonzero(signal >= (_SEEN_CHOSEN if design.choices else _SEEN))
    told = seen.size >= 2
    if design.choices and not told:
        return None
    seen = seen if told else np.argsort(-expected)[:2]
    around = _around(overall, scale)
    grid = local(*around, fine=_FEW_FINE, reach=_NEAR) if design.choices else local(*around)
    places = np.full(number, -1)
    places[seen] = np.arange(seen.size)
    block = fit.innovations[name].map(lambda code: places[code])
    noise = fit.noise_rows(leaves[0]) / 2
    codes = seen.astype(np.float64)
    bend = draw_bend(
        fit.gate, leaves, residual, block, expected[seen], codes, overall, grid, noise, steps=True
    )
    return bend.spread_over(places) if told else None


def residual_range(scale: Scale, explained: bool) -> tuple[float, float]:
    """Return the public range in which candidates for a column, or for its residual, lie."""
    low, high = scale.ends
    margin = _MARGIN * (high - low) if explained else 0.0
    return low - margin, high + margin


def _around(overall: Floats, scale: Scale) -> tuple[float, float]:
    """Return the released outer quantiles, at least a lattice step apart."""
    first, last = float(overall[0]), float(overall[2])
    missing = max(scale.least - (last - first), 0.0) / 2
    return first - missing, last + missing


def _levels() -> Floats:
    return np.asarray([float(level) for level in BEND_LEVELS])
