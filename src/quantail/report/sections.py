"""The pictures of the report: columns one by one, columns together, and what a panel does over time."""

from collections.abc import Sequence

import numpy as np

from quantail.evaluation.dynamics import gross_employment, job_flows, survival
from quantail.evaluation.table import Measured
from quantail.report.association import Pair, all_pairs, telling_pairs
from quantail.report.columns import AnyColumn, Labels, Numbers
from quantail.report.dossier import Dossier
from quantail.report.markup import Child, Markup, element
from quantail.report.page import links, section, table
from quantail.report.plots.canvas import diamond, disc
from quantail.report.plots.correlations import draw_correlations
from quantail.report.plots.density import draw_density
from quantail.report.plots.numbers import percent, short
from quantail.report.plots.pairs import SHOWN_ROWS, draw_pair
from quantail.report.plots.quantiles import draw_quantiles
from quantail.report.plots.shares import draw_shares
from quantail.report.plots.tail import draw_tail
from quantail.report.plots.trend import draw_trend
from quantail.report.verdict import verdict

MOST_PAIRS = 8
_COLUMN_FAMILIES = ("column", "tail")


def draw_key() -> Markup:
    """Explain the two line styles and marks, once for all plots."""
    real = element("path", d="M0 6H34", class_="line real"), disc(17, 6, 3.5)
    synth = element("path", d="M0 6H34", class_="line synthetic"), diamond(17, 6, 4)
    return element(
        "ul",
        element("li", _sample(*real), "real rows: blue, solid, discs"),
        element("li", _sample(*synth), "synthetic rows: orange, dashed, diamonds"),
        class_="key",
    )


def _sample(*parts: Child) -> Markup:
    return element("svg", *parts, viewBox="0 0 34 12", aria_hidden="true")


def draw_columns(dossier: Dossier) -> Markup:
    """Draw every column: density, tail and quantiles of numbers, shares of labels."""
    places = {column.name: f"column-{number}" for number, column in enumerate(dossier.columns, 1)}
    articles = [_article(column, places[column.name], dossier) for column in dossier.columns]
    chips = [(place, name) for name, place in places.items()]
    return section(
        "columns",
        "Columns one by one",
        links(chips, "Columns", "chips") if len(chips) > 3 else None,
        draw_key(),
        *articles,
        hint="Density: where values lie. Tail: how many rows exceed a value; a straight line is a Pareto tail. "
        "Quantiles: on the diagonal both tables agree.",
    )


def _article(column: AnyColumn, place: str, dossier: Dossier) -> Markup:
    return element(
        "article",
        element("h3", column.name, id=place),
        element("div", *(_titled(title, plot) for title, plot in _plots(column)), class_="plots"),
        _remarks(column, dossier),
        aria_labelledby=place,
    )


def _titled(title: str, plot: Markup) -> Markup:
    return element("figure", element("h4", title), plot)


def _plots(column: AnyColumn) -> list[tuple[str, Markup]]:
    if isinstance(column, Labels):
        return [("Shares", draw_shares(column.name, column.labels, *column.shares()))]
    if not column.drawable:
        return []
    tail = draw_tail(column)
    return [
        ("Density", draw_density(column)),
        *([("Upper tail", tail)] if tail else []),
        ("Quantiles", draw_quantiles(column)),
    ]


def _remarks(column: AnyColumn, dossier: Dossier) -> Markup:
    """List the measures of a column, each beside what a fresh sample would get."""
    own = [
        row for row in dossier.measures if row.columns == (column.name,) and row.family in _COLUMN_FAMILIES
    ]
    items: list[Child] = [_remark(row) for row in own]
    if isinstance(column, Numbers) and any(column.missing):
        shares = " and ".join(percent(share) for share in column.missing)
        items.append(element("div", element("dt", "missing, real and synthetic"), element("dd", shares)))
    return element("dl", *items, class_="mini")


