"""How strongly two columns hang together, in both tables, and which pairs of columns are worth a picture.

By the associations of `quantail.evaluation.relations`, on all rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from quantail.evaluation.relations import associations, ranked
from quantail.report.columns import AnyColumn, Labels


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
    """Measure every pair of columns, in the order of the columns; a number that does not vary is related to none."""
    sides = [
        (c.real, c.synth) if isinstance(c, Labels) else (ranked(c.real), ranked(c.synth)) for c in columns
    ]
    real, synth = (np.nan_to_num(associations([pair[k] for pair in sides])) for k in (0, 1))
    return [
        Pair(columns[i], columns[j], float(real[i, j]), float(synth[i, j]))
        for i, j in combinations(range(len(columns)), 2)
    ]


def pairs_to_draw(pairs: Sequence[Pair], most: int) -> list[Pair]:
    """Choose the pairs to draw: half where the tables differ most, the others where the real relation is strongest."""
    if len(pairs) <= most:
        return list(pairs)
    chosen = sorted(pairs, key=lambda pair: -pair.gap)[: most // 2]
    taken = {id(pair) for pair in chosen}
    strongest = sorted(pairs, key=lambda pair: -abs(pair.real))
    chosen += [pair for pair in strongest if id(pair) not in taken][: most - len(chosen)]
    return [pair for pair in pairs if any(pair is one for one in chosen)]
