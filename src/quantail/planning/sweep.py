"""Expected error against epsilon: the same made-up tables and the same noise, at one budget after another."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from quantail.errors import OptionError
from quantail.planning.expectation import Expectation, Rows, expect
from quantail.privacy import parse_epsilon
from quantail.release.progress import Progress, part_progress
from quantail.release.synthesizer import Amount
from quantail.schema import Schema

_ROUND = (1, 2, 5)


def sweep(
    schema: Schema,
    rows: Rows,
    epsilons: Sequence[Amount],
    *,
    progress: Progress | None = None,
    **options: Any,
) -> tuple[Expectation, ...]:
    """Say what errors to expect at each of several budgets, touching no data.

    Parameters
    ----------
    **options
        As for `expect`.

    Examples
    --------
    >>> from quantail.examples import payroll_schema
    >>> small, large = sweep(payroll_schema(), 200, ["0.1", "10"])
    >>> small.column("payroll").errors["q50"].expected > large.column("payroll").errors["q50"].expected
    True
    """
    budgets = [parse_epsilon(epsilon) for epsilon in epsilons]
    if not budgets:
        raise OptionError("a sweep needs at least one epsilon")
    return tuple(
        expect(schema, rows, budget, progress=part_progress(progress, place, len(budgets)), **options)
        for place, budget in enumerate(budgets)
    )


def read_range(text: str) -> tuple[Fraction, ...]:
    """Read a range of budgets such as "0.1:10": its ends, and 1, 2 and 5 times powers of ten between them.

    Examples
    --------
    >>> [str(epsilon) for epsilon in read_range("0.3:2")]
    ['3/10', '1/2', '1', '2']
    """
    low_text, colon, high_text = text.partition(":")
    if not colon:
        raise OptionError("sweep: write the smallest and the largest epsilon, for instance 0.1:10")
    low, high = (
        parse_epsilon(low_text, "sweep: the smallest epsilon"),
        parse_epsilon(high_text, "sweep: the largest epsilon"),
    )
    if low >= high or high / low > 10**4:
        raise OptionError("sweep: the first number must be the smaller one, within a factor of 10000")
    between = (first * Fraction(10) ** power for power in range(-7, 11) for first in _ROUND)
    return (low, *(epsilon for epsilon in between if low < epsilon < high), high)
