"""What a notebook shows of a plan and of a ledger: what is asked and what it costs, what was spent and what is left."""

from fractions import Fraction
from typing import TYPE_CHECKING

from quantail.errors import LedgerError
from quantail.notebook import counted, short, shown
from quantail.privacy.budget import Plan, as_decimal, collapsed, share_text
from quantail.visible import visible

if TYPE_CHECKING:
    from quantail.privacy.ledger import Ledger

_LAST = 20  # records of a ledger that are shown


def plan_html(plan: Plan) -> str:
    """Return a plan as HTML: the tree, with many groups of one shape drawn as one."""
    rows = _tree(plan, plan.cost, 0)
    told = f"{as_decimal(plan.cost)} {plan.unit}, {counted(len(plan.leaves()), 'question')}"
    head = ("part", plan.unit, "share", "what is asked")
    remarks = ["print(plan.render()) draws the whole tree."]
    return shown(f"Plan of {plan.name}: {told}", (), head, rows, remarks)


def _tree(node: Plan, whole: Fraction, depth: int) -> list[tuple[str, ...]]:
    own = (" " * depth + node.name, f"{float(node.cost):.4g}", share_text(node.cost, whole), node.note)
    return [own, *(row for child in collapsed(node) for row in _tree(child, whole, depth + 1))]


def ledger_html(ledger: "Ledger") -> str:
    """Return a ledger as HTML: what was spent, and its last records; the file is read for it."""
    title, place = f"Ledger of {ledger.dataset}", ("file", str(ledger.path))
    try:
        entries, limit, spent = ledger.entries(), ledger.limit, ledger.spent
    except LedgerError as error:
        return shown(title, [place], warning=str(error))
    facts = [
        (f"spent ({ledger.unit})", as_decimal(spent)),
        ("left", as_decimal(limit - spent)),
        ("limit", as_decimal(limit)),
        place,
    ]
    became = {entry.refers: entry.status for entry in entries if entry.kind == "mark"}
    rows = [
        (
            str(entry.number),
            entry.time,
            entry.kind,
            "" if entry.amount is None else as_decimal(entry.amount),
            entry.purpose,
            became.get(entry.number, ""),
        )
        for entry in entries
        if entry.kind != "mark"
    ]
    head = ("record", "time (UTC)", "kind", "amount", "purpose", "became")
    before = len(rows) - _LAST
    remarks = [f"{counted(before, 'earlier record')}: see ledger.entries()"] if before > 0 else []
    return shown(title, facts, head, rows[-_LAST:], remarks)


def ledger_line(ledger: "Ledger") -> str:
    """Return a ledger as one line, without reading its file."""
    return f"<{type(ledger).__name__} of {short(ledger.dataset)} in {ledger.unit}, at {visible(str(ledger.path))}>"


def plan_line(plan: Plan) -> str:
    """Return a plan as one line."""
    questions = counted(len(plan.leaves()), "question")
    return f"<Plan {short(plan.name)}: {as_decimal(plan.cost)} {plan.unit}, {questions}; print(plan.render()) draws it>"
