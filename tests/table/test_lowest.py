"""Heaps at the lowest value that nobody declared: noticed through a paid count, explained or not."""

from fractions import Fraction as F
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from quantail.curves import AtomCurve, Scale
from quantail.privacy import Gate, Plan, SimulatedNoise
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer
from quantail.table.lowest import draw_lowest
from quantail.table.stage_one.shares import may_heap

AMOUNT = Column("paid", "numeric", 0, 1e9, grid="log", decimals=2)
COVER = Column("cover", "numeric", 0, 1e9, grid="log", decimals=2)
LINEAR = Column("paid", "numeric", 0, 1e6, decimals=2)


def claims(n: int, zeros: float, seed: int) -> pa.Table:
    """Draw a cover, and a payment that follows it where there is one."""
    rng = np.random.default_rng(seed)
    cover = rng.lognormal(9, 0.8, n)
    paid = np.where(rng.random(n) < zeros, 0.0, 0.1 * cover * rng.lognormal(0, 0.5, n))
    return pa.table({"cover": np.round(cover, 2), "paid": np.round(paid, 2)})


def fitted(columns: tuple[Column, ...], table: pa.Table, epsilon: float, seed: int) -> TableModel:
    schema = Schema(columns, "policy")
    chosen = table.select([column.name for column in columns])
    return TableSynthesizer(schema, epsilon, method="tables", noise="simulated", seed=seed).fit(chosen)


@pytest.mark.parametrize(
    ("paid", "explained", "zeros"),
    [
        *product([AMOUNT], [True, False], [0.3, 0.8]),
        # On a linear grid the slopes of a column that few rows have are noise, zeros declared or not.
        *product([LINEAR], [True, False], [0.3]),
        (LINEAR, False, 0.8),
    ],
)
def test_zeros_that_nobody_declared_keep_their_share_and_the_others_their_size(
    zeros: float, explained: bool, paid: Column
) -> None:
    table = claims(8000, zeros, 1)
    real = table["paid"].to_numpy()
    columns = (COVER, paid) if explained else (paid,)
    for seed in range(3):
        model = fitted(columns, table, 1, seed)
        column = model.groups[0].columns[-1]
        assert isinstance(column.curve, AtomCurve) and column.curve.apart
        made = model.sample(seed=seed)["paid"].to_numpy()
        assert np.mean(made == 0) == pytest.approx(zeros, abs=0.05)
        assert np.median(made[made > 0]) == pytest.approx(np.median(real[real > 0]), rel=0.35)
        again = TableModel.from_dict(model.to_dict())
        assert again.sample(50, seed=1).equals(model.sample(50, seed=1))


def test_a_payment_follows_its_cover_although_most_are_zero() -> None:
    table = claims(20_000, 0.6, 2)
    made = fitted((COVER, AMOUNT), table, 2, 2).sample(seed=2)

    def relation(part: pa.Table) -> float:
        paid = part["paid"].to_numpy()
        return float(np.corrcoef(np.log(part["cover"].to_numpy()[paid > 0]), np.log(paid[paid > 0]))[0, 1])

    assert relation(made) == pytest.approx(relation(table), abs=0.1)


def test_what_follows_a_column_with_zeros_is_not_bent_by_them() -> None:
    table = claims(20_000, 0.5, 3)
    made = fitted((AMOUNT, COVER), table, 2, 3).sample(seed=3)
    for part in (table, made):
        cover, paid = part["cover"].to_numpy(), part["paid"].to_numpy()
        assert np.median(cover[paid == 0]) == pytest.approx(np.median(cover), rel=0.15)
        assert np.corrcoef(np.log(cover[paid > 0]), np.log(paid[paid > 0]))[0, 1] > 0.75


def test_small_numbers_stay_numbers_among_numbers() -> None:
    rng = np.random.default_rng(4)
    jobs = np.floor(rng.pareto(1.2, 20_000)).astype(np.int64) + 1
    pay = np.round(30_000.0 * jobs * rng.lognormal(0, 0.3, jobs.size), 2)
    columns = (Column("jobs", "integer", 1, 10**7, grid="log"), Column("pay", "numeric", 0, 1e12, grid="log"))
    model = fitted(columns, pa.table({"jobs": jobs, "pay": pay}), 1, 4)
    curve = model.groups[0].columns[0].curve
    assert isinstance(curve, AtomCurve) and not curve.apart
    made = model.sample(seed=4)
    one = made["jobs"].to_numpy() == 1
    assert one.mean() == pytest.approx(np.mean(jobs == 1), abs=0.03)
    assert np.median(made["pay"].to_numpy()[one]) == pytest.approx(30_000, rel=0.2)


def test_noise_alone_is_hardly_ever_an_atom() -> None:
    leaf, scale = Plan.leaf("lowest", F(1, 10)), Scale.of(AMOUNT)
    values = scale.forward(np.linspace(5.0, 500.0, 400))
    noticed = [
        draw_lowest(Gate(leaf, SimulatedNoise(seed), "replace-one"), leaf, values, scale, 400.0) > 0
        for seed in range(1000)
    ]
    assert np.mean(noticed) < 0.012  # exp(-5) / 2 is 0.0034
    assert draw_lowest(Gate(leaf, SimulatedNoise(1), "replace-one"), leaf, 0 * values, scale, 400.0) > 0.5


def test_twice_as_many_rows_as_the_noise_is_large_are_left_for_a_curve() -> None:
    leaf, scale = Plan.leaf("lowest", F(1, 20)), Scale.of(AMOUNT)
    gate = Gate(leaf, SimulatedNoise(1), "replace-one")
    noise = gate.histogram_noise(leaf, 1).deviation / 2**0.5
    shares = [
        draw_lowest(Gate(leaf, SimulatedNoise(seed), "replace-one"), leaf, np.zeros(400), scale, 400.0)
        for seed in range(20)
    ]
    assert max(shares) == pytest.approx(1 - 2 * noise / 400)


def test_it_is_asked_of_columns_of_many_values_alone() -> None:
    assert may_heap(AMOUNT) and may_heap(LINEAR)
    assert not may_heap(Column("age", "integer", 0, 99))
    assert not may_heap(Column("profit", "numeric", -1e9, 1e9, grid="log"))
    plan = TableSynthesizer(Schema((COVER, AMOUNT), "policy"), 1, method="tables").plan(5000)
    leaves = [leaf for leaf in plan.leaves() if leaf.name == "lowest"]
    assert len(leaves) == 2 and sum(leaf.cost for leaf in leaves) < F(1, 20)
