"""Released lines: in order on the whole public domain, both ways of drawing, and files that come back bit for bit."""

import json
from copy import deepcopy
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.curves import HeldRows, Scale
from quantail.curves.slope import Slope
from quantail.examples import paper_schema
from quantail.orders.design import draw_lines_design
from quantail.orders.fitting import fit_lines
from quantail.orders.levels import level_weights
from quantail.orders.model import LinesModel, draw_lines
from quantail.orders.settings import read_settings
from quantail.privacy import Gate, SimulatedNoise
from quantail.schema import Column, Schema

SCALE = Scale.of(Column("y", "numeric", 0, 100))
TAUS = [0.02, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99]


def model_of(draw="quantiles", **changes):
    parts = {
        "name": "y",
        "scale": SCALE,
        "base": 40.0,
        "slopes": (Slope("x", 2.0, 10.0),),
        "low": 30.0,
        "high": 50.0,
        "taus": (0.2, 0.5, 0.8),
        "at_low": (-1.0, 0.0, 2.0),
        "at_high": (-3.0, 0.0, 10.0),
        "draw": draw,
    }
    return LinesModel(**parts | changes)


class TestLines:
    """Lines are what the module says they are."""

    def test_values_by_hand(self):
        lines = model_of().lines({"x": np.array([5.0, 10.0, 15.0, 25.0])}, 4)
        np.testing.assert_allclose(lines, [[29, 38, 47, 67], [30, 40, 50, 70], [32, 46, 60, 80]])

    def test_beyond_the_public_bounds_lines_are_cut_off(self):
        lines = model_of().lines({"x": np.array([-50.0, 90.0])}, 2)
        low, high = SCALE.ends
        assert (lines[:, 0] == low).all() and (lines[:, 1] == high).all()

    def test_rungs_are_the_lines_as_often_as_they_should_be(self):
        u = (np.arange(10_000) + 0.5) / 10_000
        made = model_of().build(u, {"x": np.full(u.size, 10.0)})
        values, counts = np.unique(made, return_counts=True)
        np.testing.assert_allclose(values, [38, 40, 46])
        np.testing.assert_allclose(counts / u.size, level_weights([0.2, 0.5, 0.8], "midpoint"), atol=1e-3)

    def test_interpolation_goes_straight_from_line_to_line_and_no_farther(self):
        u = np.array([0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 0.999])
        made = model_of("interpolate").build(u, {"x": np.full(u.size, 10.0)})
        np.testing.assert_allclose(made, [38, 38, 39, 40, 43, 46, 46])

    @pytest.mark.parametrize(
        "changes",
        [
            {"taus": (0.5, 0.2, 0.8)},
            {"taus": (0.0, 0.5, 0.8)},
            {"taus": (0.2, 0.5)},
            {"at_low": ()},
            {"low": 50.0},
        ],
    )
    def test_parts_that_do_not_fit_are_refused(self, changes):
        with pytest.raises(ValueError):
            model_of(**changes)


def fitted(order, slopes, seed, schema, epsilon=F(1, 2), rows=60, draw=None):
    """Fit rows without meaning, mostly noise: lines land anywhere."""
    settings_ = read_settings(order, {"slopes": slopes, "taus": TAUS, "draw": draw})
    design = draw_lines_design(settings_, schema, rows, epsilon, "pure")
    rng = np.random.default_rng(seed)
    table = {c.name: rng.uniform(c.lower, c.upper, rows) ** 0.9 for c in schema.columns}
    gate = Gate(design.plan, SimulatedNoise(seed), "replace-one")
    return fit_lines(gate, design, HeldRows(table), lambda name: None)


def domain_points(columns, schema, rng):
    """Return values of earlier columns: all vertices of the public domain and points inside, on the modelling scale."""
    ends = [Scale.of(schema.column(c.name)).ends for c in columns]
    grid = np.meshgrid(*ends, indexing="ij") if ends else []
    return {
        c.name: np.concatenate([corner.ravel(), rng.uniform(low, high, 200), [0.0]])
        for c, corner, (low, high) in zip(columns, grid, ends, strict=True)
    }


LOG = Schema(
    (
        Column("a", "integer", 0, 1000, grid="log"),
        Column("b", "numeric", 1, 1e6, grid="log"),
        Column("c", "numeric", 0, 50),
    ),
    unit="row",
)


@pytest.mark.parametrize("slopes", ["fixed", "varying"])
@pytest.mark.parametrize("order", ["stepwise", "sandwich"])
@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    schema=st.sampled_from([paper_schema(), LOG]),
    epsilon=st.sampled_from([F(1, 50), F(50)]),
)
def test_lines_are_in_order_on_the_whole_public_domain(order, slopes, seed, schema, epsilon):
    models = fitted(order, slopes, seed, schema, epsilon)
    rng = np.random.default_rng(seed)
    for place, model in enumerate(models):
        points = domain_points(models[:place], schema, rng)
        n = len(next(iter(points.values()))) if points else 1
        lines = model.lines(points, n)
        assert (np.diff(lines, axis=0) >= 0).all()
        low, high = model.scale.ends
        assert lines.min() >= low and lines.max() <= high


def test_lines_of_kng_may_cross():
    crossed = [
        (np.diff(model.at_low) < 0).any()
        for seed in range(3)
        for model in fitted("kng", "fixed", seed, paper_schema(), F(1, 50))
    ]
    assert any(crossed)


def test_fixed_slopes_are_parallel_and_varying_ones_need_not_be():
    for model in fitted("sandwich", "fixed", 1, paper_schema()):
        assert model.at_low == model.at_high
    varying = fitted("sandwich", "varying", 1, paper_schema())
    assert varying[0].at_low == varying[0].at_high  # no predictors, no slopes
    assert varying[2].at_low != varying[2].at_high


@pytest.mark.parametrize("draw", ["quantiles", "interpolate"])
@pytest.mark.parametrize("balanced", [False, True])
def test_synthetic_values_lie_between_the_outermost_lines(draw, balanced):
    models = fitted("stepwise", "varying", 3, paper_schema(), F(5), draw=draw)
    values = draw_lines(models, 500, np.random.default_rng(0), balanced)
    for place, model in enumerate(models):
        earlier = {m.name: values[m.name] for m in models[:place]}
        lines = model.lines(earlier, 500)
        made = values[model.name]
        assert (made >= lines[0]).all() and (made <= lines[-1]).all()
        on_a_line = np.abs(lines - made).min(axis=0) < 1e-9 * (1 + np.abs(made))
        assert on_a_line.all() if draw == "quantiles" else on_a_line.mean() < 0.5


class TestForm:
    """The saved form of a column."""

    def test_round_trip_bit_for_bit(self):
        for model in fitted("sandwich", "varying", 5, LOG):
            assert LinesModel.from_dict(json.loads(json.dumps(model.to_dict()))) == model

    def test_every_key_is_needed(self):
        form = model_of().to_dict()
        for key in form:
            broken = deepcopy(form)
            del broken[key]
            with pytest.raises((KeyError, TypeError)):
                LinesModel.from_dict(broken)


def test_the_old_word_for_a_way_of_drawing_is_read_with_a_warning():
    with pytest.warns(FutureWarning, match="called 'quantiles' now"):
        assert read_settings("kng", {"draw": "rungs"}) == read_settings("kng", {})
    saved = model_of("quantiles").to_dict()
    assert saved["draw"] == "rungs" and LinesModel.from_dict(saved).draw == "quantiles"
