"""`quantail plan`: how a budget would be spent and what it would buy, before any data are read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from quantail.cli import options
from quantail.cli.console import cores, note, out, plain, print_json, progress, say, table
from quantail.cli.order_options import order_options
from quantail.errors import OptionError

if TYPE_CHECKING:
    from quantail.cli.release import ReleaseOptions
    from quantail.planning import Expectation, PanelExpectation, PlannedPeriod, Solution
    from quantail.privacy import Plan, Terms
    from quantail.schema import Schema

EXAMPLE = "quantail plan --schema schema.toml --rows 5000 --epsilon 1"

_USUAL_RANGE = "0.1:10"
USUAL_PANELS = 5
Rows = int | dict[tuple[int, ...], int]
Planned: TypeAlias = "tuple[Plan, Terms]"


def plan(
    schema: options.SchemaPath,
    rows: Annotated[
        list[str],
        typer.Option(
            "--rows",
            "-n",
            metavar="NUMBER",
            help="Number of rows, or of units of a panel; with groups once for each, as NAME=NUMBER.",
        ),
    ],
    epsilon: Annotated[
        str | None,
        typer.Option("--epsilon", "-e", help="Privacy budget; can be left out with --target or --sweep."),
    ] = None,
    definition: options.Definition = "pure",
    delta: options.Delta = None,
    method: options.Method = None,
    slopes: options.Slopes = None,
    draw: options.Draw = None,
    taus: options.Taus = None,
    main: options.MainQuantiles = None,
    shares: options.Shares = None,
    fits: options.Fits = 1,
    shape: Annotated[
        str,
        typer.Option(help="What numbers are taken to look like: lognormal, pareto, exponential; pareto:1.5."),
    ] = "lognormal",
    tables: Annotated[
        int | None,
        typer.Option(
            help="Made-up tables to try the plan on, at least 3; 0 shows the budget alone. By default 5 for a "
            "table, 3 for a large one; for a panel none, since each takes as long as a fit.",
            show_default=False,
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(help='Find the epsilon for this: "q99 within 5%", "slope of pay within 10%".'),
    ] = None,
    sweep: Annotated[
        str | None, typer.Option(help="Errors at several budgets, from the first to the last: 0.1:10.")
    ] = None,
    years: Annotated[
        int | None,
        typer.Option(
            help="Of a panel: how many periods will be appended to it, one by one (`quantail append`)."
        ),
    ] = None,
    year_epsilon: Annotated[
        str | None, typer.Option(help="With --years: privacy budget of every appended period.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Page (HTML) to write: expected error against epsilon.")
    ] = None,
    as_json: options.JsonFlag = False,
    quiet: options.Quiet = False,
    force: options.Force = False,
) -> None:
    """Print the budget tree and the errors to expect of every column. No data are read.

    Errors come from trying the plan on made-up tables that fit the schema; they hold for data that look like --shape.
    Everything depends on the schema, the number of rows and the options alone, so it can be agreed on beforehand: the
    plan hash covers all of it, and the ledger, the model and the card of the run carry the same one.
    """
    from quantail.cli.outputs import check_outputs
    from quantail.cli.panels import firms_in_words, guesses_in_words, refuse_for_panels
    from quantail.cli.plan_years import planned_years, print_years
    from quantail.cli.release import ReleaseOptions
    from quantail.cli.staging import write_text
    from quantail.schema import Schema

    if epsilon is None and target is None and sweep is None and report is None:
        raise OptionError("give --epsilon, or --target to find it, or --sweep to compare several")
    if report is not None:
        check_outputs([report], [schema], force)
    facts = Schema.load(schema)
    refuse_for_panels(facts, target=target, sweep=sweep, report=report, definition=definition, delta=delta)
    if fits > 1 and (epsilon is None or target or sweep or report):
        raise OptionError("--fits plans several fits: give --epsilon, and leave out other searches")
    sizes = _rows(rows, facts)
    order = order_options(slopes, draw, taus, main, shares)
    spending = ReleaseOptions(epsilon or "1", definition, delta, method, no_ledger=True, order=order)
    if tables is None and facts.panel is not None:
        tables = 0
        note(
            f"--tables {USUAL_PANELS} states the errors to expect, too: it takes as long as {USUAL_PANELS} fits."
        )
    trial = _Trial(facts, sizes, spending, {"shape": shape, "tables": tables}, quiet, fits)
    tree, terms = trial.plan(epsilon or "1")  # what is wrong with it shows before anything is tried
    solution = None if target is None else trial.solve(target)
    expected = None if epsilon is None else trial.expect(epsilon)
    if epsilon is None and solution is not None:
        epsilon, expected = solution.epsilon, solution.expectation
        tree, terms = trial.plan(solution.expectation.epsilon)
    swept = () if sweep is None and report is None else trial.sweep(sweep or _USUAL_RANGE)
    if report is not None:
        from quantail.report.plan_page import plan_page

        write_text(report, plan_page(facts, swept), force)
    continued = planned_years(facts, sizes, epsilon, years, year_epsilon, trial.options, quiet)
    relations = trial.relations(terms.epsilon) if epsilon else ()
    found = _Found((tree, terms) if epsilon else None, relations, expected, solution, swept, continued)
    if as_json:
        print_json(found.to_dict())
        return
    _print(found)
    if (
        relations
        and "asked for" in relations[0]
        and all(column.predictors is None for column in facts.columns)
    ):
        note(
            "No column names its predictors. Where you know what explains a column, say so in the schema, predictors = "
            '["age"]: then fewer pairs compete for the tables of counts, and what matters is found more often.'
        )
    if continued:
        say()
        print_years(continued)
    if firms := firms_in_words(facts):
        note(firms)
    if epsilon is not None and (guesses := guesses_in_words(facts, tree, sizes)):
        note(guesses)
    if report is not None:
        note(f"Wrote {report}.")


@dataclass(frozen=True)
class _Trial:
    """A schema, its rows and the options of the release that is planned."""

    schema: "Schema"
    rows: Rows
    spending: "ReleaseOptions"
    options: dict[str, Any]
    quiet: bool
    fits: int = 1

    def plan(self, epsilon: str) -> "Planned":
        from quantail.table import TableSynthesizer

        synthesizer, rows = replace(self.spending, epsilon=epsilon).synthesizer(self.schema), self.rows
        total = rows if isinstance(rows, int) else sum(rows.values())
        if isinstance(synthesizer, TableSynthesizer):
            tree = synthesizer.plan(rows, self.fits)
        else:  # groups of panels are known by their place
            tree = synthesizer.plan(
                rows if isinstance(rows, int) else dict(enumerate(rows.values())), self.fits
            )
        return tree, synthesizer.terms(total, self.fits)

    def relations(self, epsilon: str) -> tuple[str, ...]:
        """Say what is asked about relations between columns."""
        from quantail.table import TableSynthesizer

        synthesizer = replace(self.spending, epsilon=epsilon).synthesizer(self.schema)
        return synthesizer.relations(self.rows) if isinstance(synthesizer, TableSynthesizer) else ()

    def expect(self, epsilon: str) -> "Expectation | PanelExpectation | None":
        """Return what to expect, or None where no errors were asked for or can be stated."""
        from quantail.planning import can_expect, expect, expect_panel

        if self.options["tables"] == 0:
            return None
        if self.schema.panel is None and not can_expect(self.schema, self.rows):
            note("No errors are stated: that takes a table of some 20 rows in every group.")
            return None
        with progress("expected errors", self.quiet) as report:
            if self.schema.panel is not None:
                options = self._all()
                options = {name: options[name] for name in options if name not in ("tables", "definition")}
                panels = self.options["tables"]
                return expect_panel(
                    self.schema, self.rows, epsilon, panels=panels, progress=report, **options
                )
            return expect(self.schema, self.rows, epsilon, progress=report, workers=cores(), **self._all())

    def sweep(self, text: str) -> "tuple[Expectation, ...]":
        from quantail.planning import read_range, sweep

        with progress("sweep", self.quiet) as report:
            return sweep(
                self.schema, self.rows, read_range(text), progress=report, workers=cores(), **self._all()
            )

    def solve(self, target: str) -> "Solution":
        from quantail.planning import solve

        with progress("target", self.quiet) as report:
            return solve(self.schema, self.rows, target, progress=report, workers=cores(), **self._all())

    def _all(self) -> dict[str, Any]:
        spent = self.spending
        named = {name: getattr(spent, name) for name in ("definition", "delta", "method")}
        given = {name: value for name, value in named.items() if value is not None}
        return {**self.options, **given, **spent.order}


@dataclass(frozen=True)
class _Found:
    """All that is said of a plan, as far as it was asked for."""

    planned: "Planned | None"
    relations: Sequence[str]  # what is asked about relations between columns
    expected: "Expectation | PanelExpectation | None"
    solution: "Solution | None"
    swept: "Sequence[Expectation]"
    years: "Sequence[PlannedPeriod]"

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        form: dict[str, Any] = {}
        if self.planned is not None:
            tree, terms = self.planned
            form = {"hash": terms.hash(), "plan": tree.to_dict(), "terms": terms.to_dict()}
        parts = {
            "relations": list(self.relations),
            "expectation": self.expected and self.expected.to_dict(),
            "solution": self.solution and self.solution.to_dict(),
            "sweep": [expectation.to_dict() for expectation in self.swept],
            "years": [one.to_dict() for one in self.years],
        }
        return form | {name: part for name, part in parts.items() if part}


def _print(found: _Found) -> None:
    from quantail.planning import PanelExpectation

    if found.solution is not None:
        say(str(found.solution), style="bold")
        say()
    if found.planned is not None:
        tree, terms = found.planned
        say(*tree.render().split("\n"))
        note(f"Plan hash {terms.hash()}")
        for line in found.relations:
            say(line)
    if found.expected is not None:
        if found.planned is not None:
            say()
        _print_errors(found.expected)
    if found.swept:
        say()
        _print_sweep(found.swept)
    shown = found.expected or (found.swept[0] if found.swept else None)
    if shown is not None:
        note(_panel_legend(shown) if isinstance(shown, PanelExpectation) else _legend(shown))


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


def _rows(given: list[str], schema: "Schema") -> Rows:
    """Read --rows: one number, or a number for each group; groups are known by their category codes."""
    if len(given) == 1 and "=" not in given[0]:
        return _count(given[0])
    if not schema.by:
        raise OptionError("--rows: this schema has no groups, so give one number: --rows 5000")
    groups = _groups(schema)
    counts: dict[tuple[int, ...], int] = {}
    for item in given:
        name, _, number = item.rpartition("=")
        if name not in groups or groups[name] in counts:
            raise OptionError(
                f"--rows: write every group once, as NAME=NUMBER; groups are {'; '.join(map(repr, groups))}"
            )
        counts[groups[name]] = _count(number)
    if len(counts) < len(groups):
        missing = [name for name, codes in groups.items() if codes not in counts]
        raise OptionError(
            f"--rows: groups are missing: {'; '.join(map(repr, missing))}; add --rows NAME=NUMBER for each"
        )
    return {codes: counts[codes] for codes in groups.values()}


def _groups(schema: "Schema") -> dict[str, tuple[int, ...]]:
    """List the groups by name, labels separated by commas where several columns define them."""
    from quantail.schema import core_of

    levels = [list(enumerate(core_of(schema).schema.column(name).categories)) for name in schema.by]
    return {
        ",".join(label for _, label in cell): tuple(code for code, _ in cell) for cell in product(*levels)
    }


def _count(text: str) -> int:
    if not text.strip().isdecimal() or int(text) < 1:
        raise OptionError("--rows must be a whole number of at least 1, for instance --rows 5000")
    return int(text)
