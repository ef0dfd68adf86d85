"""`quantail demo`: the whole path on a made-up table and a made-up panel, from schema to evaluation, secure noise."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quantail.cli.console import INTERNAL, as_json, note, progress, say
from quantail.cli.evaluate import measures
from quantail.cli.options import Quiet
from quantail.errors import DataError, OptionError

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from quantail.evaluation import Evaluation
    from quantail.schema import Schema
    from quantail.table_or_panel import AnyRelease

    Floats = NDArray[np.float64]

EXAMPLE = "quantail demo --out quantail-demo"

_TABLE, _SCHEMA, _PLAN = "payroll.parquet", "schema.toml", "plan.txt"
_SYNTHETIC, _LEDGER = "synthetic.parquet", "payroll.ledger"
_EVALUATION, _REPORT = "internal-evaluation.json", "internal-report.html"
_FORMULAS = ("log(payroll) ~ log(employees) + sector",)
_PANEL = "industry"
_PANEL_REPORT, _MODEL = "internal-industry-report.html", "industry-model.json"


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
    from quantail.examples import payroll_example, payroll_schema
    from quantail.privacy.budget import parse_epsilon

    parse_epsilon(epsilon)
    if rows < 2:
        raise OptionError("--rows must be at least 2")
    folder = _fresh_folder(out)
    table, schema = payroll_example(rows), payroll_schema()
    model = _release(folder, _PAYROLL, table, schema, epsilon, quiet)
    with progress("evaluation", quiet) as report:
        report("", 0.1)
        result = _compare(folder, table, schema, model)
    _summarise(folder, epsilon, rows, result)
    if panel:
        _show_panel(folder, epsilon, quiet)
    _next_steps(folder)


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


@dataclass(frozen=True)
class _Names:
    """Names of the files of one release, in a folder."""

    table: str
    schema: str
    plan: str
    ledger: str
    synthetic: str
    model: str


_PAYROLL = _Names(_TABLE, _SCHEMA, _PLAN, _LEDGER, _SYNTHETIC, "model.json")
_INDUSTRY = _Names(
    f"{_PANEL}.parquet",
    f"{_PANEL}-schema.toml",
    f"{_PANEL}-plan.txt",
    f"{_PANEL}.ledger",
    f"{_PANEL}-synthetic.parquet",
    _MODEL,
)


def _release(
    folder: Path, names: _Names, table: "pa.Table", schema: "Schema", epsilon: str, quiet: bool
) -> "AnyRelease":
    """Write a made-up table or panel with its schema and plan, and release it as `quantail synth` does."""
    from quantail.cli.account import Payment
    from quantail.cli.release import ReleaseOptions, paid_fit
    from quantail.cli.release_files import ReleaseFiles
    from quantail.cli.staging import write_text
    from quantail.io import Place, write_table

    spending = ReleaseOptions(epsilon, payment=Payment(folder / names.ledger, new=True))
    plan = spending.synthesizer(schema).plan(table.num_rows)
    write_table(table, folder / names.table)
    schema.save(folder / names.schema)
    write_text(folder / names.plan, plan.render() + "\n")
    outputs = ReleaseFiles(Place.of(folder / names.synthetic), model=folder / names.model)
    outputs.check([])
    with paid_fit(folder / names.table, schema, spending, quiet) as fit:
        outputs.write(fit.model, fit=fit)
    return fit.model


def _compare(folder: Path, table: "pa.Table", schema: "Schema", model: "AnyRelease") -> "Evaluation":
    """Evaluate the synthetic table by every measure, and draw the report."""
    from quantail.cli.staging import write_text
    from quantail.evaluation import evaluate
    from quantail.io import read_table
    from quantail.report.internal import write_report

    synthetic = read_table(folder / _SYNTHETIC)
    result = evaluate(table, synthetic, schema=schema, formulas=_formulas())
    write_text(folder / _EVALUATION, as_json(measures(result)))
    write_report(table, synthetic, folder / _REPORT, model=model, measures=result)
    return result


def _formulas() -> tuple[str, ...]:
    """Return the regressions to compare; without the package that reads formulas, none, and say so."""
    from quantail.evaluation.extras import MissingExtra, evaluate_extra

    try:
        evaluate_extra("formulaic", "a comparison of regressions")
    except MissingExtra as missing:
        note(f"Left out: {missing}")
        return ()
    return _FORMULAS


def _summarise(folder: Path, epsilon: str, rows: int, result: "Evaluation") -> None:
    say(f"A synthetic payroll table at epsilon {epsilon}, from {rows:,} made-up establishments", style="bold")
    say()
    _print_headlines(result)
    say()
    files = {
        _TABLE: "the made-up 'confidential' table",
        _SCHEMA: "what is public about it, with sources",
        _PLAN: "how the budget was to be spent, drawn up before any row was read",
        _LEDGER: "what was spent, append-only",
        _SYNTHETIC: "the synthetic table: to release",
        "synthetic.card.html": "its release card (also .card.md and .card.json): to release with it",
        "model.json": "the fitted model: draw more tables from it for free",
        _EVALUATION: "how close it is, by every measure: internal",
        _REPORT: "the same as a page with pictures: internal",
    }
    for name, words in files.items():
        say(f"  {folder / name}  {words}")
    say()


def _print_headlines(result: "Evaluation") -> None:
    """Print the report's opening questions with their answers."""
    from quantail.report.plots.numbers import short
    from quantail.report.summary import headlines, where

    say(INTERNAL, style="bold yellow")
    say(f"{'':<38}{'value':>7}{'null':>8}  reading", style="bold")
    for question, found in headlines(result):
        row, said = found.row, found.verdict
        null = "" if found.expected is None else short(found.expected, 2)
        say(f"{question:<38}{short(row.value):>7}{null:>8}  {said.words if said else ''}")
        say(f"  {row.title}{where(row.columns)}", style="dim")
    say("null: what a second sample of the same population would get, which is as good as it gets.")


