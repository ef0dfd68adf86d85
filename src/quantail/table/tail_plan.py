"""Which columns are asked for the sum of their tail: decided from the schema, the rows and the budget alone."""

from fractions import Fraction

from quantail.privacy import Definition, Plan, count_epsilon, geometric_cost, split, unit_of
from quantail.schema import Column, Schema, core_of
from quantail.table.column_leaves import NOTHING, ColumnLeaves
from quantail.table.tuning import (
    AMPLE_TAIL_N_EPSILON,
    FEW_VALUES,
    LEAST_TAIL_N_EPSILON,
    TAIL_SHARE,
    WITH_ATOMS,
    WITH_MISSING,
)


def plan_tails(schema: Schema, rows: int, cost: Fraction, definition: Definition) -> ColumnLeaves:
    """Return the sums that are worth asking: of heavy columns, the first one with half of what all may cost."""
    core = core_of(schema)
    heavy = [column for column in core.schema.columns if _is_heavy(column)]
    while heavy:
        weights = [len(heavy) - 1 or 1] + [1] * (len(heavy) - 1)
        ample = geometric_cost(Fraction(AMPLE_TAIL_N_EPSILON) / max(rows, 1), definition)
        parts = [min(part, ample) for part in split(cost * TAIL_SHARE, weights)]
        expected = [expected_present(schema, column.name) for column in heavy]
        epsilons = [float(count_epsilon(part, definition)) for part in parts]
        if all(rows * p * s >= LEAST_TAIL_N_EPSILON for p, s in zip(expected, epsilons, strict=True)):
            note = "the sum above a high quantile, cut"
            unit = unit_of(definition)
            leaves = {
                c.name: Plan.leaf(c.name, part, note, unit) for c, part in zip(heavy, parts, strict=True)
            }
            return ColumnLeaves("tails", "sums above high quantiles", leaves)
        heavy.pop()
    return NOTHING


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
