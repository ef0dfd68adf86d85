"""What a budget will buy for a panel: expected errors of totals and flows, tried out on made-up panels.

As for tables (`expectation`), the mechanism itself runs, with simulated noise of the same law, on panels made up from
the schema, and the band holds the error of one more such panel with probability 90%. With groups, errors are those of
the smallest, released as the plan says: by itself, or with those that it borrows from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.arrays import Floats
from quantail.evaluation import flows_of, read_histories, size_class_difference
from quantail.planning.band import Band, band_of
from quantail.planning.panel_trial import PanelTrial, tried
from quantail.planning.shapes import Shape, read_shape
from quantail.planning.tuning import COVERAGE, TABLES
from quantail.privacy import as_decimal, parse_epsilon
from quantail.release.progress import Progress
from quantail.release.synthesizer import Amount
from quantail.schema import Schema
from quantail.schema.periods import WHOLE
from quantail.table_or_panel import synthesizer_for

_RATES = {
    "creation": "job_creation_rate",
    "destruction": "job_destruction_rate",
    "net creation": "net_job_creation_rate",
    "entry": "entry_rate",
    "exit": "exit_rate",
}
MEASURES = ("total", *_RATES, "size classes")


@dataclass(frozen=True)
class PanelExpectation:
    """What to expect of the release of a panel; made without data."""

    units: int  # of the panel, or of its smallest group, whose errors these are
    grouped: bool  # whether the panel has groups
    together: int  # groups that borrow from each other and were tried together; 1 if it stands alone
    epsilon: str
    shape: str
    panels: int  # made-up ones that the errors rest on
    # By column and measure: `total` is the mean relative error of a period's total; the rates of `quantail.flows` and
    # shares of size classes are off by so much (0.03 is three points).
    errors: Mapping[str, Mapping[str, Band]]

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        columns = [
            {"column": name, "errors": {measure: vars(band) for measure, band in bands.items()}}
            for name, bands in self.errors.items()
        ]
        facts = {name: value for name, value in vars(self).items() if name != "errors"}
        return {**facts, "coverage": COVERAGE, "columns": columns}


def expect_panel(
    schema: Schema,
    units: int | Mapping[Any, int],
    epsilon: Amount = 1,
    *,
    shape: str | Shape = "lognormal",
    panels: int = TABLES,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> PanelExpectation:
    """Say what errors to expect of the release of a panel, touching no data.

    Parameters
    ----------
    schema : Schema
        Of a panel.
    units : int or mapping of group to int
        How many units; with groups the errors are those of the smallest, which may borrow from other small ones.
    epsilon : int, float, str or Fraction
        The budget.
    shape : str
        What sizes are assumed to look like, as in `expect`.
    panels : int
        Made-up panels to try the plan on, at least 3; each takes as long as a fit.
    seed : int
        Of panels and noise.
    progress : callable, optional
        Called with a word and the share of work done.
    **options
        Options of `PanelSynthesizer`, such as `method`.

    Examples
    --------
    >>> from quantail.examples import industry_schema
    >>> found = expect_panel(industry_schema(), 60, epsilon=1)
    >>> sorted(found.errors["staff"])
    ['creation', 'destruction', 'entry', 'exit', 'net creation', 'size classes', 'total']
    """
    chosen, budget = read_shape(shape), parse_epsilon(epsilon)
    trial = PanelTrial.of(schema, units, budget)
    runs = tried(lambda own: _try_out(trial, budget, chosen, own, options), panels, seed, progress)
    size, together = trial.sizes[trial.smallest], len(trial.sizes)
    return PanelExpectation(
        size, bool(schema.by), together, as_decimal(budget), str(chosen), panels, _bands(runs)
    )


def _try_out(
    trial: PanelTrial,
    epsilon: Amount,
    shape: Shape,
    seed: tuple[int, int],
    options: Mapping[str, Any],
) -> dict[tuple[str, str], float]:
    rng = np.random.default_rng([*seed, 2])
    original = trial.simulate(shape, rng)
    noise_seed, sample_seed = (int(number) for number in rng.integers(2**32, size=2))
    synthesizer = synthesizer_for(trial.schema, epsilon, noise="simulated", seed=noise_seed, **options)
    synthetic = synthesizer.fit(original, progress=False).sample(seed=sample_seed)
    return _deviations(trial.one, trial.of_smallest(original), trial.of_smallest(synthetic))


def _deviations(schema: Schema, original: pa.Table, synthetic: pa.Table) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for column in schema.histories:
        errors = errors_by_period(schema, column.name, original, synthetic)
        for measure in ("total", *_RATES):
            found[column.name, measure] = float(np.mean(list(errors[measure].values()) or [0.0]))
        pair = [read_histories(table, column.name, schema=schema).values for table in (original, synthetic)]
        found[column.name, "size classes"] = size_class_difference(*pair) / 100
    return found


def errors_by_period(
    schema: Schema, column: str, original: pa.Table, synthetic: pa.Table
) -> dict[str, dict[int, float]]:
    """Return errors of every period by measure: of totals and units relative, of rates in shares.

    Rates of a period are compared where both panels have flows in it.
    """
    pair = [read_histories(table, column, schema=schema) for table in (original, synthetic)]
    found: dict[str, dict[int, float]] = {}
    for measure, count in (("total", np.nansum), ("units", _known)):
        truth, made = (count(histories.values, axis=0) for histories in pair)
        known = zip(pair[0].periods.tolist(), truth.tolist(), made.tolist(), strict=True)
        found[measure] = {period: abs(own / real - 1) for period, real, own in known if real > 0}
    flows = [flows_of(replace(histories, form=WHOLE)).to_pydict() for histories in pair]
    for measure, rate in _RATES.items():
        truth, made = (dict(zip(table[pair[0].time], table[rate], strict=True)) for table in flows)
        found[measure] = {
            period: abs(made[period] - truth[period]) / 100 for period in truth if period in made
        }
    return found


def _known(values: Floats, axis: int) -> Floats:
    return np.asarray((~np.isnan(values)).sum(axis=axis), dtype=np.float64)


def _bands(runs: Sequence[Mapping[tuple[str, str], float]]) -> dict[str, dict[str, Band]]:
    found: dict[str, dict[str, Band]] = {}
    for name, measure in runs[0]:
        found.setdefault(name, {})[measure] = band_of([run[name, measure] for run in runs])
    return found
