"""Drawing rows: balanced rows have the law of independent ones, and stay closer to the model."""

import numpy as np
import pytest
from scipy import stats

from quantail.curves import Remap, Scale, fit_curve
from quantail.curves.slope import Slope
from quantail.schema import Column
from quantail.table.ladder.column import CategoryModel, NumericModel, draw_rows

LEVELS = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
SCALE = Scale.of(Column("x", "numeric", 0, 1000))


def numeric(name, rungs, slopes=(), remap=None):
    curve = fit_curve(LEVELS, np.array(rungs, dtype=float), 10**6, 1.0, 0.01)
    return NumericModel(name, SCALE, (), tuple(slopes), (), curve, remap)


FIRST = numeric("x", [40, 55, 80, 120, 180])
SECOND = numeric("y", [90, 95, 100, 105, 110], [Slope("x", 2.0, 80.0)])
KIND = CategoryModel("kind", "x", (80.0,), ((0.9, 0.1), (0.2, 0.8)))
COLUMNS = (FIRST, SECOND, KIND)


def both(n, seed):
    return [draw_rows(COLUMNS, n, np.random.default_rng(seed), balanced).values for balanced in (False, True)]


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1000, 1025])
def test_as_many_rows_as_asked_for_inside_the_bounds(n):
    for values in both(n, 0):
        assert {name: part.size for name, part in values.items()} == {"x": n, "y": n, "kind": n}
        low, high = SCALE.ends
        assert ((values["x"] >= low) & (values["x"] <= high)).all()
        assert set(values["kind"]) <= {0, 1}


def test_balanced_rows_have_the_same_marginal_law():
    """Each row on its own is a plain draw: first rows, pooled over seeds, follow the independent law."""
    pooled = [
        np.array(
            [draw_rows(COLUMNS, 4, np.random.default_rng([seed, k]), k).values["y"][0] for seed in range(600)]
        )
        for k in (0, 1)
    ]
    assert stats.ks_2samp(*pooled).pvalue > 0.001


def test_any_part_of_balanced_rows_is_a_fair_part():
    """Rows come in random order: the first half must not be the low half."""
    halves = []
    for seed in range(20):
        x = draw_rows(COLUMNS, 1000, np.random.default_rng(seed), True).values["x"]
        halves.append(x[:500].mean() - x[500:].mean())
    deviation = np.std(halves) / np.sqrt(len(halves))
    assert abs(np.mean(halves)) < 4 * deviation
    assert deviation > 0


@pytest.mark.parametrize("measure", ["mean", "median", "product", "share"])
def test_balanced_rows_are_closer_to_the_model(measure):
    def read(values):
        if measure == "share":
            return values["kind"].mean()
        if measure == "product":
            return np.mean(values["x"] * values["y"])
        return getattr(np, measure)(values["y"])

    exact = read(draw_rows(COLUMNS, 2**17, np.random.default_rng(99), True).values)
    errors = np.array([[read(values) - exact for values in both(1000, seed)] for seed in range(20)])
    independent, balanced = np.sqrt((errors**2).mean(axis=0))
    assert balanced < 0.5 * independent


def test_dependence_is_kept_in_both():
    for values in both(4000, 1):
        assert stats.spearmanr(values["x"], values["y"]).statistic > 0.9
        large = values["x"] > 80
        assert values["kind"][large].mean() == pytest.approx(0.8, abs=0.05)
        assert values["kind"][~large].mean() == pytest.approx(0.1, abs=0.05)


def test_the_same_generator_gives_the_same_rows_and_another_does_not():
    for balanced in (False, True):
        one, two, three = (
            draw_rows(COLUMNS, 50, np.random.default_rng(seed), balanced).values["y"] for seed in (1, 1, 2)
        )
        np.testing.assert_array_equal(one, two)
        assert not np.array_equal(one, three)


class TestCalibratedColumns:
    """A calibration moves what is handed out; what explains later columns moves only if nothing explains it."""

    remap = Remap((0.0, 1000.0), (100.0, 1100.0))

    def test_a_column_of_its_own_passes_its_calibration_on(self):
        plain, moved = (
            draw_rows(
                (numeric("x", [40, 55, 80, 120, 180], remap=remap), SECOND), 200, np.random.default_rng(1)
            )
            for remap in (None, self.remap)
        )
        for part in ("innovations", "values"):
            gap = getattr(moved, part)["x"] - getattr(plain, part)["x"]
            np.testing.assert_allclose(gap[getattr(plain, part)["x"] > 0], 100)
        assert np.median(moved.values["y"] - plain.values["y"]) == pytest.approx(200)

    def test_later_columns_follow_a_calibrated_one(self):
        """What is moved by 100 carries its innovation along, so that relations to later columns stay as tight."""
        second = numeric("y", [90, 95, 100, 105, 110], SECOND.slopes, self.remap)
        plain, moved = (
            draw_rows((FIRST, column), 200, np.random.default_rng(1)) for column in (SECOND, second)
        )
        np.testing.assert_allclose(moved.innovations["y"] - plain.innovations["y"], 100)
        inside = (plain.values["y"] > 0) & (plain.values["y"] < 900)
        np.testing.assert_allclose((moved.values["y"] - plain.values["y"])[inside], 100)

    def test_what_was_built_is_kept_as_it_was_before_bounds_and_calibration(self):
        """Calibration cuts cells in it: values clipped first would make a heap at the bound that is not there."""
        steep = numeric("y", [90, 95, 100, 105, 110], [Slope("x", 30.0, 80.0)], self.remap)
        drawn = draw_rows((FIRST, steep), 500, np.random.default_rng(2))
        low, high = SCALE.ends
        assert drawn.built["y"].max() > high
        assert np.unique(drawn.built["y"]).size == 500
        np.testing.assert_array_equal(drawn.values["y"], np.clip(self.remap(drawn.built["y"]), low, high))
        assert np.mean(drawn.values["y"] == high) > 0.1
