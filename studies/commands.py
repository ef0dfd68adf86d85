"""`python -m studies`: the studies behind the published figures, run again.

All data are simulated, so nothing confidential is read and nothing is charged. A killed run continues when the same
command is given again.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quantail.cli.console import note, progress, say
from quantail.cli.failure import GuardedGroup
from quantail.cli.options import Quiet
from quantail.errors import DataError, OptionError

if TYPE_CHECKING:
    from studies.catalogue import Study

EXAMPLE = "python -m studies simulation --epsilon 1 --replications 100 --out results"
CURVES_EXAMPLE = "python -m studies epsilon-curves --methods valid,reference --replications 10 --out curves"
ABLATION_EXAMPLE = "python -m studies ablation --replications 10 --seed 1 --out ablation"
LBD_EXAMPLE = "python -m studies lbd --epsilon 1 --seeds 5 --out lbd"
COVERAGE_EXAMPLE = "python -m studies coverage --replications 20 --reruns 20 --out coverage"
HONESTY_EXAMPLE = "python -m studies plan-honesty --out plan-honesty"
NOISE_EXAMPLE = "python -m studies noise --out noise"
STAND_IN_EXAMPLE = "python -m studies stand-in stand-in.png"
ALL_EXAMPLE = "python -m studies all"
FIGURES_EXAMPLE = "python -m studies figures"
REPLAY_EXAMPLE = "python -m studies replay simulation-epsilon-1"
DOCUMENTS_EXAMPLE = "python -m studies documents"
COMBINE_EXAMPLE = "python -m studies combine published valid --out tables"

commands = typer.Typer(
    cls=GuardedGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    add_completion=False,
    help="The studies behind the published figures.",
    epilog=f"Example: {EXAMPLE}",
)

Out = Annotated[Path, typer.Option(help="Folder for the results; a killed run continues in it.")]
Methods = Annotated[
    str,
    typer.Option(
        help="Comma-separated methods, or the groups valid, published, converged, reference, baseline, all."
    ),
]
Seed = Annotated[int, typer.Option(help="Seed of the tables and of the simulated noise.")]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes; by default one per core.")]
Replications = Annotated[int, typer.Option(min=1, help="How many simulated tables.")]


@commands.command("simulation", epilog=f"Example: {EXAMPLE}")
def simulation(
    out: Out,
    methods: Methods = "valid,reference",
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="Privacy budget.")] = "1",
    replications: Replications = 100,
    seed: Seed = 1,
    secure: Annotated[
        int, typer.Option(min=0, help="How many replications of valid methods use secure noise.")
    ] = 5,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Repeat the simulation study of Tran, Reimherr and Slavković (2023): its Tables 1 and 2 beside ours.

    The tables are simulated, so nothing confidential is read and nothing is charged.
    """
    from quantail.privacy.budget import parse_epsilon
    from studies.simulation.study import run_simulation

    names = _listed(methods, "--methods", "tables,fresh")
    budget = parse_epsilon(epsilon)
    _check_folder(out)
    with progress("simulation", quiet) as report:
        run_simulation(
            names, budget, replications, seed, out, secure=secure, workers=workers, progress=report
        )
    _show(out)


