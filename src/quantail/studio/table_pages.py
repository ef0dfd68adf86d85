"""Pages about the folder and its tables: what there is, a draft of a schema, and whether a table fits it."""

from collections.abc import Mapping

from starlette.responses import Response

from quantail.cli.staging import write_text
from quantail.errors import QuantailError, SchemaError
from quantail.frames import check_table, left_out_columns, problem_lines
from quantail.io import csv_format, read_header, read_table
from quantail.schema import PanelNames, Schema, draft
from quantail.studio.column_form import value_of
from quantail.studio.schema_file import SchemaFile
from quantail.studio.visit import Visit


def home(visit: Visit) -> Response:
    """Show the folder, and the runs of late."""
    records = visit.studio.records
    runs = [records.read(run) for run in records.ids()[:8]]
    shown = [run for run in runs if run.kind != "plan"]
    return visit.page("home.html", contents=visit.studio.folder.contents(), runs=shown)


def table(visit: Visit, error: str = "") -> Response:
    """Show the columns of a table by name and declared type, and the schemas that go with it."""
    name = visit.sent("table")
    header = read_header(visit.studio.folder.file(name))
    if _may_be_a_row(header) and not _are_names(visit):
        return visit.page("header.html")
    schemas = [
        (schema, _coverage(visit, schema, set(header))) for schema in visit.studio.folder.contents().schemas
    ]
    stem = name.rpartition(".")[0]
    return visit.page(
        "table.html",
        200 if not error else 422,
        header=header,
        schemas=schemas,
        error=error,
        proposed=visit.sent("output") or f"{stem}.schema.toml",
        are_names="yes" if _are_names(visit) else "",
    )


def _may_be_a_row(header: Mapping[str, str]) -> bool:
    """Say whether the first line of a file may hold values: it declares no types, and there are numbers in it."""
    return not any(header.values()) and any(not isinstance(value_of(name), str) for name in header)


def _are_names(visit: Visit) -> bool:
    """Say whether the person has said that the first line holds names."""
    return visit.sent("are_names") == "yes"


def _coverage(visit: Visit, schema: str, header: set[str]) -> str:
    """Say how a schema goes with a table."""
    try:
        found = SchemaFile.load(visit.studio.folder.file(schema))
    except SchemaError:
        return "cannot be read"
    if found.panel is not None:
        return "describes a panel"
    missing = [name for name in found.names if name not in header]
    if len(missing) == len(found.names):
        return "is of another table"
    if missing:
        return f"has columns that the table lacks: {', '.join(missing[:3])}"
    return "complete" if not found.problem() else "has blanks"


def draft_schema(visit: Visit) -> Response:
    """Write a draft from names and declared types, with blanks for all the rest."""
    folder, output = visit.studio.folder, visit.sent("output")
    try:
        if not output.endswith(".toml"):
            raise SchemaError("the name of a schema ends in .toml; write one such as payroll.schema.toml")
        path = folder.new_file(output)
        table_path, panel = folder.file(visit.sent("table")), visit.sent("panel")
        named, header = PanelNames.of(panel) if panel else None, read_header(table_path)
        if _may_be_a_row(header) and not _are_names(visit):
            return table(visit)
        write_text(path, draft(header, csv=csv_format(table_path), panel=named))
    except QuantailError as error:
        return table(visit, visit.told(error))
    return visit.go("/schema", schema=output)


def check(visit: Visit) -> Response:
    """Say in which ways a table does not fit its schema, without a value or a count of it."""
    folder = visit.studio.folder
    schema = Schema.load(folder.file(visit.sent("schema")))
    found = read_table(folder.file(visit.sent("table")), schema)
    problems = check_table(found, schema)
    return visit.page(
        "check.html",
        problems=problem_lines(problems),
        unsourced=schema.unsourced(),
        left_out=left_out_columns(found.column_names, schema),
    )
