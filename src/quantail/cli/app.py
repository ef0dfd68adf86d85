"""The program `quantail`: its commands, in the order of work, and its version."""

from typing import Annotated

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


# In the order of work. A command is the function that its file is named after.
for _module in (
    demo,
    init,
    bound,
    check,
    plan,
    synth,
    fit,
    sample,
    append,
    card,
    evaluate,
    flows,
    infer,
    quantiles,
    report,
    audit,
    studio,
):
    _name = _module.__name__.rpartition(".")[2]
    app.command(_name, cls=PlainCommand, epilog=f"Example: {_module.EXAMPLE}")(getattr(_module, _name))
app.add_typer(
    ledger.commands,
    name="ledger",
    help="The account of what was spent on a data set.",
    epilog=f"Example: {ledger.EXAMPLE}",
)


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