@commands.command("epsilon-curves", epilog=f"Example: {CURVES_EXAMPLE}")
def epsilon_curves(
    out: Out,
    methods: Methods = "valid,reference",
    epsilons: Annotated[str, typer.Option(help="Comma-separated privacy budgets.")] = "0.1,0.25,0.5,1,2,5,10",
    replications: Replications = 10,
    seed: Seed = 1,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Draw every measure of the simulation study against epsilon, for every method, in one figure."""
    from quantail.privacy.budget import parse_epsilon
    from studies.simulation.epsilon_curves import run_epsilon_curves

    names = _listed(methods, "--methods", "tables,fresh")
    budgets = [parse_epsilon(epsilon) for epsilon in _listed(epsilons, "--epsilons", "0.25,1")]
    _check_folder(out)
    with progress("epsilon curves", quiet) as report:
        run_epsilon_curves(names, budgets, replications, seed, out, workers=workers, progress=report)
    _show(out)


@commands.command("ablation", epilog=f"Example: {ABLATION_EXAMPLE}")
def ablation(
    out: Out,
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="Privacy budget.")] = "1",
    replications: Replications = 10,
    seed: Seed = 1,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Go from the paper's sandwich as published to this package's default, one repair at a time."""
    from quantail.privacy.budget import parse_epsilon
    from studies.ablation.study import run_ablation

    budget = parse_epsilon(epsilon)
    _check_folder(out)
    with progress("ablation", quiet) as report:
        run_ablation(budget, replications, seed, out, workers=workers, progress=report)
    _show(out)


@commands.command("lbd", epilog=f"Example: {LBD_EXAMPLE}")
def lbd(
    out: Out,
    methods: Annotated[
        str, typer.Option(help="Comma-separated methods, or the groups valid, published, reference, all.")
    ] = "all",
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="Privacy budget of each industry.")] = "1",
    seeds: Annotated[
        int, typer.Option(min=1, help="How often each industry is made up and synthesised.")
    ] = 5,
    industries: Annotated[str, typer.Option(help="Comma-separated SIC codes.")] = "178,239,542,829",
    variant: Annotated[str, typer.Option(help="How sizes move in the made-up industries.")] = "synlbd",
    variants: Annotated[bool, typer.Option("--variants", help="Run all variants, one folder each.")] = False,
    plants: Annotated[
        Path | None,
        typer.Option(help="A Parquet file of plants (id, year, employees), at epsilon 1, 3 and 10 instead."),
    ] = None,
    seed: Seed = 1,
    secure: Annotated[int, typer.Option(min=0, help="How many seeds of valid methods use secure noise.")] = 1,
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """Repeat the paper's study of business panels on made-up industries: its Table 3 and its trends beside ours.

    Evaluation is against the data themselves, so results are not differentially private; the industries are made up.
    """
    from quantail.privacy.budget import parse_epsilon
    from studies.lbd.study import run_lbd

    names = _listed(methods, "--methods", "pooled,quantreg")
    budget, codes = parse_epsilon(epsilon), _codes(industries)
    _check_folder(out)
    with progress("panels", quiet) as report:
        if plants is not None:
            from studies.lbd.plants import run_plants

            run_plants(plants, names, seeds, out, seed=seed, workers=workers, progress=report)
        elif variants:
            from studies.lbd.variants import run_variants

            run_variants(names, budget, seeds, out, codes, seed, secure, workers, report)
        else:
            run_lbd(names, budget, seeds, out, codes, variant, seed, secure, workers, report)
    _show(out)


@commands.command("coverage", epilog=f"Example: {COVERAGE_EXAMPLE}")
def coverage(
    out: Out,
    epsilon: Annotated[str, typer.Option("--epsilon", "-e", help="Privacy budget.")] = "1",
    replications: Replications = 200,
    reruns: Annotated[
        int, typer.Option(min=10, help="Reruns of the mechanism for each table; each takes as long as a fit.")
    ] = 40,
    seed: Seed = 1,
    table: Annotated[
        str,
        typer.Option(
            help="The population: paper, or curved, spread, saturating and kinked, which do not suit the model."
        ),
    ] = "paper",
    workers: Workers = None,
    quiet: Quiet = False,
) -> None:
    """See how often the intervals of `quantail infer` cover the truth, on simulated tables whose truth is known."""
    from studies.coverage import run_coverage
    from studies.populations import POPULATIONS

    if table not in POPULATIONS:
        raise OptionError(f"--table {table} is not known; use one of: {', '.join(POPULATIONS)}")
    _check_folder(out)
    with progress("coverage", quiet) as report:
        run_coverage(epsilon, replications, reruns, seed, out, workers=workers, progress=report, table=table)
    _show(out)


@commands.command("plan-honesty", epilog=f"Example: {HONESTY_EXAMPLE}")
def plan_honesty(out: Annotated[Path, typer.Option(help="Folder for the results.")]) -> None:
    """See how often errors lie in the band that `quantail plan` stated beforehand; takes an hour."""
    from studies.plan_honesty import run_plan_honesty

    _check_folder(out)
    run_plan_honesty(out)
    _show(out)


@commands.command("noise", epilog=f"Example: {NOISE_EXAMPLE}")
def noise(
    out: Annotated[Path, typer.Option(help="Folder for the results.")],
    tables: Annotated[int, typer.Option(min=2, help="How many simulated tables of each size.")] = 8,
    seed: Seed = 1,
    quiet: Quiet = False,
) -> None:
    """Compare the noise of KNG and of the exponential mechanism in one median regression, by the number of rows."""
    from studies.noise import run_noise

    _check_folder(out)
    with progress("noise", quiet) as report:
        run_noise(out, tables, seed=seed, progress=report)
    _show(out)


