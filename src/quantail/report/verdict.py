"""What a measure says in plain words, by the yardstick of an independent sample of the same population.

Badness is the distance from the best possible value; its ratio to the badness that an independent sample would have on
average (the null value) is what the words are chosen by, so that they mean the same for every measure.

The farthest of many is far by chance alone. Errors of estimates are close to half-normal, |Z|: the median of the
largest of k of them is the (1 + 2^(-1/k)) / 2 quantile of Z, and the farthest of k is compared with that.
"""

from collections.abc import Sequence
from typing import NamedTuple

from scipy.special import ndtri

from quantail.evaluation.table import Measured

# Measures that are errors of estimates; distances of distributions vary far less around their mean.
_ESTIMATES = ("tails", "relations", "regressions")


class Verdict(NamedTuple):
    """A grade from 4 (best) to 1, and its words."""

    grade: int
    words: str

    @property
    def is_close(self) -> bool:
        """Whether it is close to an independent sample or better."""
        return self.grade >= 3


# The largest ratio to an independent sample's badness that still earns the words.
_CLOSE = 3.0
_VERDICTS = (
    (1.5, Verdict(4, "like an independent sample")),
    (_CLOSE, Verdict(3, "close to an independent sample")),
    (10.0, Verdict(2, "visibly apart from an independent sample")),
    (float("inf"), Verdict(1, "far from an independent sample")),
)


class Farthest(NamedTuple):
    """The worst row of several, and its ratio to the worst of as many independent samples (None without a yardstick).

    `chance` says how many times farther than one error the farthest of so many is by chance alone, and `largest` is the
    row of the same measure with the largest error whatever the yardstick, if that is another one.
    """

    row: Measured
    times: float | None
    among: int = 1
    chance: float = 1.0
    largest: Measured | None = None

    @property
    def expected(self) -> float | None:
        """What the farthest of as many would be in an independent sample."""
        row = self.row
        return None if row.null is None else row.best + self.chance * (row.null - row.best)

    @property
    def verdict(self) -> Verdict | None:
        """What it says in words."""
        return None if self.times is None else verdict_of(self.times)


def ratio(row: Measured) -> float | None:
    """Say how many times farther from the best value than an independent sample; None where that is not known.

    Nor is it known where even the worst possible value is not far by this yardstick, as in tables of a few rows.
    """
    if row.null is None:
        return None
    if row.null == row.best:  # an independent sample would be exact, as with few distinct values
        return None if row.badness else 0.0
    typical = abs(row.null - row.best)
    worst = max(abs(end - row.best) for end in row.measure.range)
    return row.badness / typical if worst > _CLOSE * typical else None


def verdict(row: Measured) -> Verdict | None:
    """Put a measure into words; None where there is no yardstick."""
    found = ratio(row)
    return None if found is None else verdict_of(found)


def verdict_of(times: float) -> Verdict:
    """Put a ratio to an independent sample's badness into words.

    Examples
    --------
    >>> verdict_of(1.2).words
    'like an independent sample'
    """
    return next(words for limit, words in _VERDICTS if times <= limit)


def farthest(rows: Sequence[Measured]) -> Farthest:
    """Choose the row that is worst by the yardstick of an independent sample, or else farthest from the best value."""
    rated = [(times, row) for row in rows if (times := ratio(row)) is not None]
    if not rated:
        return Farthest(max(rows, key=lambda row: row.badness), None)
    times, worst = max(rated, key=lambda pair: pair[0])
    chance = _by_chance(len(rated)) if _is_estimate(worst) else 1.0
    largest = max((row for row in rows if row.name == worst.name), key=lambda row: row.badness)
    is_other = largest.badness > worst.badness
    return Farthest(worst, times / chance, len(rated), chance, largest if is_other else None)


def _is_estimate(row: Measured) -> bool:
    return row.family in _ESTIMATES or row.name.startswith("quantile_error")


def _by_chance(count: int) -> float:
    """Median of the largest of so many half-normal errors, over that of one."""
    return float(ndtri((1 + 0.5 ** (1 / count)) / 2) / ndtri(0.75))
