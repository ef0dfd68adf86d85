"""`quantail evaluate`: how close a synthetic table is to the real one. The answer is internal."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantail.cli.console import INTERNAL, as_json, note, out, plain, print_json, progress, say, table
from quantail.cli.options import Force, Formulas
from quantail.cli.outputs import check_outputs
from quantail.cli.staging import write_text
from quantail.errors import OptionError

if TYPE_CHECKING:
    from quantail.evaluation import Evaluation

_LEGEND = (
    "null: what an independent sample of the same population would get, where that is known; mean and worst are "
    "over all the columns that a measure speaks of. What each measure means: quantail evaluate --list."
)

EXAMPLE = "quantail evaluate payroll.csv synthetic.parquet --schema schema.toml --json measures.json"


def evaluate(
    real: Annotated[
        str | None, typer.Argument(metavar="REAL", help="The confidential table, a file, folder or URL.")
    ] = None,
    synth: Annotated[
        str | None, typer.Argument(metavar="SYNTH", help="The synthetic table, a file or URL as well.")
    ] = None,
    holdout: Annotated[
        str | None, typer.Option(help="Real rows kept out of the synthesis: adds prediction errors.")
    ] = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="Which columns to compare; all if left out.")
    ] = None,
    formula: Formulas = None,
    measure: Annotated[
        str | None,
        typer.Option("--measures", help='Measures or families, such as "k_marginal,tails"; all if left out.'),
    ] = None,
    rows: Annotated[
        bool, typer.Option("--rows", help="Print every row, not one line for each measure.")
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="List the measures and what they mean, and do nothing else.")
    ] = False,
    json_path: Annotated[
        str | None, typer.Option("--json", help='Also write JSON to this file; "-" prints only JSON.')
    ] = None,
    force: Force = False,
) -> None:
    """Compare a synthetic table with the real one by every measure that applies.

    The measures read the real rows without noise. They are for internal use and must not be released with
    the synthetic table. `quantail report` draws them as well.
    """
    if listing:
        _print_definitions(json_path == "-")
        return
    if real is None or synth is None:
        raise OptionError("give the real and the synthetic table: quantail evaluate REAL SYNTH")
    from quantail.evaluation import evaluate as compare
    from quantail.io import read_released, read_table
    from quantail.schema import Schema

    facts = Schema.load(schema) if schema else None
    to_file = Path(json_path) if json_path not in (None, "-") else None
    if to_file is not None:
        check_outputs([to_file], [real, synth, holdout, schema], force)
    tables = read_table(real, facts), read_released(synth, facts)
    unseen = None if holdout is None else read_table(holdout, facts)
    names = None if measure is None else [name.strip() for name in measure.split(",")]
    with progress("evaluate") as shown:
        result = compare(*tables, unseen, facts, formulas=formula or (), measures=names, progress=shown)
    if json_path == "-":
        print_json(measures(result))
        return
    if rows:
        print_rows(result)
    else:
        print_measures(result)
    if to_file is not None:
        write_text(to_file, as_json(measures(result)), force)
        note(f"Wrote {to_file}.")


def measures(result: "Evaluation") -> dict[str, Any]:
    """Give an evaluation as plain JSON values, labelled as internal.

    `summary` holds the measures that occur once; those that speak of single columns are in `measures` only.
    """
    names = Counter(row.name for row in result)
    return {
        "notice": INTERNAL,
        "private": False,
        "summary": {row.name: row.value for row in result if names[row.name] == 1},
        "measures": result.to_dicts(),
        "skipped": [{"name": s.name, "columns": list(s.columns), "reason": s.reason} for s in result.skipped],
    }


def print_measures(result: "Evaluation") -> None:
    """Print one line for each measure, over all its columns."""
    say(INTERNAL, style="bold yellow")
    lines = _wide_table(("measure",), ("rows", "mean", "null", "best", "worst"))
    lines.add_column("where", overflow="fold")
    for line in result.overview():
        nulls = [row.null for row in result if row.name == line.measure.name and row.null is not None]
        null = f"{sum(nulls) / len(nulls):.3g}" if nulls else ""
        shown = [line.measure.title, str(line.count), f"{line.mean:.4g}", null, f"{line.measure.best:g}"]
        many = line.count > 1
        shown.append(f"{line.worst.value:.4g}" if many else "")
        lines.add_row(*shown, plain(", ".join(line.worst.columns)) if many else "")
    out.print(lines, crop=False)  # names are never cut off, even if lines get longer than a terminal
    note(_LEGEND)
    _print_skipped(result)


def print_rows(result: "Evaluation") -> None:
    """Print every row of an evaluation."""
    say(INTERNAL, style="bold yellow")
    lines = _wide_table(("measure", "columns"), ("value", "null", "best"))
    lines.add_column("note", overflow="fold")
    for row in result:
        null = "" if row.null is None else f"{row.null:.3g}"
        lines.add_row(
            row.title,
            plain(", ".join(row.columns)),
            f"{row.value:.4g}",
            null,
            f"{row.best:g}",
            plain(row.note),
        )
    out.print(lines, crop=False)  # names are never cut off, even if lines get longer than a terminal
    _print_skipped(result)


def _print_skipped(result: "Evaluation") -> None:
    """Say what was left out, one line for each reason."""
    reasons: dict[str, list[str]] = {}
    from quantail.evaluation import MEASURES

    for skipped in result.skipped:
        title = MEASURES[skipped.name].title
        reasons.setdefault(skipped.reason, []).append(f"{title} of {', '.join(skipped.columns)}")
    for reason, what in reasons.items():
        more = f" and {len(what) - 1} more" if len(what) > 1 else ""
        say(f"left out: {what[0]}{more}: {reason}", style="dim")


def _print_definitions(as_plain: bool) -> None:
    from quantail.evaluation import MEASURES

    if as_plain:
        print_json([measure.to_dict() for measure in MEASURES.values()])
        return
    from rich.padding import Padding

    for measure in MEASURES.values():
        ends = "{:g} to {:g}".format(*measure.range).replace("inf", "∞")
        say(f"{measure.name}  {measure.title}", style="bold")
        facts = f"{measure.family}, {ends}, better if {measure.direction}; independent sample: {measure.null}"
        for text in (measure.meaning, facts, measure.reference):
            out.print(Padding(plain(text), (0, 0, 0, 4)))


def _wide_table(texts: tuple[str, ...], numbers: tuple[str, ...]) -> Any:
    """Return an empty table whose numbers and titles of measures are not squeezed by long names beside them."""
    made = table(texts, numbers)
    made.columns[0].min_width = 28
    for title, column in zip(numbers, made.columns[len(texts) :], strict=True):
        column.no_wrap, column.min_width = True, 4 if title in ("rows", "best") else 6
    return made