@commands.command("stand-in", epilog=f"Example: {STAND_IN_EXAMPLE}")
def stand_in(figure: Annotated[Path, typer.Argument(help="The picture to write.")]) -> None:
    """Compare the made-up industries with the figures published about the real ones: a picture and tables."""
    from studies.lbd.standin.figures import draw_stand_in, stand_in_tables

    draw_stand_in(figure)
    say(*stand_in_tables().splitlines())


@commands.command("combine", epilog=f"Example: {COMBINE_EXAMPLE}")
def combine(
    folders: Annotated[list[Path], typer.Argument(help="Folders that `python -m studies simulation` wrote.")],
    out: Annotated[Path, typer.Option(help="Folder for the tables and figures of all of them.")],
) -> None:
    """Put simulation studies of different methods together: one set of tables and figures."""
    from studies.simulation.combination import combine_studies

    _check_folder(out)
    combine_studies(folders, out)
    _show(out)


@commands.command("replay", epilog=f"Example: {REPLAY_EXAMPLE}")
def replay(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER]...", help="Folders of studies/results; all by default."),
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="Keep code and verdict beside the results.")] = False,
    show: Annotated[
        bool,
        typer.Option("--list", help="Only name the methods whose code has changed since their last replay."),
    ] = False,
) -> None:
    """Compute one row of every method of every stored study again; exit code 1 if one differs. Takes some minutes."""
    from studies.replay import changed, keep, known, replays

    stale = False
    for study in _studies(names):
        for folder in study.journals:
            if show:
                verdicts = known(folder)["methods"]
                for method in changed(folder):
                    last = verdicts.get(method, {}).get("verdict", "never replayed")
                    say(f"{study.folder}, {method}: other code since the last replay, which gave: {last}")
                continue
            found = []
            for again in replays(folder):
                say(f"{study.folder}, {again.method}: {again.verdict}")
                found.append(again)
            stale |= any(again.stale for again in found)
            if write:
                keep(folder, study.command, found)
    if stale:
        raise typer.Exit(1)


@commands.command("all", epilog=f"Example: {ALL_EXAMPLE}")
def run_all(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FOLDER]...", help="Folders of studies/results; all by default."),
    ] = None,
    plants: Annotated[
        Path | None, typer.Option(help="The file of plants, for the study that needs it.")
    ] = None,
) -> None:
    """Run every stored study again that is not as today's code has it: hours. A killed run continues."""
    from studies.documents import write_documents
    from studies.rerun import run_again, write_together

    run_again(_studies(names), note, plants)
    write_together()
    write_documents()


@commands.command("figures", epilog=f"Example: {FIGURES_EXAMPLE}")
def figures() -> None:
    """Write all tables and figures anew from the stored results, and the documents that show them; takes minutes."""
    from studies.documents import write_documents
    from studies.rerun import write_figures

    for folder in write_figures():
        note(f"Wrote the tables of {folder.name}")
    for path in write_documents():
        note(f"Wrote the tables of {path}")


@commands.command("documents", epilog=f"Example: {DOCUMENTS_EXAMPLE}")
def documents(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail if a table is out of date.")
    ] = False,
) -> None:
    """Write the tables of README and docs anew from the stored results; takes a second."""
    from studies.documents import outdated, write_documents

    if check:
        if names := ", ".join(map(str, outdated())):
            raise DataError(f"tables are out of date in {names}: run {DOCUMENTS_EXAMPLE}")
        return
    for path in write_documents():
        note(f"Wrote the tables of {path}")


def _listed(text: str, option: str, example: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise OptionError(f"{option} is empty: name at least one, for instance {option} {example}")
    return names


def _studies(names: list[str] | None) -> "list[Study]":
    from studies.catalogue import STUDIES

    known = {study.folder: study for study in STUDIES}
    if unknown := set(names or ()) - set(known):
        raise OptionError(
            f"no stored study is called {', '.join(sorted(unknown))}; there are: {', '.join(known)}"
        )
    return [known[name] for name in names or known]


def _codes(text: str) -> list[int]:
    listed = _listed(text, "--industries", "178,239")
    if not all(code.isdecimal() for code in listed):
        raise OptionError("--industries lists SIC codes, for instance --industries 178,239")
    return [int(code) for code in listed]


def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise DataError(f"{out} is not a folder; choose another one with --out")


def _show(out: Path) -> None:
    from studies.figure_style import can_draw

    say(*(out / "table.md").read_text(encoding="utf-8").splitlines())
    note(f"Wrote {', '.join(sorted(path.name for path in out.iterdir()))} into {out}")
    if not can_draw():
        note("No figures: they need matplotlib (pip install matplotlib).")
