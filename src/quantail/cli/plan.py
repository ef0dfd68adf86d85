"""`quantail plan`: how a budget would be spent and what it would buy, before any data are read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from quantail.cli import options
from quantail.cli.console import cores, note, print_json, progress
from quantail.errors import OptionError

if TYPE_CHECKING:
    from quantail.cli.planned import Planned
    from quantail.cli.release import ReleaseOptions
    from quantail.planning import Expectation, PanelExpectation, PlannedPeriod, Solution
    from quantail.privacy import Plan, Terms
    from quantail.schema import Schema

EXAMPLE = "quantail plan --schema schema.toml --rows 5000 --epsilon 1"

_USUAL_RANGE = "0.1:10"
USUAL_PANELS = 5
_NAME_PREDICTORS = (
    "No column names its predictors. Where you know what explains a column, say so in the schema, predictors = "
    '["age"]: then fewer pairs compete for the tables of counts, and what matters is found more often.'
)
Rows = int | dict[tuple[int, ...], int]


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
    from quantail.cli.panels import refuse_for_panels
    from quantail.cli.planned import print_plan
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
    order = options.order_options(slopes, draw, taus, main, shares)
    spending = ReleaseOptions(epsilon or "1", definition, delta, method, no_ledger=True, order=order)
    if tables is None and facts.panel is not None:
        tables = 0
        note(
            f"--tables {USUAL_PANELS} states the errors to expect, too: it takes as long as {USUAL_PANELS} fits."
        )
    trial = _Trial(facts, _rows(rows, facts), spending, {"shape": shape, "tables": tables}, quiet, fits)
    swept = sweep or (None if report is None else _USUAL_RANGE)
    found = trial.found(epsilon, target, swept, years, year_epsilon)
    if report is not None:
        from quantail.report.plan_page import plan_page

        write_text(report, plan_page(facts, found.swept), force)
    if as_json:
        print_json(found.to_dict())
        return
    print_plan(found)
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

    def found(
        self,
        epsilon: str | None,
        target: str | None,
        sweep: str | None,
        years: int | None,
        year_epsilon: str | None,
    ) -> "Planned":
        """Find out all that was asked for; what is wrong with the plan shows before anything is tried."""
        from quantail.cli.planned import Planned

        tree, terms = self.plan(epsilon or "1")
        solution = None if target is None else self.solve(target)
        expected = None if epsilon is None else self.expect(epsilon)
        if epsilon is None and solution is not None:
            epsilon, expected = solution.epsilon, solution.expectation
            tree, terms = self.plan(solution.expectation.epsilon)
        swept = () if sweep is None else self.sweep(sweep)
        continued = self.continued(epsilon, years, year_epsilon)
        if epsilon is None:
            return Planned(None, (), expected, solution, swept, continued, self.remarks(None, ()))
        relations = self.relations(terms.epsilon)
        remarks = self.remarks(tree, relations)
        return Planned((tree, terms), relations, expected, solution, swept, continued, remarks)

    def plan(self, epsilon: str) -> "tuple[Plan, Terms]":
        """Draw up the plan, and what is agreed on with it."""
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

    def remarks(self, tree: "Plan | None", relations: Sequence[str]) -> tuple[str, ...]:
        """Say what to mind about a plan, if there is one."""
        from quantail.cli.panels import firms_in_words, guesses_in_words

        named = any(column.predictors is not None for column in self.schema.columns)
        asked = bool(relations) and "asked for" in relations[0]
        guesses = "" if tree is None else guesses_in_words(self.schema, tree, self.rows)
        said = (_NAME_PREDICTORS if asked and not named else "", firms_in_words(self.schema), guesses)
        return tuple(filter(None, said))

    def continued(
        self, epsilon: str | None, years: int | None, yearly: str | None
    ) -> "tuple[PlannedPeriod, ...]":
        """Plan the years that were asked for; none if none were."""
        from quantail.planning import plan_years

        if (years is None) != (yearly is None):
            raise OptionError("--years and --year-epsilon go together; give both, or neither")
        if years is None or yearly is None:
            return ()
        if self.schema.panel is None:
            raise OptionError(
                "--years is for panels, to which periods are appended; the schema describes a table"
            )
        if epsilon is None:
            raise OptionError("--years continues a first release; give its budget with --epsilon")
        with progress("years", self.quiet) as report:
            tried = {"shape": self.options["shape"], "panels": self.options["tables"] or 0}
            return plan_years(self.schema, self.rows, epsilon, years, yearly, progress=report, **tried)

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
