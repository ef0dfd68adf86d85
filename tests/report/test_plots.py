"""Plots: what is drawn lies where the data are, and is told in words as well."""

import re

import numpy as np
import pytest

from quantail.report.association import all_pairs
from quantail.report.columns import Labels, Numbers
from quantail.report.plots import density
from quantail.report.plots.canvas import Canvas, clipped
from quantail.report.plots.correlations import draw_correlations
from quantail.report.plots.forest import Estimate, draw_forest
from quantail.report.plots.pairs import draw_pair
from quantail.report.plots.quantiles import draw_quantiles
from quantail.report.plots.scale import Scale
from quantail.report.plots.shares import draw_shares
from quantail.report.plots.tail import draw_tail
from quantail.report.plots.trend import draw_trend
from quantail.schema.periods import form_of

RNG = np.random.default_rng(3)
HEAVY = np.exp(RNG.normal(size=900) * 1.5)


def label(plot):
    (found,) = re.findall(r'^<svg [^>]*aria-label="([^"]*)"', plot)
    return found


def points(plot, kind):
    """End points of the path of a kind, as an array of (x, y)."""
    (path,) = re.findall(rf'<path d="([^"]*)" class="{kind}">', plot)
    return np.array([[float(v) for v in pair] for pair in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path)])


@pytest.mark.parametrize("values", [HEAVY, np.floor(HEAVY), HEAVY - 1, RNG.normal(size=900), np.ones(5)])
def test_a_density_holds_all_rows(values):
    column = Numbers("x", values, values[:3])
    edges = density._edges(column)
    heights = density._density(column.ordered[0], edges, column.scale)
    widths = np.diff(column.scale.place(edges)) * density.BINS
    assert (heights * widths).sum() == pytest.approx(1)


def test_whole_numbers_fall_between_the_edges_of_cells():
    values = np.floor(HEAVY) + 1
    column = Numbers("x", values, values)
    inner = density._edges(column)[1:-1]
    np.testing.assert_allclose(inner % 1, 0.5)
    assert "Median" in label(density.draw_density(column))


def test_the_tail_of_a_pareto_is_a_straight_line():
    n = 2000
    ranks = np.arange(1, n + 1)
    values = (ranks / n) ** (-1 / 1.5)
    path = points(draw_tail(Numbers("x", values, values)), "line real")
    slope = np.diff(path[:, 1]) / np.diff(path[:, 0])
    assert np.ptp(slope) < 0.05 * slope.mean() + 0.1  # coordinates have one decimal
    assert slope.mean() > 0  # down the page


def test_there_is_no_tail_to_draw_without_positive_values():
    assert draw_tail(Numbers("x", -HEAVY, -HEAVY)) is None
    assert draw_tail(Numbers("x", np.ones(9), np.ones(9))) is None


def test_the_same_quantiles_lie_on_the_diagonal():
    plot = draw_quantiles(Numbers("x", HEAVY, RNG.permutation(HEAVY)))
    (a, b), (c, d) = points(plot, "line reference")
    dots = points(plot, "dots synthetic large")
    np.testing.assert_allclose(dots[:, 1], b + (dots[:, 0] - a) * (d - b) / (c - a), atol=0.15)
    assert len(dots) > 50


def test_larger_synthetic_quantiles_lie_above_the_diagonal():
    plot = draw_quantiles(Numbers("x", HEAVY, HEAVY * 2))
    (a, b), (c, d) = points(plot, "line reference")
    dots = points(plot, "dots synthetic large")
    assert (dots[:, 1] < b + (dots[:, 0] - a) * (d - b) / (c - a)).all()  # up is a smaller number


def test_shares_are_told_in_words():
    far = str(
        draw_shares(
            "zip", ["a", "b", "all others"], np.array([0.02, 0.01, 0.97]), np.array([0.01, 0.02, 0.97])
        )
    )
    assert "97% real, 97% synthetic: off this axis" in far and ">2%<" in far and ">100%<" not in far
    plot = draw_shares("sector", ["farm", "mill"], np.array([0.25, 0.75]), np.array([0.5, 0.5]))
    assert "farm 25% and 50%; mill 75% and 50%" in label(plot)
    assert clipped("a very long label number 12", 12).endswith("12")
    assert len(clipped("x" * 99, 12)) == 12


def test_a_forest_counts_in_real_standard_errors():
    same, off = Estimate("a", 2.0, 0.5, 2.0, 0.5), Estimate("b", 1.0, 0.1, 1.3, 0.2)
    assert (same.shift, same.reach) == (0, pytest.approx(1.96))
    assert off.shift == pytest.approx(3) and off.reach == pytest.approx(3.92)
    assert "a +0.0; b +3.0" in label(draw_forest("y", [same, off]))
    assert "e-" not in draw_forest("y", [Estimate("far", 0.0, 1e-9, 1e9, 1.0)])


@pytest.mark.parametrize("kinds", ["nn", "nl", "ln", "ll"])
def test_pairs_of_every_kind_can_be_drawn(kinds):
    codes = RNG.integers(0, 3, 900)
    made = {
        "n": lambda name: Numbers(name, HEAVY, HEAVY),
        "l": lambda name: Labels(name, ("a", "b", "c"), codes, codes),
    }
    (pair,) = all_pairs([made[kind](name) for kind, name in zip(kinds, "xy", strict=True)])
    plots = draw_pair(pair)
    assert len(plots) == (2 if kinds == "nn" else 1)
    assert all("x" in label(plot) and "y" in label(plot) for plot in plots)


def test_correlations_name_the_pair_that_differs_most():
    flipped = Numbers("c", HEAVY, -HEAVY)
    columns = [Numbers("a", HEAVY, HEAVY), Numbers("b", HEAVY**2, HEAVY**2), flipped]
    plot = draw_correlations(["a", "b", "c"], all_pairs(columns))
    assert "a and c: 1.00 real, -1.00 synthetic" in label(plot)
    assert plot.count('class="cell negative"') == 2


def test_trends_break_where_nothing_is_known():
    real, synth = np.array([1.0, np.nan, 3.0]), np.array([1.0, 2.0, 4.0])
    plot = draw_trend("total", "period", [2000, 2001, 2002], real, synth)
    assert "from 2000 to 2002: real 1 to 3, synthetic 1 to 4" in label(plot)
    (path,) = re.findall(r'<path d="([^"]*)" class="line real">', plot)
    assert path.count("M") == 2


def test_months_stand_on_the_axis_as_the_table_writes_them():
    form = form_of("2020-11")
    first = form.number("2020-11")
    line = np.array([1.0, 2.0, 3.0])
    plot = str(draw_trend("total", "period", range(first, first + 3), line, line, form=form))
    assert "2020-11" in plot and "2021-01" in plot and str(first) not in plot


def test_a_higher_value_is_higher_on_the_page():
    canvas = Canvas(Scale(0, 1), Scale(0, 10))
    assert canvas.up(10) < canvas.up(0) and canvas.across(1) > canvas.across(0)
    assert float(canvas.up(10)) == canvas.top
