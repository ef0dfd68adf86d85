"""A register that is published every year: what each release costs, and what errors to expect, before any is made.

The first release and every appended period are tried out as they will be made, one after the other, on panels made up
from the schema (`panel_trial`): earlier synthetic histories stay, so errors of one year are those of all before it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quantail.errors import OptionError
from quantail.frames.panel import panel_of
from quantail.frames.release import released_names
from quantail.panel import PanelSynthesizer, PeriodSynthesizer
from quantail.panel.appending import schema_before
from quantail.planning.band import Band, band_of
from quantail.planning.panel_expectation import errors_by_period
from quantail.planning.panel_trial import PanelTrial, tried
from quantail.planning.shapes import Shape, read_shape
from quantail.planning.tuning import COVERAGE, INCUMBENTS
from quantail.privacy import as_decimal, parse_epsilon
from quantail.release.progress import Progress
from quantail.release.synthesizer import Amount
from quantail.schema import Panel, Schema
from quantail.schema.panel import MOST_PERIODS


@dataclass(frozen=True)
class PlannedPeriod:
    """What the last period of the first release, or an appended one, costs, and what errors to expect of it."""

    period: int | str
    epsilon: str  # of this release
    spent: str  # on a unit that is in all releases so far
    errors: Mapping[str, Mapping[str, Band]] = field(
        default_factory=dict
    )  # by column and measure, of this period

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        errors = {
            column: {measure: vars(band) for measure, band in bands.items()}
            for column, bands in self.errors.items()
        }
        return vars(self) | {"errors": errors, "coverage": COVERAGE}


def plan_years(
    schema: Schema,
    units: int | Mapping[Any, int],
    epsilon: Amount,
    years: int,
    yearly: Amount,
    *,
    shape: str | Shape = "lognormal",
    panels: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[PlannedPeriod, ...]:
    """Plan a first release and the periods that will be appended to it, touching no data.

    Parameters
    ----------
    schema : Schema
        Of the first release: a panel under full synthesis.
    units : int or mapping of group to int
        Units of the first release; with groups the errors are those of the smallest.
    epsilon, yearly : int, float, str or Fraction
        The budget of the first release, and of every appended period.
    years : int
        How many periods will be appended.
    shape, seed, progress
        As in `expect_panel`.
    panels : int
        Made-up panels to try all releases on, at least 3; 0 states the budgets alone.

    Returns
    -------
    tuple of PlannedPeriod
        The last period of the first release, then the appended ones.

    Examples
    --------
    >>> from quantail.schema import Column
    >>> register = Schema((Column("staff", "integer", 0, 5000),), "firm", panel=Panel("id", start=2001, end=2015))
    >>> planned = plan_years(register, 5000, 1, 10, "0.1")
    >>> planned[0].spent, planned[-1].period, planned[-1].spent
    ('1', 2025, '2')
    """
    if not isinstance(years, int) or isinstance(years, bool) or not 1 <= years <= MOST_PERIODS:
        raise OptionError(f"years must be a whole number from 1 to {MOST_PERIODS}")
    first, each = parse_epsilon(epsilon), parse_epsilon(yearly)
    end = schema.panel.last if schema.panel is not None else 0
    schema_before(_until(schema, end + 1))  # says what kinds of panels can be continued
    errors: Mapping[int, Mapping[str, Mapping[str, Band]]] = {}
    if panels:
        trial, chosen = _trial(schema, units, epsilon, years), read_shape(shape)
        runs = tried(lambda own: _try_out(trial, first, each, end, chosen, own), panels, seed, progress)
        errors = _bands(runs, range(end, end + years + 1))
    return tuple(
        PlannedPeriod(
            end + year if schema.panel is None else schema.panel.form.written(end + year),
            as_decimal(each if year else first),
            as_decimal(first + year * each),
            errors.get(end + year, {}),
        )
        for year in range(years + 1)
    )


def _until(schema: Schema, end: int) -> Schema:
    return schema if schema.panel is None else replace(schema, panel=schema.panel.until(end))


def _trial(schema: Schema, units: int | Mapping[Any, int], epsilon: Amount, years: int) -> PanelTrial:
    """Return the groups to be tried, in a long panel of all periods with so many units by the first release."""
    trial, panel = PanelTrial.of(schema, units, parse_epsilon(epsilon)), panel_of(schema)
    time = panel.time or next(
        name for name in ("period", "time", "t", "p") if name not in released_names(schema)
    )
    whole = replace(panel, layout="long", time=time, entry="", exit="").until(panel.last + years)
    entered = INCUMBENTS + (1 - INCUMBENTS) * (len(panel.periods) - 1) / (len(whole.periods) - 1)
    sizes = {labels: round(size / entered) for labels, size in trial.sizes.items()}
    return PanelTrial(replace(trial.schema, panel=whole), sizes)


def _try_out(
    trial: PanelTrial, first: Amount, each: Amount, end: int, shape: Shape, seed: tuple[int, int]
) -> dict[tuple[int, str, str], float]:
    """Release a made-up panel and append its later periods; return errors by period, column and measure."""
    rng = np.random.default_rng([*seed, 2])
    panel, original = panel_of(trial.schema), trial.simulate(shape, rng)
    noise = [int(number) for number in rng.integers(2**32, size=panel.last - end + 2)]
    maker = PanelSynthesizer(_until(trial.schema, end), first, noise="simulated", seed=noise[0])
    synthetic = maker.fit(_rows_until(original, panel, end), progress=False).sample(seed=noise[1])
    for period in range(end + 1, panel.last + 1):
        again = PeriodSynthesizer(
            _until(trial.schema, period), each, synthetic, noise="simulated", seed=noise[period - end + 1]
        )
        synthetic = again.fit(_rows_until(original, panel, period), progress=False).sample()
    pair = trial.of_smallest(original), trial.of_smallest(synthetic)
    return {
        (period, column.name, measure): error
        for column in trial.one.histories
        for measure, found in errors_by_period(trial.one, column.name, *pair).items()
        for period, error in found.items()
    }


def _rows_until(table: pa.Table, panel: Panel, end: int) -> pa.Table:
    written = [panel.form.written(period) for period in range(panel.first, end + 1)]
    return table.filter(pc.is_in(table[panel.time], pa.array(written)))


def _bands(
    runs: list[dict[tuple[int, str, str], float]], periods: range
) -> dict[int, dict[str, dict[str, Band]]]:
    """Return bands of errors that all made-up panels have."""
    found: dict[int, dict[str, dict[str, Band]]] = {}
    for period, column, measure in runs[0]:
        errors = [run[period, column, measure] for run in runs if (period, column, measure) in run]
        if period in periods and len(errors) == len(runs):
            found.setdefault(period, {}).setdefault(column, {})[measure] = band_of(errors)
    return found
