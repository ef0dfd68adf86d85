"""The release card in its three forms, beside the file that it speaks of: out.card.json, .card.md, .card.html."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantail.cli.console import as_json
from quantail.cli.staging import Staging
from quantail.report import render_html, render_markdown


@dataclass(frozen=True)
class CardFiles:
    """Where the card of one file goes."""

    beside: Path

    @property
    def paths(self) -> tuple[Path, ...]:
        """JSON for programs, Markdown for repositories, HTML for readers."""
        return tuple(
            self.beside.with_name(f"{self.beside.stem}.card.{form}") for form in ("json", "md", "html")
        )

    def write(self, card: Mapping[str, Any], staging: Staging) -> None:
        """Write all forms into a staging that was opened for them."""
        texts = (as_json(card), render_markdown(card), render_html(card))
        for path, text in zip(self.paths, texts, strict=True):
            staging.place(path).write_text(text, encoding="utf-8", newline="\n")
