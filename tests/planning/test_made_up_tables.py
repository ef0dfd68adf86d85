from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from quantail.examples import payroll_schema
from quantail.frames import check_table
from quantail.planning import read_shape, simulate_table
from quantail.schema import Column, Schema


def made(schema, rows=4000, shape="lognormal"):
    return simulate_table(schema, rows, read_shape(shape), np.random.default_rng(3))


@pytest.mark.parametrize("shape", ["lognormal", "pareto:1.1", "exponential"])
def test_a_made_up_table_fits_its_schema(shape, mixed_schema):
    for schema in (mixed_schema, payroll_schema()):
        assert check_table(made(schema, 500, shape), schema) == []


def test_columns_hang_together_by_one_half(mixed_schema):
    table = made(mixed_schema)
    assert spearmanr(table["jobs"], table["pay"]).statistic == pytest.approx(0.48, abs=0.04)
    south = np.array(table["region"].to_pylist()) == "south"
    assert south.mean() == pytest.approx(0.5, abs=0.03)
    assert np.median(table["pay"].to_numpy()[south]) > 1.3 * np.median(table["pay"].to_numpy()[~south])


def test_the_typical_value_follows_from_the_bounds(mixed_schema):
    table = made(mixed_schema)
    assert np.median(table["pay"]) == pytest.approx(50, rel=0.1)
    assert np.median(table["jobs"]) == pytest.approx(np.sqrt(5000), rel=0.1)


def test_one_value_in_ten_is_negative_where_bounds_allow_it():
    column = Column("profit", "numeric", -1e6, 1e6, grid="log")
    profit = made(Schema((column,), unit="firm"))["profit"].to_numpy()
    assert np.mean(profit < 0) == pytest.approx(0.1, abs=0.02)
    debt = made(Schema((replace(column, upper=0.0),), unit="firm"))["profit"].to_numpy()
    assert (debt <= 0).all() and debt.min() > -1e6
