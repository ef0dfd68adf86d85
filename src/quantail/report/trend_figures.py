"""What a panel does over time: totals, flows with births and deaths, entry and exit, survival."""

import numpy as np

from quantail.evaluation import Histories, flows_of
from quantail.evaluation.dynamics import gross_employment, survival
from quantail.frames import PanelData
from quantail.markup import Markup, element
from quantail.report.data import ReportData
from quantail.report.legend import draw_key, titled
from quantail.report.page import section
from quantail.report.plots.trend import draw_trend
from quantail.schema.periods import PeriodForm

_FLOWS = {
    "job_creation_rate": "creation rate",
    "job_destruction_rate": "destruction rate",
    "net_job_creation_rate": "net creation rate",
}
_UNITS = {"entry_rate": "Entry rate of units", "exit_rate": "Exit rate of units"}


def draw_trends(data: ReportData) -> Markup | None:
    """Draw what a panel does over time: totals, flows, entry and exit, survival."""
    if data.panels is None:
        return None
    real, synth = data.panels
    periods = real.periods.tolist()
    figures: list[Markup] = []
    for place, (name, values) in enumerate(real.values.items()):
        totals = gross_employment(values), gross_employment(synth.values[name])
        drawing = draw_trend(f"Total {name}", "period", periods, *totals, form=_form(real))
        figures.append(titled(f"Total {name}", drawing))
        titles = {rate: f"{name}: {words}" for rate, words in _FLOWS.items()} | (_UNITS if place == 0 else {})
        figures += _rates(real, synth, name, titles)
    figures += _survival(real, synth)
    return section(
        "trends",
        "Over time",
        draw_key(),
        element("div", *figures, class_="plots"),
        hint="Totals over all units, and what units gain (creation, with births) and lose (destruction, with deaths) "
        "from one period to the next, as shares of their average size; entry and exit as shares of active units.",
    )


def _rates(real: PanelData, synth: PanelData, name: str, titles: dict[str, str]) -> list[Markup]:
    """Draw rates of flows over the periods in which both panels have units."""
    both = [_by_period(panel, name, list(titles)) for panel in (real, synth)]
    periods = sorted(set(both[0]) & set(both[1]))
    if len(periods) < 2:
        return []
    figures = []
    for place, title in enumerate(titles.values()):
        truth, made = (np.array([found[period][place] for period in periods]) / 100 for found in both)
        drawing = draw_trend(title, "period", periods, truth, made, as_share=True, form=_form(real))
        figures.append(titled(title, drawing))
    return figures


def _form(panel: PanelData) -> PeriodForm:
    assert panel.schema.panel is not None
    return panel.schema.panel.form


def _by_period(panel: PanelData, name: str, rates: list[str]) -> dict[int, list[float]]:
    if panel.periods.size < 2:
        return {}
    table = flows_of(Histories(panel.periods, panel.values[name], {}))
    rows = zip(*(table[rate].to_pylist() for rate in rates), strict=True)
    return dict(zip(table["period"].to_pylist(), map(list, rows), strict=True))


def _survival(real: PanelData, synth: PanelData) -> list[Markup]:
    name = next(iter(real.values))
    alive = survival(real.values[name]), survival(synth.values[name])
    if not all(np.isfinite(line).all() for line in alive):
        return []
    title = "Share of births still active"
    ages = range(alive[0].size)
    return [titled(title, draw_trend(title, "periods since entry", ages, *alive, as_share=True))]
