"""What a notebook shows of a schema: its columns, their public bounds and labels, and where those are known from."""

from collections import Counter
from dataclasses import fields
from typing import TYPE_CHECKING

from quantail.notebook import counted, short, shown
from quantail.schema.column import Column

if TYPE_CHECKING:
    from quantail.schema.table import Schema

_MOST_LABELS = 6
_LONGEST = 60  # characters of an option in a line


def schema_line(schema: "Schema") -> str:
    """Return a schema as one line."""
    kinds = ", ".join(f"{number} {kind}" for kind, number in Counter(c.type for c in schema.columns).items())
    name = f" {short(schema.name)}" if schema.name else ""
    what = "panel" if schema.panel is not None else "table"
    unit = short(schema.unit)
    return f"<Schema{name} of a {what}: {counted(len(schema.columns), 'column')} ({kinds}), protects {unit}>"


def schema_html(schema: "Schema") -> str:
    """Return a schema as HTML."""
    facts = [("protects", schema.unit), ("neighbours", schema.neighbours)]
    if schema.by:
        facts.append(("groups by", ", ".join(schema.by)))
    if schema.panel is not None:
        facts.append(("periods", f"{schema.panel.start} to {schema.panel.end}, {schema.panel.layout} layout"))
    rules = len(schema.identities) + len(schema.inequalities)
    if rules:
        facts.append(("rules", str(rules)))
    blank = schema.unsourced()
    remarks = (
        [f"Without a source: {', '.join(map(short, blank[:_MOST_LABELS]))}" + _more(len(blank))]
        if blank
        else []
    )
    head = ("column", "type", "values", "besides", "source")
    return shown(f"Schema of {schema.name or 'a table'}", facts, head, column_rows(schema), remarks)


def column_rows(schema: "Schema") -> list[tuple[str, ...]]:
    """Return what is public about every column, as texts."""
    return [(c.name, c.type, _values(c), _besides(c, schema), c.source) for c in schema.columns]


def column_line(column: Column) -> str:
    """Return a column nearly as it would be written: without what stands at its default, long texts and lists cut."""
    told = [
        f"{field.name}={_cut(repr(getattr(column, field.name)))}"
        for field in fields(column)[2:]
        if getattr(column, field.name) != field.default
    ]
    return f"Column({', '.join([short(column.name), repr(column.type), *told])})"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _values(column: Column) -> str:
    if column.is_labelled:
        labels = column.labels
        return ", ".join(labels[:_MOST_LABELS]) + _more(len(labels))
    low, high = column.bound_text("lower"), column.bound_text("upper")
    return f"{low} to {high}" + (", log grid" if column.grid == "log" else "") if low or high else ""


def _besides(column: Column, schema: "Schema") -> str:
    told = [
        "public" if column.public or column.name in schema.by else "",
        "may be missing" if column.missing else "",
        f"missing codes {_numbers(column.missing_codes)}" if column.missing_codes else "",
        f"atoms {_numbers(column.atoms)}" if column.atoms else "",
        f"heaps {_numbers(column.heaps)}" if column.heaps else "",
        f"only where {column.universe}" if column.universe else "",
        f"missing with {column.missing_with}" if column.missing_with else "",
        f"within {column.within}" if column.within else "",
    ]
    return "; ".join(filter(None, told))


def _numbers(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:.15g}" for value in values[:_MOST_LABELS]) + _more(len(values))


def _more(number: int) -> str:
    return f", … ({number:,} in all)" if number > _MOST_LABELS else ""
