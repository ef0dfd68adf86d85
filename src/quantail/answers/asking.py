"""Many quantiles of one column in one pure-DP question (proofs/points.md).

    levels     those that the budget can tell apart are drawn, the others are read off between them
    points     all drawn levels at once, on a lattice far finer than the rows (the law of JointExp)
    band       how far a value's true level may be from the one that was asked for, from public numbers

Columns with missing values pay a little for the number of rows that have one; so do tables whose number of rows is
protected (add/remove), of which no more rows are asked than a public number above it. Proof: privacy/proofs/points.md.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np

from quantail.answers.levels import check_levels, drawn_levels, rank_bands, read_off
from quantail.answers.result import Quantile, Quantiles
from quantail.answers.till import Till
from quantail.answers.tuning import BEYOND_NATS, CELLS, LATTICE, PRESENT_SHARE
from quantail.arrays import Flags, Floats
from quantail.curves import Scale
from quantail.curves.joint import targets
from quantail.errors import DataError, OptionError
from quantail.frames import FEWEST_ROWS, confidential_columns, confidential_panel
from quantail.io import read_table
from quantail.privacy import Gate, Plan, PointsQuestion, parse_epsilon, split
from quantail.privacy.gate import points_rate
from quantail.release.paying import Payer
from quantail.release.synthesizer import Amount
from quantail.schema import Column, Schema

COVERAGE = 0.95


def quantiles(
    table: Any,
    column: str,
    levels: Sequence[float],
    epsilon: Amount,
    *,
    ledger: Payer = None,
    schema: Schema | None = None,
    period: int | str | None = None,
    lower: float | None = None,
    upper: float | None = None,
    grid: Literal["linear", "log"] = "linear",
    decimals: int | None = None,
    unit: str = "row",
    name: str = "",
    source: str = "",
    noise: Literal["secure", "simulated"] = "secure",
    seed: int | None = None,
) -> Quantiles:
    """Release quantiles of one column, all of them for one epsilon. Pure differential privacy.

    Parameters
    ----------
    table : pandas, polars or pyarrow table, path or URL
        The confidential table, one row per protected unit; or a panel, if its schema is given.
    column : str
        A column of numbers.
    levels : sequence of float
        Strictly between 0 and 1. Asking for more of them costs no more epsilon, and little accuracy.
    epsilon : int, float, str or Fraction
        The whole privacy budget.
    ledger : Ledger or path, optional
        As in `TableSynthesizer.fit`.
    schema : Schema, optional
        Says what is public about the column, whose table it is, and what is protected: a unit that may be replaced, or
        one that may be there or not (add-remove, for tables). Otherwise say it below.
    period : int or str, optional
        Of a panel: the period that is asked about, in which a unit has one value, or none.
    lower, upper : float
        Public bounds of the column; values beyond them are clipped. Bounds from the data would not be private.
    grid : {"linear", "log"}
        "log" suits heavy tails, and bounds that are far too wide.
    decimals : int, optional
        How many decimals the values are recorded with; released values are rounded to them.
    unit, name, source : str
        What a row stands for, the data set's name (as in the ledger), and where the bounds are known from.
    noise, seed
        "simulated" is seeded, has the same law, and is NOT PRIVATE: for experiments.

    Returns
    -------
    Quantiles
        Values that rise with their levels, and for each a band for its true level.

    Raises
    ------
    OptionError
        If bounds are missing, or something else is not as it must be; nothing is charged then.

    Examples
    --------
    >>> from quantail.examples import payroll_example, payroll_schema
    >>> asked = {"schema": payroll_schema(), "noise": "simulated", "seed": 1}
    >>> found = quantiles(payroll_example(2000), "payroll", [0.5, 0.9], 1, **asked)
    >>> found[0.5] < found[0.9]
    True
    """
    wanted, budget = check_levels(levels), parse_epsilon(epsilon)
    if schema is None:
        schema = bounded_column(column, lower, upper, grid, decimals, source, unit, name)
    about = _of_column(schema, column, period)
    till = Till.open(ledger, noise, seed)
    values = read_column(table, about) if period is None else _of_period(table, schema, column, period)
    plan, scale = quantiles_plan(about, wanted.size, budget), Scale.of(about.columns[0])
    options = {"column": column, "levels": wanted.tolist()}
    draw = draw_quantiles if about.neighbours == "replace-one" else draw_protected
    (rows, size), facts, entry = till.ask(
        about, plan, values.size, "quantiles", options, lambda gate: draw(gate, plan, values, scale, wanted)
    )
    return Quantiles(about.columns[0].name, rows, COVERAGE, replace(facts, size=size), entry)


def quantiles_plan(about: Schema, levels: int, epsilon: Fraction) -> Plan:
    """Return the plan of a question, touching no data."""
    (column,) = about.columns
    note = f"{levels} levels in one draw on a lattice of 2^40 points between the bounds"
    if about.neighbours == "replace-one" and not (column.missing or column.missing_codes):
        return Plan.sequence(f"quantiles of {column.name}", [Plan.leaf("quantiles", epsilon, note)])
    counted, rest = split(epsilon, [PRESENT_SHARE, 1 - PRESENT_SHARE])
    leaves = [Plan.leaf("rows with a value", counted, "a count"), Plan.leaf("quantiles", rest, note)]
    return Plan.sequence(f"quantiles of {column.name}", leaves)


def draw_quantiles(
    gate: Gate, plan: Plan, values: Floats, scale: Scale, levels: Floats
) -> tuple[tuple[Quantile, ...], int]:
    """Ask about a table whose number of rows is public; return the quantiles and that number.

    With two leaves the first one counts the rows with a value. Values are confidential, and NaN where one is missing.
    """
    *counting, leaf = plan.leaves()
    present, doubt = values.size, 0.0
    for first in counting:
        present, doubt = min(_counted(gate, first, values), values.size), _doubt(first)
    return draw_held(gate, leaf, values, values.size, present, doubt, scale, levels), values.size


def draw_protected(
    gate: Gate, plan: Plan, values: Floats, scale: Scale, levels: Floats
) -> tuple[tuple[Quantile, ...], int]:
    """Ask about a table whose number of rows is protected; return the quantiles and the released number.

    What is asked about is a table of a public number of places, each with a row or none: to add a row fills a place, or
    replaces a row where all are filled. So the gate answers it as any table of which one row may be replaced.
    """
    first, leaf = plan.leaves()
    present = _counted(gate, first, values)
    most = present + math.ceil(BEYOND_NATS / first.cost)
    held = first_rows(values, most)
    return draw_held(gate, leaf, held, most, present, _doubt(first), scale, levels), present


def first_rows(values: Floats, most: int) -> Floats:
    """Return the first values that are there, no more than a number: another row changes at most one of them."""
    return values[~np.isnan(values)][:most]


def _counted(gate: Gate, leaf: Plan, values: Floats) -> int:
    """Release how many values are there, at least 1."""
    (told,) = gate.count(leaf, np.array([np.count_nonzero(~np.isnan(values))]), 1).tolist()
    return max(int(told), 1)


def _doubt(leaf: Plan) -> float:
    """Return how far a count may be off, in rows, with half of the chance that bands leave."""
    return math.log(2 / (1 - COVERAGE)) / float(leaf.cost)


def draw_held(
    gate: Gate,
    leaf: Plan,
    values: Floats,
    most: int,
    present: int,
    doubt: float,
    scale: Scale,
    levels: Floats,
    cells: int = CELLS,
    fine: int = LATTICE // CELLS,
) -> tuple[Quantile, ...]:
    """Ask the gate for all quantiles of the values that are there.

    Parameters
    ----------
    values : array
        Confidential; NaN where a value is missing.
    most, present : int
        Public: how many rows there are at most, and how many are taken to have a value.
    doubt : float
        How far the latter may be off: no target tells where these rows are, so that bands reach as much farther.
    cells, fine : int
        Cells of the lattice, and points in each.
    """
    there = ~np.isnan(values)
    uniform = gate.noise.stream(values.size)(0, values.size)
    low, high = scale.ends
    lattice = cells * fine
    spread = scale.spread(values[there], uniform[there])
    places = np.clip(np.floor((spread - low) / (high - low) * lattice), 0, lattice - 1).astype(np.int64)
    drawn = drawn_levels(levels, present, float(leaf.cost) / 4)
    question = PointsQuestion(places, most, targets(present, levels[drawn]), cells, fine)
    points = gate.points(leaf, question)
    on_scale = read_off(levels, drawn, low + (points + 0.5) / lattice * (high - low), (low, high))
    bands = np.full(levels.size, np.nan)
    paid = points_rate(leaf.cost, question)
    if paid > 0:
        coverage = (1 + COVERAGE) / 2 if doubt else COVERAGE
        bands[drawn] = (rank_bands(int(drawn.sum()) + 1, paid, coverage) + doubt) / present
    return _rows(levels, _recorded(on_scale, scale), drawn, bands)


def _rows(levels: Floats, values: Floats, drawn: Flags, bands: Floats) -> tuple[Quantile, ...]:
    low, high = np.maximum(levels - bands, 0.0), np.minimum(levels + bands, 1.0)
    known = np.isfinite(bands)
    return tuple(
        Quantile(level, value, bool(is_drawn), below if is_known else None, above if is_known else None)
        for level, value, is_drawn, is_known, below, above in zip(
            levels.tolist(), values.tolist(), drawn, known, low.tolist(), high.tolist(), strict=True
        )
    )


def _recorded(values: Floats, scale: Scale) -> Floats:
    """Return values of the modelling scale as the column records them, still in rising order."""
    nearest = np.rint(scale.backward(values) / scale.step) * scale.step
    digits = max(0, 15 - int(np.floor(np.log10(max(abs(scale.lower), abs(scale.upper), 1.0)))))
    return np.maximum.accumulate(np.clip(np.round(nearest, digits), scale.lower, scale.upper))


def bounded_column(
    name: str,
    lower: float | None,
    upper: float | None,
    grid: Literal["linear", "log"] = "linear",
    decimals: int | None = None,
    source: str = "",
    unit: str = "row",
    dataset: str = "",
) -> Schema:
    """Return the schema of one column of numbers; missing bounds are an OptionError, they are never guessed."""
    if lower is None or upper is None:
        raise OptionError(
            f"column {name!r} needs public bounds: pass lower= and upper= from a rule, a form or a codebook, never "
            "from the data, or a schema that says them"
        )
    column = Column(name, "numeric", lower, upper, grid=grid, decimals=decimals, source=source)
    return Schema((column,), unit, name=dataset)


def _of_column(schema: Schema, name: str, period: int | str | None) -> Schema:
    """Return what a schema says about one column, of a panel in one period, or refuse it."""
    if schema.neighbours != "replace-one" and schema.panel is not None:
        raise OptionError(
            "quantiles of a panel protect one unit that may be replaced; the schema describes add-remove neighbours: "
            "fit a model instead"
        )
    column = schema.column(name)
    if column.type not in ("numeric", "integer") or column.public:
        raise OptionError(f"column {name!r} is not a confidential column of numbers; quantiles are for those")
    # Rules name other columns, which are not asked about.
    column = replace(column, universe="", outside="", only_outside=False, missing_with="")
    column = replace(column, atoms=(), predictors=None)
    if schema.panel is not None:
        panel = schema.panel
        if period is None or panel.form.number(period) not in panel.periods:
            raise OptionError(
                "a unit of a panel has a value in every period that it is there; say which period is asked about, from "
                f"{panel.start} to {panel.end}"
            )
        column = replace(column, name=f"{name} {period}", missing=True)
    elif period is not None:
        raise OptionError("period is for panels; the schema describes a table, so leave it out")
    return Schema((column,), schema.unit, name=schema.name, neighbours=schema.neighbours, csv=schema.csv)


def _of_period(table: Any, schema: Schema, name: str, period: int | str) -> Floats:
    """Read the values of all units of a panel in one period, NaN where there is none."""
    assert schema.panel is not None
    number = schema.panel.form.number(period)
    assert number is not None  # as `_of_column` saw to
    frame = read_table(table, schema) if isinstance(table, str | Path) else table
    values = confidential_panel(frame, schema).values[name][:, number - schema.panel.first]
    return _enough(np.array(values))


def read_column(table: Any, about: Schema) -> Floats:
    """Read the one column that a question is about, NaN where a value is missing.

    Too small tables are refused, unless the number of rows is protected.
    """
    frame = read_table(table, about) if isinstance(table, str | Path) else table
    (column,) = about.columns
    values = np.asarray(confidential_columns(frame, about)[column.name], dtype=np.float64)
    return _enough(values) if about.neighbours == "replace-one" else values


def _enough(values: Floats) -> Floats:
    if values.size < FEWEST_ROWS:
        raise DataError(f"the table has fewer than {FEWEST_ROWS} rows, too few for any private summary")
    return values
