"""One quantile's draw: by the authors' chain, or from the same density by lines until two chains agree. NOT PRIVATE."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from studies.published.column import Column
from studies.published.density import Density, sensitivity
from studies.published.diagnostics import AGREE, effective_size, potential_scale_reduction
from studies.published.law import Law, allowed, line_through
from studies.published.lines import draw_on_line, line_chain
from studies.published.metropolis import metropolis_chain, metropolis_on_line
from studies.published.orders import Visit

Floats = NDArray[np.float64]

_BURN_IN = 100
_BLOCK = 150
_ENOUGH = 60.0  # effective draws of the two chains together
_ROUNDS = 7  # a block that does not agree is followed by one twice as long
_PILOTS, _PILOT = 6, 200
_PLACES = 200


@dataclass(frozen=True)
class Draw:
    """Released coefficients and how they came about."""

    theta: Floats
    steps: int
    acceptance: float
    effective_size: float
    rhat: float | None
    feasible: bool = True


@dataclass(frozen=True)
class Frame:
    """The law of one draw, the lines that hold it, and whether its intercept alone moves."""

    law: Law
    below: Floats
    above: Floats
    intercept_only: bool


def frame(
    column: Column, visit: Visit, epsilon: float, density: Density, known: dict[float, Floats], fixed: bool
) -> Frame:
    """Set up a draw between the quantiles known so far; `epsilon` is this draw's."""
    p = column.design.shape[0]
    alone = visit.role == "alone"
    held = column.held_median if visit.role == "median" else column.held
    held = np.empty((0, p)) if alone else held
    largest = float(np.abs(column.y).max())
    low, high = (0.0, largest) if alone else column.bounds
    level = np.eye(p)[0]
    below = low * level if visit.below is None else known[visit.below]
    above = high * level if visit.above is None else known[visit.above]
    law = Law(
        column.y,
        column.design,
        column.instruments,
        visit.tau * column.instruments.sum(axis=1),
        column.weight,
        epsilon / (2.0 * sensitivity(density, visit.tau, column.widest)),
        # KNG alone divides the response by its largest value; in the response's own units that widens the base.
        density.base / largest**2 if alone else density.base,
        held,
        np.maximum(held @ below, low),
        np.minimum(held @ above, high),
    )
    return Frame(law, below, above, p == 1 or (fixed and visit.role in ("main", "inner")))


def draw_by_metropolis(
    setting: Frame,
    visit: Visit,
    start: Floats,
    steps: int,
    rng: np.random.Generator,
    other: np.random.Generator | None,
) -> Draw:
    """Run the authors' chain and release its last state; `other` feeds a second chain, for R-hat only."""
    scale = visit.scale
    if visit.role == "alone":
        scale *= float(np.abs(setting.law.y).max())
    if setting.intercept_only and visit.role in ("alone", "median"):
        scale = float(np.sqrt(scale))
    chain, accepted = _metropolis(setting, start, scale, steps, rng)
    rhat = None
    if other is not None:
        middle = 0.5 * (setting.below + setting.above)
        if setting.intercept_only:
            middle = np.concatenate([middle[:1], start[1:]])
        second, _ = _metropolis(setting, middle, scale, steps, other)
        free = slice(0, 1 if setting.intercept_only else None)
        rhat = potential_scale_reduction([c[steps // 2 :, free] for c in (chain, second)])
    free_chain = chain[:, :1] if setting.intercept_only else chain
    return Draw(chain[-1].copy(), steps, accepted / max(steps - 1, 1), effective_size(free_chain), rhat)


def _metropolis(
    setting: Frame, start: Floats, scale: float, steps: int, rng: np.random.Generator
) -> tuple[Floats, int]:
    if not setting.intercept_only:
        return metropolis_chain(setting.law, start, scale, steps, rng)
    direction = np.eye(start.size)[0]
    moved, accepted = metropolis_on_line(line_through(setting.law, start, direction), 0.0, scale, steps, rng)
    return start + moved[:, None] * direction, accepted


def draw_converged(setting: Frame, start: Floats, rng: np.random.Generator) -> Draw:
    """Draw from the same density: exactly where the intercept alone moves, else by lines until two chains agree."""
    if setting.intercept_only:
        direction = np.eye(start.size)[0]
        s = draw_on_line(line_through(setting.law, start, direction), rng)
        feasible = not np.isnan(s)
        return Draw(start + s * direction if feasible else start, 1, 1.0, 1.0, 1.0, feasible)
    ends = [setting.below + share * (setting.above - setting.below) for share in (0.02, 0.9)]
    if not all(allowed(setting.law, end) for end in ends):
        return Draw(start, 1, 1.0, 1.0, 1.0, feasible=False)
    return agreeing_chains(setting.law, ends, first_roots(setting, ends, rng), rng)


def agreeing_chains(law: Law, starts: list[Floats], roots: Floats, rng: np.random.Generator) -> Draw:
    """Run two chains along lines until they agree, and release the last state of the first.

    Directions of a block are shaped by the covariance of the block before it. Chains agree when R-hat is small and the
    block holds enough effective draws to tell.
    """
    chains = [line_chain(law, start, roots, _BURN_IN, rng) for start in starts]
    length, taken = _BLOCK, 2 * _BURN_IN
    for _ in range(_ROUNDS):
        learned = _learned_root([chain[chain.shape[0] // 2 :] for chain in chains])
        shapes = np.stack([roots[-1], *learned, *learned])  # twice: the learned shape moves fastest
        chains = [line_chain(law, chain[-1], shapes, length, rng) for chain in chains]
        taken += 2 * length
        rhat = potential_scale_reduction(chains)
        size = sum(effective_size(chain) for chain in chains)
        if rhat < AGREE and size > _ENOUGH:
            break
        length *= 2
    return Draw(chains[0][-1].copy(), taken, 1.0, size, rhat)


def first_roots(setting: Frame, starts: list[Floats], rng: np.random.Generator) -> Floats:
    """Shape directions before any row is looked at.

    The first shape is how far fitted values may move at p well-placed rows where the line is held. Lines squeezed
    between others that nearly touch live in a sliver that this fits badly; there a second shape is learned by walking
    through the sliver alone, which costs little as it involves no rows.
    """
    law, p = setting.law, setting.below.size
    rows = law.rows if law.rows.shape[0] else law.design.T[:_PLACES]
    _, _, pivots = qr(rows.T, mode="economic", pivoting=True)
    places = rows[pivots[:p]]
    width = np.maximum(np.abs(places @ (setting.above - setting.below)), 1e-300)
    roots = np.ascontiguousarray(np.linalg.solve(places, np.diag(width)))[None]
    if not law.rows.shape[0]:
        return roots
    empty = law._replace(y=np.empty(0), design=np.empty((p, 0)), instruments=np.empty((p, 0)), rate=0.0)
    shapes = roots
    for _ in range(_PILOTS):
        starts = [line_chain(empty, start, shapes, _PILOT, rng) for start in starts]
        shapes = np.stack([*roots, *_learned_root([chain[_PILOT // 2 :] for chain in starts])])
        starts = [chain[-1] for chain in starts]
    return shapes


def _learned_root(chains: list[Floats]) -> list[Floats]:
    centred = np.vstack([chain - chain.mean(axis=0) for chain in chains])
    size = np.sqrt((centred**2).mean(axis=0))
    if not (size > 0).all():
        return []
    shape = (centred / size).T @ (centred / size) / centred.shape[0]
    return [size[:, None] * np.linalg.cholesky(shape + 1e-9 * np.eye(size.size))]
