"""The program `quantail`: its commands, in the order of work, and its version."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from quantail._version import __version__
from quantail.cli import (
    append,
    audit,
    bound,
    card,
    check,
    demo,
    evaluate,
    fit,
    flows,
    infer,
    init,
    ledger,
    plan,
    quantiles,
    report,
    sample,
    studio,
    synth,
)
from quantail.cli.failure import GuardedGroup
from quantail.cli.flags import PlainCommand

app = typer.Typer(
    name="quantail",
    cls=GuardedGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    epilog="Start here: quantail demo",
)


def _add(name: str, command: Callable[..., Any], example: str) -> None:
    app.command(name, cls=PlainCommand, epilog=f"Example: {example}")(command)


def _add_group(name: str, commands: typer.Typer, help_text: str, example: str) -> None:
    app.add_typer(commands, name=name, help=help_text, epilog=f"Example: {example}")


_add("demo", demo.demo, demo.EXAMPLE)
_add("init", init.init, init.EXAMPLE)
_add("bound", bound.bound, bound.EXAMPLE)
_add("check", check.check, check.EXAMPLE)
_add("plan", plan.plan, plan.EXAMPLE)
_add("synth", synth.synth, synth.EXAMPLE)
_add("fit", fit.fit, fit.EXAMPLE)
_add("sample", sample.sample, sample.EXAMPLE)
_add("append", append.append, append.EXAMPLE)
_add("card", card.card, card.EXAMPLE)
_add("evaluate", evaluate.evaluate, evaluate.EXAMPLE)
_add("flows", flows.flows, flows.EXAMPLE)
_add("infer", infer.infer, infer.EXAMPLE)
_add("quantiles", quantiles.quantiles, quantiles.EXAMPLE)
_add("report", report.report, report.EXAMPLE)
_add("audit", audit.audit, audit.EXAMPLE)
_add("studio", studio.studio, studio.EXAMPLE)
_add_group("ledger", ledger.commands, "The account of what was spent on a data set.", ledger.EXAMPLE)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"quantail {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Differentially private synthetic copies of heavy-tailed tables and panels.

    The usual order of work: init, check, plan, synth, evaluate. Every command has --help with an example.
    """


def main() -> None:
    """Run the program."""
    app()
