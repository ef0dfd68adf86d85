"""Columns together: all rank correlations at a glance, and the strongest or most different pairs."""

from collections.abc import Sequence

from quantail.markup import Markup, element
from quantail.report.association import Pair, all_pairs, pairs_to_draw
from quantail.report.columns import AnyColumn, Numbers
from quantail.report.data import ReportData
from quantail.report.legend import draw_key
from quantail.report.page import section, table
from quantail.report.plots.correlations import draw_correlations
from quantail.report.plots.numbers import plain
from quantail.report.plots.pairs import SHOWN_ROWS, draw_pair

MOST_PAIRS = 8


def draw_relations(data: ReportData) -> Markup | None:
    """Draw all rank correlations, and the strongest or most different pairs."""
    pairs = all_pairs(data.columns)
    if not pairs:
        return None
    shown = pairs_to_draw(pairs, MOST_PAIRS)
    chosen = (
        f"Of {len(pairs)} pairs the {len(shown)} that tell most: the largest differences and the strongest relations. "
        if len(shown) < len(pairs)
        else ""
    )
    return section(
        "pairs",
        "Columns together",
        _at_a_glance(data.columns, pairs),
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
        "Rank correlations: real above the diagonal, synthetic below, columns in the order of the rows. Blue is "
        "positive, orange negative, and the darker the stronger."
    )
    worst = sorted(pairs, key=lambda pair: -pair.gap)[:MOST_PAIRS]
    rows = [[f"{p.first.name} and {p.second.name}", plain(p.real, 2), plain(p.synth, 2)] for p in worst]
    head = ("largest differences", "real", "synthetic")
    return element(
        "div",
        element("figure", draw_correlations(names, numeric), element("figcaption", caption)),
        table("Pairs of columns that differ most", head, rows, numbers=(1, 2)),
        class_="plots wide",
    )


def _pair(pair: Pair) -> Markup:
    strengths = f"association {plain(pair.real, 2)} real, {plain(pair.synth, 2)} synthetic"
    caption = f"{pair.first.name} and {pair.second.name}: {strengths}"
    return element("figure", element("div", *draw_pair(pair), class_="pair"), element("figcaption", caption))
