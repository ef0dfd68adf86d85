"""Shares of labels as they are released: near the truth for the frequent ones, whatever the length of the list."""

import numpy as np
import pandas as pd
import pytest

from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer
from quantail.table.stage_one.label_shares import label_shares


def released(table, schema, epsilon, seed):
    """Return the released shares of the last column."""
    model = TableSynthesizer(schema, epsilon, noise="simulated", seed=seed).fit(table)
    return model.sample(40_000, seed=seed).iloc[:, -1].value_counts(normalize=True)


SHAPES = {
    "even": np.full(17, 1 / 17),
    "one label has nearly all": np.r_[0.95, np.full(63, 0.05 / 63)],
    "ever rarer": (1 / np.arange(1, 81) ** 1.2) / (1 / np.arange(1, 81) ** 1.2).sum(),
    "few": np.array([0.6, 0.2, 0.1, 0.07, 0.03]),
}


def distance(found, shares):
    return np.abs(found - shares).sum() / 2


def nearest(found):
    """Return the shares nearest to what was counted, as if nothing were known of lists."""
    ordered = np.sort(found)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, found.size + 1)
    return np.maximum(found - excess[np.flatnonzero(ordered > excess)[-1]], 0.0)


@pytest.mark.parametrize("gaussian", [False, True])
def test_shares_are_shares_whatever_was_counted(gaussian):
    rng = np.random.default_rng(1)
    for size in (1, 2, 7, 300):
        for noise in (1e-6, 0.01, 5.0):
            found = label_shares(rng.normal(1 / size, 1, size), noise, gaussian)
            assert found.min() >= 0
            assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize("noise", [1e-7, 1e-4, 2e-3])
def test_counts_that_do_not_add_up_to_the_released_number_of_rows_still_give_shares(gaussian, noise):
    for rows in (0.2, 0.9, 1.2, 6.0):  # under add/remove that number has noise of its own, and far more of it
        found = label_shares(rows * np.array([0.6, 0.4, 0.0]), noise, gaussian)
        assert found.sum() == pytest.approx(1)
        assert found[0] > found[1] > found[2] >= 0


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("gaussian", [False, True])
def test_shares_counted_with_little_noise_stay_as_they_were_counted(name, gaussian):
    shares, rng = SHAPES[name], np.random.default_rng(2)
    draw = rng.normal if gaussian else rng.laplace
    found = shares + draw(0.0, 1e-6, shares.size)
    np.testing.assert_allclose(label_shares(found, 1e-6, gaussian), shares, atol=1e-5)


@pytest.mark.parametrize("name", SHAPES)
def test_noisy_shares_are_nearer_to_the_truth_than_those_nearest_to_the_counts(name):
    shares, rng = SHAPES[name], np.random.default_rng(3)
    noise = 2 / (40 * shares.size**0.5)
    noisy = [shares + rng.laplace(0.0, noise, shares.size) for _ in range(60)]
    ours = np.mean([distance(label_shares(found, noise), shares) for found in noisy])
    theirs = np.mean([distance(nearest(found), shares) for found in noisy])
    assert ours < 1.02 * theirs
    if name != "few":
        assert ours < 0.9 * theirs


def test_counts_that_are_all_noise_say_that_labels_are_alike():
    noisy = np.random.default_rng(4).laplace(0.2, 2.0, (40, 5))
    found = np.array([label_shares(each, 2.0) for each in noisy])
    assert np.abs(found.mean(axis=0) - 0.2).max() < 0.06
    assert found.max() < 0.9


def test_a_label_that_stands_out_is_not_spread_over_a_list_of_rare_ones():
    shares, rng = SHAPES["one label has nearly all"], np.random.default_rng(5)
    found = [label_shares(shares + rng.laplace(0.0, 2 / 60, shares.size), 2 / 60)[0] for _ in range(40)]
    assert np.median(found) > 0.85


def test_a_frequent_label_is_not_spoilt_by_a_long_list_of_rare_ones():
    labels = tuple(f"label {k:02}" for k in range(18))
    table = pd.DataFrame({"country": [labels[-1]] * 1880 + [*labels[:-1]] * 7 + [labels[0]]})
    schema = Schema((Column("country", "category", categories=labels),), unit="person")
    n_epsilon = 2000 * 0.2
    errors = [abs(released(table, schema, 0.2, seed)[labels[-1]] - 0.94) for seed in range(30)]
    assert np.mean(errors) < 2 * 2 / n_epsilon  # twice the scale of the noise in one count


def test_two_labels_have_the_noise_of_one_count():
    table = pd.DataFrame({"sex": ["f", "m"] * 1000})
    schema = Schema((Column("sex", "category", categories=("f", "m")),), unit="person")
    errors = [abs(released(table, schema, 0.05, seed)["f"] - 0.5) for seed in range(60)]
    assert 0.6 / 100 < np.mean(errors) < 1.4 / 100  # 1 / (rows * epsilon); two counts would give 1.5
