"""Pages that edit a schema: facts about the table, its columns one by one, rules between them, the panel.

Every form carries a hash of the file as it was shown; a file that somebody changed meanwhile is not overwritten.
"""

import re
from dataclasses import fields, replace
from typing import Any

from starlette.responses import Response

from quantail.errors import OptionError, QuantailError
from quantail.io import read_header
from quantail.schema.csv_format import CsvFormat
from quantail.schema.key import KEY
from quantail.studio import column_form
from quantail.studio.advice import column_advice, rules_advice
from quantail.studio.schema_file import SchemaFile
from quantail.studio.visit import Visit

_TABLE = re.compile(r"\[table\]: (.*?)(?:, \w+ = .*)?$")
_SPECIAL = {"decimals": "decimals", "atoms": "atoms", "heaps": "heaps", "missing_codes": "codes"}
_RULES = {"universe": "only where", "missing_with": "missing with", "within": "within"}
_NAMED = ("unit", "time", "entry", "exit", "source")
_PANEL = ("layout", "unit", "time", "entry", "exit", "start", "end", "source")


def overview(visit: Visit, error: str = "") -> Response:
    """Show the whole schema: what is there, and what is still blank."""
    found = _load(visit)
    columns = [
        {
            "name": name,
            "type": str(column.get("type", "")),
            "facts": _facts(column),
            "source": str(column.get("source", "")),
            "problem": found.column_problem(place),
        }
        for place, (name, column) in enumerate(zip(found.names, found.columns, strict=True))
    ]
    blanks = sum(bool(column["problem"]) for column in columns)
    return visit.page(
        "schema.html",
        200 if not error else 422,
        file=found,
        columns=columns,
        blanks=blanks,
        problem=found.problem(),
        elsewhere=_elsewhere(found.problem(), blanks),
        left_out=_left_out(visit, found),
        rules=rules_advice(found.columns),
        text_of_file=found.text(),
        error=error,
        notice="Saved." if visit.query.get("saved") else "",
    )


def _elsewhere(problem: str, blanks: int) -> list[str]:
    """Return what is wrong beyond the columns, or all of it where no column is to blame."""
    lines = [line.strip() for line in problem.split("\n")]
    if not blanks or len(lines) == 1:
        return lines
    # Said for whoever edits the file; here the field is named below.
    return [_TABLE.sub(r"The table: \1", line) for line in lines[1:] if line.startswith("[")]


def _facts(column: Any) -> str:
    """Say what is public about a column, in a few words."""
    shown = column_form.fields(column)
    parts: list[str] = []
    if shown["categories"]:
        labels = shown["categories"].split("\n")
        parts = [", ".join(labels[:4]) + (f", … ({len(labels)} labels)" if len(labels) > 4 else "")]
    elif shown["lower"] or shown["upper"]:
        parts = [f"{shown['lower'] or '?'} to {shown['upper'] or '?'}"]
        parts += ["log grid"] if shown["grid"] == "log" else []
        parts += [f"{words} {shown[option]}" for option, words in _SPECIAL.items() if shown[option]]
    parts += ["may be missing"] if column.get("missing") is True else []
    return ", ".join([*parts, *(f"{words} {shown[name]}" for name, words in _RULES.items() if shown[name])])


def _left_out(visit: Visit, found: SchemaFile) -> list[str]:
    """Columns of the table that the schema does not describe; of a panel they are not told apart.

    None is named of a table that lacks a described column: its first line may be no header, and hold values.
    """
    if not visit.sent("table") or found.panel is not None:
        return []
    header = read_header(visit.studio.folder.file(visit.sent("table")))
    described = {
        name for name, part in zip(found.names, found.columns, strict=True) if part.get("type") != KEY
    }
    return [name for name in header if name not in found.names] if described <= set(header) else []


def save_facts(visit: Visit) -> Response:
    """Save what is public about the table as a whole."""
    found = _load(visit)
    table = dict(found.table)
    for name in ("name", "unit", "neighbours", "order"):
        table[name] = visit.sent(name)
    groups = {int(place) for place in visit.form.get("by", ()) if place.isdecimal()}
    table["by"] = [name for place, name in enumerate(found.names) if place in groups]
    fewest = column_form.value_of(visit.sent("merge_below"))
    table["merge_below"] = fewest
    if fewest in ("", 0):
        del table["merge_below"]
    return _saved(visit, replace(found, table=table))


