"""The tail of sizes: which fall and bend the released answers lead to expect.

Beyond a level cells hold little but noise. There sizes grow with t, minus the log of the share of larger ones, within
f (t / t_0)^-b for each unit of t, where t_0 is t at the level. Pareto's tails are straight (bend b = 0), those of most
registers bend as a lognormal one does (b near 1/2). A single prior is wrong for one of the two, so both are held
possible, and the answers decide: the curve below the tail, the excess beyond its start, the total up to a cap.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from quantail.arrays import Floats
from quantail.panel.curve import Curve, Line
from quantail.panel.effects import Total
from quantail.panel.tuning import (
    BELOW_ERROR,
    BEND_ERROR,
    BEND_FROM,
    BEND_SPREAD,
    CAPPED_ERROR,
    EXCESS_REACH,
    FALL_SPREAD,
    LEAST_FALL,
    STRAIGHT_SHARE,
    TAIL_BENDS,
    TAIL_FALLS,
    TAIL_STRETCHES,
    UPPER_HALF_SPREAD,
    UPPER_LEVELS,
    USUAL_BEND,
    USUAL_FALL,
)


@dataclass(frozen=True, eq=False)
class TailAnswer:
    """What was released about large sizes: a curve, and how far sizes reach beyond a level of it."""

    curve: Curve  # of the size cells alone
    level: float  # where its tail starts
    units: float  # units that the curve stands for
    excess: float  # units times their distance from that start, bounded at EXCESS_REACH and in units of it
    deviation: float  # standard deviation of the noise of the excess

    def expected(self) -> Curve:
        """Return the curve with the tail that the excess leads to expect."""
        return self._expected(np.zeros(1), lambda line: 0.0)

    def settled(self, total: Total, made: Callable[[Line], float]) -> Curve:
        """Return the curve, its upper half stretched, that excess and capped total lead to expect.

        `made` gives the capped total of a curve.
        """
        deviation = float(np.hypot(total.deviation, CAPPED_ERROR * total.sum))
        return self._expected(TAIL_STRETCHES, lambda line: _laplace(made(line) - total.sum, deviation))

    def _expected(self, stretches: Floats, told: Callable[[Line], float]) -> Curve:
        """Weigh all tails by how usual they are and how likely the answers; return that of the mean parameters."""
        start, usual = self.curve.quantile(self.level), self._usual()
        middles, shares = (UPPER_LEVELS[1:] + UPPER_LEVELS[:-1]) / 2, np.diff(UPPER_LEVELS)
        weights = np.empty((stretches.size, *usual.shape))
        for place, stretch in enumerate(stretches):
            body = self.curve.stretched(float(np.exp(stretch)))
            common = -0.5 * (stretch / UPPER_HALF_SPREAD) ** 2
            for (row, fall), (column, bend) in product(enumerate(TAIL_FALLS), enumerate(TAIL_BENDS)):
                tried = body.line_with_tail(self.level, float(fall), float(bend))
                beyond = np.clip((tried.at(middles) - start) / EXCESS_REACH, 0.0, 1.0)
                missed = self.units * float(beyond @ shares) - self.excess
                weights[place, row, column] = (
                    common + usual[row, column] + _laplace(missed, self.deviation) + told(tried)
                )
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
        stretch = float(stretches @ weights.sum(axis=(1, 2)))
        fall, bend = (
            float(TAIL_FALLS @ weights.sum(axis=(0, 2))),
            float(weights.sum(axis=(0, 1)) @ TAIL_BENDS),
        )
        return self.curve.stretched(float(np.exp(stretch))).with_tail(self.level, fall, bend)

    def _usual(self) -> Floats:
        """Return how usual falls (rows) and bends (columns) are beside the curve below, as a logarithm."""
        log_share = -float(np.log1p(-self.level))
        below = log_share - float(np.log(4.0)) / 2  # t in the middle of what `fall_below` looks at
        fall_below = max(self.curve.fall_below(self.level), LEAST_FALL)
        usual = np.exp(-(((TAIL_BENDS - USUAL_BEND) / BEND_SPREAD) ** 2) / 2)
        bends = np.log((1.0 - STRAIGHT_SHARE) * usual / usual.sum() + STRAIGHT_SHARE * (TAIL_BENDS == 0.0))
        if self.level > BEND_FROM:
            # From the middle of the upper half (t near 1.15) to below the tail the curve bends as the tail does.
            change = np.log(fall_below / max(self.curve.fall(0.5, 0.8), LEAST_FALL))
            bends = bends - 0.5 * ((change + TAIL_BENDS * np.log(below / 1.15)) / BEND_ERROR) ** 2
        falls = np.log(TAIL_FALLS)[:, None]
        continued = np.log(fall_below) - TAIL_BENDS * np.log(log_share / below)
        expected = np.log(USUAL_FALL) - USUAL_BEND * np.log(log_share)
        return np.asarray(
            bends
            - 0.5 * ((falls - continued) / BELOW_ERROR) ** 2
            - 0.5 * ((falls - expected) / FALL_SPREAD) ** 2
        )


def _laplace(missed: float, deviation: float) -> float:
    """Return the log likelihood of an answer that is so far off."""
    return -float(np.sqrt(2.0)) * abs(missed) / deviation
