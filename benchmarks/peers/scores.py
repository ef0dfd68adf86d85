"""How a synthetic table of the bench is scored: the paper's eight measures and two tail errors, the same for all.

q99 and q99.9 are relative errors of the quantile, averaged over columns. Above `LOOK_AT` rows the eight measures look
at a random part of each table; tails always look at all rows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from quantail.evaluation import quantile_errors
from studies.paper_measures import PAPER_MEASURES, evaluate_paper

LOOK_AT = 50_000
MEASURES = (*PAPER_MEASURES, "q99", "q99.9")
HIGHER_IS_BETTER = frozenset({"km"})
Table = Mapping[str, np.ndarray]


def score(train: Table, made: Table, test: Table) -> dict[str, float]:
    """Compute every measure of `MEASURES`."""
    rng = np.random.default_rng(0)
    eight = evaluate_paper(_part(train, rng), _part(made, rng), _part(test, rng), rng=rng)
    tails = np.mean([quantile_errors(train[name], made[name], (0.99, 0.999)) for name in train], axis=0)
    return {name: float(value) for name, value in zip(MEASURES, [*eight.values(), *tails], strict=True)}


def better(measure: str, ours: float, other: float) -> bool:
    """Say whether the first value is strictly better."""
    return ours > other if measure in HIGHER_IS_BETTER else ours < other


def _part(table: Table, rng: np.random.Generator) -> Table:
    rows = len(next(iter(table.values())))
    if rows <= LOOK_AT:
        return table
    chosen = rng.choice(rows, LOOK_AT, replace=False)
    return {name: np.asarray(values)[chosen] for name, values in table.items()}
