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

from quantail.evaluation.association import correlation_ratio, cramers_v, ranked
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
    return values if isinstance(column, Labels) else ranked(values)


def _association(a: AnyColumn, b: AnyColumn, left: NDArray[Any], right: NDArray[Any]) -> float:
    if isinstance(a, Numbers) and isinstance(b, Numbers):
        return _correlation(left, right)
    if isinstance(a, Labels) and isinstance(b, Labels):
        return cramers_v(left, right)
    return correlation_ratio(left, right) if isinstance(a, Labels) else correlation_ratio(right, left)


def _correlation(left: Floats, right: Floats) -> float:
    both = np.isfinite(left) & np.isfinite(right)
    if not both.all():
        left, right = ranked(left[both]), ranked(right[both])
    if left.size < 2 or np.ptp(left) == 0 or np.ptp(right) == 0:
        return 0.0
    return float(np.corrcoef(left, right)[0, 1])
