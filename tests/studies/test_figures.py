"""Figures: every method is drawn, and what a panel cannot show is said."""

import numpy as np
import pytest

from quantail.examples import paper_split, simulate_paper
from studies.paper_measures import PAPER_MEASURES
from studies.simulation.profile import density, outside, profile_edges, profile_of

pytest.importorskip("matplotlib")

from studies.figure_style import COLOURS, line_look
from studies.simulation.density_figures import draw_densities
from studies.simulation.epsilon_figure import draw_epsilon_curves
from studies.simulation.methods import METHODS


def is_png(path):
    return path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_profile_counts_every_row_once():
    table = simulate_paper(1000, np.random.default_rng(1))
    table["X1"][:30], table["X1"][30:50] = -1e6, 1e6
    counts = profile_of(table)
    assert {sum(column) for column in counts.values()} == {1000}
    assert (counts["X1"][0], counts["X1"][-1]) == (30, 20)
    assert outside(counts["X1"]) == pytest.approx(0.05)


def test_a_density_integrates_to_the_share_inside_and_peaks_where_rows_are():
    edges = profile_edges("X1")
    counts = [500, *np.histogram(np.full(500, 20.0), edges)[0].tolist(), 0]
    centres, height = density(counts, edges, 1.0)
    assert float(height.sum() * (centres[1] - centres[0])) == pytest.approx(0.5, rel=1e-3)
    assert centres[np.argmax(height)] == pytest.approx(20.0, abs=0.4)


def test_one_density_figure_per_column_with_a_panel_per_method(tmp_path):
    train, _ = paper_split(3)
    rows = [
        {"method": name, "profile": profile_of(train)} for name in ("tables", "fresh", "pmse", "kng", "new")
    ]
    paths = draw_densities(rows, 3, tmp_path)
    assert [path.name for path in paths] == ["density-X1.png", "density-X2.png", "density-X3.png"]
    assert all(is_png(path) for path in paths)


def test_epsilon_curves_draw_even_a_single_replication_without_standard_errors(tmp_path):
    summary = {name: {"mean": 0.5, "se": None} for name in PAPER_MEASURES}
    curves = {"tables": {"0.1": summary, "1/3": summary}, "fresh": {"none": summary}}
    assert is_png(draw_epsilon_curves(curves, tmp_path / "curves.png"))


def test_methods_that_appear_together_look_different():
    looks = [tuple(line_look(name)[part] for part in ("color", "linestyle", "marker")) for name in METHODS]
    assert len(set(looks)) == len(METHODS)
    assert len(set(COLOURS.values())) == len(COLOURS)