def _next_steps(folder: Path) -> None:
    say("What to do next", style="bold")
    say(f"  read the card:        {folder / 'synthetic.card.html'}")
    say(f"  look at the report:   {folder / _REPORT}")
    say(f"  see the account:      quantail ledger show {folder / _LEDGER}")
    say(f"  draw another table:   quantail sample {folder / 'model.json'} -o {folder / 'more.parquet'}")
    say("  use your own table:   quantail init YOUR.csv -o schema.toml")


def _show_panel(folder: Path, epsilon: str, quiet: bool) -> None:
    """Synthesise a made-up industry with its own ledger, and compare its trends."""
    from quantail.evaluation import evaluate
    from quantail.examples import industry_example, industry_schema
    from quantail.frames import confidential_panel
    from quantail.io import read_table
    from quantail.report.internal import write_report

    table, schema = industry_example(), industry_schema()
    model = _release(folder, _INDUSTRY, table, schema, epsilon, quiet)
    synthetic = read_table(folder / _INDUSTRY.synthetic, schema)
    real, made = (confidential_panel(f, schema).values["staff"] for f in (table, synthetic))
    dynamics = evaluate(table, synthetic, schema=schema, measures=["panels"])
    write_report(table, synthetic, folder / _PANEL_REPORT, model=model, measures=dynamics)
    workplaces = f"from {table.num_rows:,} made-up workplaces, 2001-2015"
    say(f"A synthetic industry at epsilon {epsilon}, {workplaces}", style="bold")
    say()
    _panel_measures(real, made)
    say()
    _panel_files(folder)


def _panel_measures(real: "Floats", made: "Floats") -> None:
    from quantail.evaluation import gross_mape, jc_mae, net_mae, unchanged_difference

    lines = {
        "yearly staff, mean error": f"{gross_mape(real, made):.1f} %",
        "job creation rate, mean error": f"{jc_mae(real, made):.1f} points",
        "net creation rate, mean error": f"{net_mae(real, made):.1f} points",
        "share of unchanged workplaces": f"{unchanged_difference(real, made):.1f} points off",
    }
    say(INTERNAL)
    for name, words in lines.items():
        say(f"  {name:<36}{words}")


def _panel_files(folder: Path) -> None:
    files = {
        f"{_PANEL}.parquet": "the made-up 'confidential' panel, one row per workplace",
        f"{_PANEL}-schema.toml": "what is public about it: entry, exit, bounds",
        f"{_PANEL}-plan.txt": "how the budget was to be spent",
        f"{_PANEL}.ledger": "what was spent, append-only",
        f"{_PANEL}-synthetic.parquet": "the synthetic panel: to release",
        f"{_PANEL}-synthetic.card.html": "its release card (also .card.md and .card.json): to release with it",
        _MODEL: "the fitted model: draw more panels from it for free",
        _PANEL_REPORT: "trends of both: internal",
    }
    for name, words in files.items():
        say(f"  {folder / name}  {words}")
    say()
