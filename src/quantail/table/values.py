"""Numbers of few values: which value a drawn number becomes.

Slopes and tables say in which cell of its range a number lies; within a cell a smooth law says where, which knows
nothing of a week's days, of hours that are mostly forty, or of an age below which nobody works. Within every cell drawn
numbers become values in the order of their size, as many of each as were counted (`value_counts.py`): cells, and all
that depends on them, stay as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quantail.arrays import Floats
from quantail.curves import Scale


@dataclass(frozen=True)
class ValueCuts:
    """Cuts of drawn numbers, on the modelling scale, and the value, in the column's unit, that each part becomes."""

    cuts: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse what a damaged file may hold."""
        ascending = np.all(np.diff(self.cuts) >= 0) and np.all(np.diff(self.values) > 0)
        if len(self.values) != len(self.cuts) + 1 or not ascending:
            raise ValueError("cuts of values that do not fit together")

    def settled(self, drawn: Floats) -> Floats:
        """Return the values of drawn numbers.

        Examples
        --------
        >>> ValueCuts((0.2, 0.9), (3.0, 4.0, 7.0)).settled(np.array([0.1, 0.2, 0.5, 2.0])).tolist()
        [3.0, 3.0, 4.0, 7.0]
        """
        return np.asarray(self.values)[np.searchsorted(self.cuts, drawn, side="left")]

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {"cuts": list(self.cuts), "values": list(self.values)}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "ValueCuts":
        """Rebuild cuts from `to_dict`."""
        return cls(tuple(form["cuts"]), tuple(form["values"]))


@dataclass(frozen=True)
class Figures:
    """Round figures: the share of the numbers in every cell that become one of those counted, and which of them."""

    shares: tuple[float, ...]
    which: ValueCuts

    def __post_init__(self) -> None:
        """Refuse what a damaged file may hold."""
        if not all(0 <= share <= 1 for share in self.shares):
            raise ValueError("shares of round figures that are none")

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {"shares": list(self.shares), "which": self.which.to_dict()}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "Figures":
        """Rebuild figures from `to_dict`."""
        return cls(tuple(form["shares"]), ValueCuts.from_dict(form["which"]))


def cut_figures(
    drawn: Floats, values: Floats, beyond: Floats, present: float, edges: Floats, scale: Scale
) -> Figures:
    """Return which drawn numbers become round figures, of `present` rows.

    Parameters
    ----------
    drawn, edges : array
        As in `cut_values`.
    values, beyond : array
        Round figures, ascending, in the column's unit, and how many rows more are on each than chance puts there.
    """
    inside = np.bincount(np.searchsorted(edges, drawn), minlength=edges.size + 1) * (present / drawn.size)
    cell = np.searchsorted(edges, scale.forward(values))
    counted = np.bincount(cell, weights=beyond, minlength=inside.size)
    shares = np.clip(counted / np.maximum(inside, 1.0), 0.0, 1.0)
    return Figures(tuple(shares.tolist()), cut_values(drawn, values, beyond, edges, scale))


def lattice_values(scale: Scale, number: int) -> Floats:
    """Return all values of a number of few, ascending."""
    return np.asarray(scale.lower + scale.step * np.arange(number, dtype=np.float64))


def cut_values(drawn: Floats, values: Floats, counts: Floats, edges: Floats, scale: Scale) -> ValueCuts:
    """Return cuts by which drawn numbers become values, within every cell as many as counts say.

    Parameters
    ----------
    drawn : array
        Numbers drawn from the model, on the modelling scale.
    values, counts : array
        What they become, ascending, in the column's unit, and likely counts of each.
    edges : array
        Inner edges of the column's cells, on the modelling scale.
    """
    places, borders = scale.forward(values), scale.forward((values[:-1] + values[1:]) / 2)
    cell_of, ordered = np.searchsorted(edges, places), np.sort(drawn)
    bounds = np.searchsorted(ordered, np.concatenate([[-np.inf], edges, [np.inf]]), side="right")
    cuts, kept = list[float](), list[float]()
    for cell in np.unique(cell_of):
        members = np.flatnonzero(cell_of == cell)
        inside, own = ordered[bounds[cell] : bounds[cell + 1]], counts[members]
        if inside.size and own.sum() > 0:
            members = members[own > 0]
            ends = np.quantile(inside, np.cumsum(own[own > 0])[:-1] / own.sum())
        else:
            ends = borders[members[:-1]]
        cuts += [*([float(edges[cell - 1])] if kept else []), *ends.tolist()]
        kept += values[members].tolist()
    return ValueCuts(tuple(cuts), tuple(kept))
