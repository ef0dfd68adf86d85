"""No explosion, ever: totals of poor columns over the real ones, the worst of many fits.

    python -m benchmarks.explosions --first 100 --seeds 20

Every shape of `claims.py` at rows times epsilon of 250 and more, declared or not. Noise is simulated and real rows are
looked at: for made-up data only.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from zlib import crc32

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.claims import HEAVY_SHAPES
from quantail.table import TableSynthesizer

SHAPES = ("count", "rare", "zeros", "undeclared", "heaped")
SIZES = ((1000, 0.25), (500, 0.5), (1000, 0.5), (500, 1.0), (1000, 1.0), (2000, 1.0), (4000, 1.0))
MOST = 3.5
"""No total may lie beyond so many times the real one."""


@dataclass(frozen=True, order=True)
class Excess:
    """A synthetic total over the real one, and the fit that it came from."""

    times: float
    shape: str
    column: str
    rows: int
    epsilon: float
    seed: int

    def __str__(self) -> str:
        """Show it as a line."""
        size = f"{self.rows} rows, epsilon {self.epsilon:g}"
        return f"{self.times:8.2f}  {self.shape} {self.column}, {size}, seed {self.seed}"


def excesses(shape: str, rows: int, epsilon: float, seed: int) -> Iterator[Excess]:
    """Fit one table and yield the excess of each of its heavy columns."""
    heavy = HEAVY_SHAPES[shape]
    real = heavy.frame(rows, np.random.default_rng([16, seed, rows, crc32(shape.encode())]))
    synthesizer = TableSynthesizer(heavy.schema, epsilon, method="tables", noise="simulated", seed=seed)
    made = synthesizer.fit(real).sample(seed=seed)
    for column in heavy.heavy:
        yield Excess(_total(made, column) / _total(real, column), shape, column, rows, epsilon, seed)


def _total(table: pa.Table, column: str) -> float:
    """Return the sum of a column; missing values count nothing."""
    return float(pc.sum(table[column]).as_py() or 0.0)


def main(argv: list[str] | None = None) -> int:
    """Run the bench from the command line; 1 if a total exploded."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--shapes", default=",".join(SHAPES), type=lambda text: text.split(","))
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=10)
    args = parser.parse_args(argv)
    seeds = range(args.first, args.first + args.seeds)
    found = [
        each
        for shape, (rows, epsilon), seed in product(args.shapes, SIZES, seeds)
        for each in excesses(shape, rows, epsilon, seed)
    ]
    beyond = sum(each.times > MOST for each in found)
    print(f"{len(found)} totals, {beyond} beyond {MOST:g} times the real one; the worst:")
    print(*sorted(found, reverse=True)[:10], sep="\n")
    return int(beyond > 0)


if __name__ == "__main__":
    raise SystemExit(main())
