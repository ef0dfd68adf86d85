"""`quantail init`: draft a schema from names and declared types, never from values."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from quantail.cli.console import note, say
from quantail.cli.options import TableInput
from quantail.cli.outputs import check_outputs
from quantail.cli.staging import write_text
from quantail.errors import OptionError

EXAMPLE = "quantail init payroll.csv -o schema.toml"


def init(
    file: TableInput,
    output: Annotated[Path, typer.Option("--output", "-o", help="Schema file to write.")] = Path(
        "schema.toml"
    ),
    panel: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT,PERIOD",
            help="The table is a panel: the column that names the unit and the one with the period. UNIT alone if each "
            "unit has one row, with a column for every period (staff_2001, staff_2002, ...).",
        ),
    ] = None,
    firm: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="With --panel: the column that names the firm of an establishment, if a firm is to be protected with "
            "all of its establishments.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the schema file if it exists.")] = False,
) -> None:
    """Draft a schema for a table, to be completed by a person.

    Only column names are used, and types where the format declares them (CSV and Excel do not: there a type is what the
    name suggests, or blank). Bounds and categories are left blank: fill them in from rules, codebooks or law, never by
    looking at the data, because what the data reveal costs privacy.
    """
    from quantail.io import Place, csv_format, read_header
    from quantail.schema import PanelNames, draft
    from quantail.schema.panel_draft import seems_wide

    check_outputs([output], [file], force)
    header = read_header(file)
    written = csv_format(file)
    if firm is not None and panel is None:
        raise OptionError("--firm says whose the units of a panel are; give --panel UNIT,PERIOD, too")
    named = None if panel is None else replace(PanelNames.of(panel), firm=firm or "")
    write_text(output, draft(header, csv=written, panel=named), force)
    say(f"Wrote {output}.")
    if panel is None and (period := seems_wide(header)):
        note(
            f"{period} looks like one period of a panel. If each row is a unit with a column for every period, "
            "`--panel UNIT` with the column that names the unit keeps its history together."
        )
    if not any(header.values()):
        note(
            "This kind of file declares no types, and no row was looked at: types are what names suggest; check them."
        )
    if written is not None and written.told():
        note("The file is not UTF-8 with commas: check the [csv] section, which says how it is written.")
    note(
        f"Next: fill in its blanks from public knowledge, then `quantail check {Place.of(file)} --schema {output}`."
    )
