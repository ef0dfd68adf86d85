"""One rerun of the mechanism: a table simulated from the released model goes through everything again.

The released model is a simulator whose truth is known. What the mechanism does to a table drawn from it (dither, noise,
choices of predictors, shrinkage, synthesis) it did to the confidential one: the distance between a rerun's estimate and
the simulator's own tells how far the released estimate may lie from the population's. Nothing confidential takes part,
so reruns may use seeded noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from quantail.evaluation.formula import Levels
from quantail.inference.estimand import Estimand
from quantail.synthesis import TableModel, TableSynthesizer

Floats = NDArray[np.float64]
Draw = Literal["balanced", "independent"]


@dataclass(frozen=True)
class Rerun:
    """All that a rerun needs, so that other processes can do it."""

    model: TableModel
    estimand: Estimand
    levels: Levels | None
    rows: int
    tables: int
    draw: Draw

    def __call__(self, seed: int) -> Floats:
        """Return the estimates of one rerun."""
        table = self.model.sample(seed=seed, draw="independent")
        again = synthesizer_of(self.model, seed).fit(table)
        return synthetic_estimate(self, again, seed)


def synthetic_estimate(rerun: Rerun, model: TableModel, seed: int) -> Floats:
    """Return the mean estimate over as many synthetic tables as the analyst had."""
    rng = np.random.default_rng([seed, 1])
    tables = [
        model.sample(rerun.rows, seed=int(rng.integers(2**63)), draw=rerun.draw) for _ in range(rerun.tables)
    ]
    return np.mean([rerun.estimand.answer(table, rerun.levels).estimates for table in tables], axis=0)


def synthesizer_of(model: TableModel, seed: int) -> TableSynthesizer:
    """Return a synthesizer with the settings of a released model and simulated noise."""
    return TableSynthesizer(
        model.schema,
        model.epsilon,
        model.method,
        definition="zcdp" if model.delta else "pure",
        delta=model.delta or None,
        noise="simulated",
        seed=seed,
    )
