"""The whole law of the production joint draw on small lattices, epsilon 1: all tables, all neighbours.

Before rows are counted each is moved by up to a step, by a number of its own. Here a row *is* a pair (value, number):
neighbours differ in one pair, so the claim is tested for every fixed jitter of the rows that stay and any jitter of the
row that changes. One half moves nothing.
"""

from fractions import Fraction as F
from functools import cache
from itertools import product

import numpy as np
import pytest

from quantail.auditing.enumeration import SECRET_DROPPED, gate_of, law_of, loss, search
from quantail.auditing.mechanisms import joint_mechanism
from quantail.curves import joint, joint_quantiles
from quantail.curves.joint import targets
from quantail.privacy import PathQuestion, SimulatedNoise, gate, paths

GRID = np.arange(1.0, 6.0)
STILL = tuple((value, 0.5) for value in (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))  # the last lies above all candidates
NUMBERS = (0.0, 0.3, SECRET_DROPPED)
MOVED = tuple(product((0.5, 1.0, 2.4, 4.0, 9.0), NUMBERS))  # below, on, between and above the candidates
LEVELS = ((0.5,), (0.25, 0.75), (0.25, 0.5, 0.75), (0.05, 0.9, 0.97))
RELATIONS = ("replace-one", "add-remove")


def joint_loss(
    levels,
    relation,
    rows=4,
    domain=STILL,
    neighbours=None,
    unit="epsilon",
    cost=1,
    told=None,
    range_prior=None,
):
    """Return the worst loss; `neighbours` may be another relation, `told` another size than the true one."""
    grid = GRID[: 4 if domain is MOVED else 5]
    mechanism = joint_mechanism(relation, levels, grid, told or rows, cost, unit, range_prior)
    return search(mechanism, domain, rows, neighbours or relation).loss


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    "levels", LEVELS[2:], ids=str
)  # one and two are cases of the audit (test_exact_cases.py)
def test_joint_draw_costs_no_more_than_claimed(levels, relation):
    rows = 3 if relation == "replace-one" else 2
    assert 0.3 < joint_loss(levels, relation, rows) <= 1 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("levels", LEVELS[2:], ids=str)
def test_joint_draw_costs_no_more_than_claimed_with_more_rows(levels, relation):
    assert 0.3 < without_prior(levels, relation, 4 if relation == "replace-one" else 3) <= 1 + 1e-9


