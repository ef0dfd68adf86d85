"""Exact privacy budgets: amounts, splits and the plan tree.

Every amount is a ``fractions.Fraction``, so that nothing is gained or lost by rounding. A plan is drawn up
from public facts alone, before any data are read: costs add up in sequence, and are shared in parallel.
zCDP amounts are converted in `zcdp.py`.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, Inexact
from fractions import Fraction
from itertools import groupby
from numbers import Integral
from typing import Any, Literal, Self, get_args

from quantail.errors import BudgetError
from quantail.visible import visible

Compose = Literal["sum", "max"]
Unit = Literal["epsilon", "rho"]
_COMPOSE, _UNIT = get_args(Compose), get_args(Unit)

LEAST_EPSILON, MOST_EPSILON = Fraction(1, 10**5), Fraction(10**9)
"""What the epsilon of a release may be: below, answers are noise alone; above, nothing is protected."""

_NUMBER = re.compile(r"[0-9]{1,40}(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,2})?|\.[0-9]{1,40}|[0-9]+/[0-9]+")
_SHARES = 1000  # weights are rounded to thousandths
_COLLAPSE_FROM = 5  # parallel groups of one shape are drawn as one from this many on


def _exact(value: object) -> Fraction:
    """Turn a number or its text into the fraction that a reader would write down for it."""
    if isinstance(value, bool):
        raise ValueError("a truth value is not a number")
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Integral):
        return Fraction(int(value))
    if isinstance(value, float):
        return Fraction(
            float.__repr__(value)
        )  # the shortest decimal: 0.1 is 1/10; NaN and infinity fail here
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        return Fraction(value.strip())
    raise ValueError("not a number")


def parse_amount(value: int | float | str | Fraction, name: str) -> Fraction:
    """Read a positive number exactly; a float stands for its shortest decimal.

    Parameters
    ----------
    value : int, float, str or Fraction
        A positive, finite amount, for instance ``1``, ``0.25``, ``"0.25"`` or ``"1/3"``.
    name : str
        What the amount is called in an error.

    Examples
    --------
    >>> parse_amount(0.1, "delta"), parse_amount("1/3", "delta")
    (Fraction(1, 10), Fraction(1, 3))
    """
    try:
        amount = _exact(value)
    except (ValueError, ZeroDivisionError):
        amount = Fraction(0)
    if amount <= 0:
        shown = repr(value) if len(repr(value)) <= 60 else "what was given"
        raise BudgetError(
            f"{name} must be a positive, finite number, not {shown}. "
            'Write for instance 1, 0.25 or "1/3"; smaller means more private.'
        )
    return amount


def parse_epsilon(value: int | float | str | Fraction, name: str = "epsilon") -> Fraction:
    """Read the budget of a release exactly, as `parse_amount` does, and refuse one that nobody can mean.

    Examples
    --------
    >>> parse_epsilon("0.25")
    Fraction(1, 4)
    """
    amount = parse_amount(value, name)
    if not LEAST_EPSILON <= amount <= MOST_EPSILON:
        raise BudgetError(
            f"{name} must lie between {as_decimal(LEAST_EPSILON)} and {as_decimal(MOST_EPSILON)}: a smaller one "
            "buys nothing but noise, a larger one protects nobody. Usual ones lie between 0.1 and 10."
        )
    return amount


def as_decimal(value: Fraction) -> str:
    """Write an amount as a decimal, followed by the fraction itself where the decimal is not exact.

    Examples
    --------
    >>> as_decimal(Fraction(1, 4)), as_decimal(Fraction(1, 3))
    ('0.25', '0.333333333333 (1/3)')
    """
    context = Context(prec=12)
    text = str(context.divide(Decimal(value.numerator), Decimal(value.denominator)))
    if not context.flags[Inexact]:
        return text
    return f"{text} ({value})" if len(str(value)) <= 40 else f"about {text}"


def split(total: Fraction, weights: Sequence[Fraction | int | float]) -> tuple[Fraction, ...]:
    """Share out a budget in proportion to weights: positive parts that sum to the total exactly.

    Weights in a ratio of small whole numbers (sum at most 1000) are followed exactly. Others are rounded
    to thousandths of their sum, at least one each, and what is over or missing goes to the largest; with very
    many parts finer steps are taken, so that this correction stays within a twentieth of the largest part.

    Examples
    --------
    >>> split(Fraction(1), [0.5, 0.25, 0.25])
    (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
    """
    total = parse_amount(total, "the budget to split")
    exact = [parse_amount(weight, f"weight {place}") for place, weight in enumerate(weights, 1)]
    if not exact:
        raise BudgetError("A budget cannot be split into no parts: give at least one weight.")
    scale = math.lcm(*(weight.denominator for weight in exact))
    ratio = [int(weight * scale) for weight in exact]
    ratio = [whole // math.gcd(*ratio) for whole in ratio]
    steps = sum(ratio)
    if steps > _SHARES:
        ratio, steps = _rounded_shares(ratio)
    return tuple(Fraction(total.numerator * whole, total.denominator * steps) for whole in ratio)


def _rounded_shares(ratio: list[int]) -> tuple[list[int], int]:
    weight_sum, largest = sum(ratio), ratio.index(max(ratio))
    steps = _SHARES
    while True:
        shares = [max(1, round(Fraction(whole * steps, weight_sum))) for whole in ratio]
        correction = steps - sum(shares)
        if 20 * abs(correction) <= shares[largest]:
            shares[largest] += correction
            return shares, steps
        steps *= 10


@dataclass(frozen=True)
class Plan:
    """A node of the budget tree: a private question, or a group of questions and how their costs compose."""

    name: str  # what is asked, unique among its siblings
    cost: Fraction  # what the node may spend in all; its children's total never exceeds it
    children: tuple["Plan", ...] = ()  # the parts; a leaf has none
    # "sum": asked one after another, costs add up. "max": asked of disjoint rows, the largest cost counts; whoever
    # draws up the plan answers for a row that moves from one part to another.
    compose: Compose = "sum"
    note: str = ""  # public facts only: quantiles, candidates, sensitivity, noise in ranks
    unit: Unit = "epsilon"  # pure DP or zCDP; one unit throughout a tree

    def __post_init__(self) -> None:
        """Check the node; its children have checked themselves."""
        object.__setattr__(self, "children", tuple(self.children))
        if not isinstance(self.name, str) or not self.name:
            raise BudgetError("A part of a budget plan has no name: give it one.")
        if isinstance(self.cost, int) and not isinstance(self.cost, bool):
            object.__setattr__(self, "cost", Fraction(self.cost))
        if not isinstance(self.cost, Fraction) or self.cost < 0:
            raise BudgetError(
                f"Plan part {self.name!r}: the cost must be an exact Fraction that is not negative."
            )
        if self.compose not in _COMPOSE or self.unit not in _UNIT:
            raise BudgetError(
                f'Plan part {self.name!r}: compose is "sum" or "max", unit is "epsilon" or "rho".'
            )
        if any(child.unit != self.unit for child in self.children):
            raise BudgetError(
                f"Plan part {self.name!r} mixes epsilon and rho: use one unit throughout a plan."
            )
        if len({child.name for child in self.children}) < len(self.children):
            raise BudgetError(f"Plan part {self.name!r} has two children of one name: number them.")
        if self.children and self.committed > self.cost:
            raise BudgetError(
                f"Plan part {self.name!r} may spend {as_decimal(self.cost)}, but its children together "
                f"ask for {as_decimal(self.committed)} ({self.compose}): lower theirs or raise its cost."
            )

    @classmethod
    def leaf(cls, name: str, cost: Fraction, note: str = "", unit: Unit = "epsilon") -> Self:
        """Plan one private question."""
        return cls(name, cost, note=note, unit=unit)

    @classmethod
    def sequence(cls, name: str, children: Sequence["Plan"], note: str = "") -> Self:
        """Plan questions whose costs add up."""
        return cls._group(name, children, "sum", note)

    @classmethod
    def parallel(cls, name: str, children: Sequence["Plan"], note: str = "") -> Self:
        """Plan questions to disjoint rows, of which only the largest cost counts."""
        return cls._group(name, children, "max", note)

    @classmethod
    def _group(cls, name: str, children: Sequence["Plan"], compose: Compose, note: str) -> Self:
        if not children:
            raise BudgetError(
                f"Plan part {name!r} is a group without parts: give it children or leave it out."
            )
        cost = _total([child.cost for child in children], compose)
        return cls(name, cost, tuple(children), compose, note, children[0].unit)

    @property
    def committed(self) -> Fraction:
        """What the children ask for together (0 for a leaf)."""
        return _total([child.cost for child in self.children], self.compose)

    def leaves(self) -> tuple["Plan", ...]:
        """List the private questions, in the order of the tree."""
        if not self.children:
            return (self,)
        return tuple(leaf for child in self.children for leaf in child.leaves())

    def find(self, path: str) -> "Plan":
        """Get a part by the names that lead to it from here, for instance ``"pay/curve/draw"``."""
        found = self._descend(path)
        if found is None:
            names = ", ".join(repr(child.name) for child in self.children[:8]) or "nothing"
            more = ", ..." if len(self.children) > 8 else ""
            raise BudgetError(
                f"The plan has no part {path!r}; directly below {self.name!r} are: {names}{more}."
            )
        return found

    def _descend(self, path: str) -> "Plan | None":
        # A group may carry a slash in its name ("oil/gas"), so the path is matched name by name, not cut.
        for child in self.children:
            if path == child.name:
                return child
            if path.startswith(child.name + "/"):
                found = child._descend(path[len(child.name) + 1 :])
                if found is not None:
                    return found
        return None

    def to_dict(self) -> dict[str, Any]:
        """Give the tree as plain JSON values; costs are texts such as "1/3"."""
        children = [child.to_dict() for child in self.children]
        return {"name": self.name, "cost": str(self.cost), "unit": self.unit, "compose": self.compose} | {
            "note": self.note,
            "children": children,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read a tree written by `to_dict`; every node is checked anew."""
        try:
            children = tuple(cls.from_dict(child) for child in values["children"])
            cost = _exact(values["cost"])
            return cls(values["name"], cost, children, values["compose"], values["note"], values["unit"])
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise BudgetError(
                "This is not a saved budget plan, or it was altered: make the plan again."
            ) from error

    def __repr__(self) -> str:
        """Say in a line what is paid for."""
        from quantail.privacy.notebook import plan_line

        return plan_line(self)

    def _repr_html_(self) -> str:
        from quantail.privacy.notebook import plan_html

        return plan_html(self)

    def render(self) -> str:
        """Draw the tree as aligned text: part, cost, share of the whole, remarks."""
        rows = [("plan", self.unit, "share", ""), *_drawn(self, self.cost)]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            f"{part:<{widths[0]}}  {cost:<{widths[1]}}  {share:>{widths[2]}}  {remark}".rstrip()
            for part, cost, share, remark in rows
        )


