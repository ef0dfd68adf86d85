"""The release card as Markdown, to read as it is or on a page.

Every text that is put in here passes through `text`: names, labels and sources come from a schema that anybody may have
written, and must be shown, not obeyed.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from quantail.frames import left_out_words
from quantail.report.card_facts import (
    HASHED,
    INPUTS,
    Facts,
    input_facts,
    ledger_facts,
    promise_facts,
    release_facts,
)
from quantail.visible import visible, visible_text

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

    `card`: what `quantail.report.release_card` returns, or its JSON read back.
    """
    mark = "" if card["private"] else " (NOT PRIVATE)"
    parts = [
        f"# Release card: {text(card['title'])}{mark}",
        f"**{text(card['notice'])}**",
        text(card["synthesis"]["in_words"]),
        "## Promise",
        _facts(promise_facts(card["promise"])),
        "## Release",
        _facts(release_facts(card)),
        *_list("How to use the data", card["use"]),
        *_list("What errors to expect", [*card.get("dependence", []), *card["errors_to_expect"]]),
        *_list("Limits", card["limits"]),
        "## Public inputs",
        "Not protected, and used as they stand; each with its source.",
        _inputs(card["public_inputs"]),
        *([text(left_out_words(card["left_out"]))] if card.get("left_out") else []),
        *([f"In every row: {text('; '.join(card['relations']))}."] if card.get("relations") else []),
        "## Budget",
        _fenced(card["budget"]["drawing"]),
        f"Plan hash: {text(card['budget']['plan_hash'])}",
        HASHED,
        "## Ledger",
        _ledger(card["ledger"]),
    ]
    return "\n\n".join(parts) + "\n"


def _ledger(receipt: Mapping[str, Any] | None) -> str:
    return "No ledger is stated on this card." if receipt is None else _facts(ledger_facts(receipt))


def _inputs(inputs: Iterable[Mapping[str, Any]]) -> str:
    rows = [f"| {' | '.join(INPUTS)} |", "|---|---|---|---|---|"]
    for stated in inputs:
        cells = input_facts(stated)
        rows.append("| " + " | ".join(map(text, cells)) + " |")
    return "\n".join(rows)


def _facts(facts: Facts) -> str:
    return "\n".join(f"- **{text(name).capitalize()}:** {text(words)}" for name, words in facts)


def _list(title: str, lines: Iterable[str]) -> list[str]:
    return [f"## {title}", "\n".join(f"- {text(line)}" for line in lines)]


def _fenced(drawing: str) -> str:
    """Return a drawing between fences that are longer than any in it."""
    longest = max(map(len, re.findall("`+", drawing)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{visible_text(drawing)}\n{fence}"
