"""`quantail experiment`: the studies behind the published figures, run again."""

from pathlib import Path
from typing import Annotated

import typer

from quantail.cli.console import note, progress, say
from quantail.cli.options import Quiet
from quantail.errors import DataError, OptionError

EXAMPLE = "quantail experiment simulation --epsilon 1 --replications 100 --out results"

commands = typer.Typer(no_args_is_help=True)


@commands.command("simulation", epilog=f"Example: {EXAMPLE}")
def simulation(
    out: Annotated[Path, typer.Option(help="Folder for results.json and table.md.")],
    methods: Annotated[str, typer.Option(help="Comma-separated methods.")] = "ladder,quantreg,fresh",
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="Privacy budget.")] = "1",
    replications: Annotated[int, typer.Option(min=1, help="How many simulated tables.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the tables and of the simulated noise.")] = 1,
    secure: Annotated[int, typer.Option(min=0, help="How many replications use secure noise.")] = 5,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one per core.")] = None,
    quiet: Quiet = False,
) -> None:
    """Repeat the simulation study of Tran, Reimherr and Slavković (2023).

    The tables are simulated, so nothing confidential is read and nothing is charged.
    """
    from quantail.experiments.simulation import run_simulation
    from quantail.privacy.budget import parse_epsilon

    names = [name.strip() for name in methods.split(",") if name.strip()]
    if not names:
        raise OptionError("--methods is empty: name at least one, for instance --methods ladder,fresh")
    budget = parse_epsilon(epsilon)
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is not a folder; choose another one with --out")
    with progress("simulation", quiet) as report:
        run_simulation(
            names, budget, replications, seed, out, secure=secure, workers=workers, progress=report
        )
    say((out / "table.md").read_text(encoding="utf-8"))
    note(f"Wrote {out / 'results.json'} and {out / 'table.md'}")
