"""A plan as one HTML page: expected error against epsilon, column by column. Made without data, so it is public."""

from collections.abc import Sequence

import numpy as np

from quantail.markup import Child, Markup, element
from quantail.planning import Band, Expectation, percent
from quantail.report.legend import draw_band_key, titled
from quantail.report.page import facts, page, section, table
from quantail.report.plots.canvas import Canvas, number
from quantail.report.plots.scale import Scale
from quantail.schema import Schema

_LEAST, _MOST = 1e-3, 10.0  # errors are drawn between 0.1% and 1000%
_TICKS = [(10.0**power, percent(10.0**power)) for power in range(-3, 2)]
_MEASURES = {
    "slope": "slope on the first numeric predictor",
    "shares": "shares of categories (total variation)",
}


def plan_page(schema: Schema, swept: Sequence[Expectation]) -> str:
    """Write a sweep as a self-contained HTML page.

    Parameters
    ----------
    schema : Schema
        What was planned for.
    swept : sequence of Expectation
        What `quantail.planning.sweep` returns, epsilons in rising order.
    """
    name = schema.name or "table"
    body: list[Child] = [
        element("h1", f"Plan: {name}"),
        element(
            "p",
            "What errors to expect of a synthetic table, budget by budget. No data were read: the plan was tried on "
            "made-up tables that fit the schema. Data of another shape will have other errors.",
            class_="lede",
        ),
        facts(_tried(schema, swept)),
        section(
            "glance",
            "At a glance",
            _at_a_glance(swept),
            hint="The error to expect, by column and epsilon: half of all tables do better, half worse. Errors are "
            "relative to the table's own quantile or slope: 5% of a median of 200 is 10.",
        ),
        section(
            "errors",
            "Expected error against epsilon",
            draw_band_key(),
            *(_column(swept, place) for place in range(len(swept[0].columns))),
            hint="Both axes are logarithmic. Errors beyond 1000% are drawn at 1000%, those below 0.1% at 0.1%.",
        ),
        section(
            "numbers",
            "What the budget buys",
            _bought(swept),
            hint="Quantiles are those that are released (of labels: cells that are counted); noise is the scale of "
            "what is added to a number of rows: an answer is off by about so many ranks.",
        ),
    ]
    return page(f"Plan: {name}", None, body)


def _tried(schema: Schema, swept: Sequence[Expectation]) -> list[tuple[str, Child]]:
    """State what the plan was tried on."""
    first = swept[0]
    return [
        ("rows", f"{first.rows:,}" + (" in the smallest group" if first.grouped else "")),
        ("epsilon", f"{first.epsilon} to {swept[-1].epsilon}"),
        ("reference shape", first.shape),
        ("made-up tables", f"{first.tables} at each epsilon"),
        ("protected unit", schema.unit),
        ("neighbours", schema.neighbours),
    ]


def _at_a_glance(swept: Sequence[Expectation]) -> Markup:
    rows = [
        [
            column.name,
            measure_words(measure),
            *(percent(expectation.columns[place].errors[measure].expected) for expectation in swept),
        ]
        for place, column in enumerate(swept[0].columns)
        for measure in column.errors
    ]
    head = ("column", "error of", *(f"epsilon {expectation.epsilon}" for expectation in swept))
    return table("Expected error by column and epsilon", head, rows, numbers=range(2, len(head)))


def _column(swept: Sequence[Expectation], place: int) -> Markup:
    column = swept[0].columns[place]
    plots = (
        error_plot(
            column.name,
            measure,
            [e.epsilon for e in swept],
            [e.columns[place].errors[measure] for e in swept],
        )
        for measure in column.errors
    )
    rows = [[e.epsilon, *(str(band) for band in e.columns[place].errors.values())] for e in swept]
    title = f"{column.name}: expected error and its 90% band"
    return element(
        "article",
        element("h3", column.name),
        element("div", *plots, class_="plots"),
        element("details", element("summary", "Numbers"), table(title, ("epsilon", *column.errors), rows)),
    )


def error_plot(column: str, measure: str, epsilons: Sequence[str], bands: Sequence[Band]) -> Markup:
    """Draw the error of a measure of a column against epsilon, with its band."""
    across = np.array([float(epsilon.partition(" ")[0]) for epsilon in epsilons])
    middle, low, high = (
        np.clip([getattr(band, end) for band in bands], _LEAST, _MOST) for end in ("expected", "low", "high")
    )
    canvas = Canvas(Scale(across[0], across[-1], "log"), Scale(_LEAST, _MOST, "log"), left=62)
    around = zip(
        canvas.across(np.concatenate([across, across[::-1]])).tolist(),
        canvas.up(np.concatenate([low, high[::-1]])).tolist(),
        strict=True,
    )
    shaded = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in around) + "Z"
    ends = ", ".join(f"{bands[end]} at epsilon {epsilons[end]}" for end in (0, -1))
    drawing = canvas.drawing(
        f"{column}, {measure_words(measure)}: error {ends}.",
        canvas.axes("epsilon", "relative error", y_ticks=_TICKS),
        element("path", d=shaded, class_="fill real"),
        canvas.line(across, middle, "real"),
    )
    return titled(measure_words(measure).capitalize(), drawing)


def measure_words(measure: str) -> str:
    """Say what an error is the error of."""
    return _MEASURES.get(measure, "median" if measure == "q50" else f"{measure[1:]}% quantile")


def _bought(swept: Sequence[Expectation]) -> Markup:
    rows = [
        [
            column.name,
            expectation.epsilon,
            f"{column.resolution.share:.0%}",
            str(column.resolution.quantiles),
            f"{column.resolution.noise:.3g}",
        ]
        for place in range(len(swept[0].columns))
        for expectation in swept
        for column in (expectation.columns[place],)
    ]
    head = ("column", "epsilon", "share of budget", "quantiles", "noise in ranks")
    return table("Share, quantiles and noise by column and epsilon", head, rows, numbers=(1, 2, 3, 4))
