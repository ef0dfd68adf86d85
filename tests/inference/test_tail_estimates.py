"""Figures of heavy tails: totals, Hill's index, intervals by factors and odds, and what no table can tell."""

import numpy as np
import pyarrow as pa
import pytest

from quantail.inference import infer
from quantail.inference.estimand import Estimand
from quantail.inference.interval import corrected, corrected_on
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer

AMOUNT = Column("x", "numeric", 0, 1e9, grid="log", decimals=2, missing=True)
QUESTIONS = ["total(x)", "mean(x)", "top(x, 0.01)", "gini(x)", "hill(x)", "quantile(x, 0.99)"]


def released(index: float, n: int = 3000, missing: float = 0.0) -> TableModel:
    rng = np.random.default_rng(4)
    x = pa.array(np.round(1000 * (rng.pareto(index, n) + 1), 2), mask=rng.random(n) < missing)
    schema = Schema((AMOUNT,), "firm")
    return TableSynthesizer(schema, 1, method="tables", noise="simulated", seed=4).fit(pa.table({"x": x}))


def test_a_total_is_that_of_the_confidential_rows_however_many_are_drawn() -> None:
    model = released(2.5, missing=0.3)
    few, many = (
        infer(model, model.sample(rows, seed=1), "total(x)", effort=10, seed=2)["total(x)"]
        for rows in (3000, 12_000)
    )
    assert few.naive == pytest.approx(many.naive, rel=0.1)
    assert many.naive == pytest.approx(3000 * 0.7 * 1000 * 2.5 / 1.5, rel=0.2)
    assert few.low < many.estimate < few.high


def test_intervals_of_tails_cover_and_stay_in_their_range() -> None:
    model = released(1.8)
    found = [next(iter(one)) for one in infer(model, model.sample(seed=3), QUESTIONS, effort=10, seed=3)]
    truth = [3000 * 1000 * 1.8 / 0.8, 1000 * 1.8 / 0.8, 0.01 ** (1 - 1 / 1.8), 1 / 2.6, 1 / 1.8, 12_915.0]
    for row, true in zip(found, truth, strict=True):
        assert 0 < row.low < row.estimate < row.high
        assert row.low < true * 1.3 and row.high > true / 1.3
        # By factors or odds: farther up than down.
        assert row.high - row.estimate > row.estimate - row.low or row.term in ("top(x, 0.01)", "gini(x)")
    assert all(row.high < 1 for row in found[2:4])


def test_errors_by_factors_are_those_of_logarithms() -> None:
    reruns = 50 * np.exp(np.array([-0.3, 0.1, 0.2, -0.1, 0.25]))
    found = corrected_on("log", 80.0, 50.0, reruns, 0.9)
    logs = corrected(np.log(80.0), np.log(reruns / 50.0), 0.9)
    assert np.log([found.low, found.estimate, found.high]) == pytest.approx(
        [logs.low, logs.estimate, logs.high]
    )
    assert found.bias == pytest.approx(80.0 - found.estimate)


@pytest.mark.parametrize(("link", "released"), [("log", -1.0), ("logit", 1.0), ("identity", 0.5)])
def test_where_a_scale_makes_no_sense_figures_stay_as_they_are(link, released) -> None:
    reruns = np.array([0.4, 0.5, 0.6])
    assert corrected_on(link, released, 0.5, reruns, 0.9) == corrected(released, reruns - 0.5, 0.9)


def test_a_tail_that_no_table_can_tell_is_said_to_be_one() -> None:
    heavy, light = released(1.05), released(3.0)
    told = infer(heavy, heavy.sample(seed=5), ["total(x)", "quantile(x, 0.9)"], effort=10, seed=5)
    assert "largest units decide" in told[0].remarks[0]
    assert not told[1].notes
    assert not infer(light, light.sample(seed=5), "total(x)", effort=10, seed=5).notes


def test_missing_values_count_nothing_in_a_total() -> None:
    estimand = Estimand.parse("total(x)").of_rows(8)
    table = {"x": np.array([1.0, np.nan, 3.0, np.nan])}
    assert estimand.estimates(table).tolist() == [8.0]
