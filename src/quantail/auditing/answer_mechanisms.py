"""Single questions of production as functions of a small table and a source of noise, ready for enumeration."""

from collections.abc import Callable, Hashable, Sequence

import numpy as np

from quantail.answers.asking import draw_held, first_rows
from quantail.answers.bounds import draw_bound
from quantail.arrays import Floats
from quantail.auditing.enumeration import Branching, Mechanism, Table, gate_of
from quantail.curves import Scale
from quantail.privacy import Relation

STEP = 0.25  # of recorded values: finer than the lattices, so that every point can be told


class PiecesUnseen:
    """Branching noise for `points`: which piece of the lattice was picked stays secret, the point in it is released."""

    private = False

    def __init__(self, noise: Branching) -> None:
        self.random, self.stream, self.generator = noise.random, noise.stream, noise.generator
        self.noisy_max, self.subset = noise.noisy_max, noise.subset
        self.geometric, self.gaussian = noise.geometric, noise.gaussian
        self._noise = noise

    def pick(self, logs: Floats) -> int:
        """Take each index once."""
        return self._noise.choose(np.asarray(logs - np.logaddexp.reduce(logs)), secret=True)


def quantiles_mechanism(
    levels: Sequence[float], cells: int, fine: int, most: float | None = None, *, budget: int = 1
) -> Mechanism:
    """Return `quantiles` on a few points between 0 and `most`, without dither; values below 0 are missing."""

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(PiecesUnseen(noise), "replace-one", budget)
        noise.given = np.full(len(table), 0.5)
        top = float(max(table)) if most is None else most
        values, scale = np.array([np.nan if row < 0 else row for row in table]), Scale(False, STEP, 0.0, top)
        (leaf,), size = gate.plan.leaves(), len(table)
        rows = draw_held(gate, leaf, values, size, size, 0.0, scale, np.array(levels), cells, fine)
        return tuple(row.value for row in rows)

    return mechanism


def protected_quantiles_mechanism(
    levels: Sequence[float],
    cells: int,
    fine: int,
    places: int,
    *,
    budget: int = 1,
    cut: Callable[[Floats, int], Floats] = first_rows,
) -> Mechanism:
    """Return `quantiles` under add/remove between 0 and 4, when so many places followed from the count."""

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(PiecesUnseen(noise), "replace-one", budget)
        kept = cut(np.array([np.nan if row < 0 else row for row in table], dtype=float), places)
        noise.given = np.full(kept.size, 0.5)
        (leaf,), scale = gate.plan.leaves(), Scale(False, STEP, 0.0, 4.0)
        rows = draw_held(gate, leaf, kept, places, places, 0.0, scale, np.array(levels), cells, fine)
        return tuple(row.value for row in rows)

    return mechanism


def bound_mechanism(
    candidates: tuple[float, ...] | None, worth: int, *, budget: int = 1, relation: Relation = "replace-one"
) -> Mechanism:
    """Return `bound` among a few candidates, by default the sizes of the rows; NaN is a missing value."""

    def mechanism(table: Table, noise: Branching) -> Hashable:
        gate = gate_of(noise, relation, budget)
        own = tuple(sorted(map(abs, table))) if candidates is None else candidates
        return own[draw_bound(gate, np.array(table, dtype=float), worth, own)]

    return mechanism
