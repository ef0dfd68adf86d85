"""A model that states its public facts, without having been fitted to anything."""

from fractions import Fraction

import pytest

from quantail.privacy import Plan, Terms
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
        terms = Terms(SCHEMA.to_toml(), 10, "1/3", "", definition, "ladder", version="9.9.9")
        self.stated = {
            "schema": SCHEMA.to_toml(),
            "plan": self.plan.to_dict(),
            "epsilon": "0.333333333333 (1/3)",
            "delta": "1/1000000" if unit == "rho" else None,
            "definition": definition,
            "method": "ladder",
            "version": "9.9.9",
            "private": private,
            "terms": terms.to_dict(),
            "plan_hash": terms.hash(),
        }

    def facts(self):
        return self.stated


@pytest.fixture
def stated():
    return StatedModel
