"""Which earlier columns explain a column, chosen through the gate: for tables too wide to ask about all of them.

Every column is cut into few cells by released facts: its labels, or the parts between released quantiles (and one for
rows where it is absent). How far a pair of columns is from independence is told in rows,

    relevance = sum over pairs of cells | n_cd - E_cd |,    E_cd = round(n q_c p_d),  q and p released shares.

A row lies in at most one pair of cells, so one row moves a relevance by 1, a replaced one by 2. From each a public
handicap is taken: what chance alone would show, and what using the candidate would add in noise. The best is chosen
by `select`; "none" is a candidate too, with score 0. Proof: privacy/proofs/choosing.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Vector
from quantail.privacy import Gate, Plan, Selection, cells_touched

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_MARGIN_STEPS = 50
_BELIEVED, _DOUBT = 1.5, 2.0  # standard deviations of a count


@dataclass(frozen=True)
class Cells:
    """A column in cells: the cell of every confidential row (negative: left out), and released shares of the cells."""

    name: str
    of_rows: Vector
    shares: Floats


def choose(
    gate: Gate,
    leaf: Plan,
    target: Cells,
    candidates: Sequence[Cells],
    rows: float,
    noise: Callable[[Cells], float],
) -> int | None:
    """Release which candidate tells most about the target, or None if none is worth its noise.

    Parameters
    ----------
    rows : float
        Public (or released) number of rows that have a target.
    noise : callable
        What each pair of cells will cost if a candidate is used, in rows, at most what is expected in it.
    """
    sensitivity = cells_touched(gate.relation)
    scores = [relevance(target, candidate, rows, noise(candidate)) for candidate in candidates]
    scores.append(0)
    (index,) = gate.select(leaf, [Selection(np.array(scores, dtype=np.int64), sensitivity)])
    return index if index < len(candidates) else None


def relevance(target: Cells, candidate: Cells, rows: float, noise: float) -> int:
    """Return the distance of a pair from independence, in rows, less its public handicap."""
    expected = rows * np.outer(candidate.shares, target.shares)
    wanted = np.rint(expected).astype(np.int64)
    found = count_pairs(candidate, target)
    chance = np.sqrt(2 * expected / np.pi).sum()
    cost = np.minimum(noise, expected).sum()  # what shrinkage takes back is not lost
    return int(np.abs(found - wanted).sum()) - round(float(chance + cost))


def count_pairs(first: Cells, second: Cells) -> Integers:
    """Return how many rows lie in each pair of cells."""
    shape = first.shares.size, second.shares.size
    return first.of_rows.total(partial(_pairs, shape=shape), second.of_rows)


def _pairs(first: Integers, second: Integers, shape: tuple[int, int]) -> Integers:
    kept = (first >= 0) & (second >= 0)
    return np.bincount(first[kept] * shape[1] + second[kept], minlength=shape[0] * shape[1]).reshape(shape)


def conditional_shares(
    found: Floats, context: Floats, marginal: Floats, rows: float, deviation: float
) -> Floats:
    """Return the shares of a target in every cell of a context, from noisy counts of pairs: post-processing.

    What a count says beyond independence is believed as far as it exceeds noise (James-Stein, pair by pair), and pairs
    that should be there but are not to be told from none are taken as impossible; then the table is made to agree with
    the shares that were released before, of context and target.
    """
    expected = rows * np.outer(context, marginal)
    beyond = found - expected
    kept = np.maximum(0.0, 1.0 - (_BELIEVED * deviation) ** 2 / np.maximum(beyond**2, 1e-300))
    table = np.maximum(expected + kept * beyond, 1e-12 * rows + 1e-9 * expected)
    impossible = (found < _DOUBT * deviation) & (expected > 2 * _DOUBT * deviation)
    table = np.where(impossible, 1e-12 * rows, table)
    for _ in range(_MARGIN_STEPS):
        table *= marginal / np.maximum(table.sum(axis=0) / table.sum(), 1e-300)
        table *= np.maximum(context, 1e-12)[:, None] / table.sum(axis=1, keepdims=True)
    return np.asarray(table / table.sum(axis=1, keepdims=True))
