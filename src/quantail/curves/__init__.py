"""Conditional quantile models: rows, scale, grids, joint draw, slopes, curve, non-private reference."""

from quantail.curves.atom_curve import AnyCurve, AtomCurve, curve_from_dict, fit_atom_curve
from quantail.curves.curve import Curve, StepCurve, fit_curve
from quantail.curves.instrument import best_cuts, thinner_side
from quantail.curves.joint import joint_quantiles
from quantail.curves.rows import HeldRows, Rows, Vector
from quantail.curves.scale import Scale
from quantail.curves.slopes import Reach, choose_slope, slope_plan, slope_reach

__all__ = [
    "AnyCurve",
    "AtomCurve",
    "Curve",
    "HeldRows",
    "Reach",
    "Rows",
    "Scale",
    "StepCurve",
    "Vector",
    "best_cuts",
    "choose_slope",
    "curve_from_dict",
    "joint_quantiles",
    "fit_atom_curve",
    "fit_curve",
    "slope_plan",
    "slope_reach",
    "thinner_side",
]
