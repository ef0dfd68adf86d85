"""How much dependence a method keeps: shapes whose relations slopes do not see, and NIST's national excerpt.

    python -m benchmarks.dependence_bench shapes --methods tables,fresh --seeds 3
    python -m benchmarks.dependence_bench nist --data shared/data/nist --methods tables --seeds 5
    python -m benchmarks.dependence_bench speed --methods tables

Noise is simulated; every line is one fit: scores, CPU seconds. KM is the k-marginal score, 0 to 1000; that of the
excerpt is the board's: pairs of columns within every PUMA, numbers in the board's bins. Not private: real rows are
compared with.
"""

from __future__ import annotations

import argparse
import itertools
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from benchmarks.generators import SHAPES, Shape, numeric
from benchmarks.measures import km, q99_error
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer
from studies.paper_measures import pmse

Arrays = dict[str, np.ndarray]
AGES = [4, 9, 13, 18, 21, 24, 28, 32, 36, 40, 44, 48, 53, 57, 60, 64, 67, 72, 78]
POVERTY = [23, 68, 97, 128, 162, 195, 231, 272, 315, 363, 419, 483, 500]
FLOORS = {("1", ""): (963, 824, 797), ("1", "0.000001"): (978, 885, 864), ("10", ""): (986, 913, 891)}
EXCERPTS = ("demo", "ind", "fam")


def category(n: int, rng: np.random.Generator) -> Arrays:
    """Draw a category of four labels that moves place and spread of two numbers."""
    label = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    place, spread = np.array([2.0, 4.0, 3.0, 6.0]), np.array([0.3, 1.0, 0.5, 0.2])
    sales = np.exp(place[label] + spread[label] * rng.standard_normal(n))
    jobs = np.exp(place[::-1][label] + spread[::-1][label] * rng.standard_normal(n))
    return {"sector": np.array(["farm", "shop", "mill", "bank"])[label], "sales": sales, "jobs": jobs}


def zero_inflated(n: int, rng: np.random.Generator) -> Arrays:
    """Draw two amounts that are often zero, mostly together; where both are there one follows the other."""
    first = rng.random(n) < 0.45
    second = np.where(first, rng.random(n) < 0.8, rng.random(n) < 0.15)
    z, e = rng.standard_normal((2, n))
    claim = np.where(first, np.round(np.exp(6 + z), 2), 0.0)
    paid = np.where(first, 0.7 * claim * np.exp(0.3 * e), np.exp(4 + 0.8 * e))
    return {"claim": claim, "paid": np.where(second, np.round(paid, 2), 0.0)}


def product_of_two(n: int, rng: np.random.Generator) -> Arrays:
    x1, x2 = rng.exponential(10.0, n), rng.exponential(10.0, n)
    return {"x1": x1, "x2": x2, "x3": 20 + 0.1 * x1 * x2 + 10 * rng.standard_normal(n)}


def sign_changing(n: int, rng: np.random.Generator) -> Arrays:
    x1, x2 = 10 * rng.standard_normal((2, n))
    return {"x1": x1, "x2": x2, "x3": 0.1 * x1 * x2 + 5 * rng.standard_normal(n)}


def six_heavy(n: int, rng: np.random.Generator) -> Arrays:
    """Draw six lognormal columns, each after two earlier ones."""
    e = rng.standard_normal((6, n))
    z = [e[0], 0.8 * e[0] + 0.6 * e[1]]
    z.append(0.5 * z[0] + 0.5 * z[1] + 0.6 * e[2])
    z.append(0.7 * z[1] + 0.7 * e[3])
    z.append(0.6 * z[2] - 0.5 * z[3] + 0.7 * e[4])
    z.append(0.6 * z[0] + 0.4 * z[4] + 0.7 * e[5])
    return {f"h{k + 1}": np.exp(4 + 1.2 * part) for k, part in enumerate(z)}


RELATED = (
    Shape(
        "category",
        category,
        (
            Column("sector", "category", categories=("farm", "shop", "mill", "bank")),
            numeric("sales", 0, 1e6, "log", 2),
            numeric("jobs", 0, 1e6, "log", 2),
        ),
    ),
    Shape(
        "zero_inflated",
        zero_inflated,
        tuple(
            Column(name, "numeric", 0, 1e6, grid="log", decimals=2, atoms=(0,)) for name in ("claim", "paid")
        ),
    ),
    SHAPES["clusters"],
    Shape(
        "product",
        product_of_two,
        (numeric("x1", 0, 1000), numeric("x2", 0, 1000), numeric("x3", -1000, 5000)),
    ),
    Shape("sign_changing", sign_changing, tuple(numeric(f"x{k}", -1000, 1000) for k in (1, 2, 3))),
    Shape("six_heavy", six_heavy, tuple(numeric(f"h{k}", 0, 1e7, "log") for k in range(1, 7))),
    SHAPES["chain6"],
    SHAPES["exponential"],
)


