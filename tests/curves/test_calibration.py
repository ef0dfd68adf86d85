"""Calibration: a monotone map that sets a wrong marginal right and leaves a right one alone."""

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtri

from quantail.curves import Scale
from quantail.curves.calibration import Remap, cell_levels, draw_calibration
from quantail.curves.depth import cell_number
from quantail.schema import Column

LEVELS = np.array([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95])
CELLS = 32
WEAKEST = next(signal for signal in range(1, 10**4) if cell_number(signal))  # that a design calibrates with


def calibrate(gate_of, values, implied, each=10**4, relation="replace-one", rows=None, seed=0, atom=-100.0):
    gate, (leaf,) = gate_of(1, each, relation, seed=seed)
    remap = draw_calibration(gate, leaf, values, implied, atom, CELLS, rows or values.size)
    assert gate.unused == 0
    return remap


def worst(one, two):
    return np.abs(np.quantile(one, LEVELS) - np.quantile(two, LEVELS)).max()


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param(lambda z: z + 0.5, id="shifted"),
        pytest.param(lambda z: 1.15 * z, id="stretched"),
        pytest.param(lambda z: np.where(z > 0, 1.2 * z, z), id="lopsided"),
        pytest.param(lambda z: z + 0.4 * np.sign(z), id="two clusters"),
    ],
)
def test_a_wrong_marginal_is_set_right(gate_of, relation, shape):
    rng = np.random.default_rng(0)
    values, implied = shape(rng.normal(0, 1, 20_000)), rng.normal(0, 1, 30_000)
    mapped = calibrate(gate_of, values, implied, relation=relation)(implied)
    assert worst(mapped, values) < 0.4 * worst(implied, values)


@pytest.mark.parametrize("signal", [WEAKEST, 3000, 10**6])
def test_a_right_marginal_is_left_alone(gate_of, relation, signal):
    """Noise and sampling are not taken for a difference."""
    middle = np.linspace(-1.5, 1.5, 41)
    moved = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        values, implied = rng.normal(0, 1, 3000), rng.normal(0, 1, 30_000)
        gate, (leaf,) = gate_of(1, Fraction(signal, 3000), relation, seed=seed)
        remap = draw_calibration(gate, leaf, values, implied, -100.0, cell_number(signal), 3000)
        moved.append(np.abs(remap(middle) - middle).max())
    assert max(moved) < 0.2
    assert np.median(moved) < 0.08


def test_a_perfect_model_is_not_touched_at_all(gate_of, relation):
    exact = ndtri((np.arange(2**14) + 0.5) / 2**14)
    remap = calibrate(gate_of, exact, exact, relation=relation)
    inside = np.linspace(-3, 3, 200)
    np.testing.assert_allclose(remap(inside), inside, atol=0.005)


def test_the_map_is_monotone_and_finite_even_when_noise_rules(gate_of, relation):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        remap = calibrate(
            gate_of, rng.normal(5, 1, 50), rng.normal(0, 1, 2000), Fraction(1, 100), relation, seed=seed
        )
        mapped = remap(np.linspace(-20, 20, 500))
        assert np.isfinite(mapped).all()
        assert (np.diff(mapped) >= -1e-12).all()


@pytest.mark.parametrize("share", [0.1, 0.4, 0.8])
def test_an_atom_at_the_lower_end_gets_its_mass(gate_of, share):
    rng = np.random.default_rng(1)
    values = np.where(
        rng.random(10_000) < share, rng.uniform(-0.5, 0.5, 10_000), 3 + rng.exponential(10, 10_000)
    )
    implied = rng.exponential(10, 30_000) + 0.6  # the models know nothing of the atom
    mapped = calibrate(gate_of, values, implied, atom=0.5)(implied)
    assert np.mean(mapped <= 0.7) == pytest.approx(share, abs=0.03)


