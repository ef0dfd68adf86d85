"""How much noise KNG and the exponential mechanism add to one median regression, by the number of rows.

The paper takes KNG over the exponential mechanism because its noise is negligible beside that of sampling, while the
other's is not; the O(1/n) that holds for smooth losses is not proved for quantile regression. Here both densities are
tabulated for X2 ~ X1 of the paper's simulation at a valid sensitivity, so the noise is computed and not drawn:

    KNG           exp(-epsilon/2 |gradient of the check loss| / C_X), the largest coordinate, predictors in [0, C_X]
    exponential   exp(-epsilon/2 loss / (U/2)), responses and predictions in [0, U]

A lattice around the non-private fit is widened or narrowed until it holds the density; that makes the figures exact,
not private. Noise is the root mean square distance of the slope from the non-private one. Files: results.json and
table.md.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.evaluation.quantile_regression import quantile_regression
from quantail.examples import simulate_paper
from studies.journal import JOURNAL, Row, append, resume
from studies.parallel import Progress
from studies.simulation.study import write_json

Floats = NDArray[np.float64]
Score = Callable[[Floats, Floats, Floats], Floats]

SIZES = (500, 2_000, 8_000, 32_000)
C_X = 46.0
UPPER = 1000.0
_SIDE = 41  # points of the lattice in each direction
_EDGE = 1e-4  # of the mass may lie on its border
_CORE = 0.25  # share of the lattice within which nearly all mass would call for a finer one
_CHUNK = 64  # lines evaluated at once


def kng_score(y: Floats, x: Floats, lines: Floats) -> Floats:
    """Return the largest coordinate of the gradient over C_X, for each line (intercept, slope)."""
    below = y <= lines[:, :1] + lines[:, 1:] * x
    parts = np.stack([(below - 0.5).sum(axis=1), ((below - 0.5) * x).sum(axis=1)])
    return np.asarray(np.abs(parts).max(axis=0) / C_X, dtype=float)


def exponential_score(y: Floats, x: Floats, lines: Floats) -> Floats:
    """Return the check loss of the median over its sensitivity, for each line."""
    fitted = np.clip(lines[:, :1] + lines[:, 1:] * x, 0.0, UPPER)
    return np.asarray(0.5 * np.abs(y - fitted).sum(axis=1) / (0.5 * UPPER), dtype=float)


MECHANISMS: dict[str, Score] = {"KNG": kng_score, "exponential mechanism": exponential_score}


def noise_of_slope(y: Floats, x: Floats, score: Score, epsilon: float) -> float:
    """Return how far the slope of a draw is from the non-private one, root mean square."""
    centre = np.asarray(quantile_regression(y, x[:, None], [0.5])[0])
    reach = np.array([10.0, 1.0])
    ticks = np.linspace(-1.0, 1.0, _SIDE)
    grid = np.stack(np.meshgrid(ticks, ticks, indexing="ij"), axis=-1).reshape(-1, 2)
    for _ in range(40):
        lines = centre + grid * reach
        scores = np.concatenate([score(y, x, lines[i : i + _CHUNK]) for i in range(0, len(lines), _CHUNK)])
        mass = np.exp(-epsilon / 2 * (scores - scores.min())) * _inside(lines)
        mass /= mass.sum()
        for axis in (0, 1):
            place = np.abs(grid[:, axis])
            if mass[place == 1.0].sum() > _EDGE:
                reach[axis] *= 2.0
            elif mass[place > _CORE].sum() < _EDGE:
                reach[axis] /= 2.0
            else:
                continue
            break
        else:
            break
    return float(np.sqrt((mass * (lines[:, 1] - centre[1]) ** 2).sum()))


def _inside(lines: Floats) -> Floats:
    """Say which lines lie within the public bounds: without bounds KNG's density has no end of mass far out."""
    ends = np.column_stack([lines[:, 0], lines[:, 0] + C_X * lines[:, 1]])
    return np.asarray(((ends >= 0) & (ends <= UPPER)).all(axis=1), dtype=float)


def run_noise(
    out: Path,
    tables: int = 8,
    sizes: Sequence[int] = SIZES,
    epsilon: float = 1.0,
    seed: int = 1,
    progress: Progress | None = None,
) -> dict[str, dict[str, float]]:
    """Compute the noise of both mechanisms for every size and write the study; return its means."""
    settings = {"study": "noise", "epsilon": epsilon, "tables": tables, "seed": seed}
    done = {row["rows"]: row for row in resume(out / JOURNAL, settings)}
    for place, rows in enumerate(sizes):
        if rows not in done:
            done[rows] = noise_row(rows, tables, epsilon, seed)
            append(out / JOURNAL, done[rows])
        if progress is not None:
            progress(f"{rows} rows", (place + 1) / len(sizes))
    return write_noise([done[rows] for rows in sizes], settings, out)


def noise_row(rows: int, tables: int, epsilon: float, seed: int) -> Row:
    """Return the noise of both mechanisms and the sampling error for tables of one size."""
    started = time.process_time()
    samples = [simulate_paper(rows, np.random.default_rng([seed, rows, t])) for t in range(tables)]
    pairs = [(sample["X2"], np.minimum(sample["X1"], C_X)) for sample in samples]
    slopes = [quantile_regression(y, x[:, None], [0.5])[0][1] for y, x in pairs]
    row: Row = {"rows": rows, "tables": tables, "epsilon": epsilon, "seed": seed}
    row["sampling error"] = float(np.std(slopes, ddof=1))
    for name, score in MECHANISMS.items():
        found = [noise_of_slope(y, x, score, epsilon) for y, x in pairs]
        row[name] = float(np.sqrt(np.mean(np.square(found))))
    return row | {"seconds": round(time.process_time() - started, 1)}


def write_noise(rows: Sequence[Row], settings: Mapping[str, Any], out: Path) -> dict[str, dict[str, float]]:
    """Write the table of finished sizes, made with these settings."""
    ordered = sorted(rows, key=lambda row: int(row["rows"]))
    results = {
        name: {str(row["rows"]): float(row[name]) for row in ordered}
        for name in ("sampling error", *MECHANISMS)
    }
    write_json(out / "results.json", results)
    (out / "table.md").write_text(render_noise(results, settings), encoding="utf-8")
    return results


def render_noise(results: dict[str, dict[str, float]], settings: Mapping[str, Any]) -> str:
    """Return the study as Markdown, with the power of n at which each row falls."""
    sizes = list(next(iter(results.values())))
    head = (
        "Noise of the slope of X2 ~ X1 (median regression) at epsilon {epsilon:g}, root mean square over {tables} "
        "tables, seed {seed}. The power of n is that of a straight line through the logarithms."
    ).format(**settings)
    lines = [
        f"| | {' | '.join(f'n {int(size):,}' for size in sizes)} | power of n |",
        "|---" * (len(sizes) + 2) + "|",
    ]
    for name, row in results.items():
        power = np.polyfit(np.log([float(size) for size in sizes]), np.log(list(row.values())), 1)[0]
        lines.append(f"| {name} | {' | '.join(f'{value:.4f}' for value in row.values())} | {power:.2f} |")
    return "\n".join([head, "", *lines, ""])
