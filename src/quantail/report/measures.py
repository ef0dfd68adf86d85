"""Every measure with what is better and what an independent sample would get: summed up first, then row by row."""

from collections.abc import Sequence
from statistics import fmean
from typing import Literal

from quantail.evaluation import MEASURES, Evaluation
from quantail.evaluation.table import Measured
from quantail.markup import Child, Markup, element
from quantail.report.data import ReportData
from quantail.report.page import section, table
from quantail.report.plots.numbers import short
from quantail.report.verdict import Verdict, farthest, verdict


def draw_measures(data: ReportData) -> Markup:
    """List the measures: one line for each, its worst case; and all of them by family, folded away."""
    head = ("measure", "farthest for", "value", "mean", "independent sample", "better", "reading")
    lines = [_summed_up(rows) for rows in grouped(data.measures, "name").values()]
    left_out = [
        element("li", f"{MEASURES[skipped.name].title} of {_columns(skipped.columns)}: {skipped.reason}")
        for skipped in data.measures.skipped
    ]
    return section(
        "measures",
        "Every measure",
        table("Every measure, summed up", head, lines, numbers=(2, 3, 4), stacks=True),
        *(_family(name, rows) for name, rows in grouped(data.measures, "family").items()),
        element("details", element("summary", "Left out, and why"), element("ul", *left_out))
        if left_out
        else None,
        hint="Where a measure was taken of several columns, the line shows the one farthest from an independent sample "
        "of the same population, and the mean over all. The reading compares with what such a sample would get on "
        "average, and the farthest of several with the farthest of as many.",
    )


def grouped(measures: Evaluation, by: Literal["name", "family"]) -> dict[str, list[Measured]]:
    """Group the rows by measure or by family, in order of first appearance."""
    found: dict[str, list[Measured]] = {}
    for row in measures:
        found.setdefault(getattr(row, by), []).append(row)
    return found


def _summed_up(rows: Sequence[Measured]) -> list[Child]:
    found = farthest(rows)
    worst = found.row
    name = [row_name(worst), element("small", worst.measure.meaning)]
    mean = short(fmean(row.value for row in rows)) if len(rows) > 1 else ""
    where = _columns(worst.columns) + (f" (of {len(rows)})" if len(rows) > 1 else "")
    return [name, where, short(worst.value), mean, _null(worst), _better(worst), _words(found.verdict)]


def _family(name: str, rows: Sequence[Measured]) -> Markup:
    head = ("measure", "columns", "value", "independent sample", "better", "reading", "note")
    lines = [
        [r.title, _columns(r.columns), short(r.value), _null(r), _better(r), _words(verdict(r)), r.note]
        for r in rows
    ]
    count = f"{len(rows)} measure{'s' if len(rows) > 1 else ''}"
    return element(
        "details",
        element("summary", f"{name}: {count}, one by one"),
        table(f"Measures of the family {name}", head, lines, numbers=(2, 3), stacks=True),
    )


def row_name(row: Measured) -> Markup:
    """Write what a measure is called, and the name that it has on the command line and in files."""
    return element("span", row.title, " ", element("code", row.name))


def _null(row: Measured) -> str:
    return "" if row.null is None else short(row.null)


def _better(row: Measured) -> str:
    return f"{row.direction}, best {short(row.best)}"


def _words(said: Verdict | None) -> Child:
    if said is None:
        return ""
    return said.words if said.is_close else element("strong", said.words)


def _columns(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 2 else f"{len(names)} columns"
