"""What a budget will buy: expected errors with a band, from a plan tried out on made-up tables.

The mechanism itself runs, with simulated noise of the same law, on tables made up from the schema; the band holds the
error of one more such table with probability 90% (`band`). What it rests on is that the real table resembles the
reference shape.

Errors are those of the plain columns that a schema compiles to: dates are numbers of steps, and a number that may be
missing is a category that says so, beside a number.
"""

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from quantail.errors import OptionError
from quantail.frames import FEWEST_ROWS
from quantail.notebook import counted, shown
from quantail.planning.band import Band, band_of, check_number
from quantail.planning.deviations import SHARES, deviations
from quantail.planning.kept import Run, keep, key_of, recall
from quantail.planning.resolution import Resolution, resolutions
from quantail.planning.shapes import Shape, read_shape
from quantail.planning.tables import simulate_table
from quantail.planning.tuning import (
    COVERAGE,
    FEWEST_TABLES,
    LARGE,
    LEVELS,
    SIMULATED,
    TABLES,
    WORTH_PROCESSES,
)
from quantail.privacy import as_decimal, parse_epsilon
from quantail.release.progress import Progress
from quantail.release.synthesizer import Amount
from quantail.release.watching import Watch, watched
from quantail.schema import Column, Schema, core_of
from quantail.schema.universe import universe_of
from quantail.table import TableSynthesizer

Rows = int | Mapping[tuple[int, ...], int]


@dataclass(frozen=True)
class ColumnExpectation:
    """What to expect of one column: what the plan buys for it, and errors by measure (q50, ..., slope, shares)."""

    resolution: Resolution
    errors: Mapping[str, Band]

    @property
    def name(self) -> str:
        """The column's name."""
        return self.resolution.column


@dataclass(frozen=True)
class Expectation:
    """What to expect of a release; made without data.

    Attributes
    ----------
    rows : int
        Rows of the table, or of the smallest group: groups are fitted apart, and errors are those of one group.
    grouped : bool
        Whether the table has groups.
    epsilon, shape : str
        As they were given.
    tables : int
        Made-up tables that the errors rest on.
    """

    rows: int
    grouped: bool
    epsilon: str
    shape: str
    tables: int
    columns: tuple[ColumnExpectation, ...]

    def __repr__(self) -> str:
        """Say in a line what was tried out."""
        columns, rows = counted(len(self.columns), "column"), counted(self.rows, "row")
        return f"<Expectation: {columns}, {rows}, epsilon {self.epsilon}, shape {self.shape}>"

    def _repr_html_(self) -> str:
        rows = [
            (column.name, measure, str(band), f"{column.resolution.share:.0%}")
            for column in self.columns
            for measure, band in column.errors.items()
        ]
        facts = [
            ("epsilon", self.epsilon),
            ("rows", f"{self.rows:,}" + (" in the smallest group" if self.grouped else "")),
            ("reference shape", self.shape),
            ("made-up tables", str(self.tables)),
        ]
        remarks = [
            "No data were read: errors are those of made-up tables that fit the schema, with their 90% bands."
        ]
        head = ("column", "error of", "expected", "share of budget")
        return shown("Errors to expect", facts, head, rows, remarks)

    def column(self, name: str) -> ColumnExpectation:
        """Return the expectation of one column."""
        for column in self.columns:
            if column.name == name:
                return column
        raise OptionError(
            f"no column {name!r} is planned; columns are {', '.join(c.name for c in self.columns)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        columns = [
            vars(column.resolution) | {"errors": {name: vars(band) for name, band in column.errors.items()}}
            for column in self.columns
        ]
        facts = {name: value for name, value in vars(self).items() if name != "columns"}
        return {**facts, "coverage": COVERAGE, "columns": columns}


def expect(
    schema: Schema,
    rows: Rows,
    epsilon: Amount = 1,
    *,
    shape: str | Shape = "lognormal",
    tables: int | None = None,
    seed: int = 0,
    levels: Sequence[float] = LEVELS,
    progress: Watch = None,
    workers: int = 1,
    **options: Any,
) -> Expectation:
    """Say what errors to expect of a release, touching no data.

    Parameters
    ----------
    schema : Schema
        Of a table; panels cannot be tried out this way.
    rows : int or mapping
        As in `quantail.plan`. With groups the errors are those of the smallest group.
    epsilon : int, float, str or Fraction
        The budget.
    shape : str
        What numbers are assumed to look like: "lognormal", "pareto" or "exponential", with a parameter if you like
        ("pareto:1.5").
    tables : int, optional
        Made-up tables to try the plan on, at least 3; with more of them bands are narrower. By default 5, and 3 from
        100,000 cells on.
    seed : int
        Of tables and noise; another seed gives other tables.
    levels : sequence of float
        Quantiles to speak of.
    progress : callable or False, optional
        Called with a word and the share of work done; by default a bar is shown where a person watches.
    workers : int
        Processes that share the made-up tables, where these take long. In a script, call from below
        `if __name__ == "__main__":` if there are several.
    **options
        Options of `TableSynthesizer`, such as `method`, `definition` and `delta`.

    Examples
    --------
    >>> from quantail.examples import payroll_schema
    >>> found = expect(payroll_schema(), rows=300, epsilon=1)
    >>> sorted(found.column("payroll").errors)
    ['q50', 'q90', 'q99', 'slope']
    """
    chosen, budget = read_shape(shape), parse_epsilon(epsilon)
    if tables is not None:
        check_number(tables, "tables")
    if not levels or not all(0 < level < 1 for level in levels):
        raise OptionError("levels must lie strictly between 0 and 1, for instance 0.5, 0.9, 0.99")
    one, size = _one_group(schema, rows)
    plain = core_of(one).schema.columns
    tables = tables or (FEWEST_TABLES if size * len(plain) >= LARGE else TABLES)
    key = key_of(one.to_toml(), size, budget, chosen, tables, seed, tuple(levels), sorted(options.items()))
    runs = recall(key)
    if runs is None:
        trial = partial(try_out, one, size, budget, chosen, levels=tuple(levels), **options)
        with watched(progress, "plan") as tell:
            runs = list(_all_runs(trial, [(seed, table) for table in range(tables)], workers, tell))
        keep(key, runs)
    plan = TableSynthesizer(one, budget, **options).plan(size)
    seen = resolutions(plan, size, one.neighbours, {column.name: _cells(column) for column in plain})
    columns = tuple(ColumnExpectation(part, _bands(runs, part.column)) for part in seen)
    return Expectation(size, bool(schema.by), as_decimal(budget), str(chosen), tables, columns)


