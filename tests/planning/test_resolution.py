"""What a plan is said to buy is what a fit releases."""

from dataclasses import replace

import numpy as np
import pytest

from quantail.planning import read_shape, simulate_table
from quantail.planning.resolution import resolutions
from quantail.schema import Column
from quantail.table import TableSynthesizer

CELLS = {"region": 2, "jobs": 5001, "pay": 1_000_001}


def seen(schema, rows, epsilon, **options):
    plan = TableSynthesizer(schema, epsilon, **options).plan(rows)
    return {part.column: part for part in resolutions(plan, rows, schema.neighbours, CELLS)}


@pytest.mark.parametrize("epsilon", [0.1, 1, 30])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_quantiles_are_those_of_the_fitted_model(mixed_schema, epsilon, neighbours):
    schema = replace(mixed_schema, neighbours=neighbours)
    table = simulate_table(schema, 400, read_shape("pareto"), np.random.default_rng(1))
    model = TableSynthesizer(schema, epsilon, noise="simulated", seed=4).fit(table)
    plan = TableSynthesizer(schema, epsilon).plan(model.rows)
    expected = seen(schema, model.rows, epsilon)
    for column in model.groups[0].columns[1:]:
        assert len(column.curve.levels) >= expected[column.name].quantiles
        if expected[column.name].quantiles > 1:  # a lone median gets two made-up neighbours
            assert len(column.curve.levels) == expected[column.name].quantiles
    body = plan if neighbours == "replace-one" else plan.children[-1]
    rounds = [float(part.cost) for part in body.children if part.name == "rounds"]
    shares = sum(part.share for part in expected.values()) + sum(rounds) / float(plan.cost)
    assert shares == pytest.approx(1, abs=0.021)


def test_noise_is_the_scale_that_the_proofs_state(mixed_schema):
    plan = TableSynthesizer(mixed_schema, 1).plan(400)
    draw = plan.find("pay/curve").leaves()[-1]
    assert seen(mixed_schema, 400, 1)["pay"].noise == pytest.approx(4 / float(draw.cost))
    count = plan.find("region/count")
    assert seen(mixed_schema, 400, 1)["region"].noise == pytest.approx(2 / float(count.cost))


def test_a_category_is_seen_by_its_own_count_and_not_by_that_in_a_table(mixed_schema):
    labels = Column("kind", "category", categories=("a", "b"))
    wide = replace(mixed_schema, columns=(*mixed_schema.columns, labels))
    plan = TableSynthesizer(wide, 1).plan(20_000)
    parts = resolutions(plan, 20_000, "replace-one", {**CELLS, "kind": 2})
    assert parts[-1].noise == pytest.approx(2 / float(plan.find("columns/kind/count").cost))
    assert parts[-1].quantiles == 2


def test_add_remove_halves_the_noise_of_the_same_leaf(pay_schema):
    both = []
    for neighbours in ("replace-one", "add-remove"):
        schema = replace(pay_schema, neighbours=neighbours)
        plan = TableSynthesizer(schema, 1).plan(400)
        (part,) = resolutions(plan, 400, neighbours, {"pay": 10**8})
        both.append(part.noise)
    assert both[1] == pytest.approx(both[0] / 2 / 0.98)  # 2% pay for the number of rows


def test_an_order_of_the_paper_has_its_own_quantiles(pay_schema):
    plan = TableSynthesizer(pay_schema, 1, method="kng").plan(500)
    (part,) = resolutions(plan, 500, "replace-one", {"pay": 10**8})
    assert part.quantiles == 49 and part.noise == pytest.approx(2 * 49)


def test_zcdp_is_read_in_its_own_unit(pay_schema):
    plan = TableSynthesizer(pay_schema, 1, definition="zcdp", delta=1e-6).plan(500)
    (part,) = resolutions(plan, 500, "replace-one", {"pay": 10**8})
    draw = plan.find("pay/curve").leaves()[-1]
    assert part.noise == pytest.approx(4 / np.sqrt(8 * float(draw.cost)))
