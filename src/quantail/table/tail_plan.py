"""Which columns are asked for the sum of their tail: decided from the schema, the rows and the budget alone."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from quantail.privacy import Definition, Plan, geometric_strength, split
from quantail.schema import Column, Schema, core_of
from quantail.table.tuning import (
    AMPLE_TAIL_SIGNAL,
    FEW_VALUES,
    LEAST_TAIL_SIGNAL,
    TAIL_SHARE,
    WITH_ATOMS,
    WITH_MISSING,
)


@dataclass(frozen=True)
class Tails:
    """The sums that are asked: a leaf of the plan for every column that has one."""

    leaves: dict[str, Plan] = field(default_factory=dict)

    @property
    def cost(self) -> Fraction:
        """What all of them cost."""
        return sum((leaf.cost for leaf in self.leaves.values()), Fraction(0))

    def joined(self, plan: Plan) -> Plan:
        """Return the plan of a fit with the sums added to it."""
        if not self.leaves:
            return plan
        name = "tails"
        while any(child.name == name for child in plan.children):  # a column may be called so
            name += "'"
        own = Plan.sequence(name, list(self.leaves.values()), "sums above high quantiles")
        return Plan.sequence(plan.name, [*plan.children, own], plan.note)


def plan_tails(schema: Schema, rows: int, cost: Fraction, definition: Definition) -> Tails:
    """Return the sums that are worth asking: of heavy columns, the first one with half of what all may cost."""
    core = core_of(schema)
    heavy = [column for column in core.schema.columns if _is_heavy(column)]
    unit: Literal["epsilon", "rho"] = "epsilon" if definition == "pure" else "rho"
    while heavy:
        weights = [len(heavy) - 1 or 1] + [1] * (len(heavy) - 1)
        parts = [min(part, _ample(rows, definition)) for part in split(cost * TAIL_SHARE, weights)]
        expected = [expected_present(schema, column.name) for column in heavy]
        strengths = [float(geometric_strength(part, definition)) for part in parts]
        if all(rows * p * s >= LEAST_TAIL_SIGNAL for p, s in zip(expected, strengths, strict=True)):
            note = "the sum above a high quantile, cut"
            leaves = [Plan.leaf(c.name, part, note, unit) for c, part in zip(heavy, parts, strict=True)]
            return Tails(dict(zip((column.name for column in heavy), leaves, strict=True)))
        heavy.pop()
    return Tails()


def expected_present(schema: Schema, name: str) -> float:
    """Return the share of rows that is expected to have a number, before anything is known."""
    if name not in schema.names:
        return 1.0
    column = schema.column(name)
    missing = column.missing or column.missing_codes
    return (WITH_MISSING if missing else 1.0) * (WITH_ATOMS if column.atoms else 1.0)


def _is_heavy(column: Column) -> bool:
    """Say whether a column is one whose total its tail decides: a log grid, one-sided, of many values."""
    if column.grid != "log" or column.public or column.lower is None or column.upper is None:
        return False
    return column.lower >= 0 and (column.upper - column.lower) / column.lattice > FEW_VALUES


def _ample(rows: int, definition: Definition) -> Fraction:
    strength = Fraction(AMPLE_TAIL_SIGNAL) / max(rows, 1)
    return strength if definition == "pure" else strength**2 / 2