def _all_runs(
    trial: Callable[[tuple[int, int]], Run],
    seeds: Sequence[tuple[int, int]],
    workers: int,
    tell: Progress | None,
) -> Iterator[Run]:
    """Yield errors table by table; if the first took long, several processes share the others."""

    def said(runs: Iterable[Run], done: int = 0) -> Iterator[Run]:
        for number, run in enumerate(runs, start=done + 1):
            if tell is not None:
                tell(f"table {number} of {len(seeds)}", number / len(seeds))
            yield run

    start, others = time.process_time(), seeds[1:]
    yield from said(map(trial, seeds[:1]))
    if workers == 1 or time.process_time() - start < WORTH_PROCESSES:
        yield from said(map(trial, others), 1)
        return
    with ProcessPoolExecutor(min(workers, len(others)), mp_context=get_context("spawn")) as pool:
        yield from said(pool.map(trial, others), 1)


def try_out(
    schema: Schema,
    rows: int,
    epsilon: Amount,
    shape: Shape,
    seed: tuple[int, int],
    levels: Sequence[float] = LEVELS,
    **options: Any,
) -> dict[tuple[str, str], float]:
    """Make up one table, release it with simulated noise, and return the errors by column and measure."""
    rng = np.random.default_rng([*seed, 1])
    original = simulate_table(schema, rows, shape, rng)
    noise_seed, sample_seed = (int(number) for number in rng.integers(2**32, size=2))
    synthesizer = TableSynthesizer(schema, epsilon, noise="simulated", seed=noise_seed, **options)
    synthesizer = synthesizer.trying_out(SIMULATED)
    public = [column.name for column in schema.columns if column.public]
    given = original.select(public) if public else None
    synthetic = synthesizer.fit(original, progress=False).sample(seed=sample_seed, given=given)
    return deviations(schema, original, synthetic, levels)


def _bands(runs: Sequence[Mapping[tuple[str, str], float]], column: str) -> dict[str, Band]:
    measures = [measure for name, measure in runs[0] if name == column]
    return {
        measure: band_of([run[column, measure] for run in runs], 1.0 if measure == SHARES else np.inf)
        for measure in measures
    }


def can_expect(schema: Schema, rows: Rows) -> bool:
    """Say whether errors can be stated: for tables that have enough rows in every group."""
    return schema.panel is None and _smallest(schema, rows) >= FEWEST_ROWS


def _smallest(schema: Schema, rows: Rows) -> int:
    """Return the rows of the smallest group; a total is taken to be spread evenly."""
    groups = math.prod(len(core_of(schema).schema.column(name).categories) for name in schema.by)
    total = sum(rows.values()) if isinstance(rows, Mapping) else rows
    smallest = min(rows.values()) if isinstance(rows, Mapping) else rows // groups
    return max(smallest, min(schema.merge_below, total))  # smaller ones are fitted together


def _one_group(schema: Schema, rows: Rows) -> tuple[Schema, int]:
    """Return the schema of one group (or of the whole table) and the rows of the smallest."""
    if not can_expect(schema, rows):
        raise OptionError(
            f"errors can be stated for tables (not panels) with at least {FEWEST_ROWS} rows in every group; "
            "pool tables or groups, or plan the budget alone with `quantail.plan`"
        )
    kept = tuple(_ungrouped(column, schema) for column in schema.columns if column.name not in schema.by)
    return replace(schema, columns=kept, by=()), _smallest(schema, rows)


def _ungrouped(column: Column, schema: Schema) -> Column:
    """Return a column without what it says of groups: within one of them a rule that names it holds or does not."""
    rule, predictors = universe_of(column), column.predictors
    if rule is not None and any(name in schema.by for name in rule.names):
        column = replace(column, universe="", outside="", only_outside=False)
    if predictors is None:
        return column
    return replace(column, predictors=tuple(name for name in predictors if name not in schema.by))


def _cells(column: Column) -> int:
    """Return how many values a column can take, as the plan counts them."""
    if column.type == "category":
        return len(column.categories)
    assert column.lower is not None and column.upper is not None
    return round((column.upper - column.lower) / column.lattice) + 1
