"""The public facts of a release, as objects: what a card, a report and a saved model state about it.

Budgets are exact fractions here; they become text only where they are printed or saved (`to_dict`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from quantail.privacy import Definition, Plan, Terms, as_decimal, epsilon_from
from quantail.schema import Neighbours, Schema


class OnTerms:
    """What was made on terms that were agreed on beforehand, which say how."""

    terms: Terms

    @property
    def definition(self) -> Definition:
        """Which differential privacy: "pure" or "zcdp"."""
        return self.terms.definition

    @property
    def method(self) -> str:
        """How columns are modelled."""
        return self.terms.method

    @property
    def version(self) -> str:
        """Version of the software that made it."""
        return self.terms.version


@dataclass(frozen=True)
class Facts(OnTerms):
    """What is public about a release.

    Examples
    --------
    >>> from quantail.examples import paper_schema, paper_split
    >>> from quantail.table import TableSynthesizer
    >>> import pyarrow as pa
    >>> rows = pa.table(paper_split(1)[0])
    >>> facts = TableSynthesizer(paper_schema(), "1/3", noise="simulated", seed=1).fit(rows).facts()
    >>> facts.epsilon, facts.epsilon_text
    (Fraction(1, 3), '0.333333333333 (1/3)')
    """

    schema: Schema  # what is public about the table or panel
    plan: Plan  # how the budget was spent
    terms: Terms  # what was agreed on beforehand; `terms.hash()` is the plan hash of the ledger and the card
    epsilon: Fraction  # the whole budget, of all fits together
    delta: Fraction | None  # under zCDP only
    private: bool  # whether the noise was secure
    size: int  # rows of the table, or units of the panel (public, or released under add/remove)
    # what was asked about relations between columns, what was found, and what was lost, in words
    relations: tuple[str, ...] = ()

    @property
    def neighbours(self) -> Neighbours:
        """Which tables differ in one unit."""
        return self.schema.neighbours

    @property
    def unit(self) -> str:
        """What is protected, in words."""
        return self.schema.unit

    @property
    def plan_hash(self) -> str:
        """The hash of the terms."""
        return self.terms.hash()

    @property
    def epsilon_text(self) -> str:
        """The budget as a decimal number, with its fraction where that is not exact."""
        return as_decimal(self.epsilon)

    @property
    def delta_text(self) -> str:
        """Delta as a decimal number; empty under pure epsilon-DP."""
        return "" if self.delta is None else str(float(self.delta))

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as plain JSON values."""
        return {
            "epsilon": self.epsilon_text,
            "delta": self.delta_text,
            "definition": self.definition,
            "neighbours": self.neighbours,
            "unit": self.unit,
            "schema": self.terms.schema,
            "plan": self.plan.to_dict(),
            "terms": self.terms.to_dict(),
            "plan_hash": self.plan_hash,
            "method": self.method,
            "version": self.version,
            "private": self.private,
            "rows" if self.schema.panel is None else "units": self.size,
        }


def facts_of_fits(fits: Sequence[Facts]) -> Facts:
    """Return the facts of several fits of one table or panel: their costs add up."""
    first = fits[0]
    if len(fits) == 1:
        return first
    plan = plan_of_fits([one.plan for one in fits])
    epsilon = plan.cost if first.delta is None else epsilon_from(plan.cost, first.delta)
    return replace(first, plan=plan, epsilon=epsilon)


def plan_of_fits(plans: Sequence[Plan]) -> Plan:
    """Return the plan of several fits of one table or panel: costs add up."""
    if len(plans) == 1:
        return plans[0]
    numbered = [replace(plan, name=f"fit {number}") for number, plan in enumerate(plans, start=1)]
    return Plan.sequence(f"{len(plans)} fits", numbered, "each with noise of its own")