@pytest.mark.parametrize("levels", [LEVELS[0], pytest.param(LEVELS[1], marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("relation", RELATIONS)
def test_every_jitter_costs_no_more_than_claimed(levels, relation):
    rows = 3 if relation == "replace-one" else 2
    assert 0.3 < joint_loss(levels, relation, rows, MOVED) <= 1 + 1e-9


@pytest.mark.parametrize("relation", RELATIONS)
def test_jitter_that_is_drawn_costs_no_more_than_claimed(relation):
    # Here rows are values, and every row is moved down or up a step by chance: the mixture is what is released.
    def mechanism(table, noise):
        opened = gate_of(noise, relation, 1)
        (leaf,) = opened.plan.leaves()
        return joint_quantiles(opened, leaf, np.array(table), GRID[:3], np.array([0.25, 0.75]), 3).tobytes()

    rows = 3 if relation == "replace-one" else 2
    assert 0.3 < search(mechanism, (1.0, 2.5, 9.0), rows, relation).loss <= 1 + 1e-9


def pair_loss(relation, first, second):
    """Return the loss of a median between two tables, given as values and numbers."""
    laws = []
    for values, numbers in (first, second):

        def mechanism(noise, values=values, numbers=numbers):
            noise.given = numbers[: len(values)]
            opened = gate_of(noise, relation, 1)
            (leaf,) = opened.plan.leaves()
            return joint_quantiles(opened, leaf, np.array(values), GRID[:3], np.array([0.5]), 7).tobytes()

        laws.append(law_of(mechanism))
    return loss(*laws)


def test_jitter_by_position_is_caught_under_add_remove_only():
    # A number for each place in the table: taking the first row out moves all others, replacing it none.
    numbers = np.resize([0.0, SECRET_DROPPED], 7)
    values = [9.0, *[2.5, 9.0] * 3]
    assert pair_loss("add-remove", (values, numbers), (values[1:], numbers)) > 1.2
    assert 0 < pair_loss("replace-one", (values, numbers), ([0.0, *values[1:]], numbers)) <= 1
    assert pair_loss("add-remove", (values, numbers), (values[1:], numbers[1:])) <= 1  # to each its own


def test_jitter_that_depends_on_other_rows_is_caught(monkeypatch):
    # A step as wide as the table: one row decides how far all others are moved.
    honest = joint.spread_places

    def stretched(values, uniform, grid, steps):
        return honest(values, uniform, grid, steps * float(np.ptp(values)))

    tables = [([last, *[1.0] * 3, *[3.5] * 3], np.array([0.8] * 4 + [0.5] * 3)) for last in (1.0, 9.0)]
    assert 0 < pair_loss("replace-one", *tables) <= 1
    monkeypatch.setattr(joint, "spread_places", stretched)
    assert pair_loss("replace-one", *tables) > 1.1


without_prior = cache(joint_loss)  # for all priors that it is compared with


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("nats", [pytest.param(0.5, marks=pytest.mark.slow), 4.0])  # the audit's case has one
@pytest.mark.parametrize("levels", [LEVELS[1], pytest.param(LEVELS[3], marks=pytest.mark.slow)], ids=str)
def test_a_public_prior_of_the_range_costs_nothing(levels, nats, relation):
    rows = 4 if relation == "replace-one" else 3
    found = joint_loss(levels, relation, rows, range_prior=nats * GRID)
    assert 0.1 < found <= 1 + 1e-9
    assert found != pytest.approx(without_prior(levels, relation, rows), rel=1e-3)  # they were asked for


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_public_prior_of_the_range_costs_nothing_with_jitter_a_wrong_size_and_zcdp(relation):
    rows, range_prior = (3 if relation == "replace-one" else 2), GRID[:4]
    assert 0.1 < joint_loss((0.25, 0.75), relation, rows - 1, MOVED, range_prior=range_prior) <= 1 + 1e-9
    assert 0.1 < joint_loss((0.25, 0.75), relation, rows, told=7, range_prior=GRID) <= 1 + 1e-9
    assert (
        0.1 < joint_loss((0.25, 0.75), relation, rows, unit="rho", cost=F(1, 8), range_prior=GRID) <= 1 + 1e-9
    )


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("levels", [(0.5,), (0.25, 0.75)], ids=str)
def test_a_public_prior_of_the_height_costs_nothing(levels, relation):
    rows = 4 if relation == "replace-one" else 3
    mechanism = joint_mechanism(relation, levels, GRID, rows, range_prior=GRID, height_prior=2.0 * GRID)
    assert 0.1 < search(mechanism, STILL, rows, relation).loss <= 1 + 1e-9


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_prior_of_the_height_from_private_rows_is_caught(relation):
    def mechanism(table, noise):
        values = np.array([value for value, _ in table])
        own = np.maximum(GRID - values.max(initial=0.0), 0.0) * 4
        return joint_mechanism(relation, (0.25, 0.75), GRID, 3, height_prior=own)(table, noise)

    assert search(mechanism, STILL, 3, relation).loss > 1.2


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("kind", ["largest row", "rows passed"])
def test_a_prior_from_private_rows_is_caught(kind, relation):
    # The scale of the largest row, or a nat for every row between the outermost quantiles.
    def mechanism(table, noise):
        values = np.array([value for value, _ in table])
        own = (
            values.max(initial=1.0) * GRID / 2
            if kind == "largest row"
            else 1.0 * np.searchsorted(np.sort(values), GRID, "right")
        )
        return joint_mechanism(relation, (0.25, 0.75), GRID, 3, range_prior=own)(table, noise)

    assert search(mechanism, STILL, 3, relation).loss > 1.2


@pytest.mark.parametrize("rows", [1, 3, 7])
def test_released_size_need_not_be_the_true_one(rows):
    # Under add/remove the targets follow a noisy count, which may be far off.
    assert 0.3 < joint_loss((0.25, 0.75), "add-remove", 3, told=rows) <= 1 + 1e-9


@pytest.mark.parametrize("relation", RELATIONS)
def test_deepest_weight_costs_nothing(monkeypatch, relation):
    # A floor so high that many weights lie on it, and a budget that would fall far below.
    monkeypatch.setattr(paths, "DEEPEST", 1.5)
    assert 0.3 < joint_loss((0.25, 0.75), relation, 3, cost=4) <= 4


def test_sharpest_rate_costs_less(monkeypatch):
    monkeypatch.setattr(gate, "SHARPEST", 0.5)
    assert 0.1 < joint_loss((0.25, 0.75), "replace-one") <= 0.5 + 1e-9


def test_add_remove_rate_under_replace_one_is_caught():
    assert joint_loss((0.25, 0.75), "add-remove", neighbours="replace-one") > 1.4


def test_weights_that_fall_faster_than_the_rate_are_caught(monkeypatch):
    honest = paths._log_weights
    monkeypatch.setattr(paths, "_log_weights", lambda missed, rate: 1.5 * honest(missed, rate))
    assert joint_loss((0.5,), "replace-one") > 1.1


BLOCKS = tuple((block, value) for block in (0, 1) for value in (1.0, 2.0, 3.0))


def blocks_loss(wanted, relation, rows):
    """Return the worst loss of one path question per block, all under one leaf."""

    def mechanism(table, noise):
        opened = gate_of(noise, relation, 1)
        (leaf,) = opened.plan.leaves()
        parts = [np.sort([v for block, v in table if block == k]) for k in (0, 1)]
        questions = [
            PathQuestion(
                np.searchsorted(part, GRID[:2], side="right").astype(np.int64), part.size, wanted(part)
            )
            for part in parts
        ]
        return tuple(map(bytes, opened.path(leaf, questions)))

    return search(mechanism, BLOCKS, rows if relation == "replace-one" else rows - 1, relation).loss


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("level", [0.5, 0.9])
def test_blocks_with_public_targets_share_one_leaf(level, relation):
    assert 0.5 < blocks_loss(lambda part: targets(3, np.array([level])), relation, 5) <= 1 + 1e-9


def test_targets_from_private_block_sizes_are_caught():
    assert blocks_loss(lambda part: targets(max(part.size, 1), np.array([0.5])), "replace-one", 5) > 1.05


def test_zcdp_leaf_buys_the_epsilon_of_bounded_range():
    # rho-zCDP of an exponential mechanism with bounded range e costs e^2 / 8: the log-ratios span at most e.
    assert 0.3 < joint_loss((0.25, 0.75), "replace-one", unit="rho", cost=F(1, 8)) <= 1 + 1e-9


def test_a_single_candidate_is_counted_whatever_the_order_of_rows():
    values = np.array([9.0, 0.5, 9.0, 9.0, 9.0, 1.0, 0.5])
    asked = []

    class Asked:
        noise = SimulatedNoise(1)

        def path(self, leaf, questions):
            asked.extend(questions)
            return [np.array([0])]

    joint_quantiles(Asked(), None, values, np.array([1.0]), np.array([0.5]), values.size)
    assert asked[0].counts.tolist() == [3]
