"""The release card as Markdown, to read as it is or on a page.

Every text that is put in here passes through `text`: names, labels and sources come from a schema that anybody may have
written, and must be shown, not obeyed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from quantail.frames import left_out_words
from quantail.privacy.budget import as_decimal
from quantail.schema.key import KEY
from quantail.visible import visible, visible_text

_MOST_LABELS = 20
_MARKS = re.compile(r"[\\`*_\[\]|~#$]")
# What starts a list or a rule at the beginning of a line, and nothing anywhere else.
_OPENING = re.compile(r"^(\d*)([-+]|(?<=\d)[.)])(?=\s|-|\+|$)")


def text(words: str) -> str:
    r"""Return any text on one line, as Markdown that shows just that.

    Examples
    --------
    >>> print(text("pay | <b>*gross*</b> [x](y)"))
    pay \| &lt;b&gt;\*gross\*&lt;/b&gt; \[x\](y)
    """
    shown = visible(" ".join(words.split()))
    shown = _MARKS.sub(r"\\\g<0>", shown)
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _OPENING.sub(r"\1\\\2", shown)


def render_markdown(card: Mapping[str, Any]) -> str:
    """Write a release card as Markdown.

    Parameters
    ----------
    card : mapping
        What `quantail.report.release_card` returns, or its JSON read back.
    """
    mark = "" if card["private"] else " (NOT PRIVATE)"
    parts = [
        f"# Release card: {text(card['title'])}{mark}",
        f"**{text(card['notice'])}**",
        text(card["synthesis"]["in_words"]),
        *_promise(card["promise"]),
        *_release(card),
        *_ledger(card["ledger"]),
        "## Budget",
        _fenced(card["budget"]["drawing"]),
        f"Plan hash: {text(card['budget']['plan_hash'])}",
        HASHED,
        "## Public inputs",
        "Not protected, and used as they stand; each with its source.",
        _inputs(card["public_inputs"]),
        *([text(left_out_words(card["left_out"]))] if card.get("left_out") else []),
        *([f"In every row: {text('; '.join(card['relations']))}."] if card.get("relations") else []),
        *_list("How to use the data", card["use"]),
        *_list("What errors to expect", [*card.get("dependence", []), *card["errors_to_expect"]]),
        *_list("Limits", card["limits"]),
    ]
    return "\n\n".join(parts) + "\n"


HASHED = (
    "The plan hash covers everything that was public before the run: schema, number of rows (unless it is protected), "
    "budget, method with its options, number of fits, and version. The ledger, the model and `quantail plan` state the "
    "same one; the card in JSON holds what it was computed from, under terms."
)


def _promise(promise: Mapping[str, Any]) -> list[str]:
    budget = f"epsilon {promise['epsilon']}"
    if "rho" in promise:
        budget += f" at delta {promise['delta']} (rho {as_decimal(Fraction(promise['rho']))})"
    lines = {
        "Definition": f"{promise['definition']}, {budget}",
        "Protected unit": promise["unit"],
        "Neighbours": f"{promise['neighbours']}: {promise['neighbours_in_words']}",
    }
    if promise["groups"]:
        groups = ", ".join(promise["groups"])
        lines["Groups"] = f"public and disjoint, by {groups}; each spends the whole budget"
    return ["## Promise", _facts(lines)]


def _release(card: Mapping[str, Any]) -> list[str]:
    software, release = card["software"], card["release"]
    copies = f", {release['replicates']} replicates of one model" if release["replicates"] > 1 else ""
    if release.get("fits", 1) > 1:
        copies = f", {release['fits']} tables, each from a fit of its own"
    if "where" in release:
        copies += f", drawn where {release['where']}"
    lines = {
        "Made": f"{card['date']}, {software['name']} {software['version']}, method {software['method']}",
        "Size": f"{release['rows']} rows{copies}",
    }
    return ["## Release", _facts(lines)]


def _ledger(receipt: Mapping[str, Any] | None) -> list[str]:
    if receipt is None:
        return ["## Ledger", "No ledger is stated on this card."]
    lines = {
        "Data set": receipt["dataset"],
        "Record": f"number {receipt['entry']}, hash {receipt['hash']}",
        "Charged": f"{receipt['charged']} {receipt['unit']}; "
        f"spent on this data set so far, this release included: {receipt['spent_in_all']}",
    }
    return ["## Ledger", _facts(lines)]


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
        rows.append("| " + " | ".join(map(text, cells)) + " |")
    return "\n".join(rows)


def public_facts(stated: Mapping[str, Any]) -> str:
    """Say in words what the schema states about a column."""
    words = []
    if "categories" in stated:
        words.append(_categories(stated["categories"]))
    if stated["type"] == KEY:
        words.append("running numbers; nothing of the original key was looked at")
    if "lower" in stated:
        grid = f", {stated['grid']} grid" if "grid" in stated else ""
        words.append(f"{_bound(stated['lower'])} to {_bound(stated['upper'])}{grid}")
    if "decimals" in stated:
        words.append(f"{stated['decimals']} decimals")
    if "public" in stated:
        words.append("public, kept as it is")
    if "missing" in stated:
        words.append("may be missing")
    if "storage" in stated:
        words.append(f"stored as {stated['storage']}")
    if "label" in stated:
        words.append(f"means {stated['label']}")
    for option, meaning in (("missing_codes", "codes of missing values"), ("atoms", "frequent values")):
        if option in stated:
            words.append(f"{meaning} {', '.join(map(_bound, stated[option]))}")
    return ", ".join(words)


def _categories(labels: Sequence[str]) -> str:
    """List categories, or the first and the last of a long list: the card in JSON holds all of them."""
    if len(labels) <= _MOST_LABELS:
        return "categories " + ", ".join(labels)
    shown = ", ".join(labels[: _MOST_LABELS - 1])
    return f"{len(labels):,} categories: {shown}, ..., {labels[-1]} (all of them in the card's JSON)"


def _bound(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.15g}"


def _facts(lines: Mapping[str, str]) -> str:
    return "\n".join(f"- **{name}:** {text(words)}" for name, words in lines.items())


def _list(title: str, lines: Iterable[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {text(line)}" for line in lines)]


def _fenced(drawing: str) -> str:
    """Return a drawing between fences that are longer than any in it."""
    longest = max(map(len, re.findall("`+", drawing)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{visible_text(drawing)}\n{fence}"
