"""Time quantile regression against statsmodels and scikit-learn, in one run, and compare the losses reached.

    OMP_NUM_THREADS=1 python -m benchmarks.quantreg_bench --out benchmarks/results/quantreg.json

Three tables: the paper's simulation (X3 on X1 and X2, its 49 levels), and a year's employment on the year
before, simulated, with Pistner's 250 levels, as whole numbers (many ties) and jittered as in the paper. The
peers fit every `stride`-th level and their time is scaled up to all levels. Seconds are of the processor, which
on one thread are those of an idle machine. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.linear_model import QuantileRegressor
from statsmodels.regression.quantile_regression import QuantReg
from statsmodels.tools.sm_exceptions import IterationLimitWarning

from quantail.evaluation.quantile_regression import check_loss, quantile_regression
from quantail.examples import simulate_paper
from quantail.orders.levels import PAPER_TAUS
from studies.quantreg import PISTNER_TAUS

ROOT = Path(__file__).resolve().parents[1]
Fits = np.ndarray
Solver = Callable[[np.ndarray, np.ndarray, Sequence[float]], Fits]


@dataclass(frozen=True)
class Case:
    """A table, the levels to fit, and the peers that can be waited for with their strides."""

    name: str
    y: np.ndarray
    X: np.ndarray
    taus: tuple[float, ...]
    peers: dict[str, int]


def statsmodels_fits(y: np.ndarray, X: np.ndarray, taus: Sequence[float]) -> Fits:
    model = QuantReg(y, np.column_stack([np.ones(y.size), X]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IterationLimitWarning)  # its iterations may cycle; the loss tells
        return np.array([model.fit(q=tau).params for tau in taus])


def sklearn_fits(y: np.ndarray, X: np.ndarray, taus: Sequence[float]) -> Fits:
    # Its solver stops at absolute tolerances, so it is given columns of unit spread.
    unit, spread = y.std(), X.std(axis=0)
    models = [QuantileRegressor(quantile=t, alpha=0, solver="highs").fit(X / spread, y / unit) for t in taus]
    return np.array([[m.intercept_ * unit, *(m.coef_ * unit / spread)] for m in models])


PEERS: dict[str, Solver] = {"statsmodels": statsmodels_fits, "scikit-learn": sklearn_fits}


def employment(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw jobs of this year and the last: heavy tails, a tenth closed, three tenths unchanged."""
    last = np.floor(np.exp(rng.normal(1.5, 1.3, n) + rng.exponential(0.4, n)))
    moved = np.floor(last * np.exp(rng.laplace(0, 0.37, n))) * (rng.random(n) > 0.1)
    return np.where(rng.random(n) < 0.3, last, moved), last


def cases(n_paper: int, n_jobs: int, sklearn_stride: int) -> list[Case]:
    rng = np.random.default_rng(20)
    paper = simulate_paper(n_paper, rng)
    both = np.column_stack([paper["X1"], paper["X2"]])
    now, last = employment(n_jobs, rng)
    jittered = [values + rng.uniform(-1, 1, n_jobs) for values in (now, last)]
    # One level of the large tables takes scikit-learn minutes, so it only meets the paper's table.
    every = {"statsmodels": 1, "scikit-learn": sklearn_stride}
    return [
        Case("paper, X3 on X1 and X2", paper["X3"], both, PAPER_TAUS, every),
        Case("jobs on last year's, whole numbers", now, last[:, None], PISTNER_TAUS, {"statsmodels": 25}),
        Case(
            "jobs on last year's, jittered",
            jittered[0],
            jittered[1][:, None],
            PISTNER_TAUS,
            {"statsmodels": 25},
        ),
    ]


def timed(solver: Solver, y: np.ndarray, X: np.ndarray, taus: Sequence[float]) -> tuple[Fits, float]:
    start = time.process_time()
    fits = solver(y, X, taus)
    return fits, time.process_time() - start


def compare(case: Case, repeats: int) -> dict[str, Any]:
    """Time ours (the median of `repeats`) and each peer; excess is (our loss - theirs) / theirs at worst."""
    quantile_regression(case.y[:100], case.X[:100], [0.5])  # load the solver before the clock starts
    runs = [timed(quantile_regression, case.y, case.X, case.taus) for _ in range(repeats)]
    fits, seconds = runs[0][0], float(np.median([spent for _, spent in runs]))
    record: dict[str, Any] = {
        "table": case.name,
        "n": case.y.size,
        "predictors": case.X.shape[1],
        "levels": len(case.taus),
        "seconds": round(seconds, 4),
    }
    for peer, stride in case.peers.items():
        theirs, spent = timed(PEERS[peer], case.y, case.X, case.taus[::stride])
        spent *= len(case.taus) / len(case.taus[::stride])
        losses = [
            (check_loss(case.y, case.X, ours, tau), check_loss(case.y, case.X, other, tau))
            for tau, ours, other in zip(case.taus[::stride], fits[::stride], theirs, strict=True)
        ]
        record[peer] = {
            "seconds": round(spent, 4),
            "times_slower": round(spent / seconds, 2),
            "levels_run": len(losses),
            "excess_worst": max((ours - other) / other for ours, other in losses),
            "excess_best": min((ours - other) / other for ours, other in losses),
        }
    return record


def page(records: list[dict[str, Any]]) -> str:
    """Write the records as a Markdown table."""
    head = ["table", "n", "predictors", "levels", "quantail s"]
    head += [f"{peer} {what}" for peer in PEERS for what in ("s", "ratio", "our loss above theirs, worst")]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for record in records:
        cells = [str(record[key]) for key in ("table", "n", "predictors", "levels")]
        cells.append(f"{record['seconds']:.2f}")
        for peer in PEERS:
            got = record.get(peer)
            cells += (
                [f"{got['seconds']:.1f}", f"{got['times_slower']:.1f}", f"{got['excess_worst']:.1e}"]
                if got
                else ["-"] * 3
            )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Run the bench from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=5000, help="rows of the paper's table")
    parser.add_argument("--jobs", type=int, default=45_000, help="rows of the employment tables")
    parser.add_argument("--repeats", type=int, default=3, help="runs of ours; the median counts")
    parser.add_argument(
        "--sklearn-stride", type=int, default=6, help="scikit-learn fits every so many levels"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "benchmarks" / "results" / "quantreg.json")
    args = parser.parse_args(argv)
    records = [compare(case, args.repeats) for case in cases(args.n, args.jobs, args.sklearn_stride)]
    command = ["python -m benchmarks.quantreg_bench", *(sys.argv[1:] if argv is None else argv)]
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps({"command": " ".join(command), "tables": records}, indent=1) + "\n")
    print(page(records))
    return 0


if __name__ == "__main__":
    sys.exit(main())
