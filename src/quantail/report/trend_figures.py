"""What a panel does over time: totals, flows, survival."""

import numpy as np

from quantail.evaluation.dynamics import gross_employment, job_flows, survival
from quantail.markup import Markup, element
from quantail.report.data import ReportData
from quantail.report.legend import draw_key, titled
from quantail.report.page import section
from quantail.report.plots.trend import draw_trend


def draw_trends(data: ReportData) -> Markup | None:
    """Draw what a panel does over time: totals, flows, survival."""
    if data.panels is None:
        return None
    real, synth = data.panels
    periods = real.periods.tolist()
    figures: list[Markup] = []
    for name, values in real.values.items():
        made = synth.values[name]
        totals = gross_employment(values), gross_employment(made)
        figures.append(titled(f"Total {name}", draw_trend(f"Total {name}", "period", periods, *totals)))
        truth, copy = job_flows(values), job_flows(made)
        for flow in ("creation", "destruction"):
            rates = getattr(truth, flow), getattr(copy, flow)
            title = f"{name}: {flow} rate"
            figures.append(titled(title, draw_trend(title, "period", periods[1:], *rates, as_share=True)))
    name = next(iter(real.values))
    alive = survival(real.values[name]), survival(synth.values[name])
    if all(np.isfinite(line).all() for line in alive):
        title = "Share of births still active"
        ages = range(alive[0].size)
        figures.append(titled(title, draw_trend(title, "periods since entry", ages, *alive, as_share=True)))
    return section(
        "trends",
        "Over time",
        draw_key(),
        element("div", *figures, class_="plots"),
        hint="Totals over all units, and what continuing units gain (creation) and lose (destruction) from one period "
        "to the next, as shares of their average size.",
    )
