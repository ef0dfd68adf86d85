"""A quantity over the periods of a panel, real and synthetic."""

from collections.abc import Sequence

import numpy as np

from quantail.arrays import Floats
from quantail.markup import Markup
from quantail.report.plots.canvas import Canvas
from quantail.report.plots.numbers import percent, short
from quantail.report.plots.scale import Scale
from quantail.schema.periods import WHOLE, PeriodForm


def draw_trend(
    name: str,
    unit: str,
    periods: Sequence[int],
    real: Floats,
    synth: Floats,
    as_share: bool = False,
    form: PeriodForm = WHOLE,
) -> Markup:
    """Draw two lines over time, periods written as in the table; totals begin at zero, shares wherever they lie."""
    both = np.concatenate([real, synth])
    low, high = float(np.nanmin(both)), float(np.nanmax(both))
    if not as_share:
        low = min(low, 0.0)
    margin = 0.06 * (high - low)
    canvas = Canvas(
        Scale(periods[0], periods[-1]), Scale(low - (margin if as_share else 0), high + margin), left=56
    )
    written = percent if as_share else short
    ends = [f"{written(float(line[0]))} to {written(float(line[-1]))}" for line in (real, synth)]
    first, last = form.written(periods[0]), form.written(periods[-1])
    label = f"{name} from {first} to {last}: real {ends[0]}, synthetic {ends[1]}."
    dates = [
        (value, str(form.written(round(value)))) for value, _ in canvas.x.ticks(5) if value == round(value)
    ]
    return canvas.drawing(
        label,
        canvas.axes(unit, "", dates, [(value, written(value)) for value, _ in canvas.y.ticks(4)]),
        canvas.line(periods, real, "real"),
        canvas.line(periods, synth, "synthetic"),
    )
