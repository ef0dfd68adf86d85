"""`quantail report`: two tables side by side on one HTML page, for those who decide about a release."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quantail.cli.console import INTERNAL, note, progress, say, warn
from quantail.cli.options import Force, Formulas, TableInput
from quantail.cli.outputs import check_outputs
from quantail.cli.staging import write_text
from quantail.errors import OptionError

if TYPE_CHECKING:
    from quantail.io import Where
    from quantail.report.card import Released
    from quantail.schema import Schema

EXAMPLE = "quantail report payroll.csv synthetic.parquet --schema schema.toml -o internal-report.html"


def report(
    real: TableInput,
    synth: Annotated[
        str, typer.Argument(metavar="SYNTH", help="The synthetic table, a file or URL as well.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="HTML file to write.")],
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="Which columns to compare; the model's, or all.")
    ] = None,
    holdout: Annotated[
        str | None, typer.Option(help="Real rows kept out of the synthesis: adds prediction errors.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The saved model: adds the facts of the release.")
    ] = None,
    formula: Formulas = None,
    force: Force = False,
) -> None:
    """Draw and measure a synthetic table against the real one: a self-contained page, no network needed.

    It shows confidential rows without noise. It is for internal use and must not be released.
    """
    from quantail.schema import Schema
    from quantail.table_or_panel import load_model

    check_report(output, [real, synth, schema, holdout, model], force)
    facts = Schema.load(schema) if schema else None
    released = None if model is None else load_model(model)
    write_internal(output, real, synth, facts, holdout, released, formula or (), force)


def check_report(path: Path, inputs: "Sequence[Where | None]", force: bool) -> None:
    """Raise unless the report can be written and is not mistaken for something else."""
    if path.suffix not in (".html", ".htm"):
        raise OptionError(f"{path}: the report is an HTML page; give it a name that ends in .html")
    check_outputs([path], inputs, force)


def write_internal(
    path: Path,
    real: "Where",
    synth: "Where",
    schema: "Schema | None",
    holdout: "Where | None" = None,
    model: "Released | None" = None,
    formulas: Sequence[str] = (),
    force: bool = False,
) -> None:
    """Read the tables, write the report and say that it is internal."""
    from quantail.evaluation import evaluate
    from quantail.io import read_released, read_table
    from quantail.report.internal import render_report

    if schema is None and model is not None:
        schema = model.facts().schema
    unseen = None if holdout is None else read_table(holdout, schema)
    tables = read_table(real, schema), read_released(synth, schema)
    with progress("report") as shown:
        measures = evaluate(*tables, unseen, schema, formulas=formulas, progress=shown)
        text = render_report(*tables, schema=schema, model=model, measures=measures)
        write_text(path, text, force)
    say(f"Wrote {path}")
    warn(INTERNAL)
    note("Open it in any browser; it needs no network.")
