"""What a measure says in plain words, by the yardstick of a fresh sample of the same population.

Badness is the distance from the best possible value; its ratio to the badness that a fresh sample would have on
average (the null value) is what the words are chosen by, so that they mean the same for every measure.
"""

from typing import NamedTuple

from quantail.evaluation.table import Measured


class Verdict(NamedTuple):
    """A grade from 4 (best) to 1, and its words."""

    grade: int
    words: str


# The largest ratio to a fresh sample's badness that still earns the words.
_VERDICTS = (
    (1.5, Verdict(4, "like a fresh sample")),
    (3.0, Verdict(3, "close to a fresh sample")),
    (10.0, Verdict(2, "visibly apart from a fresh sample")),
    (float("inf"), Verdict(1, "far from a fresh sample")),
)


def ratio(row: Measured) -> float | None:
    """Say how many times farther from the best value than a fresh sample; None where that is not known."""
    if row.null is None or row.null == row.best:
        return None
    return row.badness / abs(row.null - row.best)


def verdict(row: Measured) -> Verdict | None:
    """Put a measure into words; None where there is no yardstick."""
    found = ratio(row)
    return None if found is None else verdict_of(found)


def verdict_of(times: float) -> Verdict:
    """Put a ratio to a fresh sample's badness into words.

    Examples
    --------
    >>> verdict_of(1.2).words
    'like a fresh sample'
    """
    return next(words for limit, words in _VERDICTS if times <= limit)
