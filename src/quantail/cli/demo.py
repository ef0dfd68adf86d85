"""`quantail demo`: the whole path on a made-up table and a made-up panel, from schema to evaluation, secure noise."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from quantail.cli.console import INTERNAL, as_json, note, progress, say
from quantail.cli.evaluate import measures
from quantail.cli.options import Quiet
from quantail.errors import DataError, OptionError

if TYPE_CHECKING:
    import pyarrow as pa

    from quantail.evaluation import Evaluation
    from quantail.schema import Schema
    from quantail.table_or_panel import AnyRelease

EXAMPLE = "quantail demo --out quantail-demo"

_FORMULAS = ("log(payroll) ~ log(employees) + sector",)


class _Files(NamedTuple):
    """Where the files of one release are."""

    table: Path
    schema: Path
    plan: Path
    ledger: Path
    synthetic: Path
    card: Path
    model: Path
    evaluation: Path
    report: Path

    @classmethod
    def of(cls, folder: Path, name: str, prefix: str = "") -> "_Files":
        own = [f"{prefix}schema.toml", f"{prefix}plan.txt", f"{name}.ledger", f"{prefix}synthetic.parquet"]
        own += [f"{prefix}synthetic.card.html", f"{prefix}model.json"]
        internal = [f"internal-{prefix}evaluation.json", f"internal-{prefix}report.html"]
        return cls(*(folder / file for file in (f"{name}.parquet", *own, *internal)))


_WORDS = (
    "the made-up 'confidential' rows",
    "what is public about them, with sources",
    "how the budget was to be spent, drawn up before any row was read",
    "what was spent, append-only",
    "the synthetic copy: to release",
    "its release card (also .card.md and .card.json): to release with it",
    "the fitted model: draw more copies from it for free",
    "how close it is, by every measure: internal",
    "the same as a page with pictures: internal",
)


def demo(
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path("quantail-demo"),
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="Privacy budget.")] = "1",
    rows: Annotated[int, typer.Option("--rows", "-n", help="Size of the made-up table.")] = 20_000,
    panel: Annotated[bool, typer.Option(help="Also synthesise a made-up industry over 15 years.")] = True,
    quiet: Quiet = False,
) -> None:
    """Show the whole path on a made-up payroll table and a made-up industry: plan, ledger, synthesis, evaluation.

    The data are generated, so there is nothing to protect in them; the noise is the secure one all the same.
    An existing folder is left as it is, and a new one is made inside it.
    """
    from quantail import examples
    from quantail.privacy.budget import parse_epsilon

    parse_epsilon(epsilon)
    if rows < 2:
        raise OptionError("--rows must be at least 2")
    folder = _fresh_folder(out)
    files = _Files.of(folder, "payroll")
    title = f"A synthetic payroll table at epsilon {epsilon}, from {rows:,} made-up establishments"
    _show(files, title, examples.payroll_example(rows), examples.payroll_schema(), epsilon, quiet)
    if panel:
        table = examples.industry_example()
        title = f"A synthetic industry at epsilon {epsilon}, from {table.num_rows:,} made-up workplaces, 2001-2015"
        own = _Files.of(folder, "industry", "industry-")
        _show(own, title, table, examples.industry_schema(), epsilon, quiet)
    _next_steps(files)


def _fresh_folder(out: Path) -> Path:
    """Use the folder if it is new or empty, otherwise a new one inside it, so that nothing is overwritten."""
    try:
        folder = out
        if out.exists() and any(out.iterdir()):
            number = 2
            while (out / f"run-{number}").exists():
                number += 1
            folder = out / f"run-{number}"
            note(f"{out} is not empty, so this run goes to {folder}.")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot use the folder {out}: {error.strerror}; choose another with --out") from None
    return folder


def _show(files: _Files, title: str, table: "pa.Table", schema: "Schema", epsilon: str, quiet: bool) -> None:
    """Release a made-up table or panel, say how close the copy is, and list the files."""
    model = _release(files, table, schema, epsilon, quiet)
    with progress("evaluation", quiet) as report:
        report("", 0.1)
        result = _compare(files, table, schema, model)
    say(title, style="bold")
    say()
    _print_headlines(result)
    say()
    for path, words in zip(files, _WORDS, strict=True):
        say(f"  {path}  {words}")
    say()


def _release(files: _Files, table: "pa.Table", schema: "Schema", epsilon: str, quiet: bool) -> "AnyRelease":
    """Write a made-up table or panel with its schema and plan, and release it as `quantail synth` does."""
    from quantail.cli.account import Payment
    from quantail.cli.release import ReleaseOptions, paid_fit
    from quantail.cli.release_files import ReleaseFiles
    from quantail.cli.staging import write_text
    from quantail.io import Place, write_table

    spending = ReleaseOptions(epsilon, payment=Payment(files.ledger, new=True))
    plan = spending.synthesizer(schema).plan(table.num_rows)
    write_table(table, files.table)
    schema.save(files.schema)
    write_text(files.plan, plan.render() + "\n")
    outputs = ReleaseFiles(Place.of(files.synthetic), model=files.model)
    outputs.check([])
    with paid_fit(files.table, schema, spending, quiet) as fit:
        outputs.write(fit.model, fit=fit)
    return fit.model


def _compare(files: _Files, table: "pa.Table", schema: "Schema", model: "AnyRelease") -> "Evaluation":
    """Evaluate the copy, a table by every measure and a panel by those of panels, and draw the report."""
    from quantail.cli.staging import write_text
    from quantail.evaluation import evaluate
    from quantail.io import read_table
    from quantail.report.internal import write_report

    synthetic = read_table(files.synthetic, schema)
    if schema.panel is None:
        result = evaluate(table, synthetic, schema=schema, formulas=_formulas())
    else:
        result = evaluate(table, synthetic, schema=schema, measures=["panels"])
    write_text(files.evaluation, as_json(measures(result)))
    write_report(table, synthetic, files.report, model=model, measures=result)
    return result


def _formulas() -> tuple[str, ...]:
    """Return the regressions to compare; without the package that reads formulas, none, and say so."""
    from quantail.io.extras import MissingExtra, optional

    try:
        optional("formulaic", "evaluate", "a comparison of regressions", MissingExtra)
    except MissingExtra as missing:
        note(f"Left out: {missing}")
        return ()
    return _FORMULAS


def _print_headlines(result: "Evaluation") -> None:
    """Print the report's opening questions with their answers."""
    from quantail.report.plots.numbers import short
    from quantail.report.summary import headlines, in_numbers, where

    say(INTERNAL, style="bold yellow")
    say(f"{'':<38}{'value':>7}{'null':>8}  reading", style="bold")
    for question, found in headlines(result):
        row, said = found.row, found.verdict
        null = "" if found.expected is None else short(found.expected, 2)
        say(f"{question:<38}{short(row.value):>7}{null:>8}  {said.words if said else ''}")
        largest = f"; largest: {in_numbers(found.largest)}" if found.largest else ""
        say(f"  {row.title}{where(row.columns)}{largest}", style="dim")
    say("null: what a second sample of the same population would get, which is as good as it gets.")


def _next_steps(files: _Files) -> None:
    say("What to do next", style="bold")
    say(f"  read the card:        {files.card}")
    say(f"  look at the report:   {files.report}")
    say(f"  see the account:      quantail ledger show {files.ledger}")
    say(f"  draw another table:   quantail sample {files.model} -o {files.model.with_name('more.parquet')}")
    say("  use your own table:   quantail init YOUR.csv -o schema.toml")
