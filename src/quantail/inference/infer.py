"""From a released model and a synthetic table to estimates about the population, with honest intervals.

A parametric bootstrap whose simulator is the release itself (DESIGN 4.9): tables drawn from the model go through the
whole mechanism again, and the distances of their estimates from the model's own value give bias and error of the
released one (`interval`). As good as the model is close to the population.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from quantail.errors import OptionError
from quantail.inference.evidence import Effort, Question, gather
from quantail.inference.rerun import Draw
from quantail.inference.result import Inference
from quantail.release.model import ReleasedModel
from quantail.release.progress import Progress


@overload
def infer(
    model: ReleasedModel,
    synth: Any,
    question: Question,
    *,
    where: str | None = ...,
    level: float = ...,
    effort: Effort | int = ...,
    draw: Draw = ...,
    seed: int | None = ...,
    workers: int = ...,
    progress: Progress | None = ...,
) -> Inference: ...
@overload
def infer(
    model: ReleasedModel,
    synth: Any,
    question: Sequence[Question],
    *,
    where: str | None = ...,
    level: float = ...,
    effort: Effort | int = ...,
    draw: Draw = ...,
    seed: int | None = ...,
    workers: int = ...,
    progress: Progress | None = ...,
) -> list[Inference]: ...
def infer(
    model: ReleasedModel,
    synth: Any,
    question: Question | Sequence[Question],
    *,
    where: str | None = None,
    level: float = 0.95,
    effort: Effort | int = "quick",
    draw: Draw = "balanced",
    seed: int | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> Inference | list[Inference]:
    """Estimate something about the population from a synthetic table, with the noise of privacy accounted for.

    Post-processing: no budget is spent, no confidential row is read.

    Parameters
    ----------
    model : TableModel or PanelModel
        The released model that the table or panel was drawn from.
    synth : frame, path or URL, or a list of them
        The synthetic table, or several replicates from the model (their estimates are averaged).
    question : str, function, or a sequence of them
        A formula such as "wage ~ education + experience" ("logistic:" or "quantile(0.9):" may stand before it),
        or mean(x), quantile(x, 0.9), share(x = 0), top(x, 0.01), gini(x). Several questions share the reruns. Rows of
        a panel are units in periods, with `size`, `growth`, `age` and `period` beside its columns ("growth ~ age"), and
        flows(x) gives its rates of job creation, destruction, entry and exit, flows(x, exit_rate) one by period.
        A function is given a frame of the analyst's library (all columns, missing codes missing) and returns a number,
        or numbers by name.
    where : str, optional
        Only rows in which this holds, such as "sector = retail and employees > 50"; written as in `TableModel.sample`.
        Of a panel, units in periods, by `period`, `size`, `growth` and `age` too; not with flows.
    level : float
        Confidence level of the intervals.
    effort : {"quick", "accurate"} or int
        12 or 200 reruns of the mechanism, or as many as you say (at least 10). Each takes as long as a fit.
    draw : {"balanced", "independent"}
        How the synthetic table was drawn from the model (see `TableModel.sample`).
    seed : int, optional
        For the same reruns again, whatever the number of workers.
    workers : int
        Processes that share the reruns. In a script, call from below `if __name__ == "__main__":` if there are several.
    progress : callable, optional
        Called with a word and the share of work done.

    Returns
    -------
    Inference or list of Inference
        One for each question.

    Examples
    --------
    >>> from quantail.examples import payroll_example, payroll_schema
    >>> from quantail.table import TableSynthesizer
    >>> model = TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(payroll_example(300))
    >>> found = infer(model, model.sample(seed=1), "mean(payroll)", effort=10, seed=1)
    >>> found["mean(payroll)"].low < found["mean(payroll)"].estimate
    True
    >>> def pay_per_head(frame):
    ...     return sum(frame["payroll"].to_pylist()) / sum(frame["employees"].to_pylist())
    >>> found = infer(model, model.sample(seed=1), pay_per_head, where="employees > 5", effort=10, seed=1)
    >>> found["pay_per_head"].failed
    0
    """
    if not 0 < level < 1:
        raise OptionError("level must lie between 0 and 1, for instance 0.95")
    several = isinstance(question, Sequence) and not isinstance(question, str)
    questions: Any = question if several else [question]
    found = gather(model, synth, questions, effort, draw, seed, workers, progress, where).results(level)
    return found if several else found[0]
