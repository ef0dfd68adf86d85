"""What will be asked of a table, drawn up once and handed down: a design for groups that are fitted together."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from quantail.privacy import Plan
from quantail.table.methods import AnyDesign
from quantail.table.rows import GroupKey

Pool = tuple[GroupKey, ...]
"""Groups that are fitted together."""


@dataclass(frozen=True)
class GroupedDesign:
    """The designs of all groups, and the budget plan that they make."""

    sizes: Mapping[GroupKey, int]  # rows of every group: public, or released under add/remove
    designs: Mapping[Pool, AnyDesign]  # a design for each pool of groups
    counting: Plan | None  # the leaf that pays for the sizes, under add/remove
    by_groups: bool  # whether the table has groups

    @cached_property
    def plan(self) -> Plan:
        """The whole budget."""
        plans = [design.plan for design in self.designs.values()]
        body = Plan.parallel("groups", plans) if self.by_groups else plans[0]
        return body if self.counting is None else Plan.sequence("release", [self.counting, body])

    def only(self, pool: Pool) -> "GroupedDesign":
        """Keep one pool, for a worker that fits nothing else."""
        return replace(self, sizes={key: self.sizes[key] for key in pool}, designs={pool: self.designs[pool]})
