"""The page of the quantile bench: rank errors, means over shapes, and how often each mechanism is best."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.quantile_mechanisms import MECHANISMS

INTRODUCTION = """# Many quantiles at once

How many rows lie between a released quantile and the true one: [`quantail.quantiles`](quantiles.md), the ladder (on
262,144 even candidates), the joint draw as the table synthesizer asks for it, and three published mechanisms in small
versions (`benchmarks/quantile_mechanisms`): JointExp (Gillenwater, Joseph, Kulesza 2021), ApproximateQuantiles
(Kaplan, Schnapp, Stemmer 2022) and slicing with correlated ranks (Imola et al. 2025). Levels k / (m + 1) for m
quantiles; one column each of the shapes lognormal, pareto and clusters on its modelling scale, with the bench's loose
public bounds; pure epsilon, replace-one for all. A cell is the error averaged over quantiles / of the worst quantile,
in rows, averaged over shapes and repeats. "-": the mechanism does not apply: slices would touch, or there are more
quantiles than the joint draw takes; or was not run (`quantail.quantiles` where it takes minutes).
`quantail.quantiles` was run with 4 repeats at 1,000 and 100,000 rows up to 15 quantiles, 3 at a million rows and 3
quantiles, and 1 or 2 elsewhere: a single draw of many quantiles is one random walk, whose mean error may be half or
twice the usual one. For comparison, sampling itself moves a quantile by sqrt(n q (1 - q)) rows: 16 at the median of
1,000 rows, 158 of 100,000, 500 of 1,000,000."""
FINDINGS = """## What to take from it

- **`quantail.quantiles` has the law of JointExp on a fine lattice**, so where the budget tells all quantiles apart
  the two differ by chance alone (in the table above ours is ahead in about half of these settings, by up to a half
  either way), with no floor at a million rows. Where it does not (1,000 rows with epsilon 1 and 63 quantiles, or
  epsilon 0.1 and 15), fewer quantiles are drawn and the others read off between them: the error is a fourth to a
  sixth of JointExp's.
- **Drawn more often, the two agree**: with 60 repeats of each shape at 1,000 rows, 16 to 30 at 100,000 and 12 at a
  million (3 quantiles; 3 and 15 at fewer rows; `--mechanisms quantail.quantiles,JointExp --first 1000 --repeats ...`)
  our mean error is below JointExp's or within two standard errors of it in every cell but one: 3 quantiles of 100,000
  rows at epsilon 10, 0.13 rows (standard error 0.02) for 0.05 (0.01).
- **JointExp's small version here is flattered in crowded settings**: it leaves out quantiles farther than 80 /
  epsilon rows from their targets, which is not valid under pure DP; without that, 63 quantiles of 1,000 rows at
  epsilon 1 are off by 50 rows on average instead of 35. With 255 quantiles of 100,000 rows and epsilon 10, where its
  worst errors lie just below that limit, nine draws with a limit of 600 / epsilon rows were off by 7.8 rows on
  average (worst quantile 15.7), as ours are, instead of 2.7.
- **JointExp is the one to beat**: the smallest mean error in most settings and nearly always the smallest worst one,
  about half of the ladder's. It pays once for all quantiles, where bisection pays once a depth. Quantail therefore
  draws the quantiles of a whole column jointly (`curves/joint.py`, the same law on a public list of candidates with
  exact integer arithmetic). The ladder also holds for rows whose number is itself private, where JointExp's constant
  is not valid; no release asks for that.
- **Candidates, not noise, limit our joint draw at large n**: its list has some hundred values between the quartiles,
  so that a quantile cannot be closer than about a thousandth of the rows, whatever epsilon. Up to some ten thousand
  rows that is below sampling error; beyond, it is not, and the synthesizer relies on its later tables of counts. The
  idea worth adopting is JointExp's: candidates between two neighbouring rows share their score, so a fine list can be
  treated by stretches of equal score, with the number of candidates in each as an integer weight. The cost then
  follows the rows, or the coarse list, instead of the fine one. Simpler, at the price of one more share of the
  budget: ask each quantile once more among fine candidates of its own stretch; stretches are disjoint and share one
  leaf.
