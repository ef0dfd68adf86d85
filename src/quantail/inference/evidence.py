"""What the synthetic tables say, what the model says, and what reruns of the mechanism say."""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from quantail.arrays import Columns, Floats
from quantail.errors import DataError, OptionError
from quantail.evaluation import Regression
from quantail.inference.estimand import Estimand, Figure
from quantail.inference.flow import Flow
from quantail.inference.interval import corrected_on
from quantail.inference.relation_doubt import CHANGES, doubted_interval
from quantail.inference.repeating import check_repeatable
from quantail.inference.rerun import Draw, Rerun, analysed, public_part
from quantail.inference.result import Inference, Inferred
from quantail.inference.statistic import Function, Statistic
from quantail.inference.subset import Subset
from quantail.io import read_released
from quantail.io.native import library_kind
from quantail.release.model import ReleasedModel
from quantail.release.progress import Progress
from quantail.schema import Schema
from quantail.table import TableModel
from quantail.table_or_panel import AnyModel

Effort = Literal["quick", "accurate"]
Question = str | Function

RERUNS = {"quick": 12, "accurate": 200}
FEWEST_RERUNS = 10
HEAVY = 0.74  # Hill index: a Pareto index of 1.35, below which tails hardly have a mean


@dataclass(frozen=True)
class Evidence:
    """What the tables and the reruns say, one column for each term of each question."""

    estimands: tuple[Estimand, ...]
    # released, naive_errors: estimates on the synthetic table (means over replicates) and their naive standard
    # errors, shape (k,)
    released: Floats
    naive_errors: Floats
    truth: Floats  # the model's own values, shape (k,)
    # estimates of the reruns, as far from the model's own as from those of the model that each started from, shape
    # (B, k)
    reruns: Floats
    # errors of reruns that started from other relations, one row for each change, NaN for questions that rest on none
    bent: Floats
    # what a reader of a question's answer must know besides
    notes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def results(self, level: float) -> list[Inference]:
        """Return bias-corrected estimates with intervals, question by question."""
        reach = ndtri((1 + level) / 2) * self.naive_errors
        asked = [(term, estimand.link) for estimand in self.estimands for term in estimand.terms]
        rows = iter(
            Inferred(
                term,
                *(found := corrected_on(link, released, truth, reruns, level)),
                released,
                released - by,
                released + by,
                *doubted_interval(found, reruns - truth, bent, level),
            )
            for (term, link), released, truth, reruns, by, bent in zip(
                asked,
                self.released.tolist(),
                self.truth.tolist(),
                self.reruns.T,
                reach.tolist(),
                self.bent.T,
                strict=True,
            )
        )
        return [
            Inference(
                estimand.text,
                level,
                len(self.reruns),
                tuple(next(rows) for _ in estimand.terms),
                self.notes.get(estimand.text, ()),
            )
            for estimand in self.estimands
        ]


def gather(
    fitted: ReleasedModel,
    synth: Any,
    questions: Sequence[Question],
    effort: Effort | int = "quick",
    draw: Draw = "balanced",
    seed: int | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    where: str | None = None,
) -> Evidence:
    """Answer questions on the synthetic table, on the model itself and on reruns; parameters are those of `infer`."""
    number = _number_of(effort)
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:
        raise OptionError("workers must be a whole number of at least 1")
    model = check_repeatable(fitted)
    tables = _tables(synth, model)
    if not questions or not tables:
        raise OptionError("give at least one question and one synthetic table")
    subset = None if where is None else Subset.of(where, model.schema)
    total = model.rows if isinstance(model, TableModel) else 0
    parsed = [
        _estimand(question, tables[0], workers).of(model.schema).of_rows(total) for question in questions
    ]
    if subset is not None and any(isinstance(estimand.what, Flow) for estimand in parsed):
        raise OptionError(
            "where leaves out units in single periods, which flows would take for entries and exits; ask for flows of "
            "all units, or give the panel groups (by) and fit them apart"
        )
    first = analysed(tables[0], model.schema, parsed, subset)
    estimands = tuple(estimand.on(first) for estimand in parsed)
    released, naive_errors = _answers(tables, model, estimands, subset)
    rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
    rows = next(iter(first.values())).size
    rerun = Rerun(model, estimands, rows, len(tables), draw, public_part(tables[0], model.schema), subset)
    truth_seed, *seeds = rng.integers(2**63, size=1 + number).tolist()
    truth, rerun = rerun.with_reference(truth_seed)
    doubtful = rerun.doubtful()
    tasks = [*((rerun, one) for one in seeds), *((other, seeds[0]) for other in doubtful)]
    found = list(_told(_done(tasks, workers), len(tasks), progress))
    reruns, bent = np.array(found[:number]), _bent(estimands, doubtful, found[number:], truth)
    notes = {
        estimand.text: (
            *_notes(estimand, first),
            *_dated(estimand, model.schema),
            *_lost(estimand, model, subset),
        )
        for estimand in estimands
    }
    return Evidence(estimands, released, naive_errors, truth, reruns, bent, notes)


