"""Shapes of claims and amounts that ruined totals: counts with amounts, rare amounts, zeros, round figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from benchmarks.business import business_schema, business_table
from quantail.schema import Column, Schema

Draw = Callable[[int, np.random.Generator], pa.Table]


@dataclass(frozen=True)
class HeavyShape:
    """A table whose totals matter: its law, its public facts, and the columns that are summed up."""

    draw: Draw
    schema: Schema
    heavy: tuple[str, ...]

    def frame(self, n: int, rng: np.random.Generator) -> pa.Table:
        """Draw n rows of the schema's columns."""
        return self.draw(n, rng).select(list(self.schema.names))


def count_with_amount(n: int, rng: np.random.Generator) -> pa.Table:
    """Draw claims per policy, 1 and more, and their amounts."""
    claims = np.minimum(1 + rng.poisson(rng.gamma(0.3, 0.4, n)), 100)
    return pa.table({"claims": claims, "amount": np.round(claims * _amounts(n, rng), 2)})


def rare_amount(n: int, rng: np.random.Generator) -> pa.Table:
    """Draw policies, a ninth of them with a claim; the others have no amount."""
    age = np.clip(np.round(rng.gamma(9.0, 5.0, n)), 18, 99).astype(np.int64)
    missing = rng.random(n) > 0.11
    return pa.table({"age": age, "amount": pa.array(np.round(_amounts(n, rng), 2), mask=missing)})


def zero_inflated(n: int, rng: np.random.Generator) -> pa.Table:
    """Draw policies with their cover and the sum of their claims, zero in four of five."""
    cover = np.round(rng.lognormal(11.0, 0.8, n), 2)
    paid = np.where(rng.random(n) < 0.2, np.round(cover**0.4 * _amounts(n, rng) / 80, 2), 0.0)
    return pa.table({"cover": cover, "paid": paid})


def heaped(n: int, rng: np.random.Generator) -> pa.Table:
    """Draw amounts as people report them: in thousands, in hundreds, or to the cent."""
    amount = rng.lognormal(8.0, 1.4, n)
    kind = rng.random(n)
    rounded = np.where(kind < 0.4, np.ceil(amount / 1000) * 1000, np.ceil(amount / 100) * 100)
    years = np.clip(rng.poisson(4 + np.log(amount)), 0, 60)
    return pa.table({"years": years, "amount": np.where(kind < 0.7, rounded, np.round(amount, 2))})


def _amounts(n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw claims: a lognormal body, one in twelve with a Pareto tail."""
    large = 4_000 * (rng.pareto(1.6, n) + 1)
    return np.where(rng.random(n) < 1 / 12, large, rng.lognormal(7.0, 0.9, n))


def _amount(
    name: str,
    upper: float = 1e9,
    missing: bool = False,
    atoms: tuple[float, ...] = (),
    decimals: int | None = 2,
) -> Column:
    return Column(
        name,
        "numeric",
        0,
        upper,
        grid="log",
        decimals=decimals,
        missing=missing,
        atoms=atoms,
        source="contract",
    )


def _claims_schema(*columns: Column) -> Schema:
    return Schema(columns, "policy", name="claims")


_COUNT = Column("claims", "integer", 1, 100, grid="log", source="contract")
_AGE = Column("age", "integer", 18, 99, source="contract")
_YEARS = Column("years", "integer", 0, 60, source="contract")

HEAVY_SHAPES: dict[str, HeavyShape] = {
    "business": HeavyShape(
        business_table, business_schema(), ("employees", "payroll", "turnover", "exports")
    ),
    "identity": HeavyShape(
        business_table, business_schema(identity=True), ("payroll", "wages", "contributions")
    ),
    "count": HeavyShape(count_with_amount, _claims_schema(_COUNT, _amount("amount")), ("claims", "amount")),
    "rare": HeavyShape(rare_amount, _claims_schema(_AGE, _amount("amount", missing=True)), ("amount",)),
    "zeros": HeavyShape(
        zero_inflated, _claims_schema(_amount("cover"), _amount("paid", atoms=(0.0,))), ("cover", "paid")
    ),
    "undeclared": HeavyShape(
        zero_inflated, _claims_schema(_amount("cover"), _amount("paid")), ("cover", "paid")
    ),
    "heaped": HeavyShape(heaped, _claims_schema(_YEARS, _amount("amount")), ("amount",)),
}
