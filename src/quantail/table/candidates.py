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
from itertools import combinations, groupby, product
from math import comb, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Vector
from quantail.table.cells import FieldCells
from quantail.table.law import adding
from quantail.table.tuning import LEVELS, MOST_CELLS, MOST_PAIRS, MOST_TRIPLES, TRIPLE_LEVEL

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Places = NDArray[np.int32]  # cells of a table that fits into memory are fewer

_TOGETHER = 2**13  # cells in which two sets are counted at once: as many as the nearest memory holds
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
    """Count rows in memory, given by the finest cell of every field, in the cells of sets.

    Neighbours in the list share all fields but the last: two of them are counted at once, and told apart by sums.
    """
    coarse: dict[tuple[int, int], Places] = {}

    def joined(code: Places, each: FieldSet, axis: int) -> Places:
        key = each.places[axis], each.finest
        if key not in coarse:
            coarse[key] = maps[each.finest][each.places[axis]].astype(np.int32)[cells[each.places[axis]]]
        return code * each.sizes[axis] + coarse[key]

    found = list[Integers]()
    for _, group in groupby(sets, key=lambda each: (each.finest, each.places[:-1])):
        own = list(group)
        earlier: Places = np.zeros(1, dtype=np.int32)
        for axis in range(len(own[0].places) - 1):
            earlier = joined(earlier, own[0], axis)
        while own:
            first, code = own[0], joined(earlier, own[0], -1)
            if len(own) > 1 and prod(first.sizes) * own[1].sizes[-1] <= _TOGETHER:
                sizes = *first.sizes, own[1].sizes[-1]
                both = np.bincount(joined(code, own[1], -1), minlength=prod(sizes)).reshape(sizes)
                found += [both.sum(axis=-1), both.sum(axis=-2)]
                own = own[2:]
            else:
                found.append(np.bincount(code, minlength=prod(first.sizes)).reshape(first.sizes))
                own = own[1:]
    return found


@dataclass(frozen=True, eq=False)
class _Coarsenings:
    """Coarsenings of one field, side by side: several candidates are counted and compared by one product.

    Attributes
    ----------
    merge : array
        Adds the finest cells up to the cells of every coarsening.
    blocks : array
        Adds the cells of every coarsening up to one number.
    """

    levels: list[int]
    merge: Floats
    blocks: Floats

    @classmethod
    def of(cls, fine: Integers, levels: list[int], cells: Sequence[Integers]) -> "_Coarsenings":
        """Put coarsenings side by side, given the finest cell and the coarser ones of all cells of the field."""
        sizes = [int(each.max()) + 1 for each in cells]
        merge = np.zeros((int(fine.max()) + 1, sum(sizes)))
        for each, end, size in zip(cells, np.cumsum(sizes).tolist(), sizes, strict=True):
            merge[fine, end - size + each] = 1.0
        return cls(levels, merge, adding(np.repeat(np.arange(len(sizes)), sizes), len(sizes)))

    def part(self, level: int) -> NDArray[np.intp]:
        """Return where the cells of a coarsening stand."""
        return np.flatnonzero(self.blocks[:, self.levels.index(level)])


def _along_axes(counts: NDArray[Any], matrices: Sequence[Floats]) -> Floats:
    """Multiply every axis of counts by a matrix; whole numbers stay exact."""
    found = counts.astype(np.float64)
    for matrix in matrices:  # the axis in front is replaced by one behind
        found = found.reshape(len(matrix), -1).T @ matrix
    return found.reshape([matrix.shape[1] for matrix in matrices])


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
        self.candidates = [found for number in range(len(sets)) for found in self._mixed(number, kinds)]
        self._penalties = np.array([round(penalty * prod(c.shape)) for c in self.candidates], dtype=np.int64)
        self._own: list[list[int]] = [[] for _ in sets]
        for number, candidate in enumerate(self.candidates):
            self._own[candidate.set].append(number)
        known: dict[tuple[int, int, tuple[int, ...]], _Coarsenings] = {}
        self._fields = [self._coarsenings(number, known) for number in range(len(sets))]
        self._counts = [
            _along_axes(own, [field.merge for field in fields])
            for own, fields in zip(counts, self._fields, strict=True)
        ]
        self._mixes = [self._places(number) for number in range(len(sets))]
        self.scores = np.zeros(len(self.candidates), dtype=np.int64)

    def update(self, cells: Sequence[Integers], changed: set[int]) -> None:
        """Compare with simulated rows; only sets with a changed field are looked at again."""
        touched = [k for k, each in enumerate(self.sets) if changed.intersection(each.places)]
        modelled = count_cells(cells, self._maps, [self.sets[k] for k in touched])
        factor = self.rows / cells[0].size
        for number, counts in zip(touched, modelled, strict=True):
            fields, own = self._fields[number], self._own[number]
            expected = np.rint(factor * _along_axes(counts, [field.merge for field in fields]))
            apart = _along_axes(np.abs(self._counts[number] - expected), [field.blocks for field in fields])
            self.scores[own] = apart[self._mixes[number]].astype(np.int64) - self._penalties[own]

    def counts(self, number: int) -> Integers:
        """Return the confidential counts of a candidate."""
        candidate = self.candidates[number]
        fields = zip(self._fields[candidate.set], candidate.levels, strict=True)
        parts = tuple(field.part(level) for field, level in fields)
        return self._counts[candidate.set][np.ix_(*parts)].astype(np.int64)

    def _mixed(self, number: int, kinds: Sequence[FieldCells]) -> Iterable[Candidate]:
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

    def _coarsenings(
        self, number: int, known: dict[tuple[int, int, tuple[int, ...]], _Coarsenings]
    ) -> list[_Coarsenings]:
        """Return the coarsenings of the fields of a set that its candidates have, made once for all sets."""
        each, found = self.sets[number], []
        for axis, place in enumerate(each.places):
            levels = sorted({self.candidates[k].levels[axis] for k in self._own[number]})
            key = place, each.finest, tuple(levels)
            if key not in known:
                cells = [self._maps[level][place] for level in levels]
                known[key] = _Coarsenings.of(self._maps[each.finest][place], levels, cells)
            found.append(known[key])
        return found

    def _places(self, number: int) -> tuple[list[int], ...]:
        """Return, axis by axis, the place of every candidate of a set among the coarsenings of the axis."""
        own = [self.candidates[k].levels for k in self._own[number]]
        return tuple(
            [field.levels.index(levels[axis]) for levels in own]
            for axis, field in enumerate(self._fields[number])
        )