def _total(costs: Sequence[Fraction], compose: Compose) -> Fraction:
    return sum(costs, Fraction(0)) if compose == "sum" else max(costs, default=Fraction(0))


def _drawn(
    node: Plan, whole: Fraction, branch: str = "", below: str = ""
) -> Iterator[tuple[str, str, str, str]]:
    cost = str(Context(prec=4).divide(Decimal(node.cost.numerator), Decimal(node.cost.denominator)))
    remarks = [visible(node.note)] if node.note else []
    if len(node.children) > 1 and node.compose == "max":
        remarks.append("disjoint rows share the cost")
    if node.children and node.committed < node.cost:
        remarks.append(f"{as_decimal(node.cost - node.committed)} held back")
    yield branch + visible(node.name), cost, share_text(node.cost, whole), "; ".join(remarks)
    shown = collapsed(node)
    for place, child in enumerate(shown, 1):
        twig, stem = ("└─ ", "   ") if place == len(shown) else ("├─ ", "│  ")
        yield from _drawn(child, whole, below + twig, below + stem)


def share_text(cost: Fraction, whole: Fraction) -> str:
    """Write a part of the budget in percent.

    Examples
    --------
    >>> share_text(Fraction(1, 8), Fraction(1))
    '12.5%'
    """
    share = cost / whole if whole else Fraction(0)
    return "<0.1%" if 0 < share < Fraction(1, 1000) else f"{float(100 * share):.1f}%"