- **ApproximateQuantiles is the ladder on a continuous line**, by the exponential mechanism, not permute-and-flip. The
  two agree wherever the ladder's even candidates are fine enough; at a million rows and epsilon 1 or more, their
  spacing is what remains of the ladder's error. At 1,000 rows and epsilon 0.1, where every mechanism is lost, it
  loses least.
- **Slicing does not pay here**: half the budget goes to the correlated ranks, and replace-one neighbours count
  against both halves (2 and 3 times), so its error is 2 to 4 times that of bisection up to 255 quantiles; and its
  slices need rows * epsilon per quantile of some 700 and more. Its advantage is asymptotic in the number of
  quantiles: correlated rank noise is an idea for thousands of them, more than a curve needs."""
Cell = dict[str, Any]


def page(results: dict[str, Any]) -> str:
    """Write the Markdown page."""
    cells = results["cells"]
    made = (
        f"Made by `python -m benchmarks.quantiles_bench --page docs/bench-quantiles.md`: {results['repeats']} repeats, "
        f"Python {results['python']}, numpy {results['numpy']}. Simulated data: nothing here is confidential."
    )
    parts = [INTRODUCTION, made, table(cells), "## Who is best", wins(cells), "## CPU seconds", costs(cells)]
    return "\n\n".join([*parts, FINDINGS]) + "\n"


def table(cells: Sequence[Cell]) -> str:
    """Lay out errors by rows, quantiles and epsilon; the smallest mean is bold."""
    rows = [["n", "quantiles", "epsilon", *MECHANISMS], ["---"] * (3 + len(MECHANISMS))]
    for n, m, epsilon in settings(cells):
        own = {name: average(cells, n, m, epsilon, name) for name in MECHANISMS}
        best = min((pair[0] for pair in own.values() if pair), default=0.0)
        shown = []
        for pair in own.values():
            text = f"{pair[0]:.3g} / {pair[1]:.3g}" if pair else "-"
            shown.append(f"**{text}**" if pair and pair[0] == best else text)
        rows.append([f"{n:,}", str(m), f"{epsilon:g}", *shown])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def wins(cells: Sequence[Cell]) -> str:
    """Count the settings in which each mechanism has the smallest mean and the smallest worst error."""
    lines = ["| mechanism | smallest mean | smallest worst | settings it applies to |", "|---|---|---|---|"]
    found = [{k: average(cells, *s, k) for k in MECHANISMS} for s in settings(cells)]
    for name in MECHANISMS:
        firsts = [
            sum(
                own[name] is not None and own[name][i] == min(p[i] for p in own.values() if p)
                for own in found
            )  # type: ignore[index]
            for i in (0, 1)
        ]
        lines.append(
            f"| {name} | {firsts[0]} | {firsts[1]} | {sum(own[name] is not None for own in found)} |"
        )
    return "\n".join(lines)


def costs(cells: Sequence[Cell]) -> str:
    """Give the CPU seconds of one release with the most rows and quantiles that the mechanism took."""
    lines = ["| mechanism | n | quantiles | CPU seconds |", "|---|---|---|---|"]
    for name in MECHANISMS:
        own = [cell for cell in cells if cell["mechanism"] == name and "mean" in cell]
        if own:
            n, m = max((cell["n"], cell["m"]) for cell in own)
            spent = float(np.mean([cell["cpu_seconds"] for cell in own if (cell["n"], cell["m"]) == (n, m)]))
            lines.append(f"| {name} | {n:,} | {m} | {spent:.3g} |")
    return "\n".join(lines)


def settings(cells: Sequence[Cell]) -> list[tuple[int, int, float]]:
    return sorted({(cell["n"], cell["m"], cell["epsilon"]) for cell in cells})


def average(
    cells: Sequence[Cell], n: int, m: int, epsilon: float, mechanism: str
) -> tuple[float, float] | None:
    """Return mean and worst error over shapes; None where the mechanism does not apply."""
    wanted = (n, m, epsilon, mechanism)
    own = [c for c in cells if (c["n"], c["m"], c["epsilon"], c["mechanism"]) == wanted]
    if not own or any("failed" in cell for cell in own):
        return None
    return float(np.mean([c["mean"] for c in own])), float(np.mean([c["worst"] for c in own]))
