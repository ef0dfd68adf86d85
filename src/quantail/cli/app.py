"""The program `quantail`: its commands, in the order of work, and its version."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from quantail._version import __version__
from quantail.cli import check, evaluate, init, ledger
from quantail.cli.failure import GuardedGroup

app = typer.Typer(
    name="quantail",
    cls=GuardedGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    add_completion=False,
    epilog="Start here: quantail demo",
)


def _add(name: str, command: Callable[..., Any], example: str) -> None:
    app.command(name, epilog=f"Example: {example}")(command)


_add("init", init.init, init.EXAMPLE)
_add("check", check.check, check.EXAMPLE)
_add("evaluate", evaluate.evaluate, evaluate.EXAMPLE)
app.add_typer(
    ledger.commands,
    name="ledger",
    help="Start, read, check and extend the account of what was spent.",
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
    """Differentially private synthetic copies of heavy-tailed tables.

    The usual order of work: init, check, plan, synth, evaluate. Every command has --help with an example.
    """


def main() -> None:
    """Run the program."""
    app()
