"""The paper's five mechanisms on its simulated table: one call, one synthetic table. NOT PRIVATE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from quantail.errors import DataError, OptionError
from quantail.evaluation.quantile_regression import quantile_regression
from quantail.examples import PAPER_COLUMNS
from quantail.orders.levels import PAPER_TAUS
from studies.published.column import Column, prepare
from studies.published.density import PUBLISHED, Density
from studies.published.diagnostics import ChainReport, Diagnostics
from studies.published.orders import COLUMN_SHARES, Visit, checked_method, visits

if TYPE_CHECKING:
    from studies.published.quantile import Draw

Floats = NDArray[np.float64]


def synthesize_published(
    train: Mapping[str, Floats],
    method: str,
    epsilon: float,
    rng: np.random.Generator,
    *,
    converged: bool = False,
    steps: int = 1000,
    density: Density = PUBLISHED,
    start: Literal["fit", "public"] = "fit",
    two_starts: bool = True,
) -> tuple[dict[str, Floats], Diagnostics]:
    """Synthesise the paper's table by one of its mechanisms. NOT PRIVATE, whatever the options.

    Parameters
    ----------
    train : mapping of arrays
        Columns X1, X2, X3.
    method : str
        One of `METHODS`.
    epsilon : float
        What the paper would book for the whole table.
    rng : numpy Generator
        All randomness.
    converged : bool
        Draw from the density itself instead of running the authors' chain.
    steps : int
        States of each of the authors' chains, the start included.
    density : Density
        The published density, or one with faults repaired.
    start : {"fit", "public"}
        Where the median's chain starts: at the non-private fit, as published, or at zero. No matter if `converged`.
    two_starts : bool
        Run a second chain for each quantile, which changes nothing but the diagnostics. No matter if `converged`.

    Returns
    -------
    dict of arrays, Diagnostics
        As many synthetic rows as training rows.
    """
    checked_method(method)
    _check(train, epsilon, steps, start)
    other = np.random.default_rng(rng.integers(0, 2**63, size=2))
    run = _Run(method, converged, steps, density, start, rng, other if two_starts else None)
    n = len(train[PAPER_COLUMNS[0]])
    synthetic: dict[str, Floats] = {}
    reports: list[ChainReport] = []
    for name in PAPER_COLUMNS:
        column = prepare(train, name, synthetic, density)
        lines, made = run.column(column, epsilon * COLUMN_SHARES[name])
        reports += made
        chosen = lines[rng.choice(len(PAPER_TAUS), size=n, p=row_weights(PAPER_TAUS))]
        earlier = [np.ones(n), *synthetic.values()]
        synthetic[name] = np.sum([chosen[:, j] * x for j, x in enumerate(earlier)], axis=0)
    return synthetic, Diagnostics(method, epsilon, converged, tuple(reports))


def row_weights(taus: Sequence[float]) -> Floats:
    """Give the authors' chance of each level, in rising order: the gap below it, and for the last the rest too.

    Examples
    --------
    >>> row_weights([0.25, 0.5]).tolist()
    [0.25, 0.75]
    """
    ends = np.concatenate([[0.0], np.asarray(taus, dtype=float)[:-1], [1.0]])
    return np.diff(ends)


class _Run:
    """The options of one call, so that a column's draws read as one loop."""

    def __init__(
        self,
        method: str,
        converged: bool,
        steps: int,
        density: Density,
        start: Literal["fit", "public"],
        rng: np.random.Generator,
        other: np.random.Generator | None,
    ) -> None:
        self.method, self.converged, self.steps = method, converged, steps
        self.density, self.start, self.rng, self.other = density, start, rng, other

    def column(self, column: Column, epsilon: float) -> tuple[Floats, list[ChainReport]]:
        """Draw all quantiles of a column; return their lines by rising level."""
        known: dict[float, Floats] = {}
        reports = []
        for visit in visits(self.method, column.name, PAPER_TAUS):
            draw = self.quantile(column, visit, epsilon * visit.share, known)
            known[visit.tau] = draw.theta
            reports.append(
                ChainReport(
                    column.name,
                    visit.tau,
                    epsilon * visit.share,
                    draw.steps,
                    draw.acceptance,
                    draw.effective_size,
                    draw.rhat,
                    draw.feasible,
                )
            )
        return np.array([known[tau] for tau in sorted(known)]), reports

    def quantile(self, column: Column, visit: Visit, epsilon: float, known: dict[float, Floats]) -> Draw:
        # Imported here: the rest of this room, the paper's figures among it, works without numba.
        from studies.published.quantile import draw_by_metropolis, draw_converged, frame

        fixed = self.method.endswith("fixed")
        setting = frame(column, visit, epsilon, self.density, known, fixed)
        if visit.start is not None:
            start = known[visit.start]
        elif visit.role == "median" and self.start == "fit":
            start = quantile_regression(column.y, column.predictors, [visit.tau])[0]
        else:
            start = np.zeros(column.design.shape[0])
        if self.converged:
            return draw_converged(setting, start, self.rng)
        return draw_by_metropolis(setting, visit, start, self.steps, self.rng, self.other)


def _check(train: Mapping[str, Floats], epsilon: float, steps: int, start: str) -> None:
    missing = [name for name in PAPER_COLUMNS if name not in train]
    if missing:
        raise DataError(f"column {missing[0]}: not in the table; the paper's mechanisms need X1, X2 and X3.")
    if not epsilon > 0:
        raise OptionError("epsilon: must be above 0.")
    if steps < 2:
        raise OptionError("steps: must be at least 2, the start and one step.")
    if start not in ("fit", "public"):
        raise OptionError(f'start: {start!r} is not known; write "fit" or "public".')
