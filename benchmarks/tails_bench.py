"""Totals and tails of heavy columns: errors of synthetic tables beside those of a fresh sample, median and worst.

    python -m benchmarks.tails_bench --methods tables --shapes business,count --rows 30000 --epsilon 1 --seeds 3

Noise is simulated and real rows are looked at: for made-up data only.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from zlib import crc32

import numpy as np
import pyarrow as pa

from benchmarks.claims import HEAVY_SHAPES, HeavyShape
from quantail.table import TableSynthesizer

MEASURES = ("total", "mean", "top 1%", "Hill", "q99", "q99.9")


def tail_facts(values: np.ndarray) -> dict[str, float]:
    """Return total, mean, share of the largest 1%, Hill index of the largest 1%, and two high quantiles.

    Examples
    --------
    >>> round(tail_facts(np.arange(1.0, 101.0))["total"])
    5050
    """
    ordered = np.sort(values)
    largest = ordered[-max(ordered.size // 100, 2) :]
    total = float(ordered.sum())
    spread = float(np.mean(np.log(np.maximum(largest, 1e-9) / max(largest[0], 1e-9))))
    return {
        "total": total,
        "mean": total / max(ordered.size, 1),
        "top 1%": float(largest.sum()) / max(total, 1e-9),
        "Hill": 1 / max(spread, 0.01),
        "q99": float(np.quantile(ordered, 0.99)),
        "q99.9": float(np.quantile(ordered, 0.999)),
    }


def errors(real: pa.Table, made: pa.Table, column: str) -> dict[str, float]:
    """Return how far a table's tail is from the real one: a ratio minus one, for the top share a difference."""
    truth, found = (tail_facts(table.column(column).drop_null().to_numpy()) for table in (real, made))
    return {
        name: found[name] - truth[name] if name == "top 1%" else found[name] / max(truth[name], 1e-9) - 1
        for name in MEASURES
    }


def made_by(method: str, shape: HeavyShape, real: pa.Table, epsilon: float, seed: int) -> pa.Table:
    """Return a fresh sample, or a table synthesized with simulated noise."""
    if method == "fresh":
        return shape.frame(real.num_rows, np.random.default_rng([3, seed]))
    synthesizer = TableSynthesizer(shape.schema, epsilon, method=method, noise="simulated", seed=seed)
    return synthesizer.fit(real).sample(seed=seed)


def run(args: argparse.Namespace) -> Iterator[tuple[str, str, str, dict[str, np.ndarray]]]:
    """Yield shape, column, method and the errors of all seeds by measure."""
    for name in args.shapes:
        shape = HEAVY_SHAPES[name]
        for method in (*args.methods, "fresh"):
            found: dict[str, list[dict[str, float]]] = {column: [] for column in shape.heavy}
            for seed in range(args.first, args.first + args.seeds):
                rng = np.random.default_rng([16, seed, crc32(name.encode())])
                real = shape.frame(args.rows, rng)
                made = made_by(method, shape, real, args.epsilon, seed)
                for column in shape.heavy:
                    found[column].append(errors(real, made, column))
            for column, each in found.items():
                yield name, column, method, {key: np.array([e[key] for e in each]) for key in MEASURES}


def largest(args: argparse.Namespace) -> Iterator[str]:
    """Yield how much of real totals the largest rows hold, and how far off other samples of the same law are.

    One row is what a release must hide: what it holds of a total no private table can show at a small epsilon.
    """
    for name in args.shapes:
        shape = HEAVY_SHAPES[name]
        for seed in range(args.first, args.first + args.seeds):
            real = shape.frame(args.rows, np.random.default_rng([16, seed, crc32(name.encode())]))
            others = [shape.frame(args.rows, np.random.default_rng([4, seed, other])) for other in range(5)]
            for column in shape.heavy:
                ordered = np.sort(real[column].drop_null().to_numpy())[::-1]
                held = [100 * ordered[:rows].sum() / ordered.sum() for rows in (1, 3, 10)]
                fresh = 100 * np.median([errors(real, other, column)["total"] for other in others])
                shares = " ".join(f"{share:5.0f}" for share in held)
                yield f"{name} {column:10} seed {seed}: {shares}   {fresh:+6.0f}"


def line(parts: dict[str, np.ndarray]) -> str:
    """Return the median distance and the worst error of every measure, in percent (top share: points)."""
    cells = []
    for values in parts.values():
        worst = values[int(np.argmax(np.abs(values)))]
        cells.append(f"{100 * np.median(np.abs(values)):7.0f} {100 * worst:+8.0f}")
    return " |".join(cells)


def main(argv: list[str] | None = None) -> int:
    """Run the bench from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--methods", default="tables", type=lambda text: text.split(","))
    parser.add_argument("--shapes", default=",".join(HEAVY_SHAPES), type=lambda text: text.split(","))
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--largest", action="store_true", help="no fits: what the largest rows hold of totals"
    )
    args = parser.parse_args(argv)
    if args.largest:
        print("percent of the total in the largest 1, 3, 10 rows; error of the median of five other samples")
        print(*largest(args), sep="\n")
        return 0
    print(
        f"{args.rows} rows, epsilon {args.epsilon:g}, {args.seeds} seeds: median and worst error in percent"
    )
    print(f"{'shape column method':32}" + " |".join(f"{name:>16}" for name in MEASURES))
    for shape, column, method, parts in run(args):
        print(f"{shape + ' ' + column + ' ' + method:32}{line(parts)}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
