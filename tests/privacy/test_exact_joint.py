"""The whole law of the production joint draw on small lattices, epsilon 1: all tables, all neighbours."""

from fractions import Fraction as F

import numpy as np
import pytest
from exact_laws import gate_of, worst_loss

from quantail.privacy import PathQuestion, paths
from quantail.quantiles import draw_rungs
from quantail.quantiles.joint import targets

pytestmark = pytest.mark.usefixtures("enumerable")

GRID = np.arange(1.0, 6.0)
VALUES = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)  # the last lies above all candidates
LEVELS = ((0.5,), (0.25, 0.75), (0.25, 0.5, 0.75), (0.05, 0.9, 0.97))
RELATIONS = ("replace-one", "add-remove")


def joint_loss(levels, relation, rows=4, neighbours=None, cost=1):
    """Return the worst loss of a draw; `neighbours` may name another relation than the gate was told."""

    def mechanism(table, noise):
        gate = gate_of(noise, relation, cost)
        (leaf,) = gate.plan.leaves()
        return draw_rungs(gate, leaf, np.array(table), GRID, np.array(levels), rows).tobytes()

    return worst_loss(mechanism, VALUES, rows, neighbours or relation)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("levels", LEVELS, ids=str)
def test_joint_draw_costs_no_more_than_claimed(levels, relation):
    assert 0.3 < joint_loss(levels, relation) <= 1 + 1e-9


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_released_size_need_not_be_the_true_one(rows):
    # Under add/remove the targets follow a noisy count, which may be far off.
    def mechanism(table, noise):
        gate = gate_of(noise, "add-remove", 1)
        (leaf,) = gate.plan.leaves()
        return draw_rungs(gate, leaf, np.array(table), GRID, np.array([0.25, 0.75]), rows).tobytes()

    assert 0.3 < worst_loss(mechanism, VALUES, 3, "add-remove") <= 1 + 1e-9


def test_floor_of_the_table_costs_nothing(monkeypatch):
    # A floor so high that most weights lie on it, and a budget that would fall far below.
    monkeypatch.setattr(paths, "FLOOR", 1.5)
    assert 0.3 < joint_loss((0.25, 0.5, 0.75), "replace-one", cost=4) <= 4


def test_add_remove_rate_under_replace_one_is_caught():
    assert joint_loss((0.25, 0.5, 0.75), "add-remove", neighbours="replace-one") > 1.5


def test_weights_that_fall_faster_than_the_rate_are_caught(monkeypatch):
    honest = paths.weight_table

    def steep(rate, rows, parts):
        return honest(rate, rows, parts) ** 1.5

    monkeypatch.setattr(paths, "weight_table", steep)
    assert joint_loss((0.5,), "replace-one") > 1.1


BLOCKS = tuple((block, value) for block in (0, 1) for value in (1.0, 2.0, 3.0))


def blocks_loss(wanted, relation, rows):
    """Return the worst loss of one path question per block, all under one leaf."""

    def mechanism(table, noise):
        gate = gate_of(noise, relation, 1)
        (leaf,) = gate.plan.leaves()
        parts = [np.sort([v for block, v in table if block == k]) for k in (0, 1)]
        questions = [
            PathQuestion(
                np.searchsorted(part, GRID[:2], side="right").astype(np.int64), part.size, wanted(part)
            )
            for part in parts
        ]
        return tuple(map(bytes, gate.path(leaf, questions)))

    return worst_loss(mechanism, BLOCKS, rows if relation == "replace-one" else rows - 1, relation)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_blocks_with_public_targets_share_one_leaf(level, relation):
    loss = blocks_loss(lambda part: targets(3, np.array([level])), relation, 5)
    assert 0.5 < loss <= 1 + 1e-9


def test_targets_from_private_block_sizes_are_caught():
    assert blocks_loss(lambda part: targets(max(part.size, 1), np.array([0.5])), "replace-one", 5) > 1.05


def test_zcdp_leaf_buys_the_strength_of_bounded_range():
    # rho-zCDP of an exponential mechanism with bounded range e costs e^2 / 8: the log-ratios span at most e.
    def mechanism(table, noise):
        gate = gate_of(noise, "replace-one", F(1, 8), unit="rho")
        (leaf,) = gate.plan.leaves()
        return draw_rungs(gate, leaf, np.array(table), GRID, np.array([0.25, 0.75]), 4).tobytes()

    assert 0.3 < worst_loss(mechanism, VALUES, 4, "replace-one") <= 1 + 1e-9
