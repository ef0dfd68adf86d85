"""Conditional quantile models: rows, scale, grids, joint draw, ladder, slopes, bends, curve, non-private reference."""

from quantail.curves.atom_curve import AnyCurve, AtomCurve, curve_from_dict, fit_atom_curve
from quantail.curves.bend import LEVELS as BEND_LEVELS
from quantail.curves.bend import Bend, draw_bend
from quantail.curves.calibration import Remap, draw_calibration
from quantail.curves.curve import Curve, StepCurve, fit_curve
from quantail.curves.instrument import best_cuts, thinner_side
from quantail.curves.joint import draw_rungs
from quantail.curves.ladder import climb, ladder_depth
from quantail.curves.rows import HeldRows, Rows, Vector
from quantail.curves.scale import Scale
from quantail.curves.slopes import Reach, choose_slope, slope_plan, slope_reach
from quantail.curves.tilt import draw_tilt

__all__ = [
    "AnyCurve",
    "AtomCurve",
    "BEND_LEVELS",
    "Bend",
    "Curve",
    "HeldRows",
    "Reach",
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
