"""Texts that a spreadsheet would run: cells of a CSV file that begin like a formula.

Labels and public texts are released as they are, because joins must work; what is said about them is a warning, to the
operator and on the card. Only the schema and public columns are looked at.
"""

from collections.abc import Iterable, Mapping

from quantail.schema.table import Schema

_OPENINGS = ("=", "@", "\t", "\r")


def is_formula(text: str) -> bool:
    """Say whether a spreadsheet would take a cell for a formula: it begins with = + - @ or a tab, and is no number.

    Examples
    --------
    >>> [is_formula(text) for text in ("=1+1", "-cmd", "-8", "a=b")]
    [True, True, False, False]
    """
    if text.startswith(("+", "-")):
        try:
            float(text)
        except ValueError:
            return True
        return False
    return text.startswith(_OPENINGS)


def formula_columns(schema: Schema, kept: Mapping[str, Iterable[object]] | None = None) -> tuple[str, ...]:
    """Name the columns whose name, labels or kept texts a spreadsheet would run.

    Parameters
    ----------
    schema : Schema
        Its names and labels.
    kept : mapping, optional
        Values of public columns by name, where they are known.
    """
    texts: dict[str, list[str]] = {column.name: [column.name, *column.labels] for column in schema.columns}
    for name in schema.panel.named if schema.panel is not None else ():
        texts[name] = [name]
    for name, values in (kept or {}).items():
        texts.setdefault(name, []).extend(value for value in values if isinstance(value, str))
    return tuple(name for name, found in texts.items() if any(map(is_formula, found)))


def formula_warning(name: str) -> str:
    """Say what to do about such a column."""
    return (
        f"column {name!r} holds text that begins with =, +, -, @ or a tab, which spreadsheets run as a formula; "
        "it is kept as it is, so open the table as text, or change the labels in table and schema"
    )
