"""Registers of a few hundred units: sizes are located first, and a column without zeros gets none."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from quantail.frames import confidential_panel
from quantail.panel import PanelSynthesizer
from quantail.panel.curve import usual_laws, weighed_laws
from quantail.panel.place import Located
from quantail.schema import Column, Panel, Schema

PERIODS = 10


def schools(n=900, seed=1):
    """Make up schools with pupils (log deviation .5, none below 40) and budgets."""
    rng = np.random.default_rng(seed)
    level = 5.7 + 0.5 * rng.standard_normal((n, 1))
    pupils = np.rint(np.exp(level + np.cumsum(0.04 * rng.standard_normal((n, PERIODS)), axis=1)))
    budget = np.rint(pupils * 9_000 * np.exp(0.07 * rng.standard_normal((n, PERIODS))))
    columns = {"school": np.arange(n)}
    for name, values in (("pupils", np.maximum(pupils, 40)), ("budget", budget)):
        columns |= {f"{name}_{2010 + k}": values[:, k].astype(np.int64) for k in range(PERIODS)}
    return pa.table(columns)


def schema(neighbours="replace-one"):
    columns = [
        Column(name, "integer", 0, upper, grid="log")
        for name, upper in (("pupils", 5_000), ("budget", 10**8))
    ]
    panel = Panel("school", start=2010, end=2009 + PERIODS)
    return Schema(tuple(columns), "school", panel=panel, neighbours=neighbours)


@pytest.fixture(scope="module")
def panels():
    table = schools()
    made = [
        PanelSynthesizer(schema(), 1, noise="simulated", seed=seed)
        .fit(table)
        .draw(np.random.default_rng(seed))
        for seed in range(1, 4)
    ]
    return confidential_panel(table, schema()), made


def test_sizes_of_a_few_hundred_units_lie_where_the_real_ones_do(panels):
    real, made = panels
    values = real.values["pupils"][real.active]
    for panel in made:
        drawn = panel.values["pupils"][panel.active]
        assert np.median(drawn) == pytest.approx(np.median(values), rel=0.15)
        assert np.quantile(drawn, 0.9) < 2 * np.quantile(values, 0.9)
        assert panel.values["pupils"].sum(where=panel.active) == pytest.approx(values.sum(), rel=0.35)


def test_a_leading_column_without_zeros_gets_none(panels):
    for panel in panels[1]:
        assert (panel.values["pupils"][panel.active] > 0).all()


def test_the_mean_of_sizes_is_asked_of_few_units_only_and_never_where_their_number_is_protected():
    def asked(units, neighbours="replace-one"):
        plan = PanelSynthesizer(schema(neighbours), Fraction(1)).plan(units)
        return [leaf.name for leaf in plan.find("pupils").children], [leaf.cost for leaf in plan.leaves()]

    assert "mean" in asked(900)[0]
    assert "mean" not in asked(20_000)[0]
    assert asked(900, "add-remove") == asked(20_000, "add-remove")


def test_noisy_counts_choose_among_usual_laws_of_one_mean():
    # Sizes spread about as far as distances are bounded, so bounded means fall short: laws lie where theirs do not.
    fine = np.linspace(0.0, 12.0, 97)
    edges = np.array([0.0, 3.0, 4.0, 4.5, 5.0, 5.5, 6.0, 7.0, 8.0, 12.0])
    middles = (fine[1:] + fine[:-1]) / 2
    for counts, spread in (
        ([0, 5, 45, 400, 400, 45, 5, 0, 0], 0.3),
        ([60, 170, 110, 115, 110, 100, 160, 60, 15], 1.4),
    ):
        laws = usual_laws(fine, Located(4.9, 1.25, 0.08))
        starts = np.searchsorted(fine, edges[:-1])
        weights = weighed_laws(laws, starts, np.array(counts, dtype=np.float64), 20.0)
        assert weights.sum() == pytest.approx(1.0)
        mean = weights @ middles
        assert mean == pytest.approx(5.0, abs=0.3)
        assert np.sqrt(weights @ (middles - mean) ** 2) == pytest.approx(spread, rel=0.35)
