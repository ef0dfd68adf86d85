"""What a column's name suggests about it, for drafts: a type, and a log grid for amounts and counts.

Names are public, values are not looked at. A proposal is a start for a person: bounds and categories stay blank, and
`quantail check` refuses a table that does not hold what the schema says.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from quantail.schema.column_types import NUMBERS, ColumnType, Grid

DraftType = ColumnType | Literal["", "key"]
"""What a column is known to hold; blank where nothing declares it."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")
_WORDS = {
    "key": "id uuid guid key identifier hhid pid",
    "number": "number no nr num",  # of a case, or of children: only a person can tell
    "whole": "age year years hours days weeks months annee annees heures edad ano anos horas anno anni leeftijd jaar",
    "code": "code codes zip zipcode postcode postal plz naics sic nace isic isco soc noga ateco fips nuts lau geoid "
    "county state region district municipality canton province country sector industry branch occupation sex gender "
    "status kind type class group category grade level form education degree race ethnicity nationality citizenship "
    "diagnosis icd payer vehicle secteur departement commune pays sexe statut categorie niveau naf sexo provincia "
    "municipio pais categoria nivel cnae settore comune regione sesso paese livello gemeente provincie geslacht",
    "date": "date day birthday dob fecha",
    "moment": "datetime timestamp",
    "part": "pct percent percentage perc share pourcentage porcentaje percentuale",
    "amount": "pay payroll wage wages salary salaries income earnings revenue revenues turnover sales amount price "
    "cost costs assets debt loan profit tax taxes expenditure spending wealth capital investment exports imports "
    "premium claim claims balance benefit benefits rent rents value fee fees output salaire salaires revenu revenus "
    "montant prix cout couts impot impots loyer valeur ventes depenses salario salarios ingreso ingresos ventas precio "
    "coste costes gasto gastos valor renta impuesto stipendio reddito redditi fatturato ricavi importo prezzo costo "
    "costi imposta valore omzet loon inkomen bedrag prijs winst huur waarde",
    "count": "jobs staff employees employment emp headcount workers size visits units persons effectif effectifs "
    "empleados trabajadores personas dipendenti addetti werknemers medewerkers",
}
_GERMAN = {  # written together: a name means what it ends in, Exportumsatz as Umsatz
    "number": "nummer kennung kennzahl kennziffer",
    "whole": "alter jahr stunden tage wochen monate",
    "code": "branche wirtschaftszweig schluessel kreis gemeinde bundesland staat staatsangehoerigkeit beruf abschluss "
    "bildung familienstand rechtsform geschlecht klasse gruppe kategorie stufe sektor postleitzahl",
    "date": "datum geburtstag",
    "moment": "zeitstempel zeitpunkt",
    "part": "prozent anteil quote",
    "amount": "umsatz gewinn lohn loehne gehalt gehaelter entgelt verdienst einkommen betrag steuer steuern kosten "
    "miete ertrag ertraege erloes erloese aufwand aufwendungen kapital vermoegen preis wert summe investition "
    "investitionen schulden kredit darlehen beitrag praemie rente exporte importe ausgaben einnahmen",
    "count": "mitarbeiter mitarbeitende beschaeftigte beschaeftigten arbeitnehmer personen einwohner anzahl zahl",
}
_COUNTING = frozenset(
    ["n", "num", "nb", "anz", "anzahl", "cnt"]
)  # before what is counted: n_claims, anzahl_zimmer
_SPELLED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_HEADS = {word: meaning for meaning, words in _GERMAN.items() for word in words.split()}
_MEANING = {word: meaning for meaning, words in _WORDS.items() for word in words.split()} | _HEADS


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
    >>> proposal_of("Exportumsatz", "").grid, proposal_of("Beschäftigte", "").type
    ('log', 'integer')
    >>> proposal_of("naicsCode", "integer").type, proposal_of("x", "").type, proposal_of("LoanNumber", "").type
    ('category', '', '')
    >>> proposal_of("n_claims", "").type, proposal_of("assessed_at", "").type, proposal_of("wage_year", "").type
    ('integer', 'datetime', '')
    """
    words = [word.lower() for word in _WORD.findall(_spelled(name))]
    meanings = [_meaning(word) for word in words]
    last = meanings[-1] if meanings else ""
    if len(words) > 1 and words[-1] == "at":  # created_at
        last = "moment"
    if "%" in name or "part" in meanings[:1]:
        last = "part"
    if last == "key" and declared in ("integer", "category", ""):
        return Proposal("key", by_name=True)
    if last == "date" and declared in ("category", ""):  # dates are often stored as text
        return Proposal("date", by_name=True)
    if last == "moment" and declared in ("category", ""):
        return Proposal("datetime", by_name=True)
    if declared not in (*NUMBERS, ""):
        return Proposal(declared)
    if last == "code":
        return Proposal("category", by_name=True)
    if last == "number" or (
        last == "whole" and "amount" in meanings
    ):  # the year of a wage, or a wage of a year
        return Proposal(declared)
    if last == "whole" and declared == "":
        return Proposal("integer", by_name=True)
    if last == "part":
        return Proposal(declared or "numeric", by_name=True)
    if len(words) > 1 and words[0] in _COUNTING:
        return Proposal(declared or "integer", "log", by_name=True)
    if "amount" in meanings:
        return Proposal(declared or "numeric", "log", by_name=True)
    if "count" in meanings:
        return Proposal(declared or "integer", "log", by_name=True)
    return Proposal(declared)


def _spelled(name: str) -> str:
    """Return a name without umlauts and accents, so that both ways of writing it are one."""
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFC", name).translate(_SPELLED))
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def _meaning(word: str) -> str:
    """Return what a word means: itself, or the longest German word that it ends in."""
    if word in _MEANING:
        return _MEANING[word]
    return next((_HEADS[word[k:]] for k in range(1, len(word) - 3) if word[k:] in _HEADS), "")
