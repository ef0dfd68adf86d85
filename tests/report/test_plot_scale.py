"""Axes: values land where they belong, and ticks are round, few and inside."""

import numpy as np
import pytest

from quantail.report.plots.numbers import percent, short
from quantail.report.plots.scale import Scale, fitting, is_heavy

SCALES = [
    Scale(-3.0, 17.0),
    Scale(0.02, 4e6, "log"),
    Scale(-5e4, 3e6, "signed", 2.0),
    Scale(0.0, 9e9, "signed", 0.5),
    Scale(1e9, 1.6e9, "date"),
]


@pytest.mark.parametrize("scale", SCALES)
def test_places_are_in_order_and_can_be_read_back(scale):
    places = np.linspace(0, 1, 41)
    values = scale.value(places)
    assert (np.diff(values) > 0).all()
    np.testing.assert_allclose(scale.place(values), places, atol=1e-9)
    np.testing.assert_allclose(values[[0, -1]], [scale.low, scale.high], rtol=1e-9)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("most", [3, 5])
def test_ticks_are_few_distinct_and_inside(scale, most):
    ticks = scale.ticks(most)
    values = [value for value, _ in ticks]
    assert 2 <= len(ticks) <= most + 2
    assert len({label for _, label in ticks}) == len(ticks)
    assert values == sorted(values)
    assert scale.low - 1e-6 <= values[0] and values[-1] <= scale.high + 1e-6


def test_labels_say_what_the_tick_is():
    assert Scale(0, 100).ticks(5) == [(20.0 * k, f"{20 * k}") for k in range(6)]
    assert [label for _, label in Scale(0.5, 2e6, "log").ticks(7)] == [
        "1",
        "10",
        "100",
        "1000",
        "10k",
        "100k",
        "1M",
    ]
    assert (0.0, "0") in Scale(-1e4, 1e4, "signed", 1.0).ticks(5)
    year = 365.25 * 86_400
    assert [label for _, label in Scale(30 * year, 34.5 * year, "date").ticks(5)] == [
        "2001",
        "2002",
        "2003",
        "2004",
    ]


@pytest.mark.parametrize("low", [0.0, 5.0, -2.0])
def test_a_constant_column_has_an_axis(low):
    for scale in (Scale(low, low), fitting(np.full(9, low))):
        assert 0 < float(scale.place(low)) < 1
        assert scale.ticks()


def test_heavy_tails_get_a_logarithmic_axis_and_zeros_a_signed_one():
    rng = np.random.default_rng(1)
    pareto = 1 + rng.pareto(1.2, 5000)
    assert fitting(pareto).kind == "log"
    assert fitting(np.append(pareto, 0.0)).kind == "signed"
    assert fitting(rng.normal(50, 10, 5000)).kind == "linear"
    assert fitting(rng.uniform(1, 2, 50), heavy=True).kind == "log"
    assert not is_heavy(rng.uniform(size=1000))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "0"),
        (999, "999"),
        (9999, "9999"),
        (10_000, "10k"),
        (999_999, "1M"),
        (-2.5e9, "-2.5B"),
        (4e-5, "4·10⁻⁵"),
    ],
)
def test_short_numbers(value, said):
    assert short(value) == said


def test_few_digits_never_hide_whole_ones():
    assert [short(value, 2) for value in (943.4, 1234.5, 12.34, 0.01234)] == ["943", "1234", "12", "0.012"]


def test_numbers_that_are_none():
    assert [short(x) for x in (float("nan"), float("inf"), -float("inf"))] == ["n/a", "∞", "-∞"]
    assert [percent(x) for x in (1.0, 0.099, 0.0996, 1e-5)] == ["100%", "9.9%", "10%", "0.001%"]
