"""The law of a field given earlier ones: its base law, times a factor for every released table that ends in it.

    p(cell k | earlier) proportional to base_k(eta) * exp(margin_k + sum over tables t of factor_t[context_t, k_t])
    log base_k(eta) = log implied_k + trust * (log share_k(eta) - log implied_k)

share_k(eta) is the mass that stage one's law has in the cell when it is shifted by eta, the sum of a number's slopes
and of what tables shift it by in their contexts; context_t is the cell of the earlier fields of table t, k_t the
coarser cell of k that the table tells apart. Rows of equal contexts and nearly equal slopes share one law, so that laws
are computed once for each distinct context.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.table.cells import FieldCells
from quantail.table.tuning import LEVELS

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

_DENSE = 2**22  # codes below this are told apart by a table, others by sorting
_LEAST = 1e-9
_FIRST = 2.0**-1022
_FARTHEST = 600.0  # exp(-600) is a normal number


@dataclass(frozen=True)
class Factor:
    """Log factors of one table.

    Attributes
    ----------
    on : tuple of str
        Earlier fields, the first varying slowest.
    levels : tuple of int
        Their coarsenings, as places in `LEVELS`.
    level : int
        The coarsening of the field itself.
    values : tuple of tuple of float
        One row for every combination of their cells, one number for every cell of the field.
    shifts : tuple of float
        How far every combination moves the base law of a number, on its modelling scale; empty if none does.
    """

    on: tuple[str, ...]
    levels: tuple[int, ...]
    level: int
    values: tuple[tuple[float, ...], ...]
    shifts: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        levels = [LEVELS[level] for level in self.levels]
        values = [list(row) for row in self.values]
        return {
            "on": list(self.on),
            "levels": levels,
            "level": LEVELS[self.level],
            "values": values,
            "shifts": list(self.shifts),
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "Factor":
        """Rebuild a factor from `to_dict`."""
        levels = tuple(LEVELS.index(level) for level in form["levels"])
        values = tuple(tuple(row) for row in form["values"])
        return cls(tuple(form["on"]), levels, LEVELS.index(form["level"]), values, tuple(form["shifts"]))


@dataclass(frozen=True)
class FieldLaw:
    """What stage two released of one field.

    Attributes
    ----------
    cells : FieldCells
        Its cells.
    margin : tuple of float
        Log factors of the cells by themselves.
    factors : tuple of Factor
        Log factors of tables; without any the base law stands as it is.
    cuts : tuple of float
        Of a number with slopes: where eta is cut into bins.
    centres : tuple of float
        The eta at which each bin takes the base law.
    reach : tuple of tuple of float
        For every slope, the range of its predictor in which it acts.
    implied : tuple of float
        Shares of the cells that slopes imply on average.
    trust : float
        How far slopes move the law of cells away from that average: 1 as stage one found them, 0 not at all. Where
        another field explains what a slope stood for, tables find that it is less.
    zeros : tuple of float
        Log factors that make up for cells that some rows cannot have, so that the shares of stage one hold on average;
        empty where every row may have every cell.
    """

    cells: FieldCells
    margin: tuple[float, ...]
    factors: tuple[Factor, ...] = ()
    cuts: tuple[float, ...] = ()
    centres: tuple[float, ...] = (0.0,)
    reach: tuple[tuple[float, float], ...] = ()
    implied: tuple[float, ...] = ()
    trust: float = 1.0
    zeros: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse parts that do not fit together, as a damaged file may hold."""
        sizes = {
            len(row) == self.cells.size(factor.level) for factor in self.factors for row in factor.values
        }
        sizes |= {len(factor.shifts) in (0, len(factor.values)) for factor in self.factors}
        wanted = self.cells.number if self.reach else 0
        if len(self.margin) != self.cells.number or False in sizes or len(self.implied) != wanted:
            raise ValueError("a law that does not fit together")
        if len(self.centres) != len(self.cuts) + 1 or len(self.zeros) not in (0, self.cells.number):
            raise ValueError("a law that does not fit together")

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {
            "cells": self.cells.to_dict(),
            "margin": list(self.margin),
            "factors": [factor.to_dict() for factor in self.factors],
            "cuts": list(self.cuts),
            "centres": list(self.centres),
            "reach": [list(ends) for ends in self.reach],
            "implied": list(self.implied),
            "trust": self.trust,
            "zeros": list(self.zeros),
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "FieldLaw":
        """Rebuild a law from `to_dict`; a ValueError if it holds something else than finite numbers."""
        law = cls(
            FieldCells.from_dict(form["cells"]),
            tuple(form["margin"]),
            tuple(Factor.from_dict(factor) for factor in form["factors"]),
            tuple(form["cuts"]),
            tuple(form["centres"]),
            tuple((low, high) for low, high in form["reach"]),
            tuple(form["implied"]),
            form["trust"],
            tuple(form["zeros"]),
        )
        law.check_numbers()
        return law

    def check_numbers(self) -> None:
        """Raise a ValueError unless all numbers are finite; where no slope or table acts, no trial row shows it."""
        rows = [row for factor in self.factors for row in factor.values]
        parts = [
            self.margin,
            self.cuts,
            self.centres,
            self.implied,
            self.zeros,
            (self.trust,),
            *self.reach,
            *rows,
        ]
        parts += [self.cells.edges, *(factor.shifts for factor in self.factors)]
        if not all(
            isinstance(number, (int, float)) and isfinite(number) for part in parts for number in part
        ):
            raise ValueError("a law with something else than numbers")


@dataclass(frozen=True, eq=False)
class Contexts:
    """Distinct contexts of some rows: which of them each row has, and the parts that tell them apart.

    Attributes
    ----------
    of_rows : array
        The context of every row.
    parts : dict
        For every part (a field and its coarsening; "" and 0 for the bin of eta, 1 for the pattern of zeros) its cell
        in every context.
    """

    of_rows: Codes
    parts: dict[tuple[str, int], Codes]
    number: int

    @property
    def bins(self) -> Codes:
        """The bin of eta in every context."""
        return self.parts.get(ETA, np.zeros(self.number, dtype=np.int64))

    @property
    def shares(self) -> Floats:
        """The share of rows in every context."""
        return np.bincount(self.of_rows, minlength=self.number) / self.of_rows.size


ETA = ("", 0)


def distinct_contexts(parts: Mapping[tuple[str, int], tuple[Codes, int]], rows: int) -> Contexts:
    """Return the distinct combinations of parts, each a cell for every row and a number of cells."""
    code, size = np.zeros(rows, dtype=np.int64), 1
    for cell, number in parts.values():
        if size * number >= 2**62:
            code, size = _ranked(code, size)
        code, size = code * number + cell, size * number
    code, size = _ranked(code, size)
    first = np.empty(size, dtype=np.int64)
    first[code[::-1]] = np.arange(rows - 1, -1, -1)
    return Contexts(code, {name: cell[first] for name, (cell, _) in parts.items()}, size)


def _ranked(code: Codes, size: int) -> tuple[Codes, int]:
    """Return codes renumbered without gaps."""
    if size > _DENSE:
        found, ranked = np.unique(code, return_inverse=True)
        return ranked.reshape(code.shape), found.size
    held = np.bincount(code, minlength=size) > 0
    return (np.cumsum(held) - 1)[code], int(np.count_nonzero(held))


def group_of(
    parts: Mapping[tuple[str, int], Codes], named: Sequence[tuple[str, int, int]], number: int
) -> Codes:
    """Return, for every context, the row of a factor: fields with their coarsening and its size."""
    group = np.zeros(number, dtype=np.int64)
    for name, level, size in named:
        group = group * size + parts[name, level]
    return group


def normalised(
    logits: Floats, forbidden: NDArray[np.bool_] | None = None, shares: Floats | float = 1.0
) -> Floats:
    """Return probabilities of cells from their logarithms up to a constant, times the share of every context.

    Cells that are `forbidden` have none. Works in place.
    """
    # One constant will do for all contexts, unless one of them lies so far below another that all of it would vanish.
    most = logits.max()
    near = most - logits.min() < _FARTHEST
    if forbidden is not None:
        logits[forbidden] = -np.inf
        most = logits.max()
    logits -= most if near else logits.max(axis=1, keepdims=True)
    np.exp(logits, out=logits)
    logits *= (shares / (logits @ np.ones(logits.shape[1])))[:, None]
    return logits


def draw_cells(probabilities: Floats, of_rows: Codes, u: Floats) -> tuple[Codes, Floats]:
    """Return the cell of every row by inversion of u, and where u lies within it, from 0 to 1."""
    ends = np.cumsum(probabilities, axis=1)
    ends /= ends[:, -1:]  # exactly 1 from the last cell that has a share: none beyond it is ever drawn
    u = np.maximum(u, _FIRST)  # nor one without a share at the other end
    cell = _ends_below(ends[:, :-1], of_rows, u)
    share = probabilities[of_rows, cell]
    start = ends[of_rows, cell] - share
    return cell, np.clip((u - start) / np.maximum(share, 1e-300), 0.0, 1.0)


def _ends_below(ends: Floats, of_rows: Codes, u: Floats) -> Codes:
    """Return how many ends of its own context lie below every number, found by halving."""
    bits = ends.shape[1].bit_length()
    filled = np.full((len(ends), 2**bits - 1), np.inf)
    filled[:, : ends.shape[1]] = ends
    flat, start = filled.ravel(), of_rows * filled.shape[1]
    place = start.copy()
    for bit in reversed(range(bits)):
        place += (flat.take(place + (2**bit - 1)) < u) * 2**bit
    return np.asarray(place - start)


def adding(group: Codes, number: int) -> Floats:
    """Return the matrix that adds cells up to groups, given the group of every cell.

    Examples
    --------
    >>> (np.array([1.0, 2.0, 4.0]) @ adding(np.array([0, 1, 0]), 2)).tolist()
    [5.0, 2.0]
    """
    found = np.zeros((group.size, number))
    found[np.arange(group.size), group] = 1.0
    return found


def log_shares(shares: Floats) -> Floats:
    """Return logarithms of base shares, none minus infinity: a table may find rows where stage one saw none."""
    return np.log(np.maximum(shares, _LEAST))
