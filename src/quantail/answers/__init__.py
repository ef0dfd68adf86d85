"""Single questions about a confidential table, answered once, without a model of it: quantiles of a column, a bound.

Each is paid for like a release, through the gate and with a ledger, and has a card.
"""

from quantail.answers.asking import bounded_column, quantiles
from quantail.answers.bounds import Bound, bound
from quantail.answers.card import answer_card, card_markdown
from quantail.answers.result import Quantile, Quantiles

__all__ = [
    "Bound",
    "Quantile",
    "Quantiles",
    "answer_card",
    "bound",
    "bounded_column",
    "card_markdown",
    "quantiles",
]
