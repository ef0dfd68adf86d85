"""Confidential rows in chunks: in memory, in a file, or on other machines.

A `Vector` is one number for every row, as a function of a chunk of rows: never a gathered column. All that the
mechanisms ask of it is one of two things,

    total    a sum over rows of whole numbers in cells fixed beforehand: the same however rows are cut into chunks,
    part     the rows of a secret sample of bounded size (slopes).

Numbers that belong to a row (dither, jitter, coins) follow its position, so they too are the same for any chunks.
A vector of a stream is computed anew whenever it is asked, from columns, positions and released parameters: no
working copy of confidential values is ever written. Rows in memory keep what `kept` asks for.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Integers
from quantail.privacy import Noise

Array = NDArray[Any]

Ask = Callable[["Chunk"], Any]
Join = Callable[[Any, Any], Any]

CHUNK = 1 << 17  # rows that are worked on together: their columns stay in the processor's cache


@dataclass(frozen=True, eq=False)
class Chunk:
    """Consecutive rows: the position of the first, how many there are, and how to read a column of them."""

    start: int
    size: int
    read: Callable[[str], Array]
    memo: dict["Vector", Array] = field(default_factory=dict)


class Rows(ABC):
    """Confidential rows, wherever they are."""

    size: int

    @abstractmethod
    def combine(self, ask: Ask, join: Join) -> Any:
        """Ask every chunk, and join the answers in the order of rows; `join` is associative."""

    def keep(self, vector: "Vector") -> "Vector":
        """Return the vector, computed once and for all where memory allows."""
        return vector

    def column(self, name: str) -> "Vector":
        """Return a column as it was read."""
        return Vector(self, lambda chunk: chunk.read(name))


class HeldRows(Rows):
    """Rows in memory."""

    def __init__(self, columns: Mapping[str, Array], size: int | None = None, chunk: int = CHUNK) -> None:
        self.columns, self.chunk = columns, chunk
        self.size = next(iter(columns.values())).size if size is None else size

    def combine(self, ask: Ask, join: Join) -> Any:
        """Ask chunk after chunk."""
        return reduce(join, map(ask, self._chunks()))

    def keep(self, vector: "Vector") -> "Vector":
        """Compute the vector."""
        pieces = {chunk.start: vector.on(chunk) for chunk in self._chunks()}
        return Vector(self, lambda chunk: pieces[chunk.start], vector.marks)

    def _chunks(self) -> Iterable[Chunk]:
        for start in range(0, max(self.size, 1), self.chunk):
            stop = min(start + self.chunk, self.size)
            yield Chunk(start, stop - start, partial(self._read, start, stop))

    def _read(self, start: int, stop: int, name: str) -> Array:
        return self.columns[name][start:stop]


@dataclass(frozen=True, eq=False)
class Vector:
    """One number for every confidential row, or for every row that `marks` leave over."""

    rows: Rows
    compute: Callable[[Chunk], Array]
    marks: tuple["Vector", ...] = ()

    @classmethod
    def of(cls, values: "Vector | Array") -> "Vector":
        """Return an array in memory as a vector."""
        if isinstance(values, Vector):
            return values
        return cls(HeldRows({}, values.size), lambda chunk: values[chunk.start : chunk.start + chunk.size])

    def on(self, chunk: Chunk) -> Array:
        """Return the numbers of the rows of a chunk."""
        if self not in chunk.memo:
            chunk.memo[self] = self.compute(chunk)
        return chunk.memo[self]

    def map(self, function: Callable[..., Array], *others: "Vector") -> "Vector":
        """Apply a function row by row, to this vector and others of the same rows."""
        return Vector(self.rows, lambda chunk: function(*_arrays(chunk, self, *others)), self.marks)

    def where(self, marks: "Vector") -> "Vector":
        """Return the numbers of rows that are marked."""
        return Vector(self.rows, lambda chunk: self.on(chunk)[marks.on(chunk)], (*self.marks, marks))

    def kept(self) -> "Vector":
        """Return the same vector, held in memory if the rows are."""
        return self.rows.keep(self)

    def total(self, count: Callable[..., Integers], *others: "Vector") -> Integers:
        """Add up over all rows the whole numbers that `count` makes of a chunk of this vector and others."""
        found = self.rows.combine(lambda chunk: count(*_arrays(chunk, self, *others)), add)
        return np.asarray(found, dtype=np.int64)

    def uniform(self, noise: Noise) -> "Vector":
        """Return fresh independent uniform numbers, one for each row."""
        numbers = noise.stream(self.rows.size)
        return self._by_position(lambda chunk: numbers(chunk.start, chunk.size))

    def at(self, positions: Integers) -> "Vector":
        """Mark the rows at these positions (ascending)."""

        def mark(chunk: Chunk) -> Array:
            first, last = np.searchsorted(positions, [chunk.start, chunk.start + chunk.size])
            marks = np.zeros(chunk.size, dtype=np.bool_)
            marks[positions[first:last] - chunk.start] = True
            return marks

        return self._by_position(mark)

    def _by_position(self, compute: Callable[[Chunk], Array]) -> "Vector":
        whole = Vector(self.rows, compute)
        return reduce(Vector.where, self.marks, whole)


def gathered(*vectors: Vector) -> tuple[Array, ...]:
    """Return vectors of the same rows as arrays: for samples of bounded size only."""
    pieces = vectors[0].rows.combine(lambda chunk: [_arrays(chunk, *vectors)], add)
    return tuple(np.concatenate(parts) for parts in zip(*pieces, strict=True))


def _arrays(chunk: Chunk, *vectors: Vector) -> tuple[Array, ...]:
    return tuple(vector.on(chunk) for vector in vectors)
