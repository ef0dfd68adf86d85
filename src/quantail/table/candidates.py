"""Candidate tables: sets of one to three fields at several coarsenings, counted in one pass over the rows.

The counts of every set at its finest coarsening are whole numbers, added up over chunks of rows; coarser ones are
sums of them, and rounds touch no rows. The score of a candidate is how far the model is from the rows, in rows,

    score = sum over cells | n_c - round(model's count) |  -  round(penalty),

less a part of what the noise of counting it would be, so that coarse tables win where n epsilon is small. A row is in
one cell of every table, so that one row moves every score by 1, a replaced one by 2. Proof: privacy/proofs/tables.md.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, product
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Vector
from quantail.table.cells import FieldCells
from quantail.table.tuning import LEVELS, MOST_CELLS, MOST_PAIRS, MOST_TRIPLES, TRIPLE_LEVEL

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_FINEST = {1: len(LEVELS) - 1, 2: len(LEVELS) - 1, 3: LEVELS.index(TRIPLE_LEVEL)}


@dataclass(frozen=True)
class FieldSet:
    """Some fields, by their places in synthesis order, and the size of each at the set's finest coarsening."""

    places: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def finest(self) -> int:
        """The finest coarsening of a set of so many fields."""
        return _FINEST[len(self.places)]


@dataclass(frozen=True)
class Candidate:
    """A table that may be chosen: a set (by its number), and the coarsening of every field."""

    set: int
    places: tuple[int, ...]
    levels: tuple[int, ...]
    shape: tuple[int, ...]


def field_sets(
    cells: Sequence[FieldCells], explained: Sequence[frozenset[int]], public: Collection[int] = ()
) -> list[FieldSet]:
    """Return the sets that are candidates: by a public rule, from the number of fields and who may explain whom.

    Parameters
    ----------
    explained : sequence of frozenset of int
        For every field, the places of earlier ones that may explain it.
    public : collection of int
        Places of public fields, which no table ends in.
    """
    number = len(cells)
    found = []
    for size, most in ((1, number), (2, MOST_PAIRS), (3, MOST_TRIPLES)):
        if comb(number, size) > most:
            continue
        for places in combinations(range(number), size):
            if places[-1] not in public and set(places[:-1]) <= explained[places[-1]]:
                found.append(FieldSet(places, tuple(cells[k].size(_FINEST[size]) for k in places)))
    return found


def count_sets(
    cells: Sequence[Vector], kinds: Sequence[FieldCells], sets: Sequence[FieldSet]
) -> list[Integers]:
    """Count confidential rows in the cells of every set, in one pass."""
    if not sets:
        return []
    first, *others = cells
    maps = [[np.asarray(kind.coarse[level]) for kind in kinds] for level in range(len(LEVELS))]
    flat = first.total(partial(_count_all, maps=maps, sets=sets), *others)
    ends = np.cumsum([prod(each.sizes) for each in sets])[:-1]
    return [part.reshape(each.sizes) for part, each in zip(np.split(flat, ends), sets, strict=True)]


def _count_all(*cells: Integers, maps: list[list[Integers]], sets: Sequence[FieldSet]) -> Integers:
    return np.concatenate([part.ravel() for part in count_cells(cells, maps, sets)])


def count_cells(
    cells: Sequence[Integers], maps: list[list[Integers]], sets: Iterable[FieldSet]
) -> list[Integers]:
    """Count rows in memory, given by the finest cell of every field, in the cells of sets."""
    coarse: dict[tuple[int, int], Integers] = {}
    found = []
    for each in sets:
        code = np.zeros(1, dtype=np.int64)
        for place, size in zip(each.places, each.sizes, strict=True):
            key = place, each.finest
            if key not in coarse:
                coarse[key] = maps[each.finest][place][cells[place]]
            code = code * size + coarse[key]
        found.append(np.bincount(code, minlength=prod(each.sizes)).reshape(each.sizes))
    return found


class Scores:
    """Scores of all candidates, kept up to date as the model changes.

    Parameters
    ----------
    counts : list of array
        Confidential counts of every set.
    rows : int
        Public number of rows: the model's counts are scaled to it.
    penalty : float
        Taken from a score for every cell of its table.
    """

    def __init__(
        self,
        sets: Sequence[FieldSet],
        kinds: Sequence[FieldCells],
        counts: Sequence[Integers],
        rows: int,
        penalty: float,
    ) -> None:
        self.sets, self.rows = sets, rows
        self._maps = [[np.asarray(kind.coarse[level]) for kind in kinds] for level in range(len(LEVELS))]
        self._merges: dict[tuple[int, int, int], Floats] = {}
        self.candidates = [found for number in range(len(sets)) for found in self._coarsenings(number, kinds)]
        self._counts = [self._coarser(counts[c.set].astype(np.float64), c) for c in self.candidates]
        self._penalties = [round(penalty * prod(c.shape)) for c in self.candidates]
        self.scores = np.zeros(len(self.candidates), dtype=np.int64)

    def update(self, cells: Sequence[Integers], changed: set[int]) -> None:
        """Compare with simulated rows; only sets with a changed field are looked at again."""
        touched = [k for k, each in enumerate(self.sets) if changed.intersection(each.places)]
        modelled = dict(
            zip(touched, count_cells(cells, self._maps, [self.sets[k] for k in touched]), strict=True)
        )
        factor = self.rows / cells[0].size
        for number, candidate in enumerate(self.candidates):
            if candidate.set in modelled:
                expected = np.rint(
                    factor * self._coarser(modelled[candidate.set].astype(np.float64), candidate)
                )
                distance = int(np.abs(self._counts[number] - expected).sum())
                self.scores[number] = distance - self._penalties[number]

    def counts(self, number: int) -> Integers:
        """Return the confidential counts of a candidate."""
        return self._counts[number].astype(np.int64)

    def _coarsenings(self, number: int, kinds: Sequence[FieldCells]) -> Iterable[Candidate]:
        """Yield the candidates of a set: every mix of coarsenings of up to two fields, the same of three."""
        each, seen = self.sets[number], set()
        levels = range(each.finest + 1)
        mixes = (
            product(levels, repeat=len(each.places)) if len(each.places) < 3 else ((k, k, k) for k in levels)
        )
        for mix in mixes:
            shape = tuple(kinds[place].size(level) for place, level in zip(each.places, mix, strict=True))
            if shape not in seen and prod(shape) <= MOST_CELLS:
                seen.add(shape)
                yield Candidate(number, each.places, mix, shape)

    def _coarser(self, counts: Floats, candidate: Candidate) -> Floats:
        """Add counts of a set up to those of a candidate."""
        finest = self.sets[candidate.set].finest
        for axis, (place, level) in enumerate(zip(candidate.places, candidate.levels, strict=True)):
            if level != finest:
                merge = self._merge(place, finest, level)
                if axis == counts.ndim - 1:
                    counts = counts @ merge
                elif axis == counts.ndim - 2:
                    counts = merge.T @ counts
                else:
                    counts = np.tensordot(merge.T, counts, 1)
        return counts

    def _merge(self, place: int, finest: int, level: int) -> Floats:
        """Return the matrix that adds the cells of one coarsening of a field up to those of a coarser one."""
        key = place, finest, level
        if key not in self._merges:
            fine, coarse = self._maps[finest][place], self._maps[level][place]
            found = np.zeros((fine.max() + 1, coarse.max() + 1))
            found[fine, coarse] = 1.0
            self._merges[key] = found
        return self._merges[key]
