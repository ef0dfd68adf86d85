"""One slope at a time, by a bounded instrument (DESIGN 4.2): KNG for the median without a bound on the predictor.

For residuals r_i(b) = y_i - b x_i and the sign instrument z_i = +1 if x_i > m, else -1 (m the released median of x),
the max norm of the median regression's gradient, minimised over the intercept a, is |A| + |B| with

    A(a) = #{z = +1, r <= a} - #{z = +1} / 2,    B(a) = #{z = -1, r <= a} - #{z = -1} / 2.

Twice that, with a minus, is the score of b (`slope_scores.py`). Rows whose x or y is absent (NaN) count for nothing.
Proof: privacy/proofs/slopes.md.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.privacy import Gate, Plan, Relation, Selection, strength_of
from quantail.quantiles.depth import slope_step
from quantail.quantiles.rows import Vector, gathered
from quantail.quantiles.slope_scores import score_slopes

Floats = NDArray[np.float64]

MOST_ROWS = 40_000  # a secret subsample beyond this: sampling error is then far below what matters
_ROUGH_ROWS = 10_000  # enough for every stage but the last
_ENOUGH, _ROUGHLY_ENOUGH = 10_000.0, 500.0  # signal that a subsample must keep
_MIDDLE_NUMBER, _MIDDLE_STEPS = 40, 3  # a middle stage of 81 candidates, trusted to three of its steps
_LARGEST_RATIO = 1e3
_SINGLE_RATIO, _COARSE_RATIO, _FINE_REACH = 1.025, 1.05, 0.35


def slope_sensitivity(relation: Relation) -> int:
    """Return how far one row can move any score."""
    return 2 if relation == "replace-one" else 1


def slope_candidates(reach: float) -> tuple[Floats, Floats]:
    """Return the public lists for one-stage and for coarse selection: signed geometric slopes up to `reach`."""
    return _signed(reach, _SINGLE_RATIO), _signed(reach, _COARSE_RATIO)


def _signed(reach: float, ratio: float) -> Floats:
    sizes = reach * ratio ** -np.arange(int(np.log(_LARGEST_RATIO) / np.log(ratio)), dtype=np.float64)
    return np.concatenate([-sizes, [0.0], sizes[::-1]])


def choose_slope(
    gate: Gate,
    leaves: tuple[Plan, ...],
    y: Vector | Floats,
    x: Vector | Floats,
    median: float,
    reach: float,
    rows: int,
    doubt: float = 0.0,
) -> float:
    """Release the slope of y on x.

    Parameters
    ----------
    leaves : tuple of Plan
        One leaf for a single selection; two or three for a coarse one and finer ones around it.
    median : float
        Released median of x.
    reach : float
        Largest slope that is considered: the range of y over the released spread of x.
    rows : int
        Public number of rows.
    doubt : float
        How much better than a slope of zero another must be, in nats.
    """
    sensitivity = slope_sensitivity(gate.relation)
    single, coarse = slope_candidates(reach)
    candidates = single if len(leaves) == 1 else coarse
    slope = 0.0
    for stage, leaf in enumerate(leaves):
        last = stage == len(leaves) - 1
        strength = float(strength_of(leaf.cost, gate.definition))
        most = rows_needed(strength, last)
        if stage > 0:
            fine = slope_step(min(rows, most) * strength)
            reached = _FINE_REACH if stage == 1 else _MIDDLE_STEPS * _FINE_REACH / _MIDDLE_NUMBER
            step = fine if last else reached / _MIDDLE_NUMBER
            number = int(reached / step) + 1
            candidates = slope * (1 + step * np.arange(-number, number + 1, dtype=np.float64))
        part_y, part_x = both_present(*subsample(gate, rows, most, Vector.of(y), Vector.of(x)))
        scores = score_slopes(part_y, part_x, median, candidates)
        scores += zero_bonus(candidates, sensitivity, strength, doubt)
        (index,) = gate.select(leaf, [Selection(scores, sensitivity)])
        slope = float(candidates[index])
    return slope


def both_present(y: Floats, x: Floats) -> tuple[Floats, Floats]:
    """Return the rows of a part where neither number is absent: left out row by row, after the part was drawn."""
    present = ~(np.isnan(y) | np.isnan(x))
    return y[present], x[present]


def zero_bonus(candidates: Floats, sensitivity: int, strength: float, doubt: float) -> NDArray[np.int64]:
    """Return a public bonus for a slope of zero, worth `doubt` nats of noise: no effect unless it clearly shows."""
    return np.where(candidates == 0.0, round(2 * doubt * sensitivity / strength), 0).astype(np.int64)


def rows_needed(strength: float, last: bool) -> int:
    """Return how many rows a stage needs: noise is worth a fixed number of rows, so a weak leaf needs more of them."""
    least, signal = (MOST_ROWS, _ENOUGH) if last else (_ROUGH_ROWS, _ROUGHLY_ENOUGH)
    return max(least, int(signal / strength))


def subsample(gate: Gate, rows: int, most: int, *vectors: Vector) -> tuple[NDArray[Any], ...]:
    """Return a secret uniform part of the rows: of fixed size under replace-one, Poisson under add/remove."""
    if rows <= most:
        return gathered(*vectors)
    if gate.relation == "replace-one":
        positions = gate.noise.generator().choice(vectors[0].rows.size, most, replace=False)
        kept = vectors[0].at(np.sort(positions))
    else:
        kept = vectors[0].uniform(gate.noise).map(lambda coins: coins < most / rows)
    return gathered(*(vector.where(kept) for vector in vectors))