def test_whole_numbers_are_counted_whole(gate_of, relation):
    """The models are smooth, the truth favours single numbers: cells that end within a number cannot tell."""
    scale = Scale.of(Column("visits", "integer", 0, 10**5, grid="log"))
    rng = np.random.default_rng(5)
    true = np.array([0.2, 0.02, 0.15, 0.03, 0.03, 0.25, 0.01, 0.02, 0.02, 0.02, 0.25])
    values = scale.dithered(rng.choice(true.size, 20_000, p=true).astype(float), rng)
    implied = scale.forward(rng.uniform(-0.5, 10.5, 2**15))

    def missed(*borders):
        gate, (leaf,) = gate_of(1, 10**4, relation)
        remap = draw_calibration(gate, leaf, values, implied, np.arcsinh(0.5), CELLS, values.size, *borders)
        found = np.bincount(np.rint(scale.backward(remap(implied))).astype(int), minlength=true.size)
        return np.abs(found[: true.size] / implied.size - true).max()

    assert missed(scale.borders) < 0.01
    assert missed() > 0.03


def test_a_released_number_of_rows_that_is_wrong_changes_no_shape(gate_of):
    rng = np.random.default_rng(2)
    values, implied = rng.normal(0, 1, 10_000), rng.normal(0, 1, 30_000)
    for rows in (9000, 11_000):
        remap = calibrate(gate_of, values, implied, relation="add-remove", rows=rows)
        assert worst(remap(implied), values) < 0.12


def test_one_row_moves_the_counts_by_no_more_than_the_sensitivity_claims(gate_of, relation):
    """The cells follow from public values alone: a row that moves touches two of them, a row that comes, one."""
    asked = []

    class Watched:
        def __init__(self, gate):
            self.gate, self.relation, self.signal = gate, gate.relation, gate.signal

        def count(self, leaf, counts, sensitivity):
            asked.append((counts, sensitivity))
            return self.gate.count(leaf, counts, sensitivity)

    rng = np.random.default_rng(3)
    values, implied = rng.normal(0, 1, 200), rng.normal(0, 1, 5000)
    other = np.append(values[1:], 7.0) if relation == "replace-one" else values[1:]
    for rows in (values, other):
        gate, (leaf,) = gate_of(1, 1, relation)
        draw_calibration(Watched(gate), leaf, rows, implied, -100.0, CELLS, 200)
    (one, sensitivity), (two, _) = asked
    assert one.size == two.size
    assert np.abs(one - two).sum() <= sensitivity
    assert sensitivity == (2 if relation == "replace-one" else 1)


@pytest.mark.parametrize("cells", [4, 8, 16, 32, 64])
def test_cell_levels_are_inside_and_ascending(cells):
    levels = cell_levels(cells)
    assert (np.diff(levels) > 0).all()
    assert 0 < levels[0] < levels[-1] < 1
    np.testing.assert_allclose(levels, 1 - levels[::-1])
    even = np.arange(1, cells) / cells
    assert set(even) <= set(levels)
    # Beyond the even cells, tail cells shrink geometrically to one row in 512: by halves, or finer with many cells.
    tail = levels[levels < even[0]]
    ratio = 0.5 if cells < 64 else 0.8
    np.testing.assert_allclose(tail[:-1] / tail[1:], ratio)
    assert 1 / 512 <= tail[0] < 1 / 512 / ratio
    assert tail[-1] >= ratio * even[0]


def test_a_heavier_tail_than_the_model_has_is_found(gate_of, relation):
    """The outermost cells hold one row in 512: beyond the even cells, where a body's count tells nothing."""
    rng = np.random.default_rng(5)
    values, implied = rng.normal(0, 1, 60_000), rng.normal(0, 1, 60_000)
    values = np.where(values > 2, 2 + 2 * (values - 2), values)
    mapped = calibrate(gate_of, values, implied, relation=relation)(implied)
    far = np.quantile(implied, 1 - 1 / 300)
    true, before, after = (np.mean(part > far) for part in (values, implied, mapped))
    assert true > 2 * before
    assert after == pytest.approx(true, rel=0.1)


def test_json_keeps_a_map_bit_for_bit(gate_of):
    rng = np.random.default_rng(4)
    remap = calibrate(gate_of, rng.normal(1, 2, 500), rng.normal(0, 1, 3000), 1)
    again = Remap.from_dict(json.loads(json.dumps(remap.to_dict())))
    assert again == remap
    y = rng.normal(0, 3, 100)
    np.testing.assert_array_equal(again(y), remap(y))