@dataclass(frozen=True)
class Excerpt:
    """Columns of NIST's national excerpt, with their schema."""

    schema: Schema
    frame: pa.Table

    @classmethod
    def read(cls, folder: Path, which: str) -> Excerpt:
        """Read one of the three schemas and its columns; "N" is a structural blank."""
        schema = Schema.load(folder / f"{which}.toml")
        spec = {
            column["name"]: column
            for column in tomllib.loads((folder / f"{which}.toml").read_text())["column"]
        }
        types = {name: pa.float64() if "lower" in spec[name] else pa.string() for name in spec}
        options = pyarrow.csv.ConvertOptions(
            column_types=types, null_values=["N"], strings_can_be_null=True, include_columns=list(spec)
        )
        path = folder / "diverse_communities_data_excerpts/national/national2019.csv"
        return cls(schema, pyarrow.csv.read_csv(path, convert_options=options))

    def score(self, synthetic: pa.Table) -> float:
        """Return the k-marginal score of pairs of columns, within PUMA if that is one of them."""
        sizes, pairs = {}, {}
        for name in self.schema.names:
            found = [_binned(table[name], name) for table in (self.frame, synthetic)]
            _, code = np.unique(np.concatenate(found), return_inverse=True)
            sizes[name], pairs[name] = int(code.max()) + 1, np.split(code, [len(found[0])])
        within = ["PUMA"] if "PUMA" in sizes else []
        others = [name for name in sizes if name != "PUMA"]
        apart = []
        for both in itertools.combinations(others, 2):
            shape = [sizes[name] for name in (*within, *both)]
            shares = []
            for side in (0, 1):
                cells = np.ravel_multi_index([pairs[name][side] for name in (*within, *both)], shape)
                shares.append(np.bincount(cells, minlength=int(np.prod(shape))) / cells.size)
            apart.append(np.abs(shares[0] - shares[1]).sum() / 2)
        return 1000 * (1 - float(np.mean(apart)))


def _binned(values: Any, name: str) -> np.ndarray:
    column = values.combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return np.array(column.fill_null("N").to_pylist(), dtype=str)
    numbers = column.cast(pa.float64()).fill_null(-1).to_numpy(zero_copy_only=False).round()
    edges = {"AGEP": AGES, "POVPIP": POVERTY}.get(name)
    cells = numbers if edges is None else np.searchsorted(edges, numbers)
    return np.where(numbers < 0, -1, cells).astype(int).astype(str)


def mixed(n: int, columns: int, rng: np.random.Generator) -> tuple[pa.Table, Schema]:
    """Draw a wide table: heavy numbers, whole numbers with gaps, categories, in turn, all after one factor."""
    factor, found, kinds = rng.standard_normal(n), {}, []
    for k in range(columns):
        z, name = 0.6 * factor + 0.8 * rng.standard_normal(n), f"c{k}"
        if k % 3 == 0:
            found[name] = pa.array(np.round(np.exp(4 + z), 2))
            kinds.append(numeric(name, 0, 1e6, "log", 2))
        elif k % 3 == 1:
            found[name] = pa.array(np.floor(np.exp(1 + z)), mask=rng.random(n) < 0.1)
            kinds.append(Column(name, "integer", 0, 10_000, grid="log", missing=True))
        else:
            found[name] = pa.array(np.array(list("abcde"))[np.searchsorted([-1, -0.3, 0.4, 1.2], z)])
            kinds.append(Column(name, "category", categories=tuple("abcde")))
    return pa.table(found), Schema(tuple(kinds), unit="person")


def fitted(
    schema: Schema, frame: pa.Table, method: str, epsilon: str, delta: str, seed: int
) -> tuple[pa.Table, float, float]:
    """Return a synthetic table with the CPU seconds of fit and draw."""
    options = {"definition": "zcdp", "delta": delta} if delta else {}
    start = time.process_time()
    synthesizer = TableSynthesizer(
        schema, Fraction(epsilon), method=method, noise="simulated", seed=seed, **options
    )
    model = synthesizer.fit(frame)
    middle = time.process_time()
    made = model.sample(seed=seed)
    return made, middle - start, time.process_time() - middle


