"""Do 95% intervals of `infer` for figures of heavy tails cover the population's? A release and its reruns, many times.

    python -m benchmarks.tail_coverage --replications 200

Laws whose figures are known; noise is simulated. The total is that of as many rows of the population.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.evaluation import gini, hill_index, top_share
from quantail.inference import infer
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

Floats = NDArray[np.float64]

LAWS: dict[str, Callable[[int, np.random.Generator], Floats]] = {
    "lognormal 1.2": lambda n, rng: rng.lognormal(7.0, 1.2, n),
    "pareto 2": lambda n, rng: 1000 * (rng.pareto(2.0, n) + 1),
}
SCHEMA = Schema((Column("x", "numeric", 0, 1e9, grid="log", decimals=2),), "firm")
QUESTIONS = ("total(x)", "top(x, 0.01)", "gini(x)", "hill(x)", "quantile(x, 0.99)")
POPULATION = 4_000_000


@dataclass(frozen=True)
class Covered:
    """What one release said of the figures: interval, estimate and naive estimate, a row each."""

    low: Floats
    high: Floats
    estimate: Floats
    naive: Floats


def population_figures(law: str, n: int) -> Floats:
    """Return the figures of the population; the total is that of n of its rows."""
    values = np.round(LAWS[law](POPULATION, np.random.default_rng(16)), 2)
    figures = (top_share(values, 0.01), gini(values), hill_index(values), np.quantile(values, 0.99))
    return np.array([n * values.mean(), *figures])


def release(law: str, n: int, epsilon: float, reruns: int, seed: int) -> Covered:
    """Draw a table, release it, and ask `infer` for all figures."""
    rng = np.random.default_rng([16, seed])
    table = pa.table({"x": np.round(LAWS[law](n, rng), 2)})
    model = TableSynthesizer(SCHEMA, epsilon, noise="simulated", seed=seed).fit(table)
    answers = infer(model, model.sample(seed=seed), QUESTIONS, effort=reruns, seed=seed)
    rows = [next(iter(answer)) for answer in answers]
    return Covered(*(np.array([getattr(row, name) for row in rows]) for name in Covered.__annotations__))


def main(argv: list[str] | None = None) -> int:
    """Run the study from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--laws", default=",".join(LAWS), type=lambda text: text.split(","))
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--replications", type=int, default=200)
    parser.add_argument("--reruns", type=int, default=12)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    args = parser.parse_args(argv)
    print("| law | figure | coverage | too low | too high | median factor of the estimate | high over low |")
    print("|---|---|---|---|---|---|---|")
    for law in args.laws:
        started, truth = time.process_time(), population_figures(law, args.rows)
        seeds = range(args.first, args.first + args.replications)
        found = [release(law, args.rows, args.epsilon, args.reruns, seed) for seed in seeds]
        for place, question in enumerate(QUESTIONS):
            low, high, estimate, _ = (
                np.array([getattr(one, name)[place] for one in found]) for name in Covered.__annotations__
            )
            below, above = np.mean(high < truth[place]), np.mean(low > truth[place])
            figures = f"{1 - below - above:.1%} | {below:.1%} | {above:.1%}"
            factor, width = np.median(estimate) / truth[place], np.median(high / low)
            print(f"| {law} | {question} | {figures} | {factor:.2f} | {width:.2f} |", flush=True)
        print(f"<!-- {law}: {time.process_time() - started:.0f} CPU seconds -->", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
