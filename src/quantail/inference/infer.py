"""From a released model and a synthetic table to estimates about the population, with honest intervals.

Notation: t(.) an estimate on a table, S the analyst's synthetic table, M the released model, t(M) its value on a very
large table drawn from M, t_1 ... t_B the values of B reruns on tables drawn from M.

    bias      mean(t_b) - t(M)                                  what the mechanism adds, on average
    error     standard deviation of t_b                         sampling, privacy and synthesis together
    estimate  t(S) - bias
    interval  estimate -+ q error sqrt(1 + 1/B)                 q the Student quantile with B - 1 degrees of freedom

It is a parametric bootstrap whose simulator is the release itself: as good as M is close to the truth. Error and bias
of wild reruns are told by robust figures: the middle 90% of the reruns, scaled to what a normal law would give.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from quantail.errors import OptionError
from quantail.inference.estimand import Estimand
from quantail.inference.rerun import Draw, Rerun
from quantail.inference.result import Inference, Inferred
from quantail.synthesis import TableModel

Floats = NDArray[np.float64]
Effort = Literal["quick", "accurate"]
Progress = Callable[[int, int], None]

RERUNS = {"quick": 40, "accurate": 200}
_LARGE = 2**17  # rows of the table that stands for the model itself
_TRIMMED = 0.05  # part of the reruns left out at either end


def infer(
    model: TableModel,
    synth: Any,
    question: str,
    *,
    level: float = 0.95,
    effort: Effort | int = "quick",
    draw: Draw = "balanced",
    seed: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Inference:
    """Estimate something about the population from a synthetic table, with the noise of privacy accounted for.

    Post-processing: no budget is spent, no confidential row is read.

    Parameters
    ----------
    model : TableModel
        The released model that the table was drawn from.
    synth : frame or list of frames
        The synthetic table, or several replicates (their estimates are averaged).
    question : str
        A formula such as "wage ~ education + experience" ("logistic:" or "quantile(0.9):" may stand before it),
        or mean(x), quantile(x, 0.9), top(x, 0.01), gini(x).
    level : float
        Confidence level of the intervals.
    effort : {"quick", "accurate"} or int
        40 or 200 reruns of the mechanism, or as many as you say.
    draw : {"balanced", "independent"}
        How the synthetic table was drawn from the model (see `TableModel.sample`).
    seed : int, optional
        For the same reruns again.
    workers : int, optional
        Processes; as many as there are cores by default.
    progress : callable, optional
        Called with the reruns done and their number.
    """
    reruns = _number_of(effort)
    if not 0 < level < 1:
        raise OptionError("level must lie between 0 and 1")
    tables = list(synth) if isinstance(synth, list | tuple) else [synth]
    estimand = Estimand.parse(question)
    levels = estimand.levels(tables[0])
    answers = [estimand.answer(table, levels) for table in tables]
    released = np.mean([answer.estimates for answer in answers], axis=0)
    naive_error = np.mean([answer.naive_errors for answer in answers], axis=0)
    rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
    large = model.sample(max(_LARGE, model.rows), seed=int(rng.integers(2**63)))
    truth = estimand.answer(large, levels).estimates
    rerun = Rerun(model, estimand, levels, _rows(tables[0]), len(tables), draw)
    seeds = [int(seed) for seed in rng.integers(2**63, size=reruns)]
    moved = np.array(list(_reported(_results(rerun, seeds, workers), reruns, progress))) - truth
    bias, error = _middle(moved)
    reach = t.ppf((1 + level) / 2, reruns - 1) * error * np.sqrt(1 + 1 / reruns)
    naive_reach = norm.ppf((1 + level) / 2) * naive_error
    columns = (
        released - bias,
        released - bias - reach,
        released - bias + reach,
        error,
        bias,
        released,
        released - naive_reach,
        released + naive_reach,
    )
    terms = estimand.terms(tables[0], levels)
    rows = tuple(
        Inferred(term, *(float(column[place]) for column in columns)) for place, term in enumerate(terms)
    )
    return Inference(estimand.text, level, reruns, rows)


def _number_of(effort: Effort | int) -> int:
    if isinstance(effort, str) and effort in RERUNS:
        return RERUNS[effort]
    if isinstance(effort, int) and not isinstance(effort, bool) and effort >= 10:
        return effort
    raise OptionError("effort must be 'quick', 'accurate', or a whole number of at least 10 reruns")


def _rows(table: Any) -> int:
    return int(table.num_rows if hasattr(table, "num_rows") else len(table))


def _results(rerun: Rerun, seeds: Sequence[int], workers: int | None) -> Iterator[Floats]:
    """Yield the estimates of all reruns, in the order of their seeds whatever the number of processes."""
    number = workers if workers is not None else len(os.sched_getaffinity(0))
    if number < 2:
        yield from map(rerun, seeds)
        return
    with ProcessPoolExecutor(number, mp_context=get_context("spawn")) as pool:
        yield from pool.map(rerun, seeds)


def _reported(results: Iterator[Floats], total: int, progress: Progress | None) -> Iterator[Floats]:
    for done, result in enumerate(results, start=1):
        if progress is not None:
            progress(done, total)
        yield result


def _middle(moved: Floats) -> tuple[Floats, Floats]:
    """Return centre and normal-equivalent deviation of reruns, from all but the outermost."""
    low, high = np.quantile(moved, [_TRIMMED, 1 - _TRIMMED], axis=0)
    inside = np.where((moved >= low) & (moved <= high), moved, np.nan)
    centre = np.nanmean(inside, axis=0)
    spread = (high - low) / (2 * norm.ppf(1 - _TRIMMED))
    # Reruns with heavier tails than a normal law keep the larger figure: intervals must not be too short.
    return centre, np.maximum(spread, moved.std(axis=0, ddof=1))
