"""Arithmetic that privacy rests on: whole scores, public candidates, and rounding that never favours the user.

docs/arithmetic.md says which published attack each of these closes.
"""

import math
from fractions import Fraction as F
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.auditing.replay import Replayed
from quantail.auditing.whole_tables import frame_of, neighbour_of, schema_of
from quantail.curves import joint
from quantail.privacy import Gate, Plan, count_epsilon, selection_epsilon, split
from quantail.privacy.gate import gaussian_scale, rounded_up
from quantail.privacy.noise import gaussian_measurement, geometric_measurement, noisy_max_measurement
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer
from quantail.table.stage_one import fitting

COSTS = st.fractions(F(1, 10**9), 10**4, max_denominator=10**12)


@given(COSTS, st.integers(1, 10**6))
def test_noise_scales_are_never_below_their_exact_value(cost: F, sensitivity: int) -> None:
    for epsilon in (cost, selection_epsilon(cost, "zcdp"), count_epsilon(cost, "zcdp")):
        exact = F(sensitivity) / epsilon
        scale = F(rounded_up(sensitivity, epsilon))
        assert exact <= scale <= exact * (1 + F(1, 2**38))


@given(COSTS)
def test_epsilons_under_zcdp_are_never_above_their_exact_value(cost: F) -> None:
    # An exponential mechanism of epsilon e costs e^2 / 8, a pure one e^2 / 2: squares, so no root is needed here.
    assert selection_epsilon(cost, "zcdp") ** 2 <= 8 * cost
    assert count_epsilon(cost, "zcdp") ** 2 <= 2 * cost
    assert selection_epsilon(cost, "pure") == count_epsilon(cost, "pure") == cost


@settings(max_examples=60, deadline=None)
@given(COSTS.filter(lambda cost: cost >= F(1, 10**6)), st.sampled_from([1, 2, 4]))
def test_opendp_never_counts_more_than_the_leaf(cost: F, sensitivity: int) -> None:
    for definition in ("pure", "zcdp"):
        chosen = noisy_max_measurement.__wrapped__(
            rounded_up(2 * sensitivity, selection_epsilon(cost, definition)), definition
        )
        assert F(chosen.map(sensitivity)) <= cost
        epsilon = count_epsilon(cost, definition)
        counted = geometric_measurement.__wrapped__(rounded_up(sensitivity, epsilon))
        assert F(counted.map(sensitivity)) <= epsilon
    touched = gaussian_measurement.__wrapped__(gaussian_scale(sensitivity, cost))
    assert F(touched.map(math.nextafter(math.sqrt(sensitivity), math.inf))) <= cost  # a histogram under zCDP
    added = gaussian_measurement.__wrapped__(rounded_up(sensitivity, count_epsilon(cost, "zcdp")))
    assert F(added.map(float(sensitivity))) <= cost  # a sum under zCDP


@settings(max_examples=25, deadline=None)
@given(
    st.fractions(F(1, 100), 50, max_denominator=10**9),
    st.integers(20, 10**6),
    st.integers(1, 6),
    st.sampled_from(["replace-one", "add-remove"]),
)
def test_the_leaves_of_a_plan_add_up_to_the_budget_exactly(
    epsilon: F, rows: int, columns: int, neighbours: Any
) -> None:
    # Shares are worked out in floating point; the amounts themselves are fractions.
    schema = Schema(
        tuple(Column(f"c{k}", "integer", 0, 10**k + 1, grid="log") for k in range(columns)),
        "firm",
        neighbours=neighbours,
    )
    plan = TableSynthesizer(schema, epsilon).plan(rows)
    assert sum(leaf.cost for leaf in plan.leaves()) == plan.cost == epsilon
    assert all(isinstance(leaf.cost, F) and leaf.cost > 0 for leaf in plan.leaves())
    assert sum(split(epsilon, [0.1, 0.2, 1 / 3, 1e-7])) == epsilon


class Spy(Gate):
    """A gate that keeps what it is asked: nothing but integers may reach it."""

    asked: list[np.ndarray[Any, Any]]

    def select(self, leaf: Plan, questions: Any) -> list[int]:
        self.asked += [question.scores for question in questions]
        return super().select(leaf, questions)

    def count(self, leaf: Plan, counts: Any, sensitivity: int) -> Any:
        self.asked.append(counts)
        return super().count(leaf, counts, sensitivity)

    def path(self, leaf: Plan, questions: Any) -> Any:
        self.asked += [part for q in questions for part in (q.counts, q.targets)]
        return super().path(leaf, questions)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("method", ["tables", "sandwich"])
def test_scores_and_counts_are_whole_numbers(relation: Any, method: str, monkeypatch) -> None:
    asked: list[np.ndarray[Any, Any]] = []
    monkeypatch.setattr(Spy, "asked", asked, raising=False)
    monkeypatch.setattr("quantail.privacy.source.Gate", Spy)
    schema = schema_of(relation, numbers_only=method != "tables")
    frame = frame_of(4)
    table = pa.table({name: frame[name] for name in schema.names})
    TableSynthesizer(schema, 60, method=method, noise="simulated", seed=1).fit(table)
    assert len(asked) > 5
    assert all(np.issubdtype(part.dtype, np.integer) for part in asked)


def test_released_quantiles_lie_on_candidates_that_a_neighbour_has_too(monkeypatch) -> None:
    drawn: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
    honest = joint.joint_quantiles

    def watched(gate: Any, leaf: Any, values: Any, grid: Any, *rest: Any, **options: Any) -> Any:
        quantiles = honest(gate, leaf, values, grid, *rest, **options)
        drawn.append((grid, quantiles))
        return quantiles

    monkeypatch.setattr(fitting, "joint_quantiles", watched)
    frame, maker = frame_of(4), TableSynthesizer(schema_of("replace-one"), 60)
    one = Replayed(1)
    maker._drawing_from(one.source()).fit(pa.table(frame))
    first = list(drawn)
    drawn.clear()
    other = maker._drawing_from(Replayed(1, one).source())
    other.fit(pa.table(neighbour_of(frame, 0, "replace-one")))
    assert len(first) == len(drawn) > 3
    for (grid, quantiles), (other_grid, other_quantiles) in zip(first, drawn, strict=True):
        assert np.isin(
            quantiles, grid
        ).all()  # to the last bit: which floats can occur does not depend on rows
        assert grid.tobytes() == other_grid.tobytes() and quantiles.tobytes() == other_quantiles.tobytes()


def test_synthetic_values_have_the_decimals_and_bounds_of_the_schema() -> None:
    columns = (Column("jobs", "integer", 0, 500, grid="log"), Column("pay", "numeric", 0, 1e6, decimals=2))
    rng = np.random.default_rng(2)
    table = pa.table({"jobs": rng.integers(0, 700, 300), "pay": rng.lognormal(9, 2, 300)})
    drawn = (
        TableSynthesizer(Schema(columns, "firm"), 5, noise="simulated", seed=1)
        .fit(table)
        .sample(2000, seed=1)
    )
    pay = drawn["pay"].to_numpy()
    assert np.array_equal(pay, np.round(pay, 2)) and pay.min() >= 0 and pay.max() <= 1e6
    assert pa.types.is_integer(drawn["jobs"].type) and drawn["jobs"].to_numpy().max() <= 500
