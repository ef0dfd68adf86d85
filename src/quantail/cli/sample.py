"""`quantail sample`: draw synthetic tables or panels from a fitted model, at no further cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantail.cli.console import cores, note, progress
from quantail.cli.options import Force, Quiet, Replicates, Rows, TableOutput

if TYPE_CHECKING:
    from quantail.planning import Expectation
    from quantail.table_or_panel import AnyRelease

EXAMPLE = "quantail sample model.json -n 5000 --replicates 3 -o synthetic.parquet"


def sample(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model that `quantail fit` saved.")],
    output: TableOutput,
    rows: Rows = None,
    replicates: Replicates = 1,
    seed: Annotated[int | None, typer.Option(help="The same seed draws the same rows again.")] = None,
    expected_errors: Annotated[
        bool,
        typer.Option(
            "--expected-errors",
            help="State expected errors on the card, from the plan tried on made-up tables; takes as long as 19 fits.",
        ),
    ] = False,
    given: Annotated[
        Path | None,
        typer.Option(
            help="A table of rows to complete: its columns (public ones, or the first in synthesis order) are kept, "
            "the others are drawn."
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(help='Only rows in which this holds: "employees > 50 and sector in [mill, mine]".'),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Draw synthetic tables or panels from a model; no data are read and no budget is spent.

    The release card is written beside the output, as .card.json, .card.md and .card.html.
    """
    from quantail.cli.panels import refuse_for_panels
    from quantail.cli.release_files import ReleaseFiles
    from quantail.io import Place, read_released
    from quantail.table_or_panel import load_model

    files = ReleaseFiles(Place.of(output), rows, replicates, force=force)
    files.check([model, given])
    fitted = load_model(model)
    refuse_for_panels(fitted.schema, rows=rows, given=given, where=where, expected_errors=expected_errors)
    kept = None if given is None else read_released(given, fitted.schema)
    expectation = _expected(fitted, quiet) if expected_errors else None
    files.write(fitted, seed, expectation=expectation, given=kept, where=where)
    files.announce(fitted, anew=False)


def _expected(model: "AnyRelease", quiet: bool) -> "Expectation | None":
    """Try the model's plan on made-up tables; the number of rows is public, or was released."""
    from quantail.planning import can_expect, expect

    if not can_expect(model.schema, model.rows):
        note("No errors are stated: that takes a table of some 20 rows in every group.")
        return None
    options: dict[str, Any] = {"method": model.method, "definition": model.definition, "delta": model.delta}
    with progress("expected errors", quiet) as report:
        return expect(model.schema, model.rows, model.epsilon, progress=report, workers=cores(), **options)
