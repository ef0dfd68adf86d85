"""A synthetic skeleton: how many units enter and leave when, from three noisy tables of lives.

Notation: n units, T places, u_e the log rate of entry at place e, h the chance to leave after place t:

    lives m[e, x]  =  n softmax(u)_e  prod_{e <= t < x} (1 - h[e, t])  h[e, x]      (who is left at T - 1 stays)
    logit h[e, t]  =  spline of age t - e  +  year_t          for units that entered later
                   =  line in t            +  year_t          for those there at the first place, of unknown age

u and year are random walks. How rough they are, and whether there are entries after the first period and exits before
the last one at all, is chosen by evidence (Laplace's approximation of the marginal likelihood): years of real panels
are rough, those of small groups cannot be told apart, and in many samples nobody enters or leaves. The rest is
penalised least squares against the answers. Units are counted out by cumulative rounding, so that luck adds nothing.
All of it is post-processing.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.frames import PanelData
from quantail.frames.panel import panel_of
from quantail.panel.lives import CoarsePlaces, LifeCells
from quantail.panel.tables import spline_parts
from quantail.panel.tuning import (
    AGE_HAZARD_WALK,
    AGE_KNOTS,
    HELD,
    LIFE_MODEL_ERROR,
    LIFE_STEPS,
    LINE_HAZARD,
    LONGEST_LIFE_STEP,
    NEVER,
    SKELETON_SHARES,
    USUAL_HAZARD,
    WALKS,
    WIDE_HAZARD,
)
from quantail.panel.units import PanelUnits
from quantail.privacy import Gate, Plan, cells_touched, split

_NOTES = {
    "units": "number of units",
    "entries": "units by period of entry",
    "exits": "units by their last period",
    "durations": "units by block of entry and band of duration",
}


def plan_skeleton(cost: Fraction, periods: int, counted: bool) -> Plan:
    """Return the budget of a skeleton; `counted` says whether the number of units is protected too."""
    words = [word for word in SKELETON_SHARES if counted or word != "units"]
    if periods == 1:
        words = words[:1]  # a panel of one period has no entries and exits
    parts = split(cost, [SKELETON_SHARES[word] for word in words])
    leaves = [Plan.leaf(word, part, _NOTES[word]) for word, part in zip(words, parts, strict=True)]
    return Plan.sequence("skeleton", leaves)


def has_skeleton(periods: int, counted: bool) -> bool:
    """Say whether anything is to be asked about a skeleton."""
    return periods > 1 or counted


def release_units(gate: Gate, data: PanelData, group: int) -> PanelUnits:
    """Return the units that a release of a group has: those of the panel if they are public, else new ones."""
    panel = panel_of(data.schema)
    if not panel.is_full:
        return PanelUnits.of(data)
    periods, counted = len(panel.periods), gate.relation == "add-remove"
    plan = gate.plan.find("skeleton") if has_skeleton(periods, counted) else None
    lives = release_skeleton(gate, plan, data.entry - panel.first, data.exit - panel.first, periods)
    return PanelUnits.made_up(data.schema, group, *lives)


def release_skeleton(
    gate: Gate, plan: Plan | None, first: Integers, last: Integers, periods: int
) -> tuple[Integers, Integers]:
    """Ask about lives, and return those of a synthetic skeleton, sorted by entry and exit.

    Parameters
    ----------
    gate : Gate
        Its relation says whether the number of units is protected.
    plan : Plan, optional
        As `plan_skeleton` gives it; None if there is nothing to ask.
    first, last : int64 arrays
        Confidential places of entry and exit.
    periods : int
        T.
    """
    touched, places = cells_touched(gate.relation), CoarsePlaces(periods)
    cells = LifeCells(places.number)
    units = first.size
    if gate.relation == "add-remove":
        assert plan is not None
        units = max(int(gate.count(plan.find("units"), np.array([first.size]), touched)[0]), 1)
    if periods == 1 or plan is None:
        return np.zeros(units, dtype=np.int64), np.zeros(units, dtype=np.int64)
    answers, deviations = [], []
    for word, table in (("entries", cells.entries), ("exits", cells.exits), ("durations", cells.durations)):
        leaf = plan.find(word)
        answers.append(
            gate.count(leaf, table(places.coarse(first), places.coarse(last)), touched).astype(np.float64)
        )
        noise = gate.count_noise(leaf, touched)
        deviations.append(np.full(answers[-1].size, noise))
    fit = LifeFit(cells, float(units), np.concatenate(answers), np.concatenate(deviations))
    return places.spread(*counted_out(fit.lives(fit.smoothed()), units))


def counted_out(lives: Floats, units: int) -> tuple[Integers, Integers]:
    """Return so many lives by cumulative rounding of their expected numbers: first and last places.

    Examples
    --------
    >>> counted_out(np.array([[0.6, 1.4], [0.0, 1.0]]), 3)[1].tolist()
    [0, 1, 1]
    """
    total = np.cumsum(lives.ravel())
    ends = np.rint(total * (units / total[-1])).astype(np.int64)
    cell = np.repeat(np.arange(lives.size), np.diff(ends, prepend=0))
    return cell // len(lives), cell % len(lives)


@lru_cache(maxsize=4)
def hazard_parts(periods: int) -> list[tuple[Integers, Floats]]:
    """Return which parameters act on the log odds of leaving in each cell of a (T, T) table, and with which factor."""
    place = np.arange(periods)
    age = np.maximum(place - place[:, None], 0).astype(np.float64)
    shape, knots = age.shape, np.array(AGE_KNOTS, dtype=np.float64)
    stock = np.broadcast_to((place == 0)[:, None], shape)
    along = np.broadcast_to(place / max(periods - 1, 1), shape)
    line, year = periods + knots.size, periods + knots.size + 2
    (low, below), (high, above) = (
        (periods + knot.reshape(shape), factor.reshape(shape))
        for knot, factor in spline_parts(age.ravel(), knots)
    )
    return [
        (np.where(stock, line, low), np.where(stock, 1.0, below)),
        (np.where(stock, line + 1, high), np.where(stock, along, above)),
        (np.broadcast_to(year + np.minimum(place, periods - 2), shape), np.ones(shape)),
    ]


@lru_cache(maxsize=4)
def hazard_weights(periods: int) -> Floats:
    """Return the same as one array, shape (parameters of the hazard, T, T)."""
    weights = np.zeros((periods + len(AGE_KNOTS) + 1, periods, periods))
    for cell, factor in hazard_parts(periods):
        for place, part in enumerate(weights, start=periods):
            part += np.where(cell == place, factor, 0.0)
    return weights


@dataclass(frozen=True, eq=False)
class LifeFit:
    """Released cells of lives and the model that is fitted to them."""

    cells: LifeCells  # what was asked, on coarse places if there are many periods
    units: float  # units, public or released
    # answers, deviations: all cells in one row, and the standard deviation of the noise of each
    answers: Floats
    deviations: Floats
    # how rough log entries and years of the log odds of leaving are: standard deviation of a step
    walks: tuple[float, float] = (0.1, 0.1)
    # births, exits: whether units enter after the first period, and leave before the last one
    births: bool = True
    exits: bool = True

    @property
    def periods(self) -> int:
        """T."""
        return self.cells.periods

    @property
    def start(self) -> Floats:
        """Where the search starts, and the centre of the prior: equal entries and a usual chance to leave."""
        knots = len(AGE_KNOTS)
        x = np.zeros(2 * self.periods + knots + 1)
        x[self.periods : self.periods + knots + 1] = USUAL_HAZARD if self.exits else NEVER
        x[1 : self.periods] = 0.0 if self.births else NEVER
        return x

    def leaving(self, x: Floats) -> Floats:
        """Return the chance to leave after each place, given that the unit is there: shape (T, T), 1 at the end."""
        odds = np.asarray(sum(factor * x[cell] for cell, factor in hazard_parts(self.periods)))
        chance = 1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))
        chance[:, -1] = 1.0
        return np.asarray(chance)

    def lives(self, x: Floats) -> Floats:
        """Return expected units by entry and exit."""
        weight = np.exp(x[: self.periods] - x[: self.periods].max())
        chance = np.triu(self.leaving(x))
        there = np.cumprod(1.0 - np.pad(chance[:, :-1], ((0, 0), (1, 0))), axis=1)
        return np.asarray(self.units * (weight / weight.sum())[:, None] * there * chance)

    def smoothed(self) -> Floats:
        """Return the parameters under the roughness that has the largest evidence."""
        kinds = [
            replace(self, births=births, exits=exits) for births, exits in product((True, False), repeat=2)
        ]
        fits = [(one, *one.fitted(one.start)) for one in kinds]
        best, x, most = max(fits, key=lambda fit: fit[2])
        for side in (0, 1):
            for walk in WALKS:
                tried = replace(best, walks=(walk, best.walks[1]) if side == 0 else (best.walks[0], walk))
                found, evidence = tried.fitted(x)
                if evidence > most:
                    best, x, most = tried, found, evidence
        return x

    def fitted(self, x: Floats) -> tuple[Floats, float]:
        """Return the parameters by damped Gauss-Newton steps, and the log evidence of the roughness."""
        prior, centre = self._prior()
        damping, current = 1e-3, self._misses(x, prior, centre)
        for _ in range(LIFE_STEPS):
            slopes = np.vstack([self._slopes(x), prior])
            normal, gradient = slopes.T @ slopes, slopes.T @ current
            move = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
            tried = x - np.clip(move, -LONGEST_LIFE_STEP, LONGEST_LIFE_STEP)
            new = self._misses(tried, prior, centre)
            gain = float(current @ current - new @ new)
            if gain > 0:
                x, current, damping = tried, new, damping / 5
            else:
                damping *= 10
            if abs(gain) < 1e-3 or damping > 1e6:
                break
        slopes = np.vstack([self._slopes(x), prior])
        spread = np.linalg.slogdet(slopes.T @ slopes)[1] - np.linalg.slogdet(prior.T @ prior)[1]
        return x, -0.5 * (float(current @ current) + float(spread))

    def _roots(self) -> Floats:
        """Return how far an answer may lie from the model: its noise, and what any model is off."""
        return np.asarray(np.sqrt(self.deviations**2 + (LIFE_MODEL_ERROR * self.answers) ** 2 + 1.0))

    def _misses(self, x: Floats, prior: Floats, centre: Floats) -> Floats:
        made = self.cells.expected(self.lives(x))
        return np.concatenate([(made - self.answers) / self._roots(), prior @ (x - centre)])

    def _slopes(self, x: Floats) -> Floats:
        """Return how the cells change with each parameter."""
        lives, chance = self.lives(x), np.triu(self.leaving(x))
        chance[:, -1] = 0.0
        shares = lives.sum(axis=1) / self.units
        own = lives[:, None, :] * np.eye(self.periods)[:, :, None] - shares[:, None, None] * lives
        weights = hazard_weights(self.periods)
        # Log odds raise the chance to leave here, and lower that of every later exit.
        lost = np.cumsum(weights * chance, axis=2) - weights * chance
        stays = np.where(np.arange(self.periods) < self.periods - 1, 1.0 - chance, 0.0)
        moved = np.concatenate([own, lives * (weights * stays - lost)])
        return np.asarray((self.cells.matrix @ moved.reshape(x.size, -1).T) / self._roots()[:, None])

    def _prior(self) -> tuple[Floats, Floats]:
        """Return the prior as rows, and its centre: walks of entries and years, and of the hazard over ages."""
        periods, knots = self.periods, len(AGE_KNOTS)
        rows, line, year = np.eye(self.start.size), periods + knots, periods + knots + 2
        walks = [
            (0, 1, np.inf, np.inf),  # the stock, which no later entry resembles
            (1, periods, WIDE_HAZARD, self.walks[0]),
            (periods, line, WIDE_HAZARD, AGE_HAZARD_WALK),
            (line, line + 1, WIDE_HAZARD, np.inf),
            (line + 1, year, LINE_HAZARD, np.inf),
            (year, rows.shape[0], self.walks[1], self.walks[1]),
        ]
        for begin, end, first, step in walks:
            for row in range(begin, end):
                rows[row, row] = 1.0 / min(first if row == begin else step, 10.0)
                if row > begin:
                    rows[row, row - 1] = -rows[row, row]
        fixed = [
            *range(1, periods if not self.births else 1),
            *range(periods, rows.shape[0] if not self.exits else 0),
        ]
        rows[fixed] = np.eye(rows.shape[0])[fixed] * HELD
        return rows, self.start
