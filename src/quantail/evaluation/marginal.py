"""k-marginal score (KM): whether the tables fill the same cells of a coarse grid.

Each numeric column is cut at the real table's minimum, quartiles and maximum into six left-open bins, as in the
paper: (-inf, min], (min, q1], (q1, q2], (q2, q3], (q3, max], (max, inf); a value equal to the minimum falls in the
lowest bin. Bins that you give are closed on the left, [a, b), as in SDNist. Labels are cells as they are, and a missing
value is a cell of its own. With f and g the shares of real and synthetic rows in the joint cells of k columns, the
score is 1000 (1 - sum |f - g| / 2): 1000 less the total variation distance in thousandths. Over several sets of k
columns it is averaged: all sets, an even part of them, or sets drawn at random. Task et al. (2021).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Integers
from quantail.errors import DataError, OptionError
from quantail.evaluation.columns import code_variation
from quantail.evaluation.independent import variation_null
from quantail.evaluation.measure import Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.reading import (
    is_missing,
    is_numeric,
    label_codes,
    raw_columns,
    require_columns,
    require_same_columns,
)
from quantail.evaluation.references import TASK
from quantail.evaluation.rows import Rows

Edges = Mapping[str, Sequence[float]]

MOST_SETS = 120
"""With more sets of k columns than this, an evenly spaced part of their list is used."""

_MOST_CELLS = 2**62  # cell numbers must fit 64 bits
_FEW_CELLS = 1_000_000  # counted directly; with more, only the cells that occur


K_MARGINAL = Measure(
    "k_marginal",
    "k-marginal score",
    "counts",
    "How far tables of counts of three columns agree, on average; 1000 less their total variation in thousandths.",
    "its mean over random splits of all rows, by formula",
    TASK,
    (0.0, 1000.0),
    "higher",
    1000.0,
)
MEASURES = (K_MARGINAL,)


def add(rows: Rows, pair: Pair) -> None:
    """Add the mean score of sets of three columns (of all columns, if there are no more)."""
    if not rows.wants(K_MARGINAL):
        return
    cells = {name: column_cells(pair.real[name], pair.synth[name]) for name in pair.numeric}
    for name in pair.labels:
        codes = np.concatenate(pair.codes[name])
        cells[name] = Cells(codes, int(codes.max()) + 1)
    sets = [[cells[name] for name in names] for names in marginal_sets(pair.names)]
    try:
        found = [_score_and_null(columns, pair.n_real) for columns in sets]
    except OptionError as error:  # labels with more values than fit into cells
        rows.skip(MEASURES, pair.names, str(error))
        return
    score, null = np.mean(found, axis=0)
    rows.put(K_MARGINAL, pair.names, float(score), float(null))


class Cells(NamedTuple):
    """One column of both tables as cell numbers, real rows first, below `size`."""

    codes: Integers
    size: int


def k_marginal(
    real: Any, synth: Any, columns: Sequence[str] | None = None, edges: Edges | None = None
) -> float:
    """Score the joint cell shares of the given columns, all of them together.

    Parameters
    ----------
    real, synth : frame or mapping of arrays
        Tables with the same columns, numbers or labels.
    columns : sequence of str, optional
        Columns that span the cells; all of them unless given.
    edges : mapping of str to increasing numbers, optional
        Where to cut numeric columns, into bins closed on the left; the real table's quartiles unless given.

    Examples
    --------
    >>> k_marginal({"x": [0.0, 1.0, 2.0, 3.0]}, {"x": [9.0, 9.0, 9.0, 9.0]})
    0.0
    """
    cells, n_real = cells_of(real, synth, columns, edges)
    return marginal_score(list(cells.values()), n_real)


def k_marginals(
    real: Any,
    synth: Any,
    k: int = 3,
    columns: Sequence[str] | None = None,
    draws: int | None = None,
    seed: int = 0,
    edges: Edges | None = None,
) -> float:
    """Average the score over sets of k columns.

    Parameters
    ----------
    real, synth, columns, edges
        As in `k_marginal`.
    k : int
        Columns in a set.
    draws : int, optional
        Number of sets drawn at random; the fixed list of `marginal_sets` unless given.
    seed : int
        Decides the random sets, together with the number of columns only.

    Examples
    --------
    >>> table = {"x": [0.0, 1.0], "y": [5.0, 7.0], "z": ["a", "b"]}
    >>> k_marginals(table, table, k=2)
    1000.0
    """
    cells, n_real = cells_of(real, synth, columns, edges)
    sets = marginal_sets(tuple(cells), k, draws, seed)
    return float(np.mean([marginal_score([cells[name] for name in names], n_real) for names in sets]))


def marginal_sets(
    columns: Sequence[str], k: int = 3, draws: int | None = None, seed: int = 0
) -> list[tuple[str, ...]]:
    """List the sets of k columns to average over; all columns at once if there are no more than k.

    Beyond `MOST_SETS` sets an evenly spaced part of their list is used, or `draws` of them at random; either
    depends on the number of columns only, never on values.
    """
    if k < 1 or (draws is not None and draws < 1):
        raise OptionError("k-marginal score: k and draws must be at least 1.")
    if len(columns) <= k:
        return [tuple(columns)]
    if draws is not None:
        rng = np.random.default_rng(seed)
        picks = (np.sort(rng.choice(len(columns), size=k, replace=False)) for _ in range(draws))
        return [tuple(columns[place] for place in pick) for pick in picks]
    if comb(len(columns), k) > 10**6:
        raise OptionError("k-marginal score: there are too many sets of columns to list; give draws.")
    sets = list(combinations(columns, k))
    places = np.linspace(0, len(sets) - 1, min(len(sets), MOST_SETS)).round().astype(int)
    return [sets[place] for place in places]


def cells_of(
    real: Any, synth: Any, columns: Sequence[str] | None = None, edges: Edges | None = None
) -> tuple[dict[str, Cells], int]:
    """Give numbers to the cells of every column; also count the real rows."""
    left, right = raw_columns(real, "real"), raw_columns(synth, "synthetic")
    if columns is None:
        require_same_columns(list(left), list(right))
    names = list(left) if columns is None else list(columns)
    require_columns(left, names, "real")
    require_columns(right, names, "synthetic")
    cut = {} if edges is None else edges
    return {name: column_cells(left[name], right[name], cut.get(name)) for name in names}, len(left[names[0]])


def column_cells(real: NDArray[Any], synth: NDArray[Any], edges: Sequence[float] | None = None) -> Cells:
    """Give numbers to the cells of one column in both tables; 0 stands for a missing number."""
    kinds = {is_numeric(values) for values in (real, synth) if not is_missing(values).all()}
    if len(kinds) > 1:
        raise DataError(
            "k-marginal score: a column is numeric in one table only; write both in the same type."
        )
    if kinds == {False}:
        codes = np.concatenate(label_codes(real, synth))
        return Cells(codes, int(codes.max()) + 1)
    values = np.concatenate([real, synth]).astype(float)
    known = values[: real.size][~np.isnan(values[: real.size])]
    side = "right"
    if edges is None:
        # side="left" counts the edges strictly below a value: bins open on the left, closed on the right.
        edges, side = (np.quantile(known, [0.0, 0.25, 0.5, 0.75, 1.0]) if known.size else known), "left"
    found = 1 + np.searchsorted(np.asarray(edges), values, side=side)  # type: ignore[call-overload]
    return Cells(np.where(np.isnan(values), 0, found), len(edges) + 2)


def marginal_score(columns: Sequence[Cells], n_real: int) -> float:
    """Score the joint cells of some columns."""
    cell = _joint(columns)
    return overlap_score(cell[:n_real], cell[n_real:])


def _score_and_null(columns: Sequence[Cells], n_real: int) -> tuple[float, float]:
    """Score the joint cells, and say what two samples of one population with these pooled counts would score."""
    cell = _joint(columns)
    null = variation_null(np.bincount(cell), n_real, cell.size - n_real)
    return overlap_score(cell[:n_real], cell[n_real:]), 1000 * (1 - null)


def overlap_score(real: Integers, synth: Integers) -> float:
    """Score two lists of cell numbers: 1000 if the cells have equal shares, 0 if none is shared."""
    return 1000 * (1 - code_variation(real, synth))


def _joint(columns: Sequence[Cells]) -> Integers:
    cells = prod(column.size for column in columns)
    if cells > _MOST_CELLS:
        raise OptionError("k-marginal score: too many columns at once; name fewer, or use smaller sets.")
    cell = np.zeros_like(columns[0].codes)
    for column in columns:
        cell = cell * column.size + column.codes
    return cell if cells <= _FEW_CELLS else np.unique(cell, return_inverse=True)[1]
