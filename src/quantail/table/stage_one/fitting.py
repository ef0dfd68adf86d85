"""Stage one of a fit: every column by itself, and slopes on numbers, question by question through the gate.

Confidential rows are asked for totals and secret parts (`curves/rows.py`), so that they may lie in memory, in a
file or on other machines. Everything that decides how to go on (grids, targets) comes from the schema, from
the public number of rows, or from what was released before.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quantail.curves import (
    AnyCurve,
    AtomCurve,
    Rows,
    Scale,
    Vector,
    best_cuts,
    choose_slope,
    fit_atom_curve,
    fit_curve,
    joint_quantiles,
    slope_reach,
    thinner_side,
)
from quantail.curves.depth import near_candidates, quantile_levels
from quantail.curves.grid import height_prior, near, wide, with_cells
from quantail.curves.slope import Slope
from quantail.curves.tuning import LOCATED, LOCATING_LEVELS, SPREAD_STEPS, WIDE_STEPS
from quantail.privacy import Gate, Plan
from quantail.table.lowest import beyond_lowest, draw_lowest, stands_apart
from quantail.table.stage_one.column import NumericModel
from quantail.table.stage_one.counting import count_cells, fit_category
from quantail.table.stage_one.design import ColumnDesign, Design
from quantail.table.stage_one.fit_state import Fit
from quantail.table.stage_one.public_columns import fit_public
from quantail.table.stage_one.tuning import FEW, LOW_END, MARGIN, TOLD, TOLD_BY_MANY, TYPICAL

Floats = NDArray[np.float64]


def run_design(gate: Gate, design: Design, confidential: Rows, progress: Callable[[str], None]) -> Fit:
    """Ask the questions of a design; return the fit with all that was released."""
    rng = gate.noise.generator()
    fit = Fit(gate, design.rows, confidential, rng, design.ordered, rules=design.rules)
    public = [column for column in design.columns if column.plan is None]
    if public:
        fit_public(fit, public)
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
    slopes: list[Slope] = []
    for name in design.slopes:
        slope = _fit_slope(fit, design, scale, residual, name)
        residual = residual.map(slope.flatten, fit.explaining(name)).kept()
        slopes.append(slope)
    curve = _fit_curve(fit, design, scale, residual, slopes)
    if isinstance(curve, AtomCurve) and design.lowest:
        centres = [fit.predictor(slope.on).centre for slope in slopes]
        curve = replace(curve, apart=stands_apart(curve, scale, slopes, centres))
    model = NumericModel(design.column.name, scale, tuple(slopes), curve, status=design.status)
    _note_innovations(fit, model, values, residual)
    return model


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


def _quantiles(
    fit: Fit,
    design: ColumnDesign,
    leaf: Plan,
    values: Vector,
    grid: Floats,
    levels: Floats,
    upwards: bool,
    steps: float = SPREAD_STEPS,
) -> Floats:
    """Release quantiles of the rows whose number is there; absent ones lie below all candidates.

    On a log scale every factor of e between the outermost costs a nat, and so does a high one where large numbers lie
    `upwards` only: where rows hardly tell, they do not run away.
    """
    absent = fit.held_out(design.column.name, design.status)
    spread = grid if design.column.grid == "log" else None
    height = None if spread is None or not upwards else height_prior(grid)
    asked = absent + (1 - absent) * levels
    return joint_quantiles(fit.gate, leaf, values, grid, asked, fit.rows, spread, height, steps=steps)


def _fit_scale(fit: Fit, design: ColumnDesign) -> Scale:
    """Return the column's scale; a log grid on both sides of zero needs to be told first what is small."""
    scale = Scale.of(design.column)
    if not design.two_sided:
        return scale
    sizes = dithered(fit, design.column.name, scale).map(np.abs)
    grid = wide(0.0, max(-scale.ends[0], scale.ends[1]), log=True)
    (leaf,) = design.leaves("scale")
    (typical,) = scale.unfolded(_quantiles(fit, design, leaf, sizes, grid, np.array([TYPICAL]), True))
    return scale.crossing(2 * float(typical))


def _fit_slope(fit: Fit, design: ColumnDesign, scale: Scale, residual: Vector, name: str) -> Slope:
    predictor, leaves = fit.predictor(name), design.leaves(f"slope on {name}")
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
    low_end = predictor.beyond_atom(np.array([LOW_END if slope >= 0 else 1 - LOW_END]))
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
    n_epsilon = fit.rows * fit.rate(leaf)
    cuts = best_cuts(predictor.explaining, fit.rows, n_epsilon)
    few = thinner_side(predictor.explaining, cuts)
    return cuts, few * n_epsilon * both >= (TOLD_BY_MANY if few >= FEW else TOLD)


def _both(fit: Fit, design: ColumnDesign, predictor: NumericModel) -> float:
    """Return the released share of rows that have a column's number and a predictor's, were they independent."""
    own = fit.held_out(design.column.name, design.status)
    return (1 - own) * (1 - fit.held_out(predictor.name, predictor.status))


def _fit_curve(
    fit: Fit, design: ColumnDesign, scale: Scale, residual: Vector, slopes: Sequence[Slope]
) -> AnyCurve:
    """Release the curve of what the slopes left over; where none of them was told, it lies in the column's range."""
    leaves = design.leaves("curve")
    if design.cells:
        return count_cells(fit, leaves[0], scale, fit.confidential.column(design.column.name))
    explained, shifted = bool(slopes), any(slope.slope for slope in slopes)
    low, high = residual_range(scale, shifted)
    grid = wide(low, high, scale.log)
    share = fit.heaped.get(design.column.name, 0.0)
    rows = max(round(fit.present(design.status) * (1 - share)), 1)
    n_epsilon = rows * fit.rate(leaves[-1])
    asked = partial(_quantiles, fit, design, upwards=not design.two_sided)
    if len(leaves) == 2:
        overall = asked(leaves[0], residual, grid, np.array(LOCATING_LEVELS), steps=WIDE_STEPS)
        if rows * fit.rate(leaves[0]) >= LOCATED:  # else fewer rows have the number than was planned on
            grid = near(*_around(overall, scale), low, high, near_candidates(n_epsilon))
        if not shifted and not share:  # what other columns shift has no atoms left
            grid = with_cells(grid, scale.atom_cells())
    levels = quantile_levels(n_epsilon)
    steps = WIDE_STEPS if scale.log and shifted and len(leaves) == 1 else SPREAD_STEPS
    quantiles = asked(leaves[-1], residual, grid, levels, steps=steps)
    noise = fit.noise_rows(leaves[-1])
    found: AnyCurve
    if explained or share:
        curve = fit_curve(levels, quantiles, rows, noise, scale.least, scale.log)
        found = AtomCurve(share, *scale.lowest_cell, curve) if share else curve
    else:
        found = fit_atom_curve(levels, quantiles, rows, noise, scale)
    return found if shifted else found.bounded(scale.ends, scale.inner_ends)


def residual_range(scale: Scale, shifted: bool) -> tuple[float, float]:
    """Return the public range in which candidates for a column, or for its residual, lie."""
    low, high = scale.ends
    margin = MARGIN * (high - low) if shifted else 0.0
    return low - margin, high + margin


def _around(overall: Floats, scale: Scale) -> tuple[float, float]:
    """Return the released outer quantiles, at least a lattice step apart."""
    first, last = float(overall[0]), float(overall[2])
    missing = max(scale.least - (last - first), 0.0) / 2
    return first - missing, last + missing
