"""`quantail init`: draft a schema from names and declared types, never from values."""

from pathlib import Path
from typing import Annotated

import typer

from quantail.cli.console import note, say
from quantail.cli.options import TableInput
from quantail.cli.outputs import check_outputs
from quantail.cli.staging import write_text

EXAMPLE = "quantail init payroll.csv -o schema.toml"


def init(
    file: TableInput,
    output: Annotated[Path, typer.Option("--output", "-o", help="Schema file to write.")] = Path(
        "schema.toml"
    ),
    force: Annotated[bool, typer.Option("--force", help="Replace the schema file if it exists.")] = False,
) -> None:
    """Draft a schema for a table, to be completed by a person.

    Only column names are used, and types where the format declares them (CSV and Excel do not: there they are blank).
    Bounds and categories are left blank: fill them in from rules, codebooks or law, never by looking at the data,
    because what the data reveal costs privacy.
    """
    from quantail.io import Place, read_header
    from quantail.schema import draft

    check_outputs([output], [file], force)
    header = read_header(file)
    write_text(output, draft(header), force)
    say(f"Wrote {output}.")
    if not any(header.values()):
        note("This kind of file declares no types, and no row was looked at: write the type of every column.")
    note(
        f"Next: fill in its blanks from public knowledge, then `quantail check {Place.of(file)} --schema {output}`."
    )
