"""The smallest budget that meets a target: "q99 within 5%" of every column, or of one.

A target is met where the upper end of the error's 90% band is within it. Errors fall as epsilon grows (the tables and
the noise stay the same, so that little else moves), and the search halves a list of round epsilons from 0.01 to 20.
A search favours draws that came out well by chance; so the answer is tried again on new tables, moves up one step
where these say no, and is stated with their band. Some targets cannot be met at any budget: the table's own sampling
error, or a shape that a few quantiles cannot follow, remains.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quantail.errors import OptionError
from quantail.planning.band import percent
from quantail.planning.deviations import quantile_name
from quantail.planning.expectation import Expectation, Rows, expect
from quantail.planning.tuning import LARGEST_EPSILON, LEVELS, TARGET_DIGITS
from quantail.privacy import as_decimal
from quantail.release.progress import Progress
from quantail.schema import Schema

_EPSILONS = tuple(
    Fraction(digits, 1000) * 10**power
    for power in range(4)
    for digits in TARGET_DIGITS
    if Fraction(digits, 1000) * 10**power <= LARGEST_EPSILON
)
_TARGET = re.compile(
    r"(?P<measure>q(?P<level>\d{1,2}(\.\d{1,3})?)|slope|shares)(\s+of\s+(?P<column>.+?))?\s+within\s+"
    r"(?P<limit>\d{1,4}(\.\d{1,4})?)\s*%"
)


@dataclass(frozen=True)
class Target:
    """An error that must not be exceeded: a measure, a limit (0.05 is 5%) and a column, or every column."""

    measure: str
    limit: float
    column: str | None = None

    def __str__(self) -> str:
        """Write the target as `read_target` reads it."""
        where = "" if self.column is None else f" of {self.column}"
        return f"{self.measure}{where} within {100 * self.limit:g}%"

    @property
    def levels(self) -> tuple[float, ...]:
        """Quantile levels to try out, the target's own among them."""
        own = float(self.measure[1:]) / 100 if self.measure.startswith("q") else LEVELS[0]
        return tuple(sorted({*LEVELS, own}))

    def worst(self, expectation: Expectation) -> float:
        """Return the largest upper end of a band that the target speaks of."""
        columns = expectation.columns if self.column is None else (expectation.column(self.column),)
        found = [c.errors[self.measure].high for c in columns if self.measure in c.errors]
        if not found:
            raise OptionError(f"target: no column that is spoken of has an error called {self.measure}")
        return max(found)

    def met_by(self, expectation: Expectation) -> bool:
        """Say whether an expectation promises as much."""
        return self.worst(expectation) <= self.limit


@dataclass(frozen=True)
class Solution:
    """The answer to a target.

    Attributes
    ----------
    epsilon : str or None
        The smallest budget on the list that meets the target; None if none does.
    expectation : Expectation
        What to expect at that budget, or at the largest one that was tried.
    """

    target: Target
    epsilon: str | None
    expectation: Expectation

    def __str__(self) -> str:
        """Say it in a sentence."""
        upper = percent(self.target.worst(self.expectation))
        if self.epsilon is not None:
            return f"{self.target}: epsilon {self.epsilon} is enough (upper end of the 90% band {upper})"
        return (
            f"{self.target}: not reachable with epsilon up to {self.expectation.epsilon} and "
            f"{self.expectation.rows} rows, where the band still ends at {upper}; collect more rows, or ask for less"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "target": str(self.target),
            "reached": self.epsilon is not None,
            "epsilon": self.epsilon,
            "expectation": self.expectation.to_dict(),
        }


def read_target(text: "str | Target") -> Target:
    """Read a target such as "q99 within 5%", "q99.9 of payroll within 10%" or "slope within 2%".

    Examples
    --------
    >>> read_target("q99 of payroll within 5%")
    Target(measure='q99', limit=0.05, column='payroll')
    """
    if isinstance(text, Target):
        return text
    found = _TARGET.fullmatch(text.strip())
    if found is None or float(found["limit"]) == 0 or (found["level"] and float(found["level"]) == 0):
        raise OptionError('target: write for instance "q99 within 5%", "slope of payroll within 10%"')
    measure = quantile_name(float(found["level"]) / 100) if found["level"] else found["measure"]
    return Target(measure, float(found["limit"]) / 100, found["column"])


def solve(
    schema: Schema,
    rows: Rows,
    target: str | Target,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **options: Any,
) -> Solution:
    """Find the smallest epsilon that meets a target, touching no data.

    Parameters
    ----------
    target : str
        For instance "q99 within 5%": the 90% band of the relative error of the 99% quantile ends at 5% at most, in
        every column; "q99 of payroll within 5%" asks it of one.
    **options
        As for `expect`.

    Examples
    --------
    >>> from quantail.examples import payroll_schema
    >>> solve(payroll_schema(), 300, "q50 within 60%").epsilon is not None
    True
    """
    wanted = read_target(target)
    steps = len(_EPSILONS).bit_length() + 1
    count = iter(range(10 * steps))

    def at(place: int, seed: int) -> Expectation:
        done = min(next(count) / steps, 0.95)
        epsilon = as_decimal(_EPSILONS[place])
        tell = None if progress is None else _said(progress, f"epsilon {epsilon}", done, 1 / steps)
        return expect(schema, rows, epsilon, seed=seed, levels=wanted.levels, progress=tell, **options)

    place = _first(len(_EPSILONS), lambda place: wanted.met_by(at(place, seed)))
    while True:
        found = at(min(place, len(_EPSILONS) - 1), seed + 1)
        if wanted.met_by(found):
            return Solution(wanted, found.epsilon, found)
        if place >= len(_EPSILONS) - 1:
            return Solution(wanted, None, found)
        place += 1


def _first(size: int, holds: Callable[[int], bool]) -> int:
    """Halve a list for the first place at which a condition holds that stays true from there on; size if nowhere."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low


def _said(progress: Progress, word: str, start: float, width: float) -> Progress:
    return lambda _, done: progress(word, min(start + done * width, 1.0))
