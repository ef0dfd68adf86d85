"""The card of an answer: what a reader may and must know, from public facts only."""

from datetime import UTC, datetime
from typing import Any

from quantail.answers.bounds import CANDIDATES, Bound
from quantail.answers.result import Quantiles
from quantail.privacy import as_decimal
from quantail.visible import visible

_PRIVATE = "Made from confidential rows under differential privacy. This card holds public facts only."
_NOT_PRIVATE = (
    "NOT PRIVATE. Made with simulated, seeded noise, for tests and experiments; it must not be released."
)


def answer_card(answer: Quantiles | Bound) -> dict[str, Any]:
    """Gather the public facts of released quantiles, or of a bound, as plain JSON values.

    Examples
    --------
    >>> from quantail import quantiles
    >>> from quantail.examples import payroll_example, payroll_schema
    >>> asked = {"schema": payroll_schema(), "noise": "simulated", "seed": 1}
    >>> answer_card(quantiles(payroll_example(500), "payroll", [0.5], 1, **asked))["promise"]["epsilon"]
    '1'
    """
    facts, entry = answer.facts(), answer.entry
    return {
        "title": f"{type(answer).__name__} of {answer.column}",
        "private": facts.private,
        "notice": _PRIVATE if facts.private else _NOT_PRIVATE,
        "date": datetime.now(UTC).date().isoformat(),
        "software": {"name": "quantail", "version": facts.version},
        "promise": {
            "definition": "pure differential privacy",
            "epsilon": facts.epsilon_text,
            "neighbours": facts.neighbours,
            "unit": facts.unit,
        },
        **(_of_quantiles(answer) if isinstance(answer, Quantiles) else _of_bound(answer)),
        "remarks": list(answer.remarks),
        "plan": facts.plan.to_dict(),
        "terms": facts.terms.to_dict(),
        "plan_hash": facts.plan_hash,
        "ledger": None
        if entry is None
        else {
            "dataset": entry.dataset,
            "record": entry.number,
            "charged": as_decimal(entry.amount) if entry.amount is not None else "",
            "head": entry.hash,
        },
    }


def _of_quantiles(answer: Quantiles) -> dict[str, Any]:
    (column,) = answer.release.schema.columns
    return {
        "public_inputs": {
            "rows": answer.release.size,
            "lower": column.bound_text("lower"),
            "upper": column.bound_text("upper"),
            "grid": column.grid,
            "source": column.source,
        },
        "quantiles": answer.to_dicts(),
        "band": f"The true level of a value lies within its band with probability {answer.coverage:g}, over the "
        "noise of privacy, where rows are evenly spread around it; the error of sampling comes on top.",
    }


def _of_bound(answer: Bound) -> dict[str, Any]:
    ends = {"lower": f"{CANDIDATES[0]:g}", "upper": f"{CANDIDATES[-1]:g}"}
    told = {"grid": "1, 2, 5, 10, ...", "source": "candidates of the question, for any column"}
    return {
        "public_inputs": {"rows": answer.release.size, **ends, **told},
        "bound": {"upper": answer.upper, "source": answer.source},
        "band": f"Some {answer.beyond} rows, or fewer, are expected to have a size above a thousandth of the bound, "
        "and hardly one above it; how many do is not known. What lies above is clipped to it.",
    }


def card_markdown(card: dict[str, Any]) -> str:
    """Write a card for people."""
    promise, inputs = card["promise"], card["public_inputs"]
    counted = " with a value, as released" if promise["neighbours"] == "add-remove" else ""
    lines = [
        f"# {visible(card['title'])}",
        "",
        card["notice"],
        "",
        f"- Promise: {promise['definition']}, epsilon {promise['epsilon']}, {promise['neighbours']}, for every "
        f"{visible(promise['unit'])}.",
        f"- Public inputs: {inputs['rows']:,} rows{counted}; bounds {inputs['lower']} to {inputs['upper']} "
        f"({visible(inputs['source']) or 'no source stated'}), {inputs['grid']} grid.",
        f"- Plan hash: `{card['plan_hash']}`.",
        f"- Ledger: {_receipt(card['ledger'])}",
        "",
    ]
    if "bound" in card:
        lines.append(f"Bound of sizes: **{card['bound']['upper']:.15g}** ({card['bound']['source']}).")
    else:
        lines += ["| level | value | true level, from | to |", "| --- | --- | --- | --- |"]
    for row in card.get("quantiles", ()):
        ends = ("read off", "") if row["low"] is None else (f"{row['low']:.5g}", f"{row['high']:.5g}")
        lines.append(f"| {row['level']:g} | {row['value']:.10g} | {ends[0]} | {ends[1]} |")
    return "\n".join([*lines, "", card["band"], *(f"\n{remark}" for remark in card["remarks"])]) + "\n"


def _receipt(ledger: dict[str, Any] | None) -> str:
    if ledger is None:
        return "none kept count of this."
    return f"record {ledger['record']} of {visible(ledger['dataset'])}, {ledger['charged']} charged."
