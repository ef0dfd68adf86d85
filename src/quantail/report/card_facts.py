"""What a release card states, as pairs of a name and words: the same on the page and in Markdown."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from quantail.privacy.budget import as_decimal
from quantail.schema.key import KEY

Facts = list[tuple[str, str]]

HASHED = (
    "The plan hash covers everything that was public before the run: schema, number of rows (unless it is protected), "
    "budget, method with its options, number of fits, and version. The ledger, the model and `quantail plan` state the "
    "same one; the card in JSON holds what it was computed from, under terms."
)
INPUTS = ("column", "type", "public facts", "may be explained by", "source")
NOT_STATED = "NOT STATED"
_MOST_LABELS = 20
_MOST_PREDICTORS, _FIRST = 20, 3
_GROUPED = 10_000  # from here on digits are grouped
_LISTED = (
    ("missing_codes", "codes of missing values"),
    ("atoms", "frequent values"),
    ("heaps", "round figures"),
)


def promise_facts(promise: Mapping[str, Any]) -> Facts:
    """State definition, unit and neighbours."""
    budget = f"epsilon {promise['epsilon']}"
    if "rho" in promise:
        budget += f" at delta {promise['delta']} (rho {as_decimal(Fraction(promise['rho']))})"
    facts = [
        ("definition", f"{promise['definition']}, {budget}"),
        ("protected unit", promise["unit"]),
        (f"neighbours: {promise['neighbours']}", promise["neighbours_in_words"]),
    ]
    if promise["groups"]:
        groups = ", ".join(promise["groups"])
        words = f"by {groups}, whose labels are public; no row is in two, and each spends the whole budget"
        facts.append(("groups", words))
    return facts


def release_facts(card: Mapping[str, Any]) -> Facts:
    """State what was made, when and by what."""
    software, release = card["software"], card["release"]
    tables = f"{release['replicates']} tables of " if release["replicates"] > 1 else ""
    if release.get("fits", 1) > 1:
        tables = f"{release['fits']} tables, each from a fit of its own, of "
    chosen = f" where {release['where']}" if "where" in release else ""
    return [
        ("privacy budget", f"epsilon {card['promise']['epsilon']}"),
        ("size", f"{tables}{release['rows']:,} rows{chosen}"),
        ("synthesis", card["synthesis"]["kind"]),
        ("made", card["date"]),
        ("software", f"{software['name']} {software['version']}, method {software['method']}"),
    ]


def ledger_facts(receipt: Mapping[str, Any]) -> Facts:
    """State what was charged, and where that is on record."""
    spent = (
        f"{receipt['charged']} {receipt['unit']} for this release; {receipt['spent_in_all']} in all so far"
    )
    return [
        ("data set", receipt["dataset"]),
        ("record", f"number {receipt['entry']}"),
        ("charged", spent),
        ("hash of the record", receipt["hash"]),
    ]


def input_facts(stated: Mapping[str, Any]) -> tuple[str, ...]:
    """State a public input, in the order of `INPUTS`."""
    return (
        stated["column"],
        stated["type"],
        public_facts(stated),
        _explained(stated["explained_by"]),
        stated["source"] or NOT_STATED,
    )


def _explained(names: Sequence[str]) -> str:
    """List predictors; of wide tables the first ones, since every column may have all those before it."""
    if len(names) <= _MOST_PREDICTORS:
        return ", ".join(names) or "nothing"
    return f"{', '.join(names[:_FIRST])} and {len(names) - _FIRST} more (all are in the card in JSON)"


def public_facts(stated: Mapping[str, Any]) -> str:
    """Say in words what the schema states about a column."""
    words = []
    if "categories" in stated:
        words.append(_categories(stated["categories"]))
    if stated["type"] == KEY:
        words.append("running numbers; nothing of the original key was looked at")
    if "lower" in stated:
        grid = f", {stated['grid']} grid" if "grid" in stated else ""
        words.append(f"{_end(stated['lower'])} to {_end(stated['upper'])}{grid}")
    if "decimals" in stated:
        words.append(f"{stated['decimals']} decimals")
    if "public" in stated:
        words.append("public, kept as it is")
    if "missing" in stated:
        words.append("may be missing")
    if "storage" in stated:
        words.append(f"stored as {stated['storage']}")
    if "label" in stated:
        words.append(f"means {stated['label']}")
    if "resolution" in stated:
        words.append(f"steps of {_bound(stated['resolution'])}")
    for option, meaning in _LISTED:
        if option in stated:
            words.append(f"{meaning} {', '.join(map(_bound, stated[option]))}")
    return ", ".join(words)


def _categories(labels: Sequence[str]) -> str:
    """List categories, or the first and the last of a long list: the card in JSON holds all of them."""
    if len(labels) <= _MOST_LABELS:
        return "categories " + ", ".join(labels)
    shown = ", ".join(labels[: _MOST_LABELS - 1])
    return f"{len(labels):,} categories: {shown}, ..., {labels[-1]} (all of them in the card's JSON)"


def _bound(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:.15g}"


def _end(value: float | str) -> str:
    """Write a bound, large ones in groups of digits; years are not that large."""
    return _bound(value) if isinstance(value, str) or abs(value) < _GROUPED else f"{value:,.15g}"
