"""Cells of a field: what a table counts. Labels; or parts of a number's range, and what stands in its place.

A *field* is a category, or a number together with its status (missing, codes, atoms). Cells of a number are cut at
levels of the marginal law that stage one implies, moved to borders of its lattice, so that equal values share a cell;
each other status is a cell of its own. Coarsenings are nested. All of it follows from released laws, so the cell of
a row is a function of that row alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.curves import Scale
from quantail.curves.lookup import Lookup
from quantail.table.tuning import LEVELS, NUMBER_LEVEL, TAIL_LEVELS


@dataclass(frozen=True)
class FieldCells:
    """The cells of one field."""

    # of a number: inner edges of its value cells on the modelling scale; a value on an edge is below it
    edges: tuple[float, ...]
    number: int  # cells in all: value cells, then one for each other status; or labels
    coarse: tuple[tuple[int, ...], ...]  # for each of `LEVELS`, the coarser cell that every cell belongs to

    def __post_init__(self) -> None:
        """Refuse cells that do not fit together, as a damaged file may hold."""
        whole = all(len(level) == self.number and min(level) == 0 for level in self.coarse)
        if len(self.coarse) != len(LEVELS) or not whole or self.number < 1:
            raise ValueError("cells that do not fit together")

    def size(self, level: int) -> int:
        """Return how many cells a coarsening has; levels are counted from zero."""
        return max(self.coarse[level]) + 1

    def of_number(self, values: Floats, status: Integers | None = None) -> Integers:
        """Return the cell of numbers on the modelling scale; where the status is not 0 it decides."""
        present = values if status is None else np.where(status == 0, values, 0.0)
        cell = (
            Lookup(np.asarray(self.edges)).below(present) if self.edges else np.zeros(values.size, np.int64)
        )
        if status is None:
            return cell
        return np.where(status == 0, cell, len(self.edges) + status)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        coarse = {str(level): list(cells) for level, cells in zip(LEVELS, self.coarse, strict=True)}
        return {"edges": list(self.edges), "number": self.number, "coarse": coarse}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "FieldCells":
        """Rebuild cells from `to_dict`."""
        coarse = tuple(tuple(form["coarse"][str(level)]) for level in LEVELS)
        return cls(tuple(form["edges"]), form["number"], coarse)


def number_cells(implied: Floats, scale: Scale, statuses: int, atom: bool = False) -> FieldCells:
    """Return the cells of a number.

    Parameters
    ----------
    implied : array
        Values simulated from the laws of stage one, on the modelling scale.
    statuses : int
        Other statuses than "value".
    atom : bool
        Whether many rows hold the lowest value, which is then a cell of its own in every coarsening.
    """
    _, lowest = scale.lowest_cell
    beyond = implied[implied > lowest] if atom else implied
    ordered = np.sort(beyond) if beyond.size else np.sort(implied)
    finest = sorted({k / NUMBER_LEVEL for k in range(1, NUMBER_LEVEL)} | set(TAIL_LEVELS))
    found = {level: _edge(ordered, scale, level) for level in finest}
    inside = (ordered[0] < np.array(list(found.values()))) & (np.array(list(found.values())) < ordered[-1])
    found = {level: edge for (level, edge), kept in zip(found.items(), inside, strict=True) if kept}
    always = [lowest] if atom else []
    edges = np.unique([*found.values(), *always])
    coarse = []
    for level in LEVELS:
        kept = [edge for place, edge in found.items() if level >= NUMBER_LEVEL or (place * level) % 1 == 0]
        cell = np.searchsorted(np.unique([*kept, *always]), np.append(edges, np.inf), side="left")
        others = cell[-1] + 1 + np.arange(statuses)
        coarse.append(tuple(np.append(cell, others).tolist()))
    return FieldCells(tuple(edges.tolist()), edges.size + 1 + statuses, tuple(coarse))


def _edge(ordered: Floats, scale: Scale, level: float) -> float:
    """Return the border of the lattice next to a quantile."""
    place = min(int(level * ordered.size), ordered.size - 1)
    return float(scale.borders(ordered[place : place + 1])[0])


def label_cells(shares: Floats, ordered: int = 0) -> FieldCells:
    """Return the cells of a category: coarser ones merge neighbours of an order, else labels that few rows have.

    Examples
    --------
    >>> label_cells(np.array([0.5, 0.3, 0.15, 0.03, 0.02])).coarse[0]
    (0, 1, 2, 3, 3)
    """
    merge = _merged_neighbours if ordered > 2 else _merged_rare
    coarse = tuple(tuple(merge(shares, level, ordered).tolist()) for level in LEVELS)
    return FieldCells((), shares.size, coarse)


def _merged_rare(shares: Floats, level: int, ordered: int) -> Integers:
    """Keep labels of at least a quarter of an even share, and merge the others.

    Fine coarsenings merge neighbours of the list alone: codes that begin alike stand together, and say alike things.
    """
    large = shares >= 1 / (4 * level)
    if np.count_nonzero(large) >= shares.size - 1:
        return np.arange(shares.size)
    cells = np.cumsum(large) - 1
    before = np.cumsum(shares) - shares
    part = (level * before[~large]).astype(np.int64) if level > NUMBER_LEVEL else np.zeros(1)
    cells[~large] = np.count_nonzero(large) + np.unique(part, return_inverse=True)[1]
    return np.asarray(cells)


def _merged_neighbours(shares: Floats, level: int, ordered: int) -> Integers:
    """Cut labels in order at even levels; labels beyond the order (missing) keep a cell each."""
    if ordered <= level:
        return np.arange(shares.size)
    own = shares[:ordered] / max(float(shares[:ordered].sum()), 1e-9)
    middle = np.cumsum(own) - own / 2
    cells = np.unique((middle * level).astype(np.int64), return_inverse=True)[1]
    return np.append(cells, cells[-1] + 1 + np.arange(shares.size - ordered))
