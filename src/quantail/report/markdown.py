"""The release card as a page to read."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from quantail.privacy.budget import as_decimal


def render_markdown(card: Mapping[str, Any]) -> str:
    """Write a release card as Markdown.

    Parameters
    ----------
    card : mapping
        What `quantail.report.release_card` returns, or its JSON read back.
    """
    mark = "" if card["private"] else " (NOT PRIVATE)"
    parts = [
        f"# Release card: {card['title']}{mark}",
        f"**{card['notice']}**",
        *_promise(card["promise"]),
        *_release(card),
        *_ledger(card["ledger"]),
        "## Budget",
        f"```text\n{card['budget']['drawing']}\n```",
        f"Plan hash: `{card['budget']['plan_hash']}`",
        "## Public inputs",
        "Not protected, and used as they stand; each with its source.",
        _inputs(card["public_inputs"]),
        *([f"In every row: {'; '.join(card['relations'])}."] if card.get("relations") else []),
        *_list("How to use the data", card["use"]),
        *_list("What errors to expect", card["errors_to_expect"]),
        *_list("Limits", card["limits"]),
    ]
    return "\n\n".join(parts) + "\n"


def _promise(promise: Mapping[str, Any]) -> list[str]:
    budget = f"epsilon {promise['epsilon']}"
    if "rho" in promise:
        budget += f" at delta {promise['delta']} (rho {as_decimal(Fraction(promise['rho']))})"
    lines = [
        f"- **Definition:** {promise['definition']}, {budget}",
        f"- **Protected unit:** {promise['unit']}",
        f"- **Neighbours:** {promise['neighbours']}: {promise['neighbours_in_words']}",
    ]
    if promise["groups"]:
        groups = ", ".join(promise["groups"])
        lines.append(f"- **Groups:** public and disjoint, by {groups}; each spends the whole budget")
    return ["## Promise", "\n".join(lines)]


def _release(card: Mapping[str, Any]) -> list[str]:
    software, release = card["software"], card["release"]
    copies = f", {release['replicates']} replicates of one model" if release["replicates"] > 1 else ""
    if release.get("fits", 1) > 1:
        copies = f", {release['fits']} tables, each from a fit of its own"
    lines = [
        f"- **Made:** {card['date']}, {software['name']} {software['version']}, method {software['method']}",
        f"- **Size:** {release['rows']} rows{copies}",
    ]
    return ["## Release", "\n".join(lines)]


def _ledger(receipt: Mapping[str, Any] | None) -> list[str]:
    if receipt is None:
        return ["## Ledger", "No ledger is stated on this card."]
    lines = [
        f"- **Data set:** {receipt['dataset']}",
        f"- **Record:** number {receipt['entry']}, hash `{receipt['hash']}`",
        f"- **Charged:** {receipt['charged']} {receipt['unit']}; "
        f"spent on this data set so far, this release included: {receipt['spent_in_all']}",
    ]
    return ["## Ledger", "\n".join(lines)]


def _inputs(inputs: Iterable[Mapping[str, Any]]) -> str:
    rows = ["| column | type | public facts | may be explained by | source |", "|---|---|---|---|---|"]
    for stated in inputs:
        cells = (
            stated["column"],
            stated["type"],
            public_facts(stated),
            ", ".join(stated["explained_by"]) or "nothing",
            stated["source"] or "NOT STATED",
        )
        rows.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(rows)


def public_facts(stated: Mapping[str, Any]) -> str:
    """Say in words what the schema states about a column."""
    words = []
    if "categories" in stated:
        words.append("categories " + ", ".join(stated["categories"]))
    if "lower" in stated:
        words.append(f"{_bound(stated['lower'])} to {_bound(stated['upper'])}, {stated['grid']} grid")
    if "decimals" in stated:
        words.append(f"{stated['decimals']} decimals")
    if "public" in stated:
        words.append("public, kept as it is")
    if "missing" in stated:
        words.append("may be missing")
    for option, meaning in (("missing_codes", "codes of missing values"), ("atoms", "frequent values")):
        if option in stated:
            words.append(f"{meaning} {', '.join(map(_bound, stated[option]))}")
    return ", ".join(words)


def _bound(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.15g}"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _list(title: str, lines: Iterable[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {line}" for line in lines)]
