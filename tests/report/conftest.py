"""A model that states its public facts, without having been fitted to anything."""

from fractions import Fraction

import pytest

from quantail.privacy import Plan, Terms
from quantail.release.facts import Facts
from quantail.schema import Column, Schema

SCHEMA = Schema(
    columns=(
        Column("region", "category", categories=("north", "south | east"), source="code book"),
        Column("jobs", "integer", 0, 5000, grid="log", source="register"),
        Column("pay", "numeric", 0, 1e6, grid="log", decimals=2),
    ),
    unit="firm",
    by=("region",),
    name="payroll",
)


class StatedModel:
    def __init__(self, private=True, unit="epsilon", cost=Fraction(1, 3)):
        parts = [Plan.leaf(name, cost / 2, "9 rungs", unit) for name in ("jobs", "pay")]
        self.plan = Plan.sequence("table", parts)
        definition = "pure" if unit == "epsilon" else "zcdp"
        delta = Fraction(1, 10**6) if unit == "rho" else None
        terms = Terms(SCHEMA.to_toml(), 10, "1/3", str(delta or ""), definition, "tables", version="9.9.9")
        self.stated = Facts(SCHEMA, self.plan, terms, Fraction(1, 3), delta, private, 10)

    def facts(self):
        return self.stated


@pytest.fixture
def stated():
    return StatedModel