def change_columns(visit: Visit) -> Response:
    """Move a column, leave it out, or add one."""
    found = _load(visit)
    columns = list(found.columns)
    action, _, place = visit.sent("do").partition(" ")
    if action == "add":
        name = visit.sent("new_name")
        if not name or name in found.names:
            return overview(
                visit, "A column that is added needs a name, and one that the schema does not have."
            )
        columns.append({"name": name, "type": "", "lower": "", "upper": "", "categories": [], "source": ""})
        return _saved(visit, replace(found, columns=tuple(columns)))
    if not place.isdecimal() or int(place) >= len(columns):
        raise OptionError("the page is out of date; load it again")
    moved = columns.pop(int(place))
    if action in ("up", "down"):
        columns.insert(max(0, int(place) + (1 if action == "down" else -1)), moved)
    elif action != "drop":
        raise OptionError("the page is out of date; load it again")
    return _saved(visit, replace(found, columns=tuple(columns)))


def change_rules(visit: Visit) -> Response:
    """Add a rule between columns, or remove one."""
    found = _load(visit)
    action, _, place = visit.sent("do").partition(" ")
    named = {name: found.names[visit.place(name, len(found.names))] for name in _chosen(visit)}
    identities, inequalities = list(found.identities), list(found.inequalities)
    if action == "inequality":
        inequalities.append({"part": named["part"], "total": named["total"]})
    elif action == "identity":
        places = {int(part) for part in visit.form.get("parts", ()) if part.isdecimal()}
        parts = [name for number, name in enumerate(found.names) if number in places]
        identities.append({"total": named["total"], "parts": parts})
    elif action in ("drop-inequality", "drop-identity") and place.isdecimal():
        rules = inequalities if action == "drop-inequality" else identities
        del rules[int(place) : int(place) + 1]
    changed = replace(found, identities=tuple(identities), inequalities=tuple(inequalities))
    if action in ("inequality", "identity") and not found.problem() and changed.problem():
        return overview(visit, f"The rule was not added: {changed.problem()}")
    return _saved(visit, changed)


def _chosen(visit: Visit) -> list[str]:
    wanted = {"inequality": ["part", "total"], "identity": ["total"]}
    return wanted.get(visit.sent("do"), [])


def save_csv(visit: Visit) -> Response:
    """Save how a CSV file is written; a section that says nothing is left out."""
    found = _load(visit)
    marks: dict[str, Any] = {field.name: visit.form.get(field.name, [""])[0] for field in fields(CsvFormat)}
    marks["missing"] = [word.strip() for word in marks["missing"].split(",") if word.strip()]
    return _saved(visit, replace(found, csv=CsvFormat(**marks).told() or None))


def save_panel(visit: Visit) -> Response:
    """Save where a panel keeps its units and periods, or that this is no panel."""
    found = _load(visit)
    if visit.sent("layout") not in ("wide", "long"):
        return _saved(visit, replace(found, panel=None))
    panel = {name: visit.sent(name) for name in _PANEL}
    read: dict[str, Any] = {
        name: text if name in (*_NAMED, "layout") else column_form.value_of(text)
        for name, text in panel.items()
    }
    kept = {name: value for name, value in (found.panel or {}).items() if name not in _PANEL}
    read = {name: value for name, value in read.items() if value != ""}
    return _saved(visit, replace(found, panel=kept | read))


def column(visit: Visit) -> Response:
    """Show one column, with advice."""
    found = _load(visit)
    place = visit.place("column", len(found.columns))
    described = found.columns[place]
    return visit.page(
        "column.html",
        file=found,
        place=place,
        shown=column_form.fields(described),
        names=found.names,
        advice=column_advice(described),
        problem=found.column_problem(place),
        notice="Saved." if visit.query.get("saved") else "",
    )


def save_column(visit: Visit) -> Response:
    """Save one column, with its blanks if it has any, and go where the button says."""
    found = _load(visit)
    place = visit.place("column", len(found.columns))
    columns = list(found.columns)
    columns[place] = column_form.read(visit.form, columns[place], found.names[:place])
    changed = replace(found, columns=tuple(columns))
    wanted = {"next": place + 1, "stay": place}.get(visit.sent("then"), len(columns))
    if wanted < len(columns):
        return _saved(visit, changed, "/schema/column", column=wanted)
    return _saved(visit, changed)


def _load(visit: Visit) -> SchemaFile:
    """Read the file; a form's changes apply to the file as it was shown."""
    found = SchemaFile.load(visit.studio.folder.file(visit.sent("schema")))
    return replace(found, seen=visit.sent("seen")) if visit.form else found


def _saved(visit: Visit, changed: SchemaFile, then: str = "/schema", **query: object) -> Response:
    try:
        changed.save(visit.studio.folder.file(visit.sent("schema")))
    except QuantailError as error:
        return visit.page("error.html", 409, message_text=visit.told(error))
    return visit.go(then, saved=1, **query)
