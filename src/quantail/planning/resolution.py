"""What a plan buys for each column: released quantiles, and noise in ranks. Read off the plan; nothing is simulated.

The noise is the scale of what is added to a number of rows: an answer at level tau is off by about so many ranks. It
is 2 D / e for a joint draw of quantiles (D = 2 rows touched under replace-one, 1 under add/remove), 2 / e for one
quantile by itself, and D / e for a count, where e is the epsilon of the question (proofs/joint.md, orders.md and
counts.md in quantail/privacy).
"""

from dataclasses import dataclass

from quantail.curves.depth import quantile_levels
from quantail.privacy import Definition, Plan, Relation, cells_touched, count_epsilon, selection_epsilon


@dataclass(frozen=True)
class Resolution:
    """What a plan buys for one column."""

    column: str
    quantiles: int  # quantiles that are released; for what is counted, cells
    noise: float  # scale of the noise, in ranks (rows)
    share: float  # part of the whole budget


def resolutions(plan: Plan, rows: int, relation: Relation, cells: dict[str, int]) -> tuple[Resolution, ...]:
    """Read off what a plan of one table buys for each column.

    Parameters
    ----------
    plan : Plan
        Of a table without groups.
    cells : dict
        How many values or categories each column can take, for those that are counted.
    """
    body = plan if relation == "replace-one" else plan.children[-1]
    definition: Definition = "pure" if plan.unit == "epsilon" else "zcdp"
    found = []
    parts = _of_columns(body)
    others = [part for part in parts if part.name not in cells]  # sums of tails, each of one column
    sums = {leaf.name: leaf.cost for part in others for leaf in part.leaves()}
    for part in parts:
        if part.name not in cells:
            continue
        quantiles, noise = _seen(part, rows, relation, definition, cells[part.name])
        found.append(
            Resolution(part.name, quantiles, noise, float((part.cost + sums.get(part.name, 0)) / plan.cost))
        )
    return tuple(found)


def _of_columns(body: Plan) -> tuple[Plan, ...]:
    """Return the parts of a plan that belong to one column each, or to all tails: rounds belong to none."""
    first, *rest = body.children
    if first.name == "columns" and rest and rest[0].name == "rounds":
        return (*first.children, *rest[1:])
    return body.children


def _seen(part: Plan, rows: int, relation: Relation, definition: Definition, cells: int) -> tuple[int, float]:
    names = {child.name: child for child in part.children}
    touched = cells_touched(relation)
    if "median" in names:  # one of the paper's orders: a leaf for every quantile
        others = [leaf for child in part.children if child.name != "median" for leaf in child.leaves()]
        least = min(leaf.cost for leaf in others)
        return len(others) + 1, 2 / float(selection_epsilon(least, definition))
    last = names["curve"].leaves()[-1] if "curve" in names else names["count"]
    if last.name == "count":  # a category, or a column of few values
        return cells, touched / float(count_epsilon(last.cost, definition))
    epsilon = float(selection_epsilon(last.cost, definition))
    return quantile_levels(rows * epsilon).size, 2 * touched / epsilon
