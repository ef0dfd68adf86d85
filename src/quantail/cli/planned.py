"""What `quantail plan` says of a plan: as plain JSON values, or printed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quantail.cli.console import note, out, plain, say, table

if TYPE_CHECKING:
    from quantail.planning import Expectation, PanelExpectation, PlannedPeriod, Solution
    from quantail.privacy import Plan, Terms

# Errors of the leading column, by year.
_YEARLY = ("total", "units", "creation", "destruction", "entry", "exit")


@dataclass(frozen=True)
class Planned:
    """All that is said of a plan, as far as it was asked for."""

    drawn: "tuple[Plan, Terms] | None"  # the budget tree, and what is agreed on
    relations: Sequence[str]  # what is asked about relations between columns
    expected: "Expectation | PanelExpectation | None"
    solution: "Solution | None"
    swept: "Sequence[Expectation]"
    years: "Sequence[PlannedPeriod]"
    remarks: Sequence[str]  # what to mind

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        form: dict[str, Any] = {}
        if self.drawn is not None:
            tree, terms = self.drawn
            form = {"hash": terms.hash(), "plan": tree.to_dict(), "terms": terms.to_dict()}
        parts = {
            "relations": list(self.relations),
            "expectation": self.expected and self.expected.to_dict(),
            "solution": self.solution and self.solution.to_dict(),
            "sweep": [expectation.to_dict() for expectation in self.swept],
            "years": [one.to_dict() for one in self.years],
        }
        return form | {name: part for name, part in parts.items() if part}


def print_plan(found: Planned) -> None:
    """Print all of it, and what to mind."""
    from quantail.planning import PanelExpectation

    if found.solution is not None:
        say(str(found.solution), style="bold")
        say()
    if found.drawn is not None:
        tree, terms = found.drawn
        say(*tree.render().split("\n"))
        note(f"Plan hash {terms.hash()}")
        for line in found.relations:
            say(line)
    if found.expected is not None:
        if found.drawn is not None:
            say()
        _print_errors(found.expected)
    if found.swept:
        say()
        _print_sweep(found.swept)
    shown = found.expected or (found.swept[0] if found.swept else None)
    if shown is not None:
        note(_panel_legend(shown) if isinstance(shown, PanelExpectation) else _legend(shown))
    if found.years:
        say()
        _print_years(found.years)
    note(*found.remarks)


def _print_errors(expectation: "Expectation | PanelExpectation") -> None:
    """Print what the budget buys for each column, one line for each error."""
    from quantail.planning import PanelExpectation, percent

    say(f"Errors to expect at epsilon {expectation.epsilon}", style="bold")
    if isinstance(expectation, PanelExpectation):
        _print_panel_errors(expectation)
        return
    shown = table(("column",), ("budget", "quantiles", "noise in ranks", "error", "expected", "90% band"))
    for column in expectation.columns:
        seen = column.resolution
        start = (plain(column.name), f"{seen.share:.0%}", str(seen.quantiles), f"{seen.noise:.3g}")
        for measure, band in column.errors.items():
            ends = f"{percent(band.low)} to {percent(band.high)}"
            shown.add_row(*start, measure, percent(band.expected), ends)
            start = (plain(""), "", "", "")
    out.print(shown)


def _print_panel_errors(expectation: "PanelExpectation") -> None:
    from quantail.planning import percent

    shown = table(("column", "error"), ("expected", "90% band"))
    for name, bands in expectation.errors.items():
        for measure, band in bands.items():
            ends = f"{percent(band.low)} to {percent(band.high)}"
            shown.add_row(plain(name), measure, percent(band.expected), ends)
    out.print(shown)


def _print_sweep(swept: "Sequence[Expectation]") -> None:
    """Print a table for each column: epsilons down, errors across."""
    from quantail.planning import percent

    for place, column in enumerate(swept[0].columns):
        say(f"{column.name}: error to expect, and the upper end of its 90% band", style="bold")
        shown = table((), ("epsilon", "quantiles", *column.errors))
        for expectation in swept:
            found = expectation.columns[place]
            errors = (f"{percent(band.expected)} (to {percent(band.high)})" for band in found.errors.values())
            shown.add_row(expectation.epsilon, str(found.resolution.quantiles), *errors)
        out.print(shown)
        say()


def _legend(expectation: "Expectation") -> str:
    size = f"{expectation.rows} rows" + (" (the smallest group)" if expectation.grouped else "")
    return (
        f"Expected: the median over {expectation.tables} made-up tables of {size}, shape {expectation.shape}, with "
        "simulated noise; the band holds nine tables in ten. q50, q90, q99: quantiles, relative to the table's own; "
        "slope: on the first numeric predictor; shares: of categories (total variation). Data of another shape will "
        "have other errors."
    )


def _panel_legend(expectation: "PanelExpectation") -> str:
    smallest = "the smallest group" if expectation.grouped else ""
    if expectation.together > 1:
        smallest = f"the smallest of {expectation.together} groups that share questions"
    size = f"{expectation.units} units" + (f" ({smallest})" if smallest else "")
    return (
        f"Expected: the median over {expectation.panels} made-up panels of {size}, shape {expectation.shape}, with "
        "simulated noise; the band holds nine panels in ten. total: of a period, relative to the panel's own; "
        "creation to exit: rates of `quantail flows`, and size classes: the share of the worst, off by so many points. "
        "Panels of another shape will have other errors."
    )


def _print_years(planned: "Sequence[PlannedPeriod]") -> None:
    """Print a line for every release, with the errors to expect of its last period where they were tried out."""
    from quantail.planning import percent

    first, *later = planned
    say(f"Year by year: a release up to {first.period}, then {len(later)} appended", style="bold")
    columns = [
        (column, measure)
        for column, bands in first.errors.items()
        for measure in (_YEARLY if column == next(iter(first.errors)) else _YEARLY[:1])
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
