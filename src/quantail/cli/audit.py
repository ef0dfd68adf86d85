"""`quantail audit`: check every mechanism against the epsilon that it claims. Reads no data, charges nothing."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from quantail.cli.console import note, out, print_json, progress, say, table
from quantail.cli.options import JsonFlag, Quiet

if TYPE_CHECKING:
    from quantail.auditing import AuditResult, Part

EXAMPLE = "quantail audit --exact --controls --out audit"


def audit(
    exact: Annotated[
        bool, typer.Option("--exact", help="Enumerate laws on small tables, all neighbours (the default).")
    ] = False,
    statistical: Annotated[
        bool, typer.Option("--statistical", help="Lower confidence bounds on epsilon from many runs.")
    ] = False,
    laws: Annotated[
        bool, typer.Option("--laws", help="Test the gate's draws against the analytic law.")
    ] = False,
    controls: Annotated[
        bool,
        typer.Option(
            "--controls", help="Negative controls: mechanisms with one flaw each, which the audit must catch."
        ),
    ] = False,
    gallery: Annotated[
        bool, typer.Option("--gallery", hidden=True, help="The old word for --controls.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="All four parts.")] = False,
    runs: Annotated[
        int, typer.Option(min=100, help="With --statistical: runs on each table of a pair.")
    ] = 2000,
    replays: Annotated[int, typer.Option(min=1, help="With --exact: neighbours for every whole fit.")] = 1,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder for audit.md, audit.json and trade-off.png.")
    ] = None,
    as_json: JsonFlag = False,
    quiet: Quiet = False,
) -> None:
    """Audit the privacy of every mechanism: exit code 1 if a claim is broken or a known flaw is missed.

    All tables are made up: nothing confidential is read and nothing is charged.
    """
    from quantail.auditing import PARTS, write_audit
    from quantail.auditing import audit as run_audit

    chosen = {"exact": exact, "statistical": statistical, "laws": laws, "controls": controls or gallery}
    if gallery:
        note("--gallery is called --controls now")
    parts = [part for part in PARTS if chosen[part] or everything] or [PARTS[0]]
    with progress("audit", quiet) as report:
        result = run_audit(parts, runs=runs, replays=replays, progress=report)
    if folder is not None:
        written = write_audit(result, folder, _command(parts, runs, replays))
        note(f"Wrote {', '.join(path.name for path in written)} into {folder}")
    if as_json:
        print_json(result.to_dict())
    else:
        _print(result, parts)
    if not result.passed:
        raise typer.Exit(1)


def _print(result: "AuditResult", parts: "list[Part]") -> None:
    from quantail.auditing import MEANING
    from quantail.auditing.document import show_figure, verdict_title

    for part in parts:
        shown = table(("check", "neighbours"), ("figure", "limit", "rests on"), part)
        shown.add_column(verdict_title(part))
        shown.add_column("remark", overflow="fold")
        for f in result.of(part):
            figures = (show_figure(f.figure), show_figure(f.limit), f"{f.checked:,} {f.unit}")
            shown.add_row(f.name, f.relation, *figures, "yes" if f.passed else "[bold red]NO[/]", f.note)
        out.print(shown)
        note(f"figure: {MEANING[part]}")
        say()
    if result.of("statistical"):
        note(f"All lower bounds hold together with confidence {result.confidence:.2%}.")
    worst = max((f.figure / f.limit for f in result.of("exact")), default=None)
    if worst is not None:
        say(f"{result.pairs:,} pairs of neighbours; worst log-ratio {worst:.4f} of what is claimed")
    if result.passed:
        say(f"passed: {len(result.findings)} checks in {result.seconds:.0f} s", style="bold green")
    else:
        say(f"FAILED: {', '.join(f.name for f in result.failures)}", style="bold red")


def _command(parts: "list[Part]", runs: int, replays: int) -> str:
    options = [f"--{part}" for part in parts] if len(parts) < 4 else ["--all"]
    options += [f"--runs {runs}"] if "statistical" in parts else []
    options += [f"--replays {replays}"] if "exact" in parts else []
    return " ".join(["quantail audit", *options])
