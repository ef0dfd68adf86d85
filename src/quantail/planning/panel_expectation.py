"""What a budget will buy for a panel: expected errors of totals and flows, tried out on made-up panels.

As for tables (`expectation`), the mechanism itself runs, with simulated noise of the same law, on panels made up from
the schema, and the band holds the error of one more such panel with probability 90%.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.errors import OptionError
from quantail.evaluation import flows_of, read_histories, size_class_difference
from quantail.planning.band import Band, band_of, check_number
from quantail.planning.made_up_panels import simulate_panel
from quantail.planning.shapes import Shape, read_shape
from quantail.planning.tuning import COVERAGE, FEWEST_UNITS, TABLES
from quantail.privacy import as_decimal, parse_epsilon
from quantail.release.synthesizer import Amount
from quantail.schema import Schema
from quantail.table_or_panel import synthesizer_for

Progress = Callable[[str, float], None]

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
    """What to expect of the release of a panel; made without data.

    Attributes
    ----------
    units : int
        Units of the panel, or of the smallest group: groups are fitted apart, and errors are those of one group.
    grouped : bool
        Whether the panel has groups.
    epsilon, shape : str
        As they were given.
    panels : int
        Made-up panels that the errors rest on.
    errors : mapping of str to mapping of str to Band
        By column and measure: `total` is the mean relative error of a period's total; the rates of `quantail.flows` and
        shares of size classes are off by so much (0.03 is three points).
    """

    units: int
    grouped: bool
    epsilon: str
    shape: str
    panels: int
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
        How many units; with groups the errors are those of the smallest.
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
    one, size = _one_group(schema, units)
    check_number(panels, "panels")
    runs = []
    for number in range(panels):
        if progress is not None:
            progress(f"panel {number + 1}", number / panels)
        runs.append(_try_out(one, size, budget, chosen, (seed, number), options))
    return PanelExpectation(size, bool(schema.by), as_decimal(budget), str(chosen), panels, _bands(runs))


def _one_group(schema: Schema, units: int | Mapping[Any, int]) -> tuple[Schema, int]:
    """Return the schema of one group (or of the whole panel) and the units of the smallest."""
    if schema.panel is None:
        raise OptionError("the schema has no [panel] section; errors of tables are stated by `expect`")
    groups = int(np.prod([len(schema.column(name).labels) for name in schema.by]))
    size = min(units.values()) if isinstance(units, Mapping) else units // groups
    if size < FEWEST_UNITS or len(schema.panel.periods) < 2:
        raise OptionError(
            f"errors can be stated for panels of at least two periods with at least {FEWEST_UNITS} units in every group"
        )
    kept = tuple(column for column in schema.columns if column.name not in schema.by)
    return replace(schema, columns=kept, by=()), size


def _try_out(
    schema: Schema,
    units: int,
    epsilon: Amount,
    shape: Shape,
    seed: tuple[int, int],
    options: Mapping[str, Any],
) -> dict[tuple[str, str], float]:
    rng = np.random.default_rng([*seed, 2])
    original = simulate_panel(schema, units, shape, rng)
    noise_seed, sample_seed = (int(number) for number in rng.integers(2**32, size=2))
    synthesizer = synthesizer_for(schema, epsilon, noise="simulated", seed=noise_seed, **options)
    synthetic = synthesizer.fit(original, progress=False).sample(seed=sample_seed)
    return _deviations(schema, original, synthetic)


def _deviations(schema: Schema, original: pa.Table, synthetic: pa.Table) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for column in schema.confidential:
        if column.is_labelled:
            continue
        pair = [read_histories(table, column.name, schema=schema) for table in (original, synthetic)]
        truth, made = (flows_of(histories).to_pydict() for histories in pair)
        totals = [np.nansum(histories.values, axis=0) for histories in pair]
        known = totals[0] > 0
        relative = np.abs(totals[1] / np.where(known, totals[0], 1.0) - 1)[known]
        found[column.name, "total"] = float(relative.mean()) if relative.size else 0.0
        for measure, rate in _RATES.items():
            found[column.name, measure] = _mean_gap(truth, made, rate, pair[0].time)
        classes = size_class_difference(*(histories.values for histories in pair))
        found[column.name, "size classes"] = classes / 100
    return found


def _mean_gap(truth: Mapping[str, Any], made: Mapping[str, Any], rate: str, time: str) -> float:
    """Return by how much a rate is off on average, over the periods that both panels have flows in."""
    own = dict(zip(made[time], made[rate], strict=True))
    gaps = [abs(own[t] - r) for t, r in zip(truth[time], truth[rate], strict=True) if t in own]
    return float(np.mean(gaps)) / 100 if gaps else 0.0


def _bands(runs: Sequence[Mapping[tuple[str, str], float]]) -> dict[str, dict[str, Band]]:
    found: dict[str, dict[str, Band]] = {}
    for name, measure in runs[0]:
        found.setdefault(name, {})[measure] = band_of([run[name, measure] for run in runs])
    return found
