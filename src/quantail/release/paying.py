"""Which ledger pays for a fit: one that is open, or the path of one; and a warning where nobody keeps count."""

import os
import warnings
from typing import Literal

from quantail.errors import NoLedgerWarning
from quantail.privacy import Ledger
from quantail.schema import Schema

Payer = Ledger | str | os.PathLike[str] | Literal[False] | None
"""A ledger or its path; False: no ledger, on purpose; None: no ledger, with a warning if the noise is secure."""

NO_LEDGER = "No ledger keeps count of this release: write down what it costs, and add it to what came before."


def paying_ledger(payer: Payer, private: bool, stacklevel: int) -> Ledger | None:
    """Return the ledger that pays, or None if nobody keeps count, with a warning unless that was said.

    Parameters
    ----------
    private : bool
        Whether what is released is protected by the noise; an experiment with simulated noise spends nothing.
    stacklevel : int
        Where the warning points to, counted from the caller.
    """
    if isinstance(payer, str | os.PathLike):
        return Ledger.open(payer)
    if payer is not None and payer is not False:
        return payer
    if payer is None and private:
        told = f"{NO_LEDGER} Pass ledger=..., or ledger=False if you keep count elsewhere."
        warnings.warn(told, NoLedgerWarning, stacklevel=stacklevel + 1)
    return None


def neighbours_of(schema: Schema) -> str:
    """Return what neighbouring tables differ in, in the words of a ledger: only epsilons for the same add up.

    Examples
    --------
    >>> from quantail.examples import payroll_schema
    >>> neighbours_of(payroll_schema())
    'replace-one'
    """
    of_firms = schema.panel is not None and bool(schema.panel.firm)
    return f"{schema.neighbours} of firms" if of_firms else schema.neighbours
