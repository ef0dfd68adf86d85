"""Conditional quantile models: scale, grids, joint draw, ladder, slopes, bends, curve; and the non-private reference."""

from quantail.quantiles.bend import LEVELS as BEND_LEVELS
from quantail.quantiles.bend import Bend, draw_bend
from quantail.quantiles.curve import Curve, StepCurve, curve_from_dict, fit_curve
from quantail.quantiles.joint import draw_rungs
from quantail.quantiles.ladder import climb, ladder_depth
from quantail.quantiles.scale import Scale
from quantail.quantiles.slopes import choose_slope

__all__ = [
    "BEND_LEVELS",
    "Bend",
    "Curve",
    "Scale",
    "StepCurve",
    "choose_slope",
    "climb",
    "curve_from_dict",
    "draw_bend",
    "draw_rungs",
    "fit_curve",
    "ladder_depth",
]