def _remark(row: Measured) -> Markup:
    said = verdict(row)
    fresh = "" if row.null is None else element("small", f" fresh {short(row.null, 2)}")
    worry = element("strong", f" {said.words}") if said is not None and not said.is_close else None
    return element("div", element("dt", row.name), element("dd", short(row.value), fresh, worry))


def draw_relations(dossier: Dossier) -> Markup | None:
    """Draw all rank correlations, and the pairs of columns that tell most."""
    pairs = all_pairs(dossier.columns)
    if not pairs:
        return None
    shown = telling_pairs(pairs, MOST_PAIRS)
    chosen = (
        f"Of {len(pairs)} pairs the {len(shown)} that tell most: the largest differences and the strongest relations. "
        if len(shown) < len(pairs)
        else ""
    )
    return section(
        "pairs",
        "Columns together",
        _at_a_glance(dossier.columns, pairs),
        draw_key(),
        element("div", *map(_pair, shown), class_="plots wide"),
        hint=chosen
        + f"Dots are a sample of at most {SHOWN_ROWS} rows. The lines are the 10%, 50% and 90% quantiles of the "
        "vertical column given the horizontal one, from all rows; thin blue ones repeat the real table's.",
    )


def _at_a_glance(columns: Sequence[AnyColumn], pairs: Sequence[Pair]) -> Markup | None:
    """Draw all rank correlations, beside a list of the pairs that differ most."""
    names = [column.name for column in columns if isinstance(column, Numbers)]
    numeric = [p for p in pairs if isinstance(p.first, Numbers) and isinstance(p.second, Numbers)]
    if len(names) < 3:
        return None
    caption = (
        "Rank correlations: real above the diagonal, synthetic below. Blue is positive, orange negative."
    )
    worst = sorted(pairs, key=lambda pair: -pair.gap)[:MOST_PAIRS]
    rows = [[f"{p.first.name} and {p.second.name}", f"{p.real:.2f}", f"{p.synth:.2f}"] for p in worst]
    head = ("largest differences", "real", "synthetic")
    return element(
        "div",
        element("figure", draw_correlations(names, numeric), element("figcaption", caption)),
        table("Pairs of columns that differ most", head, rows, numbers=(1, 2)),
        class_="plots wide",
    )


def _pair(pair: Pair) -> Markup:
    caption = f"{pair.first.name} and {pair.second.name}: association {pair.real:.2f} real, {pair.synth:.2f} synthetic"
    return element("figure", element("div", *draw_pair(pair), class_="pair"), element("figcaption", caption))


def draw_trends(dossier: Dossier) -> Markup | None:
    """Draw what a panel does over time: totals, flows, survival."""
    if dossier.panels is None:
        return None
    real, synth = dossier.panels
    periods = real.periods.tolist()
    figures: list[Markup] = []
    for name, values in real.values.items():
        made = synth.values[name]
        totals = gross_employment(values), gross_employment(made)
        figures.append(_titled(f"Total {name}", draw_trend(f"Total {name}", "period", periods, *totals)))
        truth, copy = job_flows(values), job_flows(made)
        for flow in ("creation", "destruction"):
            rates = getattr(truth, flow), getattr(copy, flow)
            title = f"{name}: {flow} rate"
            figures.append(_titled(title, draw_trend(title, "period", periods[1:], *rates, as_share=True)))
    name = next(iter(real.values))
    alive = survival(real.values[name]), survival(synth.values[name])
    if all(np.isfinite(line).all() for line in alive):
        title = "Share of births still active"
        ages = range(alive[0].size)
        figures.append(_titled(title, draw_trend(title, "periods since entry", ages, *alive, as_share=True)))
    return section(
        "trends",
        "Over time",
        draw_key(),
        element("div", *figures, class_="plots"),
        hint="Totals over all units, and what continuing units gain (creation) and lose (destruction) from one period "
        "to the next, as shares of their average size.",
    )
