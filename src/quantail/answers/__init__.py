"""Single questions about a confidential table, answered once: quantiles of a column, without a model of the table.

Each is paid for like a release, through the gate and with a ledger, and has a card.
"""

from quantail.answers.asking import bounded_column, quantiles
from quantail.answers.card import answer_card, card_markdown
from quantail.answers.result import Quantile, Quantiles

__all__ = ["Quantile", "Quantiles", "answer_card", "bounded_column", "card_markdown", "quantiles"]
