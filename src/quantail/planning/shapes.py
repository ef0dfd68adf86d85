"""Reference shapes: the heavy tails that a plan assumes, because it may not look at the data.

A shape is a distribution with median 1, given by its value at a normal score z:

    lognormal     exp(sigma z)                                   sigma 1 unless given
    pareto        (2 (1 - Phi(z)))^(-1 / index)                  index 2 unless given
    exponential   -log(1 - Phi(z)) / log 2

Smaller indices and larger sigmas are heavier tails: Pareto 1.5 and lognormal 2 are typical of firm sizes.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr

from quantail.arrays import Floats
from quantail.errors import OptionError
from quantail.planning.tuning import LEAST_PARAMETER, MOST_PARAMETER, USUAL_SHAPES

SHAPES = ("lognormal", "pareto", "exponential")


@dataclass(frozen=True)
class Shape:
    """A shape by name, with its parameter (sigma, or the Pareto index; none for the exponential)."""

    name: str
    parameter: float | None = None

    def __str__(self) -> str:
        """Write the shape as `read_shape` reads it."""
        return self.name if self.parameter is None else f"{self.name}:{self.parameter:g}"

    def values(self, scores: Floats) -> Floats:
        """Return the values at normal scores; the median is 1."""
        return _CURVES[self.name](scores, self.parameter or 0.0)


def read_shape(text: "str | Shape") -> Shape:
    """Read a shape such as "lognormal", "lognormal:1.5", "pareto:2" or "exponential".

    Examples
    --------
    >>> str(read_shape("pareto")), str(read_shape("lognormal:1.5"))
    ('pareto:2', 'lognormal:1.5')
    """
    if isinstance(text, Shape):
        return text
    advice = "shape: write lognormal, pareto or exponential; lognormal:1.5 or pareto:2 set the parameter"
    name, colon, number = text.partition(":")
    if name not in SHAPES or (colon and name not in USUAL_SHAPES):
        raise OptionError(advice)
    if not colon:
        return Shape(name, USUAL_SHAPES.get(name))
    try:
        parameter = float(number)
    except ValueError:
        raise OptionError(advice) from None
    if not LEAST_PARAMETER <= parameter <= MOST_PARAMETER:
        raise OptionError(
            f"shape: the parameter of {name} must lie between {LEAST_PARAMETER:g} and {MOST_PARAMETER:g}"
        )
    return Shape(name, parameter)


def _lognormal(scores: Floats, sigma: float) -> Floats:
    return np.exp(sigma * scores)


def _pareto(scores: Floats, index: float) -> Floats:
    return np.asarray(np.exp(-(log_ndtr(-scores) + np.log(2.0)) / index))


def _exponential(scores: Floats, _: float) -> Floats:
    return np.asarray(-log_ndtr(-scores) / np.log(2.0))


_CURVES: dict[str, Callable[[Floats, float], Floats]] = {
    "lognormal": _lognormal,
    "pareto": _pareto,
    "exponential": _exponential,
}