def _bent(
    estimands: Sequence[Estimand], doubtful: Sequence[Rerun], found: Sequence[Floats], truth: Floats
) -> Floats:
    """Return the errors of reruns from other relations, each for the terms of the question that it was made for."""
    terms = [estimand.text for estimand in estimands for _ in estimand.terms]
    errors = np.full((len(CHANGES), len(terms)), np.nan)
    for rerun, estimates in zip(doubtful, found, strict=True):
        assert rerun.bent is not None
        own = np.array([text == rerun.bent.question for text in terms])
        errors[CHANGES.index(rerun.bent.change), own] = (estimates - truth)[own]
    return errors


def _estimand(question: Question, frame: Any, workers: int) -> Estimand:
    """Read a question; a function is given frames of the analyst's library."""
    if isinstance(question, str):
        return Estimand.parse(question)
    if not callable(question):
        raise OptionError("a question is a text such as 'mean(pay)', or a function of a frame")
    statistic = Statistic(question, "pyarrow" if isinstance(frame, Mapping) else library_kind(frame))
    if workers > 1:
        try:
            pickle.dumps(question)
        except (pickle.PicklingError, AttributeError, TypeError):
            raise OptionError(
                f"{statistic.name} cannot be handed to other processes; define it in a module, or say workers=1"
            ) from None
    return Estimand(statistic.name, statistic)


def _notes(estimand: Estimand, table: Columns) -> tuple[str, ...]:
    """Return what a reader must know of a figure that a tail without a steady mean decides."""
    what = estimand.what
    if not isinstance(what, Figure) or not what.rests_on_the_tail:
        return ()
    try:
        weight = replace(what, kind="hill").estimate(table)
    except DataError:  # too few values above zero for a tail to speak of
        return ()
    if not weight > HEAVY:
        return ()
    return (
        f"{estimand.text}: the tail has a Pareto index of about {1 / weight:.2g}, so a few of the largest units decide "
        "this figure, in the population as in any sample. No table of this size tells it well, and the interval holds "
        "only what such tables can tell.",
    )


def _dated(estimand: Estimand, schema: Schema) -> tuple[str, ...]:
    """Return in which unit figures of dates are."""
    if isinstance(estimand.what, Figure | Regression) and any(
        name in schema.names and schema.column(name).is_dated for name in estimand.columns({})
    ):
        return (f"{estimand.text}: dates are counted in seconds since 1970-01-01; a day has 86,400.",)
    return ()


def _lost(estimand: Estimand, model: AnyModel, where: Subset | None) -> tuple[str, ...]:
    """Return what a reader must know of a question about columns whose relation the model was not asked about."""
    what = estimand.what
    if not isinstance(model, TableModel) or not isinstance(what, Figure | Regression):
        return ()
    if isinstance(what, Figure):
        about, *others = (what.column,) if what.condition is None else what.condition.condition.names
    else:
        about, *others = what.formula.columns
    others += () if where is None else where.condition.names
    lost = model.lost_relations()
    names = [name for name in dict.fromkeys(others) if frozenset((about, name)) in lost]
    if not names:
        return ()
    return (
        f"{estimand.text}: the relation of {about} with {', '.join(names)} was not asked about and is lost. What it "
        "contributes is about zero here, whatever it is in the population, and no interval shows that.",
    )


def _tables(synth: Any, model: AnyModel) -> list[Any]:
    given = list(synth) if isinstance(synth, list | tuple) else [synth]
    return [read_released(table, model.schema) if isinstance(table, str | Path) else table for table in given]


def _number_of(effort: Effort | int) -> int:
    if isinstance(effort, str) and effort in RERUNS:
        return RERUNS[effort]
    if isinstance(effort, int) and not isinstance(effort, bool) and effort >= FEWEST_RERUNS:
        return effort
    raise OptionError(
        f"effort must be 'quick', 'accurate', or a whole number of at least {FEWEST_RERUNS} reruns"
    )


def _answers(
    tables: Sequence[Any], model: AnyModel, estimands: Sequence[Estimand], where: Subset | None
) -> tuple[Floats, Floats]:
    """Return the estimates of all questions and their naive errors, means over tables."""
    found = [
        [estimand.answer(analysed(table, model.schema, estimands, where)) for estimand in estimands]
        for table in tables
    ]
    estimates = [np.concatenate([answer.estimates for answer in answers]) for answers in found]
    errors = [np.concatenate([answer.naive_errors for answer in answers]) for answers in found]
    return np.mean(estimates, axis=0), np.mean(errors, axis=0)


def _done(tasks: Sequence[tuple[Rerun, int]], workers: int) -> Iterator[Floats]:
    """Yield the estimates of all reruns with their seeds, in order whatever the number of processes."""
    if workers == 1:
        yield from (rerun(seed) for rerun, seed in tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_run, *zip(*tasks, strict=True))


def _run(rerun: Rerun, seed: int) -> Floats:
    return rerun(seed)


def _told(results: Iterator[Floats], total: int, progress: Progress | None) -> Iterator[Floats]:
    for done, result in enumerate(results, start=1):
        if progress is not None:
            progress(f"rerun {done} of {total}", done / total)
        yield result