def collapsed(node: Plan) -> list[Plan]:
    """Return the parts of a node to draw: many parallel groups of one shape are one, and so are numbered rounds."""
    if node.compose == "sum":
        return _rounds_as_one(node.children)
    alike: dict[object, list[Plan]] = {}
    for child in node.children:
        alike.setdefault(_shape(child), []).append(child)
    shown: list[Plan] = []
    for members in alike.values():
        if len(members) < _COLLAPSE_FROM:
            shown.extend(members)
        else:
            name = f"{members[0].name} … {members[-1].name} (x {len(members)} groups)"
            shown.append(replace(_merged(members), name=name))
    return shown


def _rounds_as_one(parts: Sequence[Plan]) -> list[Plan]:
    """Draw parts of one shape that only their numbers tell apart as one, with the cost of each."""
    shown: list[Plan] = []
    for _, run in groupby(parts, lambda part: (part.name.rstrip("0123456789"), part.note, _shape(part))):
        members = list(run)
        if len(members) < _COLLAPSE_FROM or not members[0].children:  # questions are drawn one by one
            shown.extend(members)
        else:
            name = f"{members[0].name} … {members[-1].name} (each of {len(members)})"
            shown.append(replace(_merged(members), name=name))
    return shown


def _shape(node: Plan) -> object:
    """Everything that groups must have in common to be drawn as one: all but their own name and the notes."""
    return node.cost, node.compose, tuple((child.name, _shape(child)) for child in node.children)


def _merged(members: list[Plan]) -> Plan:
    first = members[0]
    note = first.note if all(member.note == first.note for member in members) else "notes differ by group"
    parts = zip(*(member.children for member in members), strict=True)
    return replace(first, note=note, children=tuple(_merged(list(part)) for part in parts))
