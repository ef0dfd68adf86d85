"""Compare the ladder with published mechanisms for many quantiles: rank errors by quantiles, rows, budget, shape.

    python -m benchmarks.quantiles_bench --page docs/bench-quantiles.md

The rank error of an estimate v of level q is how many rows lie between v and the q-quantile: the distance of q n from
[#{x < v}, #{x <= v}]. Levels are k / (m + 1). All mechanisms work on the column's modelling scale, under replace-one.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks.generators import SHAPES
from benchmarks.quantile_mechanisms import MECHANISMS
from benchmarks.quantile_mechanisms.exponential import NotApplicable
from benchmarks.quantiles_page import page
from quantail.curves import Scale

COLUMNS = {"lognormal": "income", "pareto": "loss", "clusters": "x"}
ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "benchmarks" / "results" / "quantiles.json"


@lru_cache(maxsize=1)
def column(shape: str, n: int) -> tuple[np.ndarray, tuple[float, float]]:
    """Return sorted values of a shape's column on its modelling scale, and their public range."""
    rng = np.random.default_rng([n, crc32(shape.encode())])
    declared = next(c for c in SHAPES[shape].columns if c.name == COLUMNS[shape])
    scale = Scale.of(declared)
    return np.sort(scale.dithered(SHAPES[shape].draw(n, rng)[declared.name], rng)), scale.ends


def rank_errors(values: np.ndarray, levels: np.ndarray, estimates: np.ndarray) -> np.ndarray:
    """Return how many rows lie between each estimate and its quantile; values in rising order."""
    wanted = values.size * levels
    below, up_to = (np.searchsorted(values, estimates, side=side) for side in ("left", "right"))
    return np.maximum(np.maximum(below - wanted, wanted - up_to), 0.0)


def run_cell(
    shape: str, n: int, m: int, epsilon: float, mechanism: str, repeats: int, first: int = 0
) -> dict[str, Any]:
    """Return mean and worst rank error over the levels, averaged over repeats, or why there are none."""
    values, bounds = column(shape, n)
    levels = np.arange(1, m + 1) / (m + 1)
    cell: dict[str, Any] = {"shape": shape, "n": n, "m": m, "epsilon": epsilon, "mechanism": mechanism}
    errors, start = [], time.process_time()
    for repeat in range(first, first + repeats):
        rng = np.random.default_rng([repeat, n, m])
        try:
            estimates = MECHANISMS[mechanism](values, levels, epsilon, bounds, rng)
        except NotApplicable as reason:
            return cell | {"failed": str(reason)}
        errors.append(rank_errors(values, levels, estimates))
    spent = (time.process_time() - start) / repeats
    worst = np.max(errors, axis=1)
    return cell | {
        "mean": float(np.mean(errors)),
        "worst": float(worst.mean()),
        "error_of_mean": float(np.std(np.mean(errors, axis=1)) / np.sqrt(repeats)),
        "cpu_seconds": round(spent, 4),
    }


def numbers(text: str) -> list[float]:
    return [float(part) for part in text.split(",")]


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quantiles", type=numbers, default=[3, 15, 63, 255])
    parser.add_argument("--sizes", type=numbers, default=[1e3, 1e5, 1e6])
    parser.add_argument("--epsilons", type=numbers, default=[0.1, 1, 10])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="seed of the first repeat")
    parser.add_argument("--mechanisms", type=lambda text: text.split(","), default=list(MECHANISMS))
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--page", type=Path, help="write the Markdown page here")
    parser.add_argument("--page-only", action="store_true", help="run nothing, only write the page")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> int:
    """Run the bench from the command line."""
    args = parse(argv)
    if not args.page_only:
        cells = [
            run_cell(shape, int(n), int(m), epsilon, mechanism, args.repeats, args.first)
            for shape in COLUMNS
            for n in args.sizes
            for m in args.quantiles
            for epsilon in args.epsilons
            for mechanism in args.mechanisms
        ]
        facts = {"python": platform.python_version(), "numpy": np.__version__, "repeats": args.repeats}
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(json.dumps(facts | {"cells": cells}, indent=1) + "\n")
    if args.page:
        args.page.write_text(page(json.loads(args.out.read_text())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
