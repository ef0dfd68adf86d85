"""Populations whose regressions are known: the paper's, and two that do not suit a model of lines and one spread.

With E an exponential of mean 10, X1 = E throughout:

    paper    X2 = 4 + 3 X1 + E                       X3 = 3 + 2 X1 + X2 + E
    curved   X2 = 4 + 3 X1 + .02 X1^2 + E            X3 as above
    spread   X2 = 4 + 3 X1 + (.5 + .05 X1) E         X3 = 3 + 2 X1 + X2 + (4 E for three rows in ten, else E)

The coefficients are those of the best line: of X1^2 on X1 its slope is 40 and its intercept -200.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantail.examples import paper_split

Table = dict[str, NDArray[np.float64]]

ROWS = 5000
_STREAM = 7  # of random numbers


@dataclass(frozen=True)
class Population:
    """A law of tables and what its regressions are, term by term."""

    draw: Callable[[int], Table]
    truth: dict[str, dict[str, float]]


def curved(rows: int, rng: np.random.Generator) -> Table:
    """Draw rows in which X2 bends upwards."""
    x1, e2, e3 = rng.exponential(10.0, size=(3, rows))
    x2 = 4.0 + 3.0 * x1 + 0.02 * x1**2 + e2
    return {"X1": x1, "X2": x2, "X3": 3.0 + 2.0 * x1 + x2 + e3}


def spread(rows: int, rng: np.random.Generator) -> Table:
    """Draw rows in which the spread of X2 grows, and X3 has two kinds of errors."""
    x1, e2, e3 = rng.exponential(10.0, size=(3, rows))
    x2 = 4.0 + 3.0 * x1 + (0.5 + 0.05 * x1) * e2
    return {"X1": x1, "X2": x2, "X3": 3.0 + 2.0 * x1 + x2 + np.where(rng.random(rows) < 0.3, 4 * e3, e3)}


def _truth(x2: tuple[float, float], x3: float) -> dict[str, dict[str, float]]:
    return {
        "X2 ~ X1": {"Intercept": x2[0], "X1": x2[1]},
        "X3 ~ X1 + X2": {"Intercept": x3, "X1": 2.0, "X2": 1.0},
    }


POPULATIONS = {
    "paper": Population(lambda seed: paper_split(seed)[0], _truth((14.0, 3.0), 13.0)),
    "curved": Population(
        lambda seed: curved(ROWS, np.random.default_rng([seed, _STREAM])), _truth((10.0, 3.8), 13.0)
    ),
    "spread": Population(
        lambda seed: spread(ROWS, np.random.default_rng([seed, _STREAM])), _truth((9.0, 3.5), 22.0)
    ),
}
"""By the name that `python -m studies coverage --table` takes."""
