"""How strongly two columns hang together, in both tables, and which pairs of columns are worth a picture.

Numbers: Spearman's rank correlation. A label and a number: the correlation ratio of ranks (the root of the share
of rank variance between labels). Two labels: Cramér's V. All on all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.report.columns import AnyColumn, Labels, Numbers

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pair:
    """Two columns and how strongly they hang together; `real` and `synth` lie between -1 or 0, and 1."""

    first: AnyColumn
    second: AnyColumn
    real: float
    synth: float

    @property
    def gap(self) -> float:
        """How far the synthetic table is off."""
        return abs(self.synth - self.real)


def all_pairs(columns: Sequence[AnyColumn]) -> list[Pair]:
    """Measure every pair of columns, in the order of the columns."""
    sides = [{c.name: _ranked(c, getattr(c, side)) for c in columns} for side in ("real", "synth")]
    return [
        Pair(a, b, *(_association(a, b, side[a.name], side[b.name]) for side in sides))
        for a, b in combinations(columns, 2)
    ]


def telling_pairs(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """Choose the pairs to draw: half where the tables differ most, the others where the real relation is strongest."""
    if len(pairs) <= most:
        return list(pairs)
    chosen = sorted(pairs, key=lambda pair: -pair.gap)[: most // 2]
    taken = {id(pair) for pair in chosen}
    strongest = sorted(pairs, key=lambda pair: -abs(pair.real))
    chosen += [pair for pair in strongest if id(pair) not in taken][: most - len(chosen)]
    return [pair for pair in pairs if any(pair is one for one in chosen)]


def _ranked(column: AnyColumn, values: NDArray[Any]) -> NDArray[Any]:
    return values if isinstance(column, Labels) else _ranks(values)


def _ranks(values: Floats) -> Floats:
    """Ranks of values, ties sharing their middle one; missing values have none."""
    known = np.isfinite(values)
    _, place, counts = np.unique(values[known], return_inverse=True, return_counts=True)
    ranks = np.full(values.size, np.nan)
    ranks[known] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def _association(a: AnyColumn, b: AnyColumn, left: NDArray[Any], right: NDArray[Any]) -> float:
    if isinstance(a, Numbers) and isinstance(b, Numbers):
        return _correlation(left, right)
    if isinstance(a, Labels) and isinstance(b, Labels):
        return _cramer(left, right)
    return _ratio(left, right) if isinstance(a, Labels) else _ratio(right, left)


def _correlation(left: Floats, right: Floats) -> float:
    both = np.isfinite(left) & np.isfinite(right)
    if not both.all():
        left, right = _ranks(left[both]), _ranks(right[both])
    if left.size < 2 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return 0.0
    return float(np.corrcoef(left, right)[0, 1])


def _ratio(codes: NDArray[np.int64], ranks: Floats) -> float:
    known = np.isfinite(ranks)
    codes, ranks = codes[known], ranks[known]
    total = float(ranks.var()) if ranks.size else 0.0
    if total == 0:
        return 0.0
    counts = np.bincount(codes)
    means = np.bincount(codes, ranks) / np.maximum(counts, 1)
    between = float(np.average((means - ranks.mean()) ** 2, weights=counts))
    return float(np.sqrt(between / total))


def _cramer(left: NDArray[np.int64], right: NDArray[np.int64]) -> float:
    counts = np.zeros((left.max() + 1, right.max() + 1))
    np.add.at(counts, (left, right), 1)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(counts.shape) < 2:
        return 0.0
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    square = float(((counts - expected) ** 2 / expected).sum())
    return float(np.sqrt(square / counts.sum() / (min(counts.shape) - 1)))
