"""Curves of columns with an atom at their lowest value: noticed where quantiles say so, monotone, kept by JSON."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit, ndtri

from quantail.curves import AtomCurve, Curve, Scale, curve_from_dict, fit_atom_curve, fit_curve
from quantail.schema import Column

U = np.concatenate(
    [10.0 ** -np.arange(300.0, 2.0, -13), np.linspace(0.01, 0.99, 197), 1 - 10.0 ** -np.arange(3.0, 16)]
)
JOBS = {grid: Scale.of(Column("jobs", "integer", 0, 10**6, grid=grid)) for grid in ("linear", "log")}


def levels_of(number, outer=0.02):
    return expit(np.linspace(logit(outer), -logit(outer), number))


def rungs_at(levels, share, quantile, scale):
    """Exact quantiles of a column that has its lowest value in so many rows, and else this quantile function."""
    within = scale.lower + scale.step * (levels / share - 0.5)
    beyond = quantile(np.clip((levels - share) / (1 - share), 1e-9, 1 - 1e-9))
    return scale.forward(np.where(levels < share, within, beyond))


def positive(u):
    return 300 * np.exp(1.3 * ndtri(u))


@st.composite
def cases(draw):
    """Quantiles of any column: some in the lowest cell, others anywhere, ties and far jumps among them."""
    lower = draw(st.sampled_from([-250.0, 0.0, 1.0, 40.0]))
    column = draw(
        st.sampled_from(
            [
                Column("y", "integer", int(lower), 10**6, grid="linear"),
                Column("y", "integer", int(lower), 10**6, grid="log"),
                Column("y", "numeric", lower, 1e5, grid="log", decimals=2),
            ]
        )
    )
    scale = Scale.of(column)
    heaped = draw(st.lists(st.floats(-0.5, 0.5), max_size=5))
    others = draw(st.lists(st.one_of(st.floats(0, 40), st.floats(0, 5e4)), min_size=2, max_size=9))
    quantiles = scale.forward(lower + np.sort(scale.step * np.array([*heaped, *others])))
    return scale, quantiles, draw(st.integers(20, 10**6)), draw(st.floats(0.01, 1e3))


@settings(max_examples=120, deadline=None)
@given(cases())
def test_curves_rise_from_the_lowest_cell_whatever_the_quantiles(case):
    scale, quantiles, rows, noise = case
    curve = fit_atom_curve(levels_of(quantiles.size), quantiles, rows, noise, scale)
    values = curve(U)
    span = scale.ends[1] - scale.ends[0]
    assert np.isfinite(values).all()
    assert (np.diff(values) >= -1e-12 * span).all()
    if isinstance(curve, AtomCurve):
        assert 0 < curve.share < 1
        assert curve.low == scale.ends[0]
        assert values.min() >= curve.low
        # At its end the atom goes over into the rest: no step back, and nothing of the rest in its cell.
        around = curve(np.array([curve.share * (1 - 1e-9), curve.share, curve.share * (1 + 1e-9)]))
        assert (np.diff(around) >= 0).all()
        assert around[1] == pytest.approx(curve.high, rel=1e-12)


@settings(max_examples=40, deadline=None)
@given(cases())
def test_json_keeps_either_kind_bit_for_bit(case):
    scale, quantiles, rows, noise = case
    curve = fit_atom_curve(levels_of(quantiles.size), quantiles, rows, noise, scale)
    again = curve_from_dict(json.loads(json.dumps(curve.to_dict())))
    assert type(again) is type(curve)
    assert again == curve
    np.testing.assert_array_equal(again(U), curve(U))


@pytest.mark.parametrize("grid", JOBS)
@pytest.mark.parametrize("share", [0.1, 0.35, 0.8])
def test_the_share_lies_between_the_last_level_in_the_atom_and_the_first_beyond(grid, share):
    levels = levels_of(9)
    curve = fit_atom_curve(levels, rungs_at(levels, share, positive, JOBS[grid]), 5000, 5.0, JOBS[grid])
    assert isinstance(curve, AtomCurve)
    assert levels[levels < share][-1] < curve.share < levels[levels > share][0]


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([0, 0.2, 1, 2, 4, 7], id="small numbers"),
        pytest.param([0, 0.2, 0.4, 10, 700, 9000], id="the first beyond is near"),
        pytest.param([0, 0.1, 0.2, 0.3, 0.4, 900], id="one quantile beyond"),
        pytest.param([-0.4, -0.2, 0, 0.1, 0.2, 0.4], id="none beyond"),
        pytest.param([0.6, 40, 90, 200, 900, 5000], id="none in the cell"),
    ],
)
@pytest.mark.parametrize("grid", JOBS)
def test_no_atom_is_made_up(grid, steps):
    scale, levels = JOBS[grid], levels_of(6)
    quantiles = scale.forward(np.array(steps))
    curve = fit_atom_curve(levels, quantiles, 5000, 5.0, scale)
    assert curve == fit_curve(levels, quantiles, 5000, 5.0, scale.least, scale.log)


def test_a_lone_median_has_no_atom():
    assert isinstance(fit_atom_curve(np.array([0.5]), np.array([0.0]), 500, 50.0, JOBS["log"]), Curve)


@pytest.mark.parametrize("step", [1.0, 0.01])
@pytest.mark.parametrize("lower", [0, 1, 40])
def test_an_atom_is_noticed_at_any_lowest_value_and_step(lower, step):
    decimals = 0 if step == 1 else 2
    scale = Scale.of(Column("pay", "numeric", lower, 1e6, grid="log", decimals=decimals))
    levels = levels_of(9)
    curve = fit_atom_curve(
        levels, rungs_at(levels, 0.3, lambda u: lower + positive(u), scale), 5000, 1.0, scale
    )
    assert isinstance(curve, AtomCurve)
    middles = scale.backward(curve(np.linspace(0.01, 0.99 * curve.share, 9)))
    np.testing.assert_array_equal(np.round(middles, decimals), lower)


def drawn(curve, scale):
    """Return the whole numbers that a curve makes, evenly spread over its levels."""
    return np.rint(scale.backward(curve((np.arange(50_000) + 0.5) / 50_000)))


def test_the_rows_beyond_an_atom_keep_their_quantiles():
    """A lognormal column with 35% zeros, without noise. The plain curve fills the gap above zero and pays for it."""
    scale, levels = JOBS["log"], levels_of(5, 0.1)
    quantiles = rungs_at(levels, 0.35, positive, scale)
    atom = drawn(fit_atom_curve(levels, quantiles, 5000, 20.0, scale), scale)
    plain = drawn(fit_curve(levels, quantiles, 5000, 20.0, scale.least, log=True), scale)
    asked = np.array([0.5, 0.9, 0.99])
    missed, before = (
        np.abs(np.log(np.quantile(part[part > 0], asked) / positive(asked))) for part in (atom, plain)
    )
    assert missed.max() < np.log(1.15)
    assert np.mean(atom == 0) == pytest.approx(0.35, abs=0.05)
    assert np.mean((atom > 0) & (atom < 6)) < 0.005
    assert np.mean((plain > 0) & (plain < 6)) > 0.05
    assert before.max() > np.log(2)


@pytest.mark.parametrize("lower", [0, 1])
def test_a_lower_tail_of_the_rest_does_not_heap_beside_the_atom(lower):
    """Few quantiles on a linear scale: the normal body of the rest reaches far below the bound."""
    scale, levels = Scale.of(Column("jobs", "integer", lower, 10**6)), levels_of(3, 0.2)
    quantiles = rungs_at(levels, 0.35, lambda u: lower - 300 * np.log1p(-u), scale)
    curve = fit_atom_curve(levels, quantiles, 5000, 50.0, scale)
    assert isinstance(curve, AtomCurve)
    assert curve.rest(np.array([0.05]))[0] < lower - 50  # it would
    steps = drawn(curve, scale) - lower
    assert np.mean(steps == 0) == pytest.approx(curve.share, abs=0.005)
    assert np.mean(steps == 1) < 0.01
