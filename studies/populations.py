"""Populations whose regressions are known: the paper's, and four that do not suit a model of lines and one spread.

With E an exponential of mean 10, X1 = E throughout:

    paper    X2 = 4 + 3 X1 + E                       X3 = 3 + 2 X1 + X2 + E
    curved   X2 = 4 + 3 X1 + .02 X1^2 + E            X3 as above
    spread   X2 = 4 + 3 X1 + (.5 + .05 X1) E         X3 = 3 + 2 X1 + X2 + (4 E for three rows in ten, else E)
    saturating   X2 = 4 + 40 log(1 + X1 / 10) + E    X3 as in the paper
    kinked   X2 = 4 + 3 X1 + 3 max(X1 - 20, 0) + E   X3 as in the paper

The coefficients are those of the best line: of X1^2 on X1 its slope is 40 and its intercept -200; of
log(1 + X1 / 10) the slope is (1 - a) / 10, a = e E1(1) = E log(1 + X1 / 10); of max(X1 - 20, 0) it is 3 exp(-2). The
last two were written down after the sizes of doubt were set (`quantail.inference.relation_doubt`), to test these.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import exp1

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


def saturating(rows: int, rng: np.random.Generator) -> Table:
    """Draw rows in which X2 grows ever more slowly."""
    x1, e2, e3 = rng.exponential(10.0, size=(3, rows))
    x2 = 4.0 + 40.0 * np.log1p(x1 / 10.0) + e2
    return {"X1": x1, "X2": x2, "X3": 3.0 + 2.0 * x1 + x2 + e3}


def kinked(rows: int, rng: np.random.Generator) -> Table:
    """Draw rows in which X2 grows twice as fast beyond 20, where one row in seven is."""
    x1, e2, e3 = rng.exponential(10.0, size=(3, rows))
    x2 = 4.0 + 3.0 * x1 + 3.0 * np.maximum(x1 - 20.0, 0.0) + e2
    return {"X1": x1, "X2": x2, "X3": 3.0 + 2.0 * x1 + x2 + e3}


def _truth(x2: tuple[float, float], x3: float) -> dict[str, dict[str, float]]:
    return {
        "X2 ~ X1": {"Intercept": x2[0], "X1": x2[1]},
        "X3 ~ X1 + X2": {"Intercept": x3, "X1": 2.0, "X2": 1.0},
    }


def _drawn(law: Callable[[int, np.random.Generator], Table]) -> Callable[[int], Table]:
    return lambda seed: law(ROWS, np.random.default_rng([seed, _STREAM]))


_LOG = float(np.e * exp1(1.0))  # the mean of log(1 + X1 / 10)
_KINK = float(np.exp(-2.0))

POPULATIONS = {
    "paper": Population(lambda seed: paper_split(seed)[0], _truth((14.0, 3.0), 13.0)),
    "curved": Population(_drawn(curved), _truth((10.0, 3.8), 13.0)),
    "spread": Population(_drawn(spread), _truth((9.0, 3.5), 22.0)),
    "saturating": Population(_drawn(saturating), _truth((40 * (2 * _LOG - 1) + 14, 4 * (1 - _LOG)), 13.0)),
    "kinked": Population(_drawn(kinked), _truth((14 - 60 * _KINK, 3 + 9 * _KINK), 13.0)),
}
"""By the name that `python -m studies coverage --table` takes."""
