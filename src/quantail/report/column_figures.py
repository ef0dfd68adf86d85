"""Columns one by one: where values lie, how long the tail is, which quantiles agree."""

from quantail.evaluation.table import Measured
from quantail.markup import Child, Markup, element
from quantail.report.columns import AnyColumn, Labels, Numbers
from quantail.report.data import ReportData
from quantail.report.legend import draw_key, titled
from quantail.report.page import links, section
from quantail.report.plots.density import draw_density
from quantail.report.plots.numbers import percent, short
from quantail.report.plots.quantiles import draw_quantiles
from quantail.report.plots.shares import draw_shares
from quantail.report.plots.tail import draw_tail
from quantail.report.verdict import verdict

_FAMILIES = ("columns", "tails")


def draw_columns(data: ReportData) -> Markup:
    """Draw every column: density, tail and quantiles of numbers, shares of labels."""
    places = {column.name: f"column-{number}" for number, column in enumerate(data.columns, 1)}
    articles = [_article(column, places[column.name], data) for column in data.columns]
    chips = [(place, name) for name, place in places.items()]
    return section(
        "columns",
        "Columns one by one",
        links(chips, "Columns", "chips") if len(chips) > 3 else None,
        draw_key(),
        *articles,
        hint="Density: where values lie. Tail: how many rows exceed a value; a straight line is a Pareto tail. "
        "Quantiles: on the diagonal both tables agree. Below: the measures of the column, and what an independent "
        "sample of the same population would get.",
    )


def _article(column: AnyColumn, place: str, data: ReportData) -> Markup:
    return element(
        "article",
        element("h3", column.name, id=place),
        element("div", *(titled(title, plot) for title, plot in _plots(column)), class_="plots"),
        _remarks(column, data),
        aria_labelledby=place,
    )


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


def _remarks(column: AnyColumn, data: ReportData) -> Markup:
    """List the measures of a column, each beside what an independent sample would get."""
    own = [row for row in data.measures if row.columns == (column.name,) and row.family in _FAMILIES]
    items: list[Child] = [_remark(row) for row in own]
    if isinstance(column, Numbers) and any(column.missing):
        shares = " and ".join(percent(share) for share in column.missing)
        items.append(element("div", element("dt", "missing, real and synthetic"), element("dd", shares)))
    return element("dl", *items, class_="mini")


def _remark(row: Measured) -> Markup:
    said = verdict(row)
    null = "" if row.null is None else element("small", f" (independent sample {short(row.null, 2)})")
    worry = element("strong", f" {said.words}") if said is not None and not said.is_close else None
    return element("div", element("dt", row.title), element("dd", short(row.value), null, worry))
