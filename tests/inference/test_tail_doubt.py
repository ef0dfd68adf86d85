"""Reruns start from other tails: what a mechanism cannot tell of a tail is part of the error, what it can is not."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail.evaluation import hill_index
from quantail.inference.estimand import Estimand
from quantail.inference.interval import corrected_on, shifted
from quantail.inference.rerun import Reference, estimates_on
from quantail.inference.tail_doubt import SPREAD, Tail, doubted_tails, stretch_table
from quantail.schema import Column, Identity, Inequality, Schema

PAY = Column("pay", "numeric", 0, 1e9, grid="log", decimals=2, missing=True, atoms=(77_777.0,))
STAFF = Column("staff", "integer", 0, 10**6, grid="log")
SHARE = Column("share", "numeric", 0, 1, decimals=2)
QUESTIONS = tuple(map(Estimand.parse, ("hill(pay)", "top(pay, 0.01)", "quantile(pay, 0.5)", "mean(staff)")))


def pareto(index: float, n: int = 40_000) -> np.ndarray:
    return np.round(1000 * (1 - (np.arange(n) + 0.5) / n) ** (-1 / index), 2)


def reference() -> Reference:
    table = {"pay": pareto(2.0), "staff": np.rint(pareto(2.0) / 100), "share": np.full(40_000, 0.5)}
    tails = doubted_tails(Schema((PAY, STAFF, SHARE), "firm"), QUESTIONS, table)
    return Reference(tails, QUESTIONS, table, estimates_on(table, QUESTIONS))


@pytest.mark.parametrize("power", [0.6, 1.0, 1.5])
def test_a_stretched_tail_has_another_index_and_the_same_body(power: float) -> None:
    values = pareto(2.0)
    start = float(np.quantile(values, 0.95))
    found = Tail(replace(PAY, atoms=()), start).stretched(values, power)
    assert np.array_equal(found[values <= start], values[values <= start])
    assert np.all(np.diff(found) >= 0)
    assert hill_index(found) == pytest.approx(0.5 * power, rel=0.02)


def test_missing_values_atoms_bounds_and_types_are_kept() -> None:
    table = pa.table(
        {
            "pay": pa.array([1.0, None, 77_777.0, 5e8, 2e4]),
            "staff": pa.array([1, 2, 3, 900_000, 40], pa.int64()),
        }
    )
    tails = (Tail(PAY, 1e4), Tail(STAFF, 10.0))
    made = stretch_table(table, tails, [2.0, 1.5])
    assert made.schema == table.schema
    assert made["pay"].to_pylist() == [1.0, None, 77_777.0, 1e9, 4e4]
    assert made["staff"].to_pylist() == [1, 2, 3, 10**6, 80]


def test_tails_of_log_scaled_columns_that_are_asked_for_are_doubted() -> None:
    table = {"pay": pareto(2.0), "staff": pareto(2.0), "share": np.full(40_000, 0.5)}
    schema = Schema((PAY, STAFF, SHARE), "firm")

    def doubted(schema: Schema, *texts: str) -> list[str]:
        return [tail.column.name for tail in doubted_tails(schema, [*map(Estimand.parse, texts)], table)]

    assert doubted(schema, "gini(pay)", "mean(share)", "share ~ staff") == ["pay"]
    assert doubted_tails(schema, [Estimand.parse("gini(pay)")], table, frozenset({"pay"})) == ()
    part = replace(PAY, name="share", atoms=(), missing=False)
    rules = replace(schema, columns=(replace(PAY, atoms=()), STAFF, part))
    tied = replace(rules, inequalities=(Inequality("share", "pay"),))
    assert doubted(tied, "gini(pay)", "gini(staff)") == ["staff"]
    bound = replace(rules, columns=(replace(PAY, missing=False, atoms=()), STAFF, part))
    bound = replace(bound, columns=(*bound.columns, replace(part, name="rest")))
    bound = replace(bound, identities=(Identity("pay", ("share", "rest")),))
    assert doubted(bound, "gini(pay)") == []
    assert doubted(replace(schema, columns=(PAY, replace(STAFF, heaps=(10.0,)), SHARE)), "mean(staff)") == []


def test_what_is_told_of_a_tail_is_no_error_and_what_is_not_told_is_all_of_it() -> None:
    known = reference()
    place = [estimand.text for estimand in QUESTIONS].index("hill(pay)")
    told, untold = [], []
    for seed in range(60):
        powers = known.powers(seed)
        tails = zip(known.tails, powers, strict=True)
        table = {
            **known.table,
            **{t.column.name: t.stretched(known.table[t.column.name], p) for t, p in tails},
        }
        told.append(known.moved_back(estimates_on(table, QUESTIONS), powers))
        untold.append(known.moved_back(known.said.copy(), powers))
    assert np.array(told) == pytest.approx(np.tile(known.said, (60, 1)), rel=1e-9)
    reruns = np.array(untold)[:, place]
    assert np.log(reruns).std() == pytest.approx(SPREAD, rel=0.2)
    honest = corrected_on("log", 0.5, known.said[place], reruns, 0.95)
    assert honest.low < 0.5 * np.exp(-1.5 * SPREAD) and honest.high > 0.5 * np.exp(1.5 * SPREAD)
    assert np.array(untold)[:, 2] == pytest.approx(np.full(60, known.said[2]))  # a median has no tail


def test_figures_that_a_link_cannot_hold_are_shifted_as_they_are() -> None:
    one, two, three = (np.array([value]) for value in (0.5, 0.2, 0.4))
    assert shifted("identity", one, two, three)[0] == pytest.approx(0.7)
    assert shifted("log", -one, two, three)[0] == pytest.approx(-0.3)
    odds = shifted("logit", one, two, three)[0]
    assert odds / (1 - odds) == pytest.approx(4 * 2 / 3)
