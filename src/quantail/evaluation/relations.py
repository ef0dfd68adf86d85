"""How strongly columns hang together, pair by pair, and how far that differs between the tables.

    two numbers            Spearman's correlation of ranks; rows where either is missing are left out
    a label and a number   correlation ratio of ranks: the root of the share of rank variance between labels
    two labels             Cramér's V: sqrt(chi-squared / (n (min(levels) - 1)))

Ranks, because with heavy tails a few rows decide the correlation of values. They are taken once per column, over all
its known values. The last two lie between 0 (independent) and 1 (one decides the other).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.arrays import Floats, Integers
from quantail.evaluation.independent import split_null
from quantail.evaluation.measure import SHARE, Measure
from quantail.evaluation.pair import Pair
from quantail.evaluation.references import CRAMER, KENDALL_STUART, SPEARMAN
from quantail.evaluation.rows import Rows

Columns = Sequence[NDArray[Any]]

MOST_LABELS = 20
"""The most frequent labels of a column count as they are; all others count as one."""

_NULL = "what random parts of the real rows differ by, brought to the tables' sizes"

RANK_CORRELATION = Measure(
    "rank_correlation_difference",
    "Difference in rank correlation",
    "relations",
    "Difference in Spearman's correlation of two numbers.",
    _NULL,
    SPEARMAN,
    (0.0, 2.0),
)
CORRELATION_RATIO = Measure(
    "correlation_ratio_difference",
    "Difference in correlation ratio",
    "relations",
    "Difference in how strongly a label decides the rank of a number.",
    _NULL,
    KENDALL_STUART,
    SHARE,
)
CRAMERS_V = Measure(
    "cramers_v_difference",
    "Difference in Cramér's V",
    "relations",
    "Difference in how strongly two labels hang together.",
    _NULL,
    CRAMER,
    SHARE,
)
MEASURES = (RANK_CORRELATION, CORRELATION_RATIO, CRAMERS_V)


def add(rows: Rows, pair: Pair) -> None:
    """Add the difference in association of every pair of columns."""
    if not rows.wants(*MEASURES):
        return
    real, synth = _prepared(pair)
    places = np.triu_indices(len(real), 1)

    def of_rows(chosen: Integers) -> Floats:
        return np.asarray(associations([column[chosen] for column in real])[places])

    gaps = np.abs(associations(synth) - associations(real))[places]
    null = split_null(of_rows, pair.n_real, pair.n_synth)
    labelled = [column.dtype.kind == "i" for column in real]
    for i, j, gap, expected in zip(*places, gaps, null, strict=True):
        measure = MEASURES[labelled[i] + labelled[j]]
        columns = (pair.names[i], pair.names[j])
        if np.isfinite(gap):
            rows.put(measure, columns, float(gap), float(expected))
        else:
            rows.skip((measure,), columns, "one of the columns does not vary")


def associations(columns: Columns) -> Floats:
    """Associate all pairs of columns: labels as whole numbers, numbers as ranks from `ranked`.

    NaN where a number does not vary; a label that does not vary is associated with nothing.

    Examples
    --------
    >>> label, number = np.array([0, 0, 1, 1]), ranked(np.array([1.0, 1.0, 2.0, 2.0]))
    >>> associations([label, number])[0, 1].round(6)
    np.float64(1.0)
    """
    found = np.eye(len(columns))
    numbers = [k for k, column in enumerate(columns) if column.dtype.kind == "f"]
    if numbers:
        found[np.ix_(numbers, numbers)] = rank_correlations(np.column_stack([columns[k] for k in numbers]))
    for i, j in combinations(range(len(columns)), 2):
        a, b = (i, j) if i not in numbers else (j, i)  # the label first
        if a in numbers:
            continue
        pair = columns[a], columns[b]
        found[i, j] = found[j, i] = correlation_ratio(*pair) if b in numbers else cramers_v(*pair)
    return found


def rank_correlations(ranks: Floats) -> Floats:
    """Correlate all pairs of columns, shape (rows, k), over the rows where both are known; by matrix products."""
    known = (~np.isnan(ranks)).astype(float)
    values = np.nan_to_num(ranks)
    rows = known.T @ known
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = values.T @ known / rows  # [i, j]: of column i, over the rows where j is known as well
        variance = (values**2).T @ known / rows - mean**2
        variance[variance < 1e-12] = np.nan
        found = (values.T @ values / rows - mean * mean.T) / np.sqrt(variance * variance.T)
    return np.asarray(np.clip(found, -1.0, 1.0))


def ranked(values: Floats) -> Floats:
    """Ranks of the known values between -1/2 and 1/2, ties sharing their middle one; missing values have none."""
    from scipy.stats import rankdata  # here: slow to import

    ranks = np.full(values.size, np.nan)
    known = np.isfinite(values)
    ranks[known] = (rankdata(values[known]) - 0.5) / max(int(known.sum()), 1) - 0.5
    return ranks


def correlation_ratio(codes: Integers, numbers: Floats) -> float:
    """Root of the share of the variance of numbers that lies between labels; rows without a number are left out.

    Examples
    --------
    >>> correlation_ratio(np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 2.0, 2.0]))
    1.0
    """
    known = np.isfinite(numbers)
    codes, numbers = codes[known], numbers[known]
    total = float(numbers.var()) if numbers.size else 0.0
    if total == 0:
        return 0.0
    counts = np.bincount(codes)
    means = np.bincount(codes, numbers) / np.maximum(counts, 1)
    between = float(np.average((means - numbers.mean()) ** 2, weights=counts))
    return float(np.sqrt(between / total))


def cramers_v(left: Integers, right: Integers) -> float:
    """Cramér's V of two columns of labels.

    Examples
    --------
    >>> cramers_v(np.array([0, 1, 2]), np.array([1, 2, 0]))
    1.0
    """
    from scipy.stats.contingency import association  # here: slow to import

    width = int(right.max()) + 1
    counts = np.bincount(left * width + right, minlength=(int(left.max()) + 1) * width).reshape(-1, width)
    counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    return float(association(counts, method="cramer")) if min(counts.shape) > 1 else 0.0


def frequent_labels(codes: Integers, most: int = MOST_LABELS) -> Integers:
    """Keep the most frequent labels of both tables, numbered by their frequency; all others share one number."""
    count = np.bincount(codes)
    place = np.full(count.size, most)
    kept = np.argsort(-count, kind="stable")[:most]
    place[kept] = np.arange(kept.size)
    return np.asarray(place[codes])


def _prepared(pair: Pair) -> tuple[Columns, Columns]:
    """Columns of both tables in their order: rare labels together, numbers as ranks."""
    real: list[NDArray[Any]] = []
    synth: list[NDArray[Any]] = []
    for name in pair.names:
        if name in pair.labels:
            codes = frequent_labels(np.concatenate(pair.codes[name]))
            real.append(codes[: pair.n_real])
            synth.append(codes[pair.n_real :])
        else:
            real.append(ranked(pair.real[name]))
            synth.append(ranked(pair.synth[name]))
    return real, synth
