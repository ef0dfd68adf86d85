"""Sizes follow sizes: slopes between log-scaled numbers of wide tables, where they are cheap."""

from dataclasses import replace

import numpy as np
import pyarrow as pa

from quantail.privacy import Plan
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

SIZE = Column("size", "numeric", 0, 1e12, grid="log", decimals=2)


def wide(heavy: int, flags: int) -> Schema:
    kinds = [Column(f"k{k}", "category", categories=("a", "b")) for k in range(flags)]
    return Schema((*kinds, *(replace(SIZE, name=f"x{k}") for k in range(heavy))), "firm")


def slopes(schema: Schema, rows: int) -> list[str]:
    plan = TableSynthesizer(schema, 1, method="tables").plan(rows)
    assert isinstance(plan, Plan)

    def found(part: Plan, path: str) -> list[str]:
        own = [path] if part.name.startswith("slope") else []
        return own + [
            name for child in part.children for name in found(child, f"{path} {child.name}".strip())
        ]

    return found(plan, "")


def test_a_wide_table_asks_for_slopes_on_the_three_sizes_before() -> None:
    asked = slopes(wide(5, 7), 60_000)
    assert [name.split(" slope on ")[1] for name in asked if " x4 " in f"{name} "] == ["x1", "x2", "x3"]
    assert not [name for name in asked if " x0 " in f"{name} ".split(" slope on ")[0]]


def test_slopes_that_would_starve_the_rounds_are_not_asked() -> None:
    assert not slopes(wide(5, 7), 5000)
    assert not slopes(wide(25, 0), 20_000)


def test_large_units_are_large_in_all_their_sizes() -> None:
    rng = np.random.default_rng(1)
    n, schema = 30_000, wide(3, 8)
    first = 1000 * (rng.pareto(1.3, n) + 1)
    sizes = [first, first * rng.lognormal(1, 0.3, n), first * rng.lognormal(2, 0.3, n)]
    labels = {f"k{k}": np.where(rng.random(n) < 0.4, "a", "b") for k in range(8)}
    table = pa.table(labels | {f"x{k}": np.round(x, 2) for k, x in enumerate(sizes)})
    made = TableSynthesizer(schema, 1, method="tables", noise="simulated", seed=1).fit(table).sample(seed=1)
    for k in (1, 2):
        one, other = (np.log(made[name].to_numpy()) for name in ("x0", f"x{k}"))
        largest = one >= np.quantile(one, 0.99)
        # In the top cell of a table alone they would be as if independent there.
        assert np.corrcoef(one[largest], other[largest])[0, 1] > 0.6
