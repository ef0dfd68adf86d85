"""Advice on a column of a schema: what to think of next. It rests on the schema alone; nobody looks at the data.

A name can suggest what a column may be, never what its bounds are: those come from rules, codebooks or law.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from quantail.schema.column_types import DATED, LISTED, NUMBERS
from quantail.schema.key import KEY
from quantail.schema.nesting import undeclared_nesting
from quantail.schema.proposals import proposal_of
from quantail.studio.schema_file import Section

_WIDE, _NARROW = 1000.0, 20.0  # ratios of bounds from which a log grid pays, and below which it does not


def column_advice(column: Section) -> list[str]:
    """List what to think of for one column.

    Examples
    --------
    >>> column_advice({"name": "pay", "type": "numeric", "lower": 0, "upper": 10**6, "source": "law"})[0][:31]
    'Grid: the bounds are wide apart'
    """
    return [*_by_name(column), *_numbers(column), *_labels(column), *_for_all(column)]


def rules_advice(columns: Sequence[Section]) -> list[str]:
    """List what to think of for relations between columns."""
    kinds: dict[tuple[Any, Any], list[str]] = {}
    for column in columns:
        if column.get("type") in NUMBERS and not column.get("public"):
            kinds.setdefault((column["type"], column.get("decimals")), []).append(str(column.get("name")))
    found = []
    for names in kinds.values():
        if len(names) > 1:
            listed = ", ".join(names[:6]) + (", ..." if len(names) > 6 else "")
            found.append(
                f"{listed}: is one of them always part of another (tips of wages), or the sum of others? Say so as a "
                "rule, and it holds in every synthetic row. Columns of a rule share their type and decimals."
            )
    labels = {
        str(column.get("name")): column["categories"]
        for column in columns
        if column.get("type") in LISTED
        and isinstance(column.get("categories"), list)
        and not column.get("public")
    }
    known = [str(column.get("name")) for column in columns if column.get("within")]
    found += [
        f"{name}: every label begins with one of {parent}. If the code list says that it belongs there, name {parent} "
        "under Codes within codes: that costs nothing, and holds in every synthetic row."
        for name, parent in undeclared_nesting(labels, known).items()
    ]
    return found


def _by_name(column: Section) -> Iterator[str]:
    name, kind = str(column.get("name", "")), column.get("type", "")
    proposed = proposal_of(name, "").type
    if proposed == KEY and kind != KEY:
        yield (
            "Type: this looks like the number of a row or unit, which must not be released. As a key its rows are "
            "numbered anew; in a panel it is the unit of the panel; else leave the column out."
        )
    elif proposed == "category" and kind in NUMBERS:
        yield "Type: codes such as industries or postal codes are categories, even if they are written in digits."


def _numbers(column: Section) -> Iterator[str]:
    kind, name = column.get("type", ""), str(column.get("name", ""))
    if kind in DATED:
        yield "Bounds: the first and the last day that can occur by the rules of the collection."
        return
    if kind not in NUMBERS:
        return
    lower, upper, log = column.get("lower", ""), column.get("upper", ""), column.get("grid") == "log"
    if "" in (lower, upper):
        yield (
            "Bounds: what a rule, a form or a law allows, not the smallest and the largest of your rows: those tell of "
            "single rows. Generous bounds cost next to nothing on a log grid."
        )
    is_wide = _ratio(lower, upper) >= _WIDE
    if not log and (proposal_of(name, kind).grid == "log" or is_wide):
        why = "the bounds are wide apart" if is_wide else "amounts and sizes have heavy tails"
        yield f"Grid: {why}; choose log, which finds quantiles as well at 500 as at 5,000,000."
    if log and 1 < _ratio(lower, upper) < _NARROW:
        yield "Grid: between bounds as close as these, linear does as well as log."
    if kind == "numeric" and column.get("decimals") is None and column.get("resolution") is None:
        yield (
            "Decimals: say how many are recorded (2 for cents, 0 for whole amounts); synthetic values then have as "
            "many."
        )
    yield from _special(column, lower)


def _special(column: Section, lower: Any) -> Iterator[str]:
    atoms = column.get("atoms", [])
    if lower == 0 and 0 not in (atoms if isinstance(atoms, list) else []):
        yield (
            "Atoms: if a good part of the rows is exactly 0 by the nature of the thing (no income, no staff), list 0 "
            "as an atom: it is counted, and the rest modelled apart. A top code is an atom too."
        )
    if not column.get("missing_codes") and not column.get("missing"):
        yield (
            "Missing: if the codebook has codes for missing values (-8 refused, 9999 unknown), list them; else they "
            "are taken for amounts. If cells may be empty, tick missing."
        )


def _labels(column: Section) -> Iterator[str]:
    kind, labels = column.get("type", ""), column.get("categories", [])
    if kind in LISTED and not labels:
        yield "Categories: every label of the codebook, one on each line, whether it occurs or not."
    if kind == "category" and labels and not column.get("other"):
        yield "Other: a label that is not listed is refused before anything is charged; tick other to merge such ones."
    if kind == "ordinal" and labels:
        yield "Order: the labels stand from low to high."


def _for_all(column: Section) -> Iterator[str]:
    if column.get("missing") is True and not column.get("universe") and not column.get("missing_with"):
        yield (
            "Rules: if the question is asked of some only (the wage of those who work), say where: declared, it costs "
            "nothing and holds in every synthetic row."
        )
    if column.get("type") != KEY and not str(column.get("source", "")).strip():
        yield (
            "Source: say where this is written (a law, a form, a codebook and its page). The card prints it for every "
            "reader."
        )


def _ratio(lower: Any, upper: Any) -> float:
    """How far bounds are apart, in proportion; 0 if they are not numbers."""
    if not all(isinstance(bound, int | float) for bound in (lower, upper)):
        return 0.0
    return float(upper / max(abs(lower), 1)) if upper > 0 else 0.0
