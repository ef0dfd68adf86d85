"""The pMSE mechanism (Snoke and Slavković 2018) as the paper runs it on its simulation. NOT PRIVATE.

The exponential mechanism over the parameters of the true family
    X1 ~ Exp(rate1);  X2 = a2 + b2 X1 + Exp(rate2);  X3 = a3 + b31 X1 + b32 X2 + Exp(rate3),
with utility u = minus the pMSE of a small tree between the real rows and rows drawn with the parameters,
averaged over a few draws. Log weight of parameters t, sensitivity of u taken as 1/n:
    log w(t) = -sum t^2 / (2 * 100000) + n epsilon u(t) / 2,    minus infinity where a rate is not positive.
It is sampled by a hundred steps of a random walk Metropolis chain, whose last state makes the synthetic rows.

Why it is not private: after a hundred steps the law of the state is not the one above; u is itself random; and
the start, with the true intercepts and slopes, is knowledge that a user of real data does not have. Settings
are those of the authors' public code: start, all parameters moved at once with standard deviation .4, rates
reflected at zero, tree of depth 5 with cp .01. They rerun a chain that never moves; from this start, where
every rate is far too small, the first proposals are taken, so that no such rule is needed.

So run, 100 replications at epsilon 1 give pMSE .034 (.003) and .056 (.003), WRT 12.6 (.7), KM 750 (6), differences
of 28.5 (1.8) and 34.3 (2.5), NRMSE .387 (.007) and .261 (.008); published .0374, .0601, 12.94, 743, 28.5, 36.4,
.390, .265. One step in twenty is taken.

Most proposals are hopeless. The chance that decides a step is drawn before the utility, and the draws for it
stop as soon as the pMSE found so far, with 0 for the rest, already rules the step out: the same law of
decisions with 37% of the trees, about two seconds a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError, OptionError
from quantail.examples import PAPER_COLUMNS
from studies.simulation.origin_tree import SortedTable, origin_pmse, sort_table

Floats = NDArray[np.float64]

PARAMETERS = ("rate1", "a2", "b2", "rate2", "a3", "b31", "b32", "rate3")
START = (1e-4, 4.0, 3.0, 1e-4, 3.0, 2.0, 1.0, 1e-4)
"""Where the authors' chain begins: the true lines, and rates a thousandth of the true .1."""

PRIOR_VARIANCE = 1e5
STEP = 0.4
_RATES = [PARAMETERS.index(name) for name in ("rate1", "rate2", "rate3")]


@dataclass(frozen=True)
class ChainState:
    """A point of the chain; `pmse` is the estimate on which it was accepted, kept until the chain moves on."""

    parameters: Floats
    pmse: float
    log_weight: float


def pmse_mechanism(
    train: Mapping[str, Floats],
    epsilon: float,
    rng: np.random.Generator,
    *,
    steps: int = 100,
    sets: int = 25,
) -> tuple[dict[str, Floats], dict[str, Any]]:
    """Make a synthetic table as large as `train` by the paper's pMSE mechanism. NOT PRIVATE.

    Parameters
    ----------
    train : mapping of arrays
        Columns X1, X2, X3.
    epsilon : float
        Enters the weights as if the chain had converged.
    rng : numpy Generator
        All randomness.
    steps, sets : int
        Metropolis steps; synthetic draws averaged in each evaluation of the utility.

    Returns
    -------
    tuple of dict and dict
        The synthetic columns; and what the chain did: share of steps `accepted`, `parameters` of the last
        state, `tree_pmse` of the first and of the last state, and `private`, which is False.
    """
    real = _checked(train)
    if not epsilon > 0 or steps < 0 or sets < 1:
        raise OptionError("pmse mechanism: epsilon must be positive, steps 0 or more, sets 1 or more.")
    first = state = evaluate_state(np.array(START), real, epsilon, rng, sets)
    accepted = 0
    for _ in range(steps):
        before, state = state, metropolis_step(state, real, epsilon, rng, sets)
        accepted += state is not before
    rows = draw_family(state.parameters, real.columns.shape[1], rng)
    notes = {
        "accepted": accepted / max(steps, 1),
        "parameters": dict(zip(PARAMETERS, state.parameters.tolist(), strict=True)),
        "tree_pmse": [first.pmse, state.pmse],
        "private": False,
    }
    return {name: rows[:, k].copy() for k, name in enumerate(PAPER_COLUMNS)}, notes


def draw_family(parameters: Floats, n: int, rng: np.random.Generator) -> Floats:
    """Draw `n` rows (X1, X2, X3) with the given parameters, in the order of `PARAMETERS`."""
    rate1, a2, b2, rate2, a3, b31, b32, rate3 = parameters
    noise1, noise2, noise3 = rng.standard_exponential((3, n))
    x1 = noise1 / rate1
    x2 = a2 + b2 * x1 + noise2 / rate2
    return np.column_stack([x1, x2, a3 + b31 * x1 + b32 * x2 + noise3 / rate3])


def propose(parameters: Floats, rng: np.random.Generator) -> Floats:
    """Move every parameter by a normal step; a rate that falls below zero is reflected, so moves are symmetric."""
    moved = parameters + STEP * rng.standard_normal(parameters.size)
    moved[_RATES] = np.abs(moved[_RATES])
    return moved


def metropolis_step(
    state: ChainState, real: SortedTable, epsilon: float, rng: np.random.Generator, sets: int
) -> ChainState:
    """Propose a move and take it with probability min(1, w(proposed) / w(current)); else return `state` itself."""
    proposed = propose(state.parameters, rng)
    bar = state.log_weight + log1p(-rng.random())
    moved = evaluate_state(proposed, real, epsilon, rng, sets, bar)
    return moved if moved.log_weight >= bar else state


def evaluate_state(
    parameters: Floats,
    real: SortedTable,
    epsilon: float,
    rng: np.random.Generator,
    sets: int,
    bar: float = -inf,
) -> ChainState:
    """Draw `sets` tables with the parameters, average the tree's pMSE, and weigh the parameters by it.

    Stops early, with a log weight that is too high but still below `bar`, once it cannot reach `bar` any more.
    """
    n = real.columns.shape[1]
    pmse, weight = 0.0, log_weight(parameters, 0.0, n, epsilon)
    for _ in range(sets):
        if weight < bar or weight == -inf:
            break
        pmse += origin_pmse(real, sort_table(draw_family(parameters, n, rng))) / sets
        weight = log_weight(parameters, pmse, n, epsilon)
    return ChainState(parameters, pmse, weight)


def log_weight(parameters: Floats, pmse: float, n: int, epsilon: float) -> float:
    """Return the log of prior times exp(epsilon u / (2 sensitivity)), u = -pmse, sensitivity 1/n."""
    if (parameters[_RATES] <= 0).any():
        return -inf
    return -float(np.sum(parameters**2)) / (2 * PRIOR_VARIANCE) - n * epsilon * pmse / 2


def _checked(train: Mapping[str, Floats]) -> SortedTable:
    missing = [name for name in PAPER_COLUMNS if name not in train]
    if missing:
        raise DataError(
            f"pmse mechanism: column {missing[0]} is missing; it needs {', '.join(PAPER_COLUMNS)}."
        )
    real = np.column_stack([np.asarray(train[name], dtype=float) for name in PAPER_COLUMNS])
    if real.shape[0] == 0 or not np.isfinite(real).all():
        raise DataError("pmse mechanism: the table is empty or has missing or infinite values.")
    return sort_table(real)
