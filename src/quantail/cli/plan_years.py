"""`quantail plan --years`: what a panel costs that is continued period by period, and what errors to expect of each."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from quantail.cli.console import note, out, progress, say, table
from quantail.errors import OptionError

if TYPE_CHECKING:
    from quantail.planning import PlannedPeriod
    from quantail.schema import Schema

_SHOWN = ("total", "units", "creation", "destruction", "entry", "exit")


def planned_years(
    schema: "Schema",
    rows: Any,
    epsilon: str | None,
    years: int | None,
    yearly: str | None,
    options: Mapping[str, Any],
    quiet: bool,
) -> "tuple[PlannedPeriod, ...]":
    """Plan the years that were asked for; none if none were."""
    from quantail.planning import plan_years

    if (years is None) != (yearly is None):
        raise OptionError("--years and --year-epsilon go together; give both, or neither")
    if years is None or yearly is None:
        return ()
    if schema.panel is None:
        raise OptionError(
            "--years is for panels, to which periods are appended; the schema describes a table"
        )
    if epsilon is None:
        raise OptionError("--years continues a first release; give its budget with --epsilon")
    with progress("years", quiet) as report:
        panels = options["tables"] or 0
        return plan_years(
            schema, rows, epsilon, years, yearly, shape=options["shape"], panels=panels, progress=report
        )


def print_years(planned: "Sequence[PlannedPeriod]") -> None:
    """Print a line for every release, with the errors to expect of its last period where they were tried out."""
    from quantail.planning import percent

    first, *later = planned
    say(f"Year by year: a release up to {first.period}, then {len(later)} appended", style="bold")
    columns = [
        (column, measure)
        for column, bands in first.errors.items()
        for measure in (_SHOWN if column == next(iter(first.errors)) else _SHOWN[:1])
        if measure in bands
    ]
    named = (
        f"{column} {measure}" if place == 0 or measure == "total" else measure
        for place, (column, measure) in enumerate(columns)
    )
    lines = table((), ("period", "epsilon", "in all", *named))
    for one in planned:
        bands = [one.errors.get(column, {}).get(measure) for column, measure in columns]
        shown = ["" if band is None else percent(band.expected) for band in bands]
        lines.add_row(str(one.period), one.epsilon, one.spent, *shown)
    out.print(lines)
    note(
        f"A unit that is in all releases has spent {planned[-1].spent} at the end: start the ledger with "
        f"--limit {planned[-1].spent}. Every appended period has terms, and a plan hash, of its own."
    )
    if columns:
        note("Errors are those of one period: the median over made-up panels; --json gives the 90% bands.")
