"""What is said about a release: the card that goes out with it, and pictures that stay inside.

The card holds public facts only: the promise, the budget plan, the public inputs with their sources, and the
place of the charge in the ledger. Pictures draw confidential rows and are labelled internal.
"""

from quantail.report.card import release_card
from quantail.report.markdown import render_markdown

__all__ = ["release_card", "render_markdown"]
