"""What a column's name suggests about it, for drafts: a type, and a log grid for amounts and counts.

Names are public, values are not looked at. A proposal is a start for a person: bounds and categories stay blank, and
`quantail check` refuses a table that does not hold what the schema says.
"""

import re
from dataclasses import dataclass
from typing import Literal

from quantail.schema.column_types import NUMBERS, ColumnType, Grid

DraftType = ColumnType | Literal["", "key"]
"""What a column is known to hold; blank where nothing declares it."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_WORDS = {
    "key": "id uuid guid key identifier hhid pid",
    "number": "number no nr num nummer",  # of a case, or of children: only a person can tell
    "whole": "age year years hours days weeks months alter jahr",
    "code": "code codes zip zipcode postcode postal plz naics sic nace isic isco soc noga ateco fips nuts lau geoid "
    "county state region district municipality canton province country sector industry branch occupation sex gender "
    "status kind type class group category grade level form education degree race ethnicity nationality citizenship "
    "diagnosis icd payer vehicle bundesland rechtsform geschlecht",
    "date": "date day birthday dob datum",
    "amount": "pay payroll wage wages salary salaries income earnings revenue revenues turnover sales amount price "
    "cost costs assets debt loan profit tax taxes expenditure spending wealth capital investment exports imports "
    "premium claim claims balance benefit benefits rent rents value fee fees output umsatz gewinn lohn gehalt "
    "einkommen betrag steuer kosten miete",
    "count": "jobs staff employees employment emp headcount workers size visits units persons mitarbeiter",
}
_MEANING = {word: meaning for meaning, words in _WORDS.items() for word in words.split()}


@dataclass(frozen=True)
class Proposal:
    """What a draft starts a column with."""

    type: DraftType  # blank if neither the file nor the name tells
    grid: Grid = "linear"  # of numbers
    by_name: bool = False  # whether the name decided anything, so that the draft can say so


def proposal_of(name: str, declared: DraftType) -> Proposal:
    """Propose a type, where none is declared, and the grid of a number.

    Codes are proposed as categories even where they are stored as numbers: they are labels, not amounts, and as text
    they keep their leading zeros.

    Examples
    --------
    >>> proposal_of("annual_pay", "")
    Proposal(type='numeric', grid='log', by_name=True)
    >>> proposal_of("naicsCode", "integer").type, proposal_of("x", "").type, proposal_of("LoanNumber", "").type
    ('category', '', '')
    """
    meanings = [_MEANING.get(word.lower(), "") for word in _WORD.findall(name)]
    last = meanings[-1] if meanings else ""
    if last == "key" and declared in ("integer", "category", ""):
        return Proposal("key", by_name=True)
    if last == "date" and declared in ("category", ""):  # dates are often stored as text
        return Proposal("date", by_name=True)
    if declared not in (*NUMBERS, ""):
        return Proposal(declared)
    if last == "code":
        return Proposal("category", by_name=True)
    if last == "whole" and declared == "":
        return Proposal("integer", by_name=True)
    if last == "number":
        return Proposal(declared)
    if "amount" in meanings:
        return Proposal(declared or "numeric", "log", by_name=True)
    if "count" in meanings:
        return Proposal(declared or "integer", "log", by_name=True)
    return Proposal(declared)
