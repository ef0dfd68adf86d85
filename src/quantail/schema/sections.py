"""The sections of a schema file: read and written.

Reading is strict: an unknown key is an error that names the nearest known one, and all blanks of a draft are
reported together. Writing is canonical: fixed key order, defaults left out, whole bounds as integers, text
escaped, so that reading back gives an equal schema and equal schemas give equal text.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, get_args

from quantail.errors import SchemaError
from quantail.schema.column import Column
from quantail.schema.column_rules import shown
from quantail.schema.column_types import DATED, LABELLED, LISTED, NUMBERS, ColumnType
from quantail.schema.csv_format import CsvFormat
from quantail.schema.key import KEY, Key, with_keys
from quantail.schema.panel import Panel
from quantail.schema.structure import Identity, Inequality
from quantail.schema.table import Schema
from quantail.schema.toml import parse_toml, toml_text, toml_value

SECTIONS = ("table", "csv", "panel", "column", "identity", "inequality")
_TABLE_KEYS = ("name", "unit", "neighbours", "by", "order", "merge_below")
_PANEL_EXAMPLES = {
    "unit": '"firm"',
    "time": '"year"',
    "entry": '"first_year"',
    "exit": '"last_year"',
    "start": "2001",
    "end": "2015",
    "establishments": "3",
}
# What to write for a blank bound of numbers, and of dates.
_BOUNDS = {
    "lower": (
        "the smallest value that public rules allow, lower = 0",
        "the earliest date that public rules allow, lower = 2020-01-01",
    ),
    "upper": (
        "the largest value that public rules allow, upper = 1000",
        "the latest date that public rules allow, upper = 2020-12-31",
    ),
}
_PANEL_KEYS = (
    "layout",
    "synthesis",
    "unit",
    "time",
    "between",
    "entry",
    "exit",
    "start",
    "end",
    "attributes",
    "changing",
    "gaps",
    "borrow",
    "firm",
    "establishments",
    "source",
)
_COLUMN_KEYS, _CSV_KEYS, _IDENTITY_KEYS, _INEQUALITY_KEYS = (
    tuple(field.name for field in fields(kind)) for kind in (Column, CsvFormat, Identity, Inequality)
)


def read_toml(text: str) -> Schema:
    """Read a schema from TOML text, or raise a SchemaError that says what to write."""
    document = parse_toml(text)
    _check_keys(document, SECTIONS, "the schema")
    table, sections = document.get("table"), document.get("column")
    if not isinstance(table, dict):
        raise SchemaError('the schema has no [table] section; write [table] and below it unit = "..."')
    if not isinstance(sections, list) or not all(isinstance(section, dict) for section in sections):
        raise SchemaError(
            "the schema has no [[column]] sections; write one, in double brackets, for each column"
        )
    _check_keys(table, _TABLE_KEYS, "[table]")
    for place, section in enumerate(sections, start=1):
        _check_keys(section, _COLUMN_KEYS, _where(section, place))
    panel = document.get("panel")
    _check_blanks(table, sections, panel if isinstance(panel, dict) else {})
    placed = list(enumerate(sections, start=1))
    columns = tuple(_column(section, place) for place, section in placed if section.get("type") != KEY)
    return Schema(
        columns=columns,
        **{"unit": "", **table},
        panel=_panel(document.get("panel")),
        identities=tuple(Identity(**part) for part in _relations(document, "identity", _IDENTITY_KEYS)),
        inequalities=tuple(
            Inequality(**part) for part in _relations(document, "inequality", _INEQUALITY_KEYS)
        ),
        csv=csv_section(document.get("csv")),
        keys=tuple(_key(section, place) for place, section in placed if section.get("type") == KEY),
    )


def write_toml(schema: Schema) -> str:
    """Write a schema as canonical TOML text."""
    blocks = ["[table]", *_lines(schema, _TABLE_KEYS, keep=("unit", "neighbours"))]
    if schema.csv is not None:
        blocks += [
            "",
            "[csv]",
            *_lines(schema.csv, _CSV_KEYS, keep=("separator", "decimal", "encoding", "dates")),
        ]
    if schema.panel is not None:
        blocks += ["", "[panel]", *_lines(schema.panel, _PANEL_KEYS, keep=("layout", "synthesis"))]
    described = {column.name: _lines(column, _COLUMN_KEYS) for column in schema.columns}
    described |= {key.name: _key_lines(key) for key in schema.keys}
    for name in with_keys(schema.names, schema.keys):
        blocks += ["", "[[column]]", *described[name]]
    for identity in schema.identities:
        blocks += ["", "[[identity]]", *_lines(identity, _IDENTITY_KEYS)]
    for inequality in schema.inequalities:
        blocks += ["", "[[inequality]]", *_lines(inequality, _INEQUALITY_KEYS)]
    return "\n".join(blocks) + "\n"


def _lines(part: Any, keys: tuple[str, ...], keep: tuple[str, ...] = ()) -> Iterable[str]:
    """Write what does not stand at its default, or is written all the same."""
    defaults = {field.name: field.default for field in fields(part)}
    for key in keys:
        value = getattr(part, key)
        if key in keep or value != defaults[key]:
            is_date = isinstance(part, Column) and part.is_dated and key in _BOUNDS
            yield f"{key} = {part.bound_text(key) if is_date else toml_value(value)}"


def _key_lines(key: Key) -> Iterable[str]:
    yield from (f"name = {toml_text(key.name)}", f"type = {toml_text(KEY)}")
    yield from _lines(key, ("source", "storage"))


def _check_keys(section: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in section:
        if key not in known:
            near = difflib.get_close_matches(key[:60], known, n=1, cutoff=0.5)
            advice = f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(known)}"
            raise SchemaError(f"{where}: unknown key {shown(key)}; {advice}")


def _check_blanks(table: Mapping[str, Any], sections: list[dict[str, Any]], panel: Mapping[str, Any]) -> None:
    """Report every blank at once, so that a draft is filled in one pass."""
    blanks = ['[table]: write the name of the data set, name = "payroll"'] if table.get("name") == "" else []
    if table.get("unit") == "":
        blanks.append('[table]: write what is protected, unit = "firm"')
    optional = () if panel.get("synthesis") == "partial" else ("entry", "exit")
    blanks += [
        f"[panel]: write {key} = {_PANEL_EXAMPLES[key]}"
        for key in panel
        if key in _PANEL_EXAMPLES and key not in optional and panel[key] == ""
    ]
    lacking: dict[str, list[str]] = {}
    for place, section in enumerate(sections, start=1):
        for advice in _blanks_of_column(section):
            lacking.setdefault(advice, []).append(_where(section, place))
    blanks += [f"{_all_of(places)}: {advice}" for advice, places in lacking.items()]
    if blanks:
        raise SchemaError(
            "the schema has blanks to fill in from public knowledge, not from the data\n  "
            + "\n  ".join(blanks)
        )


def _all_of(places: list[str]) -> str:
    if len(places) == 1 or not all(place.startswith("column ") for place in places):
        return ", ".join(places)
    return "columns " + ", ".join(place.removeprefix("column ") for place in places)


def _blanks_of_column(section: Mapping[str, Any]) -> Iterable[str]:
    """Say what to fill in: a type, or bounds or categories; nothing of a key, or of what is kept as it is."""
    kind = section.get("type")
    if kind == "":
        kinds = ", ".join((*get_args(ColumnType), KEY))
        yield (
            f"write its type, one of {kinds}, and its bounds or categories; or remove its section, which leaves it out "
            "of every release"
        )
    if section.get("public") is True:
        return
    if kind in LISTED and section.get("categories", []) in ([], ""):
        yield 'write every label, categories = ["a", "b"]'
    missing = [bound for bound in _BOUNDS if section.get(bound, "") == ""]
    if kind in (*NUMBERS, *DATED) and missing:
        wanted = " and ".join(_BOUNDS[bound][kind in DATED] for bound in missing)
        yield f"{' and '.join(missing)} blank: write {wanted}"


def csv_section(section: Any) -> CsvFormat | None:
    """Read the [csv] section of a document, if it has one."""
    if section is None:
        return None
    if not isinstance(section, dict):
        raise SchemaError("[csv] must be one section; write [csv], in single brackets, once")
    _check_keys(section, _CSV_KEYS, "[csv]")
    return CsvFormat(**section)


def _panel(section: Any) -> Panel | None:
    if section is None:
        return None
    if not isinstance(section, dict):
        raise SchemaError("[panel] must be one section; write [panel], in single brackets, once")
    _check_keys(section, _PANEL_KEYS, "[panel]")
    needed = ("entry", "exit") if section.get("synthesis") == "partial" else ()
    for key in ("unit", *needed, "start", "end"):
        if section.get(key, "") == "":
            raise SchemaError(f"[panel]: no {key}; write {key} = {_PANEL_EXAMPLES[key]}")
    return Panel(**section)


def _relations(document: Mapping[str, Any], kind: str, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    sections = document.get(kind, [])
    if not isinstance(sections, list) or not all(isinstance(section, dict) for section in sections):
        raise SchemaError(f"[[{kind}]] sections come in double brackets; write [[{kind}]]")
    for section in sections:
        _check_keys(section, keys, f"[[{kind}]]")
        for key in keys:
            if key not in section:
                raise SchemaError(f"[[{kind}]]: no {key}; write {key} = ...")
    return sections


def _key(section: dict[str, Any], place: int) -> Key:
    """Read a key; what a draft has left of other types may stay while it is blank."""
    given = {
        option: value for option, value in section.items() if value not in ("", [], False, "linear", None)
    }
    if "name" not in given:
        raise SchemaError(f"{_where(section, place)}: no name; write name = ...")
    for option in given:
        if option not in ("name", "type", "storage", "source"):
            raise SchemaError(
                f"{_where(section, place)}: {option} has no meaning for a key, which is numbered anew; remove {option}"
            )
    return Key(given["name"], place - 1, given.get("storage", "int64"), given.get("source", ""))


def _column(section: dict[str, Any], place: int) -> Column:
    for key in ("name", "type"):
        if key not in section:
            raise SchemaError(f"{_where(section, place)}: no {key}; write {key} = ...")
    if (
        section["type"] in LABELLED or section.get("public") is True
    ):  # a draft's blanks that need no filling in
        section = {
            key: value for key, value in section.items() if key not in ("lower", "upper") or value != ""
        }
    return Column(**section)


def _where(section: Mapping[str, Any], place: int) -> str:
    name = section.get("name")
    return (
        f"column {name!r}" if isinstance(name, str) and 0 < len(name) <= 200 else f"[[column]] number {place}"
    )
