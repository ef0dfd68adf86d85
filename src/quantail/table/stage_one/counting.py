"""Categories, and numbers of few values, released by counts."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Scale, StepCurve, Vector
from quantail.privacy import Gate, Plan, cells_touched
from quantail.table.stage_one.column import CategoryModel
from quantail.table.stage_one.design import ColumnDesign
from quantail.table.stage_one.fit_state import Fit
from quantail.table.stage_one.label_shares import label_shares
from quantail.table.stage_one.tuning import DOUBT, FALLING

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def fit_category(fit: Fit, design: ColumnDesign) -> CategoryModel:
    """Release the shares of a category."""
    column = design.column
    codes = fit.values[column.name] = fit.confidential.column(column.name)
    counts = codes.total(partial(np.bincount, minlength=len(column.categories)))
    shares = _released_shares(fit, design.leaves("count")[0], counts)
    fit.shares[column.name] = (shares + 1e-9) / (shares + 1e-9).sum()
    return CategoryModel(column.name, tuple(shares.tolist()))


def _released_shares(fit: Fit, leaf: Plan, counts: Integers) -> Floats:
    """Release counts of cells that every row lies in one of, and return what shares follow.

    Where the number of rows is public, one count tells both of two cells, and a replaced row moves it by one only.
    """
    if counts.size == 2 and fit.gate.relation == "replace-one":
        (noisy,) = fit.gate.histogram(leaf, counts[:1], 1) / fit.rows
        first = float(np.clip(noisy, 0.0, 1.0))
        return np.array([first, 1 - first])
    touched = cells_touched(fit.gate.relation)
    noisy = fit.gate.histogram(leaf, counts, touched) / fit.rows
    noise, gaussian = fit.gate.histogram_noise(leaf, touched), fit.gate.definition != "pure"
    scale = noise.deviation if gaussian else noise.deviation / 2**0.5
    return label_shares(noisy, scale / fit.rows, gaussian)


def count_cells(fit: Fit, leaf: Plan, scale: Scale, values: Vector) -> StepCurve:
    """Release a column of few possible values by how many rows hold each; what noise alone could show is cleared."""
    noisy, noise = count_values(fit, leaf, scale, values)
    cleared = believed_counts(noisy, noise, np.log(noisy.size) + DOUBT)
    cleared += fading_tail(noisy, cleared, noise) + fading_tail(noisy[::-1], cleared[::-1], noise)[::-1]
    shares = cleared / cleared.sum() if cleared.sum() > 0 else np.full(noisy.size, 1 / noisy.size)
    edges = scale.forward(scale.lower + scale.step * (np.arange(noisy.size + 1, dtype=np.float64) - 0.5))
    return StepCurve(tuple(edges.tolist()), tuple(shares.tolist()))


def count_values(fit: Fit, leaf: Plan, scale: Scale, values: Vector) -> tuple[Floats, float]:
    """Release how many rows hold each of a column's few possible values; return also the scale of the noise."""
    cells = round((scale.upper - scale.lower) / scale.step) + 1

    def count(part: Floats) -> Integers:
        position = np.rint((part[~np.isnan(part)] - scale.lower) / scale.step).astype(np.int64)
        return np.bincount(position, minlength=cells)

    return release_counts(fit.gate, leaf, values, count)


def release_counts(
    gate: Gate, leaf: Plan, values: Vector, count: Callable[[Floats], Integers]
) -> tuple[Floats, float]:
    """Release counts of cells that every row lies in one of at the most; return also the scale of their noise."""
    touched = cells_touched(gate.relation)
    noisy = gate.histogram(leaf, values.total(count), touched).astype(np.float64)
    return noisy, gate.histogram_noise(leaf, touched).deviation / 2**0.5


def believed_counts(noisy: Floats, scale: float, doubt: float) -> Floats:
    """Return counts of neighbouring cells with what noise alone could show cleared.

    The cells are halved again and again: a part is empty unless its sum is further above zero than noise is with a
    chance of e^-doubt (Bernstein's bound for a sum of Laplace noises). Cells of a part that stands which are in doubt
    one by one are asked about together, and share what they hold: so a count far out in an empty range is not taken
    for a value, and neither a long tail of small counts nor rare values beside frequent ones are lost.

    Examples
    --------
    >>> believed_counts(np.array([90.0, 3.0, -2.0, 4.0]), 1.0, 5.0).tolist()
    [90.0, 0.0, 0.0, 0.0]
    >>> believed_counts(np.array([90.0, 80.0, 4.0, 5.0]), 1.0, 5.0).tolist()
    [90.0, 80.0, 4.5, 4.5]
    """
    if not _stands(noisy, scale, doubt):
        return np.zeros(noisy.size)
    if noisy.size == 1:
        return noisy
    half = noisy.size // 2
    found = np.concatenate([believed_counts(part, scale, doubt) for part in (noisy[:half], noisy[half:])])
    doubtful = found == 0
    if _stands(noisy[doubtful], scale, doubt):
        found[doubtful] = _shared(noisy[doubtful], scale)
    return found


def fading_tail(noisy: Floats, believed: Floats, scale: float) -> Floats:
    """Return what lies beyond the last of the believed counts: they go on falling as there, as far as counts agree.

    Few rows have four children, and no count of them stands by itself; without them every mean is too low. How much of
    the expected tail is there is known before to one part or none, and then from all counts beyond together.

    Examples
    --------
    >>> believed = np.array([600.0, 150.0, 0.0, 0.0, 0.0])
    >>> fading_tail(np.array([600.0, 150.0, 30.0, 9.0, 4.0]), believed, 20.0).round().tolist()
    [0.0, 0.0, 33.0, 8.0, 2.0]
    >>> fading_tail(np.array([600.0, 150.0, 0.0, 0.0, 0.0]), believed, 1.0).round().tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0]
    """
    found = np.zeros(believed.size)
    there = np.flatnonzero(believed)
    if there.size == 0 or there[-1] == believed.size - 1:
        return found
    last = int(there[-1])
    before = believed[last - 1] if last else 0.0
    falls = float(np.clip(believed[last] / before, *FALLING)) if before > 0 else FALLING[0]
    expected = believed[last] * falls ** np.arange(1, believed.size - last)
    variance = 2 * scale**2
    part = (noisy[last + 1 :] @ expected / variance + 1) / (expected @ expected / variance + 1)
    found[last + 1 :] = max(float(part), 0.0) * expected
    return found


def _stands(noisy: Floats, scale: float, doubt: float) -> bool:
    """Say whether a sum of counts is further above zero than noise alone would be."""
    return float(noisy.sum()) > scale * max(doubt, 2 * math.sqrt(doubt * noisy.size))


def _shared(noisy: Floats, scale: float) -> Floats:
    """Return counts whose sum is known better than any of them: drawn to their mean as far as noise sets them apart."""
    mean, spread = float(noisy.mean()), float(noisy.var())
    kept = max(1 - 2 * scale**2 / spread, 0.0) if spread > 0 else 0.0
    found = np.maximum(mean + kept * (noisy - mean), 0.0)
    return np.asarray(found * (noisy.sum() / found.sum()))
