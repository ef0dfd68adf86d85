"""The trade-off curves as a picture: what an attacker can reach, and the border that epsilon-DP draws."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from quantail.auditing.findings import Curve

_VALID, _FLAWED, _BORDER = "#0072B2", "#D55E00", "#000000"


def can_draw() -> bool:
    """Say whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def border(claimed: float, false_positive: Any) -> Any:
    """Return the smallest share of false negatives that epsilon-DP allows."""
    return np.maximum.reduce(
        [
            1 - np.exp(claimed) * np.asarray(false_positive),
            np.exp(-claimed) * (1 - np.asarray(false_positive)),
        ]
    )


def draw_curves(curves: Sequence[Curve], path: Path) -> None:
    """Write all curves into one PNG; valid mechanisms must stay above the border, up to sampling error."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 4.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    claimed = curves[0].claimed
    along = np.linspace(0, 1, 400)
    lowest = border(claimed, along)
    axes.fill_between(along, 0, lowest, color="#eeeeee")
    axes.plot(along, lowest, color=_BORDER, lw=1.4, label=f"border of epsilon = {claimed:g}")
    axes.plot(along, 1 - along, color="#999999", lw=0.8, ls=":", label="blind guess")
    named: set[bool] = set()
    for curve in curves:
        label = None if curve.flawed in named else curve.name if curve.flawed else "valid mechanisms"
        named.add(curve.flawed)
        look: dict[str, Any] = (
            {"color": _FLAWED, "lw": 1.6} if curve.flawed else {"color": _VALID, "lw": 0.7, "alpha": 0.6}
        )
        axes.plot(curve.false_positive, curve.false_negative, label=label, **look)
    axes.set(xlabel="false positives", ylabel="false negatives", xlim=(0, 1), ylim=(0, 1), aspect="equal")
    axes.set_title("Best attack found on every pair of neighbours", loc="left", fontsize=10)
    axes.legend(frameon=False, fontsize=8, loc="upper right")
    figure.savefig(path, dpi=150, metadata={"Software": None})
