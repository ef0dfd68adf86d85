"""`quantail evaluate`: how close a synthetic table is to the real one. The answer is internal."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantail.cli.console import INTERNAL, as_json, note, out, plain, print_json, say
from quantail.cli.options import Force, Formulas, ReportPath, TableInput
from quantail.cli.staging import check_outputs, write_text

if TYPE_CHECKING:
    from quantail.evaluation import Evaluation

_LEGEND = (
    "pmse: how well rows can be told apart, 0 not at all; wrt: Wasserstein distance over that of random "
    "splits, about 1 for a fresh sample; km: agreement of binned tables, up to 1000; quantile_error: "
    "relative; int_diff, slope_diff: of regression coefficients, in standard errors of the real fit; "
    "nrmse: prediction error on the holdout over its standard deviation."
)

EXAMPLE = "quantail evaluate payroll.csv synthetic.parquet --schema schema.toml --json measures.json"


def evaluate(
    real: TableInput,
    synth: Annotated[
        str, typer.Argument(metavar="SYNTH", help="The synthetic table, a file or URL as well.")
    ],
    holdout: Annotated[
        str | None, typer.Option(help="Real rows kept out of the synthesis: adds prediction errors.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="Which columns to compare; all if left out.")
    ] = None,
    json_path: Annotated[
        str | None, typer.Option("--json", help='Also write JSON to this file; "-" prints only JSON.')
    ] = None,
    report: ReportPath = None,
    formula: Formulas = None,
    force: Force = False,
) -> None:
    """Compare a synthetic table with the real one by every measure that applies.

    The measures read the real rows without noise. They are for internal use and must not be released with
    the synthetic table.
    """
    from quantail.cli.report import check_report
    from quantail.evaluation import evaluate as compare
    from quantail.frames import read_table
    from quantail.report import render_report
    from quantail.schema import Schema

    facts = Schema.load(schema) if schema else None
    to_file = Path(json_path) if json_path not in (None, "-") else None
    if to_file is not None:
        inputs = [path for path in (real, synth, holdout, schema, report) if path is not None]
        check_outputs([to_file], inputs, force)
    if report is not None:
        check_report(report, [real, synth, holdout, schema], force)
    unseen = None if holdout is None else read_table(holdout, facts)
    tables = read_table(real, facts), read_table(synth, facts)
    result = compare(*tables, unseen, facts)
    if report is not None:
        page = render_report(*tables, schema=facts, formulas=formula or (), measures=result)
        write_text(report, page, force)
        note(f"Wrote {report}.")
    if json_path == "-":
        print_json(measures(result))
        return
    print_measures(result)
    if to_file is not None:
        write_text(to_file, as_json(measures(result)), force)
        note(f"Wrote {to_file}.")


def measures(result: "Evaluation") -> dict[str, Any]:
    """Give an evaluation as plain JSON values, labelled as internal.

    `summary` holds the measures that occur once; those that speak of single columns are in `measures` only.
    """
    names = [measure.name for measure in result]
    return {
        "notice": INTERNAL,
        "private": False,
        "summary": {m.name: m.value for m in result if names.count(m.name) == 1},
        "measures": result.to_dicts(),
        "skipped": [{"name": s.name, "columns": list(s.columns), "reason": s.reason} for s in result.skipped],
    }


def print_measures(result: "Evaluation", yardstick: "Evaluation | None" = None) -> None:
    """Print an evaluation as a table; `yardstick` adds a column to compare with."""
    from rich.table import Table

    say(INTERNAL, style="bold yellow")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("measure", "columns"):
        table.add_column(title, overflow="fold")
    table.add_column("value", justify="right")
    if yardstick is not None:
        table.add_column("fresh sample", justify="right")
    table.add_column("best", justify="right")
    for measure in result:
        shown = [f"{measure.value:.4g}"]
        if yardstick is not None:
            shown.append(f"{yardstick.value(measure.name, measure.columns):.4g}")
        table.add_row(measure.name, plain(", ".join(measure.columns)), *shown, f"{measure.best:g}")
    out.print(table)
    note(_LEGEND)
    for skipped in result.skipped:
        say(f"left out: {skipped.name} of {', '.join(skipped.columns)}: {skipped.reason}", style="dim")
