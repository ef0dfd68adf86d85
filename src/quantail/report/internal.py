"""The internal report: one HTML file for those who decide whether to release.

It draws and measures confidential rows without noise, so it must stay inside, and says so on every screen and
printed page. Measures use all rows; only the dots of pairwise plots are a sample.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quantail.evaluation import Evaluation, evaluate
from quantail.markup import Child, element
from quantail.report.card import Released
from quantail.report.column_figures import draw_columns
from quantail.report.data import gather
from quantail.report.measures import draw_measures
from quantail.report.page import links, page
from quantail.report.pair_figures import draw_relations
from quantail.report.regressions import draw_regressions
from quantail.report.summary import draw_summary
from quantail.report.trend_figures import draw_trends
from quantail.schema import Schema

MARK = "Shows confidential rows without noise: not private, not to be published."

_TITLES = {
    "trends": "Over time",
    "columns": "Columns",
    "pairs": "Pairs",
    "regressions": "Regressions",
    "measures": "Every measure",
}


def render_report(
    real: Any,
    synth: Any,
    *,
    schema: Schema | None = None,
    holdout: Any = None,
    model: Released | None = None,
    formulas: Sequence[str] = (),
    measures: Evaluation | None = None,
) -> str:
    """Compare a synthetic table with the real one on one HTML page. It is internal: it shows real rows.

    Parameters
    ----------
    real, synth : pandas, polars or pyarrow table
        The two tables.
    schema : Schema, optional
        Which columns to compare, and how to read a panel; the model's unless given, otherwise all columns.
    holdout : table, optional
        Real rows kept out of the synthesis; adds prediction errors.
    model : TableModel or PanelModel, optional
        The model behind the synthetic table; adds the facts of the release.
    formulas : sequence of str
        Regressions to compare, such as ``"pay ~ age + C(region)"``; one is chosen by the order of columns if
        none is given.
    measures : Evaluation, optional
        What `quantail.evaluate` returned for the same tables and formulas, to spare computing it again.

    Returns
    -------
    str
        A self-contained HTML document.

    Examples
    --------
    >>> table = {"size": [1.0, 2.0, 4.0, 9.0], "pay": [3.0, 5.0, 6.0, 20.0]}
    >>> "INTERNAL" in render_report(table, table)
    True
    """
    release = None if model is None else model.facts()
    if schema is None and release is not None:
        schema = release.schema
    if measures is None:
        measures = evaluate(real, synth, holdout, schema, formulas=formulas)
    data = gather(real, synth, schema, measures, release)
    sections = {
        "trends": draw_trends(data),
        "columns": draw_columns(data),
        "pairs": draw_relations(data),
        "regressions": draw_regressions(data),
        "measures": draw_measures(data),
    }
    shown = [(name, _TITLES[name]) for name, drawn in sections.items() if drawn is not None]
    body: list[Child] = [draw_summary(data), links(shown, "Sections"), *sections.values()]
    return page("INTERNAL report", [element("strong", "INTERNAL. "), MARK], body)


def write_report(
    real: Any,
    synth: Any,
    path: str | Path,
    *,
    schema: Schema | None = None,
    holdout: Any = None,
    model: Released | None = None,
    formulas: Sequence[str] = (),
    measures: Evaluation | None = None,
) -> None:
    """Write the internal report to a file; see `quantail.report.internal.render_report` for what goes in.

    The report shows confidential rows and must not be published.
    """
    text = render_report(
        real, synth, schema=schema, holdout=holdout, model=model, formulas=formulas, measures=measures
    )
    Path(path).write_text(text, encoding="utf-8", newline="\n")