def run_shapes(args: argparse.Namespace) -> None:
    for shape in RELATED:
        if args.only and shape.name not in args.only:
            continue
        for method, epsilon in itertools.product(args.methods, args.epsilons):
            found = []
            for seed in range(args.first, args.first + args.seeds):
                real = shape.frame(args.rows, np.random.default_rng([17, seed]))
                if method == "fresh":
                    made, seconds = shape.frame(args.rows, np.random.default_rng([18, seed])), 0.0
                else:
                    made, seconds, _ = fitted(shape.schema(), real, method, epsilon, args.delta, seed)
                found.append((*shape_figures(real, made), seconds))
            score, distance, q99, seconds = np.median(np.array(found), axis=0).tolist()
            worst = min(figures[0] for figures in found)
            print(
                f"{shape.name:14} n {args.rows} eps {epsilon:5} {method:7} KM {score:6.1f} (worst {worst:6.1f})  "
                f"pMSE {distance:.4f}  q99 {q99:.3f}  {seconds:.2f} s",
                flush=True,
            )


def shape_figures(real: pa.Table, made: pa.Table) -> tuple[float, float, float]:
    """Return KM, pMSE with interactions (labels as indicators), and the mean error of 99% quantiles."""
    numbers = [name for name in real.column_names if not _labelled(real[name].type)]
    plain = [_indicated(table, real) for table in (real, made)]
    return (
        km(real, made),
        float(pmse(*plain, interactions=True)),
        q99_error(*(t.select(numbers) for t in plain)),
    )


def _indicated(table: pa.Table, real: pa.Table) -> pa.Table:
    """Return a table with an indicator for all but one of the labels in place of a category."""
    found = {}
    for name in table.column_names:
        if not _labelled(real[name].type):
            found[name] = table[name]
            continue
        for label in sorted(set(real[name].to_pylist()))[1:]:
            found[f"{name} {label}"] = np.array(table[name].to_pylist()) == label
    return pa.table({name: np.asarray(values, dtype=float) for name, values in found.items()})


def _labelled(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_dictionary(kind) or pa.types.is_large_string(kind)


def run_nist(args: argparse.Namespace) -> None:
    for which in args.only or EXCERPTS:
        excerpt = Excerpt.read(args.data, which)
        for method, epsilon in itertools.product(args.methods, args.epsilons):
            floor = FLOORS.get((epsilon, args.delta), ("-",) * 3)[EXCERPTS.index(which)]
            scores, seconds = [], []
            for seed in range(args.first, args.first + args.seeds):
                made, fit, draw = fitted(excerpt.schema, excerpt.frame, method, epsilon, args.delta, seed)
                scores.append(excerpt.score(made))
                seconds.append(fit + draw)
            print(
                f"{which:5} eps {epsilon} delta {args.delta or 0} {method:7} median {np.median(scores):.1f} "
                f"(floor {floor})  all {' '.join(f'{score:.1f}' for score in scores)}  {np.median(seconds):.1f} s",
                flush=True,
            )


def run_speed(args: argparse.Namespace) -> None:
    for columns, rows in ((3, 5000), (20, 50_000)):
        for method in args.methods:
            if columns == 3:
                shape = SHAPES["exponential"]
                frame, schema = shape.frame(rows, np.random.default_rng(1)), shape.schema()
            else:
                frame, schema = mixed(rows, columns, np.random.default_rng(1))
            _, fit, draw = fitted(schema, frame, method, "1", args.delta, 1)
            print(f"{columns} columns x {rows}: {method} fit {fit:.2f} s, draw {draw:.2f} s", flush=True)


def parse(argv: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("shapes", "nist", "speed"))
    parser.add_argument("--methods", default="tables", type=lambda text: text.split(","))
    parser.add_argument("--epsilons", default="1", type=lambda text: text.split(","))
    parser.add_argument("--delta", default="")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument(
        "--first", type=int, default=100, help="first seed; those below 100 were used for tuning"
    )
    parser.add_argument("--only", default=(), type=lambda text: text.split(","))
    parser.add_argument("--data", type=Path, default=Path("../shared/data/nist"))
    return parser.parse_args(argv)


RUNS: dict[str, Callable[[argparse.Namespace], None]] = {
    "shapes": run_shapes,
    "nist": run_nist,
    "speed": run_speed,
}


def main(argv: list[str] | None = None) -> None:
    """Run one part of the bench."""
    args = parse(argv)
    RUNS[args.what](args)


if __name__ == "__main__":
    main()
