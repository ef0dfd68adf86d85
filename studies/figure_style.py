"""How figures look: colours that colour-blind readers can tell apart (Okabe and Ito), one per method.

Colour says which mechanism, line and marker say how it was sampled. matplotlib is optional (the dependency group
`studies`) and always draws to files, never to a screen.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from studies.paper_tables import base_of

COLOURS = {
    "tables": "#0072B2",
    "sandwich-fixed": "#D55E00",
    "sandwich-varying": "#E69F00",
    "stepwise-fixed": "#009E73",
    "stepwise-varying": "#56B4E9",
    "kng": "#CC79A7",
    "pmse": "#8C6D1F",
    "quantreg": "#000000",
    "fresh": "#666666",
}
TRUE_COLOUR, FALSE_COLOUR = "#0072B2", "#D55E00"
_LOOK: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "savefig.dpi": 150,
    "figure.constrained_layout.use": True,
}


def can_draw() -> bool:
    """Say whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def new_figure(rows: int, columns: int, size: tuple[float, float], **options: Any) -> tuple[Any, Any]:
    """Return a figure and its array of axes."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context(_LOOK):
        figure = Figure(figsize=size, layout="constrained")
        FigureCanvasAgg(figure)
        return figure, figure.subplots(rows, columns, squeeze=False, **options)


def save(figure: Any, path: Path) -> None:
    """Write a figure as PNG; the same data give the same file."""
    figure.savefig(path, dpi=150, metadata={"Software": None})


def plain_log(axis: Any, low: float, high: float) -> None:
    """Label a log-scaled axis with plain numbers: powers of ten, and steps between them where there are few."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    steps = (
        (1.0,) if high > 100 * low else (1.0, 2.0, 5.0) if high > 4 * low else (1.0, 1.5, 2.0, 3.0, 5.0, 7.0)
    )
    axis.set_major_locator(LogLocator(base=10, subs=steps))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def line_look(method: str) -> dict[str, Any]:
    """Return colour, line and marker of a method."""
    look: dict[str, Any] = {
        "color": COLOURS.get(base_of(method), "#444444"),
        "linewidth": 1.6,
        "markersize": 4,
    }
    if method in ("quantreg", "fresh"):
        return look | {"linestyle": "--" if method == "quantreg" else ":", "marker": ""}
    if method.endswith("-published"):
        return look | {"linestyle": "--", "marker": "s", "markerfacecolor": "white"}
    if method.endswith("-converged"):
        return look | {"linestyle": ":", "marker": "^"}
    if method.endswith("-interpolated"):
        return look | {"linestyle": "-.", "marker": ""}
    if method.endswith("-text"):
        return look | {"linestyle": "-.", "marker": "D"}
    wide = {"linewidth": 2.6} if method == "tables" else {}
    return look | {"linestyle": "-", "marker": "o"} | wide
