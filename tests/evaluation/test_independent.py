"""Null values: what random parts of the real rows and closed forms say is what independent samples show."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest

from quantail.evaluation import MEASURES, evaluate, gini
from quantail.evaluation.independent import brought_to_size, split_null, split_rows, variation_null
from quantail.examples import simulate_paper
from quantail.schema import Column, Panel, Schema


def test_parts_hold_every_row_once_in_the_proportion_of_the_tables():
    for first, second in split_rows(90, 30):
        assert sorted([*first, *second]) == list(range(90)) and first.size in (67, 68)
        assert (np.diff(first) > 0).all() and (np.diff(second) > 0).all()
    assert {a.size + b.size for a, b in split_rows(1000, 10, most=200)} == {200}
    assert {b.size for _, b in split_rows(1000, 10, most=200)} == {40}  # never a tiny part
    assert brought_to_size(100, 100, 50, 50) == pytest.approx(np.sqrt(0.5))
    # Errors have variance 1/n + 1/m: 1/400 + 1/100 against 1/80 + 1/20.
    assert brought_to_size(400, 100, 80, 20) == pytest.approx(np.sqrt(0.2))


@pytest.mark.parametrize("most", [None, 300])
def test_the_null_of_a_statistic_is_what_independent_samples_show(most):
    rng = np.random.default_rng(5)
    gaps = [abs(gini(rng.exponential(1, 800)) - gini(rng.exponential(1, 200))) for _ in range(200)]
    nulls = []
    for _ in range(20):
        real = rng.exponential(1, 800)
        nulls.append(split_null(lambda rows, real=real: np.array([gini(real[rows])]), 800, 200, most)[0])
    assert np.mean(nulls) == pytest.approx(np.mean(gaps), rel=0.2)


def test_too_few_rows_have_no_null():
    assert np.isnan(split_null(lambda rows: np.array([1.0, 2.0]), 30, 100)).tolist() == [True, True]


def test_the_null_of_shares_by_enumeration():
    # Two cells of 3 and 1 rows, split 2 and 2 in all six ways.
    cells = np.array([0, 0, 0, 1])
    gaps = [
        abs(np.mean(cells[list(part)]) - (1 - sum(cells[list(part)])) / 2)
        for part in combinations(range(4), 2)
    ]
    assert np.mean(gaps) == pytest.approx(0.5)
    # The closed form takes hypergeometric counts for thinner binomial ones: close here, closer with more rows.
    assert variation_null(np.array([3, 1]), 2, 2) == pytest.approx(0.5, rel=0.15)


@pytest.mark.parametrize(("n", "m"), [(300, 300), (500, 120)])
def test_the_null_of_shares_by_random_splits(n, m):
    rng = np.random.default_rng(7)
    cells = np.minimum(rng.geometric(0.05, n + m), 60)
    gaps = []
    for _ in range(400):
        order = rng.permutation(cells)
        f, g = np.bincount(order[:n], minlength=61) / n, np.bincount(order[n:], minlength=61) / m
        gaps.append(np.abs(f - g).sum() / 2)
    assert variation_null(np.bincount(cells), n, m) == pytest.approx(np.mean(gaps), rel=0.03)


def business(rng, n):
    sector = rng.choice(list("abcdef"), n, p=[0.4, 0.3, 0.15, 0.1, 0.04, 0.01])
    jobs = np.floor(rng.lognormal(1 + 0.3 * (sector == "b"), 1.2, n))
    pay = np.where(rng.random(n) < 0.15, np.nan, (1 + jobs) * rng.lognormal(3, 0.5, n))
    old = rng.choice(["yes", "no", None], n, p=[0.5, 0.4, 0.1])
    return {"sector": sector, "old": old, "jobs": jobs, "age": rng.exponential(9, n), "pay": pay}


PANEL = Schema(
    (Column("emp", "integer", 0, 10**6, grid="log"),),
    unit="firm",
    panel=Panel("id", "first", "last", 2000, 2004),
)


def firms(rng, n):
    years = np.arange(2000, 2005)
    first, last = rng.integers(2000, 2002, n), rng.integers(2002, 2005, n)
    emp = np.rint(rng.lognormal(2, 1, (n, 1)) * rng.lognormal(0, 0.3, (n, 5)))
    table = {"id": np.arange(n), "first": first, "last": last}
    for place, year in enumerate(years):
        gone = (year < first) | (year > last)
        table[f"emp_{year}"] = pa.array(emp[:, place].astype(int), mask=gone)
    return pa.table(table)


def mean_ratios(results):
    """Mean distance from the best value over the mean that the null expects, for each measure."""
    values, nulls = {}, {}
    for result in results:
        for row in result:
            values.setdefault(row.name, []).append(row.badness)
            nulls.setdefault(row.name, []).append(abs(row.null - row.best))
    return {name: np.mean(values[name]) / np.mean(nulls[name]) for name in values}


# Boosted trees take longer than all other measures together: their null is met in test_boosting.py.
OTHERS = {name: measure for name, measure in MEASURES.items() if name != "auc"}


@pytest.mark.slow
def test_every_measure_of_a_table_meets_its_null_on_pairs_of_samples():
    rng = np.random.default_rng(8)
    pairs = [(business(rng, 900), business(rng, 600), business(rng, 500)) for _ in range(30)]
    of_tables = [name for name, measure in OTHERS.items() if measure.family != "panels"]
    ratios = mean_ratios(evaluate(*tables, measures=of_tables) for tables in pairs)
    assert set(ratios) == set(of_tables)
    # Beyond the last row of a part there is nothing to learn: the 99.9% quantile needs more rows, below.
    del ratios["quantile_error_99.9"]
    for name, ratio in ratios.items():
        assert ratio == pytest.approx(1, abs=0.3), (name, ratio)


@pytest.mark.slow
def test_the_farthest_quantile_meets_its_null_where_ten_rows_lie_beyond_it():
    rng = np.random.default_rng(10)
    pairs = [(business(rng, 12_000), business(rng, 10_000)) for _ in range(30)]
    ratios = mean_ratios(evaluate(*tables, measures=["quantile_error_99.9"]) for tables in pairs)
    assert ratios["quantile_error_99.9"] == pytest.approx(1, abs=0.2)


@pytest.mark.slow
def test_every_measure_of_a_panel_meets_its_null_on_pairs_of_samples():
    rng = np.random.default_rng(9)
    pairs = [(firms(rng, 400), firms(rng, 300)) for _ in range(12)]
    ratios = mean_ratios(evaluate(*tables, schema=PANEL, measures=["panels"]) for tables in pairs)
    assert set(ratios) == {name for name, measure in OTHERS.items() if measure.family == "panels"}
    for name, ratio in ratios.items():
        assert ratio == pytest.approx(1, abs=0.35), (name, ratio)


def test_every_measure_of_a_table_has_a_null():
    rng = np.random.default_rng(3)

    def table():
        return {**simulate_paper(300, rng), "region": rng.choice(["north", "south", None], 300)}

    tables = [{**table(), "old": rng.choice(["yes", "no"], 300)} for _ in range(3)]
    tables[1]["X1"][:9] = np.nan
    result = evaluate(*tables, formulas="X3 ~ X1")
    assert not [row.name for row in result if row.null is None]
    assert {row.name for row in result} == {name for name, m in MEASURES.items() if m.family != "panels"}
