"""One column of a schema as a form: fields of text, and back.

A field that comes back as it was shown leaves its value as it is, so that looking at a column changes nothing. What
cannot be read as a number or a date is kept as it was typed, and the schema says what is wrong with it. Fields that do
not belong to the type of a column are dropped.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any

from quantail.schema.column_types import LABELLED, LISTED
from quantail.schema.key import KEY
from quantail.studio.schema_file import Section
from quantail.visible import visible_text

FIELDS = {
    "name": "text",
    "type": "text",
    "label": "text",
    "lower": "number",
    "upper": "number",
    "grid": "text",
    "decimals": "number",
    "resolution": "number",
    "categories": "labels",
    "other": "flag",
    "predictors": "choice",
    "public": "flag",
    "missing": "flag",
    "missing_codes": "numbers",
    "atoms": "numbers",
    "heaps": "numbers",
    "universe": "text",
    "outside": "text",
    "only_outside": "flag",
    "missing_with": "text",
    "within": "text",
    "parents": "labels",
    "storage": "text",
    "source": "text",
}
"""Fields of a column in the order in which a file has them, with what is typed into each."""
TEXTS, NUMBERS, LISTS, FLAGS, LABELS = (
    tuple(name for name, kind in FIELDS.items() if kind == wanted)
    for wanted in ("text", "number", "numbers", "flag", "labels")
)

_ALWAYS = (
    *("name", "type", "predictors", "source", "public", "missing", "label", "storage"),
    *("universe", "outside", "only_outside", "missing_with"),
)
_BOUNDED = ("lower", "upper")
BELONGS = {
    "": tuple(FIELDS),
    "numeric": (*_ALWAYS, *_BOUNDED, "grid", "decimals", "resolution", *LISTS),
    "integer": (*_ALWAYS, *_BOUNDED, "grid", "resolution", *LISTS),
    "date": (*_ALWAYS, *_BOUNDED, "resolution"),
    "datetime": (*_ALWAYS, *_BOUNDED, "resolution"),
    "category": (*_ALWAYS, *LABELS, "other", "within"),
    "ordinal": (*_ALWAYS, *LABELS, "within"),
    "boolean": _ALWAYS,
    "key": ("name", "type", "storage", "source"),
}
"""Fields of each type."""

_SPACES = re.compile(r"[\s_'\u00a0\u2009\u202f]")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?)?")


def fields(column: Section) -> dict[str, Any]:
    """Return what the form shows of a column: texts, flags, and how its predictors are chosen.

    Examples
    --------
    >>> shown = fields({"name": "pay", "type": "numeric", "lower": 0, "upper": 1e6, "atoms": [0]})
    >>> shown["upper"], shown["atoms"], shown["missing"]
    ('1 000 000', '0', False)
    """
    shown: dict[str, Any] = {name: visible_text(_text(column.get(name, ""))) for name in (*TEXTS, *NUMBERS)}
    shown |= {name: ", ".join(map(_text, _listed(column, name))) for name in LISTS}
    shown |= {name: column.get(name) is True for name in FLAGS}
    shown |= {name: _grouped(shown[name]) for name in _BOUNDED}
    shown["grid"] = shown["grid"] or "linear"
    shown |= {name: visible_text("\n".join(map(_text, _listed(column, name)))) for name in LABELS}
    listed = column.get("predictors")
    shown["explained"] = "all" if listed is None else "listed" if listed else "none"
    shown["predictors"] = list(listed) if isinstance(listed, list | tuple) else []
    return shown


def read(form: Mapping[str, Sequence[str]], before: Section, earlier: Sequence[str]) -> dict[str, Any]:
    """Return the column that a form describes.

    Parameters
    ----------
    form : mapping
        Texts by field, as they were sent; `explained_by` holds places of earlier columns.
    before : mapping
        The column as it was shown.
    earlier : sequence of str
        Names of the columns before this one.
    """
    shown = fields(before)
    read_by: dict[str, Callable[[str], Any]] = dict.fromkeys(TEXTS, str.strip)
    read_by |= dict.fromkeys(NUMBERS, value_of) | dict.fromkeys(LISTS, numbers_of)
    read_by |= {"categories": _lines_of, "parents": _entries_of}
    if _sent(form, "type") in ("numeric", "integer"):
        read_by["outside"] = value_of
    column: dict[str, Any] = {}
    for name, reader in read_by.items():
        typed = _sent(form, name)
        column[name] = before[name] if name in before and typed == shown[name] else reader(typed)
    column |= {name: bool(_sent(form, name)) for name in FLAGS}
    column["predictors"] = _predictors(form, earlier)
    kept = BELONGS.get(column["type"], BELONGS[""])
    unbounded = (*LABELLED, KEY)
    blanks = ("name", "type", *(_BOUNDED if column["type"] not in unbounded else ()), "source")
    if column["type"] in (*LISTED, ""):
        blanks = (*blanks, "categories")
    shown_here = {
        name: column[name]
        for name in FIELDS
        if name in kept and (name in blanks or not _is_default(name, column[name]))
    }
    return shown_here | {name: value for name, value in before.items() if name not in FIELDS}


def value_of(text: str) -> Any:
    """Read a number or a date that a person typed; anything else is returned as it is.

    Examples
    --------
    >>> value_of(" 1 000 000"), value_of("0.5"), value_of("2020-01-31").isoformat(), value_of("1,000")
    (1000000, 0.5, '2020-01-31', '1,000')
    """
    typed = text.strip()
    if _DATE.fullmatch(typed):
        try:
            moment = datetime.fromisoformat(typed)
        except ValueError:
            return typed
        return moment.date() if len(typed) == len("2020-01-31") else moment
    plain = _SPACES.sub("", typed)
    if not _NUMBER.fullmatch(plain) or len(plain) > 300:
        return typed
    return int(plain) if re.fullmatch(r"[+-]?\d+", plain) else float(plain)


def numbers_of(text: str) -> list[Any]:
    """Read a list of numbers, separated by commas, semicolons or lines."""
    return [value_of(part) for part in re.split(r"[,;\n]", text) if part.strip()]


def _predictors(form: Mapping[str, Sequence[str]], earlier: Sequence[str]) -> list[str] | None:
    chosen = _sent(form, "explained")
    if chosen not in ("listed", "none"):
        return None
    places = {int(place) for place in form.get("explained_by", ()) if place.isdecimal()}
    return [name for place, name in enumerate(earlier) if chosen == "listed" and place in places]


def _lines_of(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _entries_of(text: str) -> list[str]:
    """Return all lines, blank ones between others included: they stand for a label that belongs to a missing one."""
    return [line.strip() for line in text.rstrip().splitlines()]


def _sent(form: Mapping[str, Sequence[str]], name: str) -> str:
    sent = form.get(name, ())
    return sent[0].replace("\r\n", "\n") if sent else ""


def _is_default(name: str, value: Any) -> bool:
    if name == "predictors":
        return value is None
    is_blank = value is None or value is False or value in ("", [])  # 0 is a value
    return is_blank or (name == "grid" and value == "linear")


def _grouped(text: str) -> str:
    """Set the digits of a large whole number in groups, so that its zeros can be counted."""
    is_large = re.fullmatch(r"-?\d{5,}", text)
    return f"{int(text):,}".replace(",", " ") if is_large else text


def _listed(column: Section, name: str) -> Sequence[Any]:
    listed = column.get(name, ())
    return listed if isinstance(listed, list | tuple) else ()


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime | date):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    return value if isinstance(value, str) else repr(value)
