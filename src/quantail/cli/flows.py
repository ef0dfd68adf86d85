"""`quantail flows`: job creation and destruction of a panel, as Business Dynamics Statistics has them."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantail.cli.console import note, out, plain, print_json, say
from quantail.cli.console import table as text_table
from quantail.cli.options import Force, JsonFlag
from quantail.cli.outputs import check_outputs
from quantail.errors import OptionError

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLE = "quantail flows made.csv --schema schema.toml --by age -o flows.csv"
_SHOWN = {
    "estabs": "units",
    "emp": "total",
    "job_creation_rate": "created",
    "job_creation_births_rate": "births",
    "job_destruction_rate": "destroyed",
    "job_destruction_deaths_rate": "deaths",
    "net_job_creation_rate": "net",
    "entry_rate": "entry",
    "exit_rate": "exit",
}
_NOTICE = "No noise was added: flows of a confidential panel are internal, those of a synthetic one may be published."


def flows(
    file: Annotated[
        str, typer.Argument(metavar="PANEL", help="A panel, synthetic or confidential: a file or a URL.")
    ],
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="Its schema; or name its columns with --panel.")
    ] = None,
    panel: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT,PERIOD",
            help="Without a schema: the columns of unit and period; UNIT alone if the panel is wide (staff_2001, ...).",
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="What is created and destroyed; by default the schema's first numbers."
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help='Cells: age, size, columns of the panel, or several such as "age,region".'
        ),
    ] = None,
    size_classes: Annotated[
        str | None, typer.Option(metavar="NUMBERS", help="Lower ends of size classes, such as 1,5,20,100.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Table to write, with all columns: .csv, .parquet, ..."),
    ] = None,
    as_json: JsonFlag = False,
    force: Force = False,
) -> None:
    """Compute job creation and destruction, births, deaths and net creation of a panel, period by period.

    The columns are those of Business Dynamics Statistics (estabs are units, emp the total of the column), the rates
    those of Davis, Haltiwanger and Schuh, in percent; docs/measures.md defines each.
    """
    from quantail.evaluation import flows as compute
    from quantail.io import read_released, write_table
    from quantail.schema import PanelNames, Schema

    if output is not None:
        check_outputs([output], [file, schema], force)
    facts = None if schema is None else Schema.load(schema)
    named = None if panel is None else PanelNames.of(panel)
    cells = [name.strip() for name in by.split(",")] if by else []
    ends = {} if size_classes is None else {"size_ends": _numbers(size_classes)}
    table = compute(read_released(file, facts), column, schema=facts, panel=named, by=cells, **ends)
    if output is not None:
        write_table(table, output, overwrite=force)
        say(f"Wrote {output}")
    if as_json:
        print_json(table.to_pylist())
    elif output is None:
        _show(table, cells)
    note(_NOTICE)


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise OptionError("--size-classes are numbers with commas between them, such as 1,5,20,100") from None


def _show(table: "pa.Table", cells: list[str]) -> None:
    shown = text_table((table.column_names[0], *cells), tuple(_SHOWN.values()))
    for row in table.to_pylist():
        labels = [str(row[name]) for name in (table.column_names[0], *cells)]
        shown.add_row(*map(plain, labels), *(plain(_number(row[name])) for name in _SHOWN))
    out.print(shown)
    note("Flows in percent of the mean total of both periods, entry and exit of the mean number of units.")


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
