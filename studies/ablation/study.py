"""The ablation: from the paper's sandwich as published to this package's ladder, one repair at a time.

Every step keeps the repairs before it. The first six draw from the paper's density (`studies.published`),
the rest ask the gate. Same simulated tables, same eight measures as the simulation study; the page
docs/from-the-paper-to-quantail.md tells the story. Files: replications.jsonl, results.json, table.md, ablation.png.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from quantail._version import __version__
from quantail.privacy import SimulatedNoise
from studies.ablation.bare_ladder import Rungs, bare_ladder
from studies.figure_style import can_draw
from studies.journal import Row
from studies.paper_measures import PAPER_MEASURES
from studies.paper_tables import Summary
from studies.parallel import Progress
from studies.simulation.methods import Made, published_table, released_table
from studies.simulation.runner import Table, Task, run_tasks
from studies.simulation.study import epsilon_text, table_seed, write_json
from studies.simulation.summary import markdown, summarise_methods

START = "sandwich-fixed"
_BARE = 6  # stream of random numbers


@dataclass(frozen=True)
class Step:
    """One step of the ablation.

    Attributes
    ----------
    name, title : str
        What is repaired, for files and for people.
    guarantee : str
        What is true of a release at this step, where epsilon is claimed.
    holds : bool
        Whether the claimed epsilon is true.
    make : callable
        Makes the synthetic table.
    """

    name: str
    title: str
    guarantee: str
    holds: bool
    make: Callable[[Task, Table], Made]


def _density(task: Task, train: Table, repairs: Mapping[str, Any]) -> Made:
    from studies.published import Density

    return published_table(task, train, START, converged=True, density=Density(**repairs))


def _bare(task: Task, train: Table, rungs: Rungs) -> Made:
    noise, rng = SimulatedNoise(task.seed), np.random.default_rng([task.seed, _BARE])
    return bare_ladder(train, Fraction(task.epsilon), noise, rng, rungs), {}


_BY_ROWS = "none: confidential rows decide which lines are allowed"
_LIMIT = "epsilon in the limit of an endless chain"
_EXACT = "epsilon, exactly"
_REPAIRS = {"sensitivity": "valid", "constraint": "domain", "scaling": "public", "instruments": "bounded"}


def _repaired(number: int) -> Callable[[Task, Table], Made]:
    return partial(_density, repairs=dict(list(_REPAIRS.items())[:number]))


STEPS: dict[str, Step] = {
    step.name: step
    for step in (
        Step(
            "published",
            "sandwich, fixed slopes, as published",
            "none: the release still lies at the non-private fit",
            False,
            partial(published_table, method=START),
        ),
        Step(
            "converged",
            "chains run to convergence",
            f"{_BY_ROWS}; the sensitivity makes 1 into 4.8",
            False,
            _repaired(0),
        ),
        Step("sensitivity", "sensitivity valid for every quantile", _BY_ROWS, False, _repaired(1)),
        Step("domain", "constraints on the public domain", _LIMIT, True, _repaired(2)),
        Step("norm", "norm shaped to scaled predictors", _LIMIT, True, _repaired(3)),
        Step("instruments", "bounded instruments", _LIMIT, True, _repaired(4)),
        Step(
            "lattice",
            "exact selection on a lattice: the valid sandwich",
            _EXACT,
            True,
            partial(released_table, method="sandwich", slopes="fixed"),
        ),
        Step(
            "neighbours",
            "only the rows between neighbours",
            _EXACT,
            True,
            partial(_bare, rungs=Rungs()),
        ),
        Step(
            "fewer",
            "as many rungs as the budget carries",
            _EXACT,
            True,
            partial(_bare, rungs=Rungs(few=True)),
        ),
        Step(
            "curve",
            "interpolation and tails",
            _EXACT,
            True,
            partial(_bare, rungs=Rungs(few=True, curve=True)),
        ),
        Step(
            "joint",
            "all rungs of a column in one draw",
            _EXACT,
            True,
            partial(_bare, rungs=Rungs(few=True, curve=True, joint=True)),
        ),
        Step(
            "tables",
            "slopes, budget by need, tables of counts where the model is most wrong: the default",
            _EXACT,
            True,
            partial(released_table, method="tables"),
        ),
    )
}


def synthesize_step(task: Task, train: Table) -> Made:
    """Make the synthetic table of a step."""
    return STEPS[task.method].make(task, train)


def run_ablation(
    epsilon: Fraction,
    replications: int,
    seed: int,
    out: Path,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Summary]:
    """Run the ablation, or what is left of it, and write its files into `out`.

    Returns
    -------
    dict
        {step: {measure: {"mean": x, "se": y}}}, steps in order.
    """
    text = epsilon_text(epsilon)
    tasks = [
        Task(name, text, r, table_seed(seed, r), "simulated") for r in range(replications) for name in STEPS
    ]
    settings = {"study": "ablation", "epsilon": text, "seed": seed, "quantail": __version__}
    return write_ablation(run_tasks(tasks, synthesize_step, out, settings, workers, progress), settings, out)


def write_ablation(rows: list[Row], settings: Mapping[str, Any], out: Path) -> dict[str, Summary]:
    """Write table and figure of finished replications, made with these settings, whatever their order."""
    results = summarise_methods(sorted(rows, key=lambda row: list(STEPS).index(row["method"])))
    write_json(out / "results.json", results)
    replications = 1 + max(row["replication"] for row in rows)
    head = "Ablation: epsilon {epsilon}, {replications} replications, seed {seed}, quantail {quantail}."
    head = head.format(**settings, replications=replications)
    (out / "table.md").write_text(
        f"{head} Mean (standard error).\n\n{render_steps(results)}\n", encoding="utf-8"
    )
    if can_draw():
        from studies.ablation.figure import draw_ablation

        draw_ablation(results, out / "ablation.png")
    return results


def render_steps(results: dict[str, Summary]) -> str:
    """Return the steps as a Markdown table of measures and a list of what each guarantees."""
    numbers = {name: number for number, name in enumerate(STEPS)}
    table = markdown(
        [(f"{numbers[name]} {STEPS[name].title}", result) for name, result in results.items()], PAPER_MEASURES
    )
    promises = [f"{numbers[name]}. {STEPS[name].guarantee}" for name in results]
    return "\n".join([table, "", "What is true where epsilon is claimed:", "", *promises])


def cost_of_published(method: str = START) -> float:
    """Return what the published sensitivity makes of a claimed epsilon of 1, if everything else were right.

    Replacing a row moves the gradient by C_X; the paper divides by 2 (1 - tau) C_X. So a quantile booked at epsilon_k
    costs epsilon_k / (2 (1 - tau)), less than booked below the median and up to 50 times more above it.

    Examples
    --------
    >>> cost_of_published("kng") > 2
    True
    """
    from quantail.orders.levels import PAPER_TAUS
    from studies.published import COLUMN_SHARES, visits

    return sum(
        share * visit.share / (2 * (1 - visit.tau))
        for column, share in COLUMN_SHARES.items()
        for visit in visits(method, column, PAPER_TAUS)
    )
