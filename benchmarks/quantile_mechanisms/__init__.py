"""Published mechanisms for many quantiles of one column, written small and clean to stand beside the ladder.

Each is a function (values, levels, epsilon, bounds, rng) -> estimates: values in rising order, levels in (0, 1)
rising, bounds public. All are pure epsilon-DP for replace-one neighbours. numpy noise: yardsticks, not for releases.
"""

from benchmarks.quantile_mechanisms.approximate import approximate_quantiles
from benchmarks.quantile_mechanisms.joint_exp import joint_exp
from benchmarks.quantile_mechanisms.ladder import joint_draw, ladder
from benchmarks.quantile_mechanisms.points import quantiles
from benchmarks.quantile_mechanisms.slicing import slice_quantiles

MECHANISMS = {
    "quantail.quantiles": quantiles,
    "ladder": ladder,
    "joint draw": joint_draw,
    "JointExp": joint_exp,
    "ApproximateQuantiles": approximate_quantiles,
    "slicing": slice_quantiles,
}

__all__ = [
    "MECHANISMS",
    "approximate_quantiles",
    "joint_draw",
    "joint_exp",
    "ladder",
    "quantiles",
    "slice_quantiles",
]
