"""What stands beside a released file: its card in three forms, and its data dictionary in two.

out.card.json, out.card.md, out.card.html; out.dictionary.json, out.dictionary.csv.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quantail.cli.console import as_json
from quantail.cli.staging import Staging
from quantail.interop.dictionary import data_dictionary, dictionary_csv
from quantail.report import render_html, render_markdown
from quantail.schema import Schema


def card_paths(beside: Path) -> tuple[Path, ...]:
    """Return where the card of a file goes: JSON for programs, Markdown for repositories, HTML for readers, CSV."""
    forms = ("card.json", "card.md", "card.html", "dictionary.json", "dictionary.csv")
    return tuple(beside.with_name(f"{beside.stem}.{form}") for form in forms)


def write_card(card: Mapping[str, Any], beside: Path, staging: Staging) -> None:
    """Write all forms into a staging that was opened for them."""
    schema = Schema.from_toml(card["terms"]["schema"])
    dictionary = (as_json(data_dictionary(schema)), dictionary_csv(schema))
    texts = (as_json(card), render_markdown(card), render_html(card), *dictionary)
    for path, text in zip(card_paths(beside), texts, strict=True):
        staging.place(path).write_text(text, encoding="utf-8", newline="\n")
