"""Questions that some columns are asked beside the stages, each with a leaf of the plan: sums of tails, heaps."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from fractions import Fraction

from quantail.privacy import Plan


@dataclass(frozen=True)
class ColumnLeaves:
    """The leaves of one kind of question, by column."""

    # name, note: of the part of the plan that holds them
    name: str = ""
    note: str = ""
    leaves: dict[str, Plan] = field(default_factory=dict)

    @property
    def cost(self) -> Fraction:
        """What all of them cost."""
        return sum((leaf.cost for leaf in self.leaves.values()), Fraction(0))

    def without(self, names: Collection[str]) -> "ColumnLeaves":
        """Return the same questions to other columns alone."""
        left = {name: leaf for name, leaf in self.leaves.items() if name not in names}
        return replace(self, leaves=left) if left else NOTHING

    def joined(self, plan: Plan) -> Plan:
        """Return the plan of a fit with these questions added to it."""
        if not self.leaves:
            return plan
        name = self.name
        while any(child.name == name for child in plan.children):  # a column may be called so
            name += "'"
        own = Plan.sequence(name, list(self.leaves.values()), self.note)
        return Plan.sequence(plan.name, [*plan.children, own], plan.note)


NOTHING = ColumnLeaves()
