"""What is said about a release: the card that goes out with it, and the report that stays inside.

The card holds public facts only: the promise, the budget plan, the public inputs with their sources, and the
place of the charge in the ledger. The report draws and measures confidential rows and is labelled internal.
Both are single HTML files that need no network, made without any optional package. The report (`report.internal`)
is imported by itself: a release needs no measures.
"""

from quantail.report.card import release_card
from quantail.report.card_page import render_html
from quantail.report.markdown import render_markdown

__all__ = ["release_card", "render_html", "render_markdown"]
