"""Conditional quantile models: rows, scale, grids, joint draw, ladder, slopes, bends, curve, non-private reference."""

from quantail.quantiles.atom_curve import AnyCurve, AtomCurve, curve_from_dict, fit_atom_curve
from quantail.quantiles.bend import LEVELS as BEND_LEVELS
from quantail.quantiles.bend import Bend, draw_bend
from quantail.quantiles.calibration import Remap, draw_calibration
from quantail.quantiles.curve import Curve, StepCurve, fit_curve
from quantail.quantiles.instrument import best_cuts, thinner_side
from quantail.quantiles.joint import draw_rungs
from quantail.quantiles.ladder import climb, ladder_depth
from quantail.quantiles.rows import HeldRows, Rows, Vector
from quantail.quantiles.scale import Scale
from quantail.quantiles.slopes import choose_slope, slope_plan, slope_reach
from quantail.quantiles.tilt import draw_tilt

__all__ = [
    "AnyCurve",
    "AtomCurve",
    "BEND_LEVELS",
    "Bend",
    "Curve",
    "HeldRows",
    "Remap",
    "Rows",
    "Scale",
    "StepCurve",
    "Vector",
    "best_cuts",
    "choose_slope",
    "climb",
    "curve_from_dict",
    "draw_bend",
    "draw_calibration",
    "draw_rungs",
    "draw_tilt",
    "fit_atom_curve",
    "fit_curve",
    "ladder_depth",
    "slope_plan",
    "slope_reach",
    "thinner_side",
]
