"""The methods of the simulation study, by name and by group.

    valid       tables, kng, stepwise-*, sandwich-*: this package's own, differentially private
    text        stepwise-* and sandwich-* with the shares of the paper's text in place of its code's; private too
    published   the paper's five with its chains: 1000 steps from the non-private fit; NOT PRIVATE
    converged   the same densities sampled to convergence; NOT PRIVATE (the sensitivity is still too small)
    reference   quantreg (non-private quantile regression), quantreg-interpolated (values between its levels),
                fresh (a new sample of the true model)
    baseline    pmse, the paper's competitor; NOT PRIVATE (a hundred Metropolis steps)

Heavy or optional pieces are imported where they are used.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.errors import OptionError
from quantail.examples import PAPER_COLUMNS, paper_schema, simulate_paper
from quantail.orders.levels import PAPER_TAUS
from quantail.table import TableSynthesizer
from studies.quantreg import synthesize_quantreg
from studies.simulation.runner import Table, Task

DEFAULT = "tables"
"""The default method of the package, as results name it."""

Made = tuple[Table, Mapping[str, Any]]
FIVE = ("kng", "stepwise-fixed", "stepwise-varying", "sandwich-fixed", "sandwich-varying")
"""The paper's five mechanisms: KNG, and two orders with two kinds of slopes."""

# Streams of random numbers, so that no two methods share one.
_QUANTREG, _FRESH, _PUBLISHED, _PMSE = 1, 2, 4, 5

# The paper's section 4: of a column's budget on the main quantiles, and of that on the median; first column, others.
_TEXT_MAIN, _TEXT_MEDIAN = (0.6, 0.8), (0.25, 0.8)


@dataclass(frozen=True)
class Method:
    """A way to make a synthetic table, and the group that it belongs to."""

    name: str
    group: str
    make: Callable[[Task, Table], Made]

    def noise(self, secure: bool) -> str:
        """Return the kind of noise that a replication uses."""
        if self.group == "reference":
            return "none"
        return "secure" if secure and self.group in ("valid", "text") else "simulated"


def synthesize(task: Task, train: Table) -> Made:
    """Make the synthetic table of a task."""
    return METHODS[task.method].make(task, train)


def chosen_methods(names: Iterable[str]) -> list[str]:
    """Return method names for names and groups, each once, in the order given.

    Examples
    --------
    >>> chosen_methods(["fresh", "valid"])[:3]
    ['fresh', 'tables', 'kng']
    """
    chosen: dict[str, None] = {}
    for name in names:
        members = [method.name for method in METHODS.values() if name in ("all", method.group, method.name)]
        if not members:
            raise OptionError(
                f"method {name!r} is not known; use some of: {', '.join(METHODS)}, "
                f"or the groups {', '.join(GROUPS)}"
            )
        chosen |= dict.fromkeys(members)
    return list(chosen)


def released_table(task: Task, train: Table, **options: Any) -> Made:
    """Release a model of the table with this package's synthesizer and sample as many rows as there are."""
    secure = task.noise == "secure"
    noise: dict[str, Any] = {"noise": "secure"} if secure else {"noise": "simulated", "seed": task.seed}
    model = TableSynthesizer(paper_schema(), task.epsilon, **options, **noise).fit(
        pa.table(train), ledger=False
    )
    synthetic = model.sample(len(train["X1"]), seed=None if secure else task.seed)
    return {name: synthetic[name].to_numpy() for name in PAPER_COLUMNS}, {}


def published_table(task: Task, train: Table, method: str, stream: int = 0, **options: Any) -> Made:
    """Run one of the paper's mechanisms as published; options as in `synthesize_published`."""
    from studies.published import synthesize_published

    rng = np.random.default_rng([task.seed, _PUBLISHED, FIVE.index(method), stream])
    table, diagnostics = synthesize_published(train, method, float(Fraction(task.epsilon)), rng, **options)
    return table, diagnostics.summary()


def _default(task: Task, train: Table) -> Made:
    return released_table(task, train)


def _paper_order(task: Task, train: Table) -> Made:
    order, _, slopes = task.method.partition("-")
    return released_table(task, train, method=order, **({"slopes": slopes} if slopes else {}))


def _text(task: Task, train: Table) -> Made:
    order, _, slopes = task.method.removesuffix("-text").partition("-")
    shares: dict[str, Any] = {"median": _TEXT_MEDIAN}
    if order == "sandwich":
        shares["main"] = _TEXT_MAIN
    return released_table(task, train, method=order, slopes=slopes, shares=shares)


def _published(task: Task, train: Table) -> Made:
    return published_table(task, train, task.method.removesuffix("-published"))


def _converged(task: Task, train: Table) -> Made:
    return published_table(task, train, task.method.removesuffix("-converged"), converged=True)


def _pmse(task: Task, train: Table) -> Made:
    from studies.simulation.pmse_mechanism import pmse_mechanism

    return pmse_mechanism(train, float(Fraction(task.epsilon)), np.random.default_rng([task.seed, _PMSE]))


def _quantreg(task: Task, train: Table) -> Made:
    rng = np.random.default_rng([task.seed, _QUANTREG])
    between = task.method.endswith("-interpolated")
    rows = len(train["X1"])
    return synthesize_quantreg(train, list(PAPER_COLUMNS), PAPER_TAUS, rng, rows, interpolate=between), {}


def _fresh(task: Task, train: Table) -> Made:
    return simulate_paper(len(train["X1"]), np.random.default_rng([task.seed, _FRESH])), {}


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("tables", "valid", _default),
        *(Method(name, "valid", _paper_order) for name in FIVE),
        *(Method(f"{name}-text", "text", _text) for name in FIVE[1:]),
        Method("quantreg", "reference", _quantreg),
        Method("quantreg-interpolated", "reference", _quantreg),
        Method("fresh", "reference", _fresh),
        *(Method(f"{name}-published", "published", _published) for name in FIVE),
        *(Method(f"{name}-converged", "converged", _converged) for name in FIVE),
        Method("pmse", "baseline", _pmse),
    )
}
GROUPS = ("valid", "text", "published", "converged", "reference", "baseline", "all")
DEFAULT_METHODS = ("valid", "reference")
