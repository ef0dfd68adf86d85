"""The axis of a measure of the simulation study: its title, and a scale that suits its range."""

from collections.abc import Sequence
from typing import Any, Literal

from studies.figure_style import plain_log
from studies.simulation.summary import HIGHER_IS_BETTER, MEASURE_NAMES

_LINEAR = ("km",)  # runs from 0 to 1000; all others span orders of magnitude


def finish_axis(
    axis: Any, which: Literal["x", "y"], measure: str, means: Sequence[float], margin: float
) -> None:
    """Give a plot the title of its measure, and one of its axes the measure's scale."""
    better = "higher" if measure in HIGHER_IS_BETTER else "lower"
    axis.set_title(
        f"{MEASURE_NAMES[measure]} ({better} is better)", loc="left", fontsize=9.5, fontweight="bold"
    )
    if measure in _LINEAR:
        axis.set(**{f"{which}lim": (0, 1000)})
    else:
        low, high = min(means), max(means)
        axis.set(**{f"{which}scale": "log", f"{which}lim": (low / margin, high * margin)})
        plain_log(getattr(axis, f"{which}axis"), low, high)
    axis.grid(alpha=0.25, linewidth=0.6)
