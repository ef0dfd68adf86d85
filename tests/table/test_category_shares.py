"""Shares of labels as they are released: near the truth for the frequent ones, whatever the length of the list."""

import numpy as np
import pandas as pd
import pytest

from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer
from quantail.table.stage_one.counting import nearest_shares


def released(table, schema, epsilon, seed):
    """Return the released shares of the last column."""
    model = TableSynthesizer(schema, epsilon, noise="simulated", seed=seed).fit(table)
    return model.sample(40_000, seed=seed).iloc[:, -1].value_counts(normalize=True)


def test_the_nearest_shares_are_shares_and_leave_shares_alone():
    rng = np.random.default_rng(1)
    for size in (1, 2, 7, 300):
        found = nearest_shares(rng.normal(1 / size, 1, size))
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1)
        np.testing.assert_allclose(nearest_shares(found), found, atol=1e-12)


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
