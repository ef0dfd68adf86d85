"""The release card as one HTML page, for a website or a data archive: public facts only."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from quantail.frames import left_out_words
from quantail.markup import Child, Markup, element
from quantail.privacy.budget import Plan, as_decimal
from quantail.report.budget import draw_budget
from quantail.report.markdown import HASHED, public_facts
from quantail.report.page import bullets, facts, page, section, sentence, table


def render_html(card: Mapping[str, Any]) -> str:
    """Write a release card as a self-contained HTML page.

    Parameters
    ----------
    card : mapping
        What `quantail.report.release_card` returns, or its JSON read back.
    """
    errors = [*card.get("dependence", []), *card["errors_to_expect"]]
    body: list[Child] = [
        element("h1", f"Release card: {card['title']}"),
        element("p", card["notice"], class_="lede"),
        sentence(card["synthesis"]["in_words"]),
        _overview(card),
        section("promise", "Promise", _promise(card["promise"])),
        element(
            "div",
            section("use", "How to use the data", bullets(card["use"])),
            section("errors", "What errors to expect", bullets(errors)),
            section("limits", "Limits", bullets(card["limits"])),
            class_="columns",
        ),
        section(
            "budget",
            "Budget",
            draw_budget(Plan.from_dict(card["budget"]["plan"])),
            sentence("Plan hash ", element("code", card["budget"]["plan_hash"])),
            sentence(HASHED.replace("`", "")),
            hint="How much of it each question to the data may spend. Drawn up from public facts alone.",
        ),
        section("ledger", "Ledger", *_ledger(card["ledger"])),
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


def _overview(card: Mapping[str, Any]) -> Markup:
    software, release = card["software"], card["release"]
    tables = f"{release['replicates']} tables of " if release["replicates"] > 1 else ""
    if release.get("fits", 1) > 1:
        tables = f"{release['fits']} tables, each from a fit of its own, of "
    chosen = release.get("where", "")
    return facts(
        [
            ("privacy budget", f"epsilon {card['promise']['epsilon']}"),
            ("size", f"{tables}{release['rows']:,} rows" + (f" where {chosen}" if chosen else "")),
            ("synthesis", card["synthesis"]["kind"]),
            ("made", card["date"]),
            ("software", f"{software['name']} {software['version']}, method {software['method']}"),
        ]
    )


def _promise(promise: Mapping[str, Any]) -> Markup:
    budget = f"epsilon {promise['epsilon']}"
    if "rho" in promise:
        budget += f" at delta {promise['delta']} (rho {as_decimal(Fraction(promise['rho']))})"
    pairs: list[tuple[str, Child]] = [
        ("definition", f"{promise['definition']}, {budget}"),
        ("protected unit", promise["unit"]),
        (f"neighbours: {promise['neighbours']}", promise["neighbours_in_words"]),
    ]
    if promise["groups"]:
        groups = ", ".join(promise["groups"])
        pairs.append(("groups", f"public and disjoint, by {groups}; each spends the whole budget"))
    return facts(pairs)


def _ledger(receipt: Mapping[str, Any] | None) -> list[Markup]:
    if receipt is None:
        return [sentence("No ledger is stated on this card.")]
    spent = (
        f"{receipt['charged']} {receipt['unit']} for this release; {receipt['spent_in_all']} in all so far"
    )
    return [
        facts(
            [("data set", receipt["dataset"]), ("record", f"number {receipt['entry']}"), ("charged", spent)]
        ),
        sentence("Hash of the record ", element("code", receipt["hash"])),
    ]


def _inputs(inputs: list[Mapping[str, Any]]) -> Markup:
    rows = [
        [
            stated["column"],
            stated["type"],
            public_facts(stated),
            ", ".join(stated["explained_by"]) or "nothing",
            stated["source"] or element("strong", "NOT STATED"),
        ]
        for stated in inputs
    ]
    return table("Public inputs", ("column", "type", "public facts", "may be explained by", "source"), rows)
