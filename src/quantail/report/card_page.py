"""The release card as one HTML page, for a website or a data archive: public facts only."""

from collections.abc import Mapping
from typing import Any

from quantail.frames import left_out_words
from quantail.markup import Child, Markup, element
from quantail.privacy.budget import Plan
from quantail.report.budget import draw_budget
from quantail.report.card_facts import (
    HASHED,
    INPUTS,
    NOT_STATED,
    input_facts,
    ledger_facts,
    promise_facts,
    release_facts,
)
from quantail.report.page import bullets, facts, page, section, sentence, table


def render_html(card: Mapping[str, Any]) -> str:
    """Write a release card as a self-contained HTML page.

    `card`: what `quantail.report.release_card` returns, or its JSON read back.
    """
    kept = card.get("dependence", [])
    body: list[Child] = [
        element("h1", f"Release card: {card['title']}"),
        element("p", card["notice"], class_="lede"),
        sentence(card["synthesis"]["in_words"]),
        facts(release_facts(card)),
        section("promise", "Promise", facts(promise_facts(card["promise"]))),
        element(
            "div",
            section("use", "How to use the data", bullets(card["use"])),
            section("errors", "What errors to expect", bullets(card["errors_to_expect"])),
            section("limits", "Limits", bullets(card["limits"])),
            class_="columns",
        ),
        section("relations", "Relations between columns", bullets(kept)) if kept else None,
        section(
            "budget",
            "Budget",
            draw_budget(Plan.from_dict(card["budget"]["plan"])),
            sentence("Plan hash ", element("code", card["budget"]["plan_hash"])),
            sentence(HASHED.replace("`", "")),
            hint="How much of it each question to the data may spend. Drawn up from public facts alone.",
        ),
        section("ledger", "Ledger", _ledger(card["ledger"])),
        section(
            "inputs",
            "Public inputs",
            _inputs(card["public_inputs"]),
            sentence(left_out_words(card["left_out"])) if card.get("left_out") else None,
            sentence(f"In every row: {'; '.join(card['relations'])}.") if card.get("relations") else None,
            hint="Not protected, and used as they stand; each with its source.",
        ),
    ]
    mark = None if card["private"] else element("strong", "NOT PRIVATE. Do not release.")
    return page(f"Release card: {card['title']}", mark, body, kind="card")


def _ledger(receipt: Mapping[str, Any] | None) -> Markup:
    if receipt is None:
        return sentence("No ledger is stated on this card.")
    *stated, (name, mark) = ledger_facts(receipt)
    return element("div", facts(stated), sentence(f"{name.capitalize()} ", element("code", mark)))


def _inputs(inputs: list[Mapping[str, Any]]) -> Markup:
    def shown(words: str) -> Child:
        return element("strong", words) if words == NOT_STATED else words

    rows = [[*cells, shown(source)] for *cells, source in map(input_facts, inputs)]
    return table("Public inputs", INPUTS, rows)
