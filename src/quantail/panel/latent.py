"""How sizes move: a latent process under the sizes of a panel, simulated for all units at once.

Latent size of unit i at age k, in units of the spread of sizes:

    s = effects(period, age, periods left) + permanent_i + deviation + blip
    permanent   starts normal; with a small chance a period it jumps, for good (Laplace)
    deviation   AR(1) with Laplace shocks, whose scale falls with size if `tilt` > 0
    blip        Laplace, of one period only
    spread      all three grow or shrink from period to period
    zero        a two-state chain that runs beside it; small units enter it more often
    repeat      with some chance a unit reports last period's size again

Observed sizes are a monotone function of the latent ones (`SizeMap`), so their distribution can have any shape.
"""

from dataclasses import dataclass, fields

import numpy as np
from scipy.special import ndtri

from quantail.arrays import Flags, Floats
from quantail.panel.tables import Track
from quantail.panel.tuning import JUMP_RATE, VOLATILITY_RANGE
from quantail.panel.unit_periods import UnitPeriods

_LAPLACE = 2.0**-0.5  # scale of a Laplace variable of variance 1


@dataclass(frozen=True)
class Dynamics:
    """Parameters of the latent process; variances are shares of a total of 1."""

    # permanent, blip: shares of variance; the AR(1) has the rest
    permanent: float = 0.5
    blip: float = 0.05
    persistence: float = 0.75  # coefficient of the AR(1)
    repeat: float = 0.05  # chance of reporting last period's size again
    tilt: float = 0.0  # how much the log scale of shocks falls per spread of size
    jump: float = 0.1  # deviation of a lasting jump
    # born_idle, stock_idle: chance of zero in the period of birth, and of stocks in the first period
    born_idle: float = 0.0
    stock_idle: float = 0.0
    # enter, enter_slope: chance that a unit of middle size enters the zero state, and how its log falls per spread
    # of size
    enter: float = 0.0
    enter_slope: float = 0.0
    # stay, stay_newborn: chance to stay in it; after the period of birth
    stay: float = 0.0
    stay_newborn: float = 0.0

    def to_dict(self) -> dict[str, float]:
        """Write the parameters as plain data for JSON."""
        return {field.name: float(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True, eq=False)
class Draws:
    """The randomness of a simulation, drawn once so that parameters are compared on common random numbers."""

    permanent: Floats
    shock: Floats
    blip: Floats
    jump: Floats
    repeat: Floats
    idle: Floats

    @classmethod
    def of(cls, unit_periods: UnitPeriods, rng: np.random.Generator) -> "Draws":
        """Draw for every unit and unit-period."""
        many = len(unit_periods)
        jumps = np.where(rng.random(many) < JUMP_RATE, rng.laplace(0.0, _LAPLACE, many), 0.0)
        return cls(
            _stratified_normal(unit_periods, rng),
            rng.laplace(0.0, _LAPLACE, many),
            rng.laplace(0.0, _LAPLACE, many),
            jumps,
            rng.random(many),
            rng.random(many),
        )


def _stratified_normal(unit_periods: UnitPeriods, rng: np.random.Generator) -> Floats:
    """Draw normal numbers that are spread evenly among units of similar life and entry."""
    units = unit_periods.order.size
    near = np.lexsort((rng.random(units), unit_periods.first, unit_periods.length))
    # A golden-ratio sequence is even on every stretch of neighbours, not only over all of them.
    even = (rng.random() + np.arange(units) * 0.6180339887498949) % 1.0
    uniform = np.empty(units)
    uniform[near] = even
    return np.asarray(ndtri(np.clip(uniform, 1e-9, 1 - 1e-9)))


def simulate(
    unit_periods: UnitPeriods,
    dynamics: Dynamics,
    effects: Floats,
    spread: Floats,
    unrest: Floats,
    draws: Draws,
    idle: Flags | None = None,
) -> Track:
    """Simulate all unit-periods, age by age.

    Parameters
    ----------
    effects : array, one per unit-period
        Added to the latent sizes.
    spread : array, one per unit-period
        What the spread of latent sizes is multiplied by.
    unrest : array, one per unit-period
        What the scale of shocks is multiplied by.
    idle : bool array, optional
        Which unit-periods are in the zero state; simulated too if not given.

    Returns
    -------
    Track
        Latent sizes as they are reported, and who is in the zero state.
    """
    d = dynamics
    rest = _transitory(d)
    shock = shock_scale(d) * unrest * draws.shock
    blip = np.sqrt(d.blip) * draws.blip
    size, zero = np.empty(len(unit_periods)), np.zeros(len(unit_periods), dtype=bool)
    jumps, repeats = d.jump * draws.jump, draws.repeat < d.repeat
    counts, starts = unit_periods.counts.tolist(), unit_periods.starts.tolist()
    first = slice(0, unit_periods.order.size)
    permanent = np.sqrt(d.permanent) * draws.permanent
    deviation = np.sqrt(rest) * draws.shock[first]
    # Jumps add up over the years; sizes keep a spread near 1 all the same.
    wide = spread / np.sqrt(1.0 + JUMP_RATE * d.jump**2 * unit_periods.age.mean())
    size[first] = underneath = wide[first] * (permanent + deviation + blip[first]) + effects[first]
    zero[first] = draws.idle[first] < np.where(unit_periods.stock[first], d.stock_idle, d.born_idle)
    for age, many in enumerate(counts[1:], 1):
        now, before = slice(starts[age], starts[age + 1]), slice(starts[age - 1], starts[age - 1] + many)
        bounded = np.maximum(np.minimum(underneath[:many], VOLATILITY_RANGE), -VOLATILITY_RANGE)
        permanent = permanent[:many] + jumps[now]
        deviation = d.persistence * deviation[:many] + shock[now] * np.exp(-d.tilt * bounded)
        underneath = wide[now] * (permanent + deviation + blip[now]) + effects[now]
        size[now] = np.where(repeats[now], size[before], underneath)
        if idle is None:
            stay = d.stay if age > 1 else np.where(unit_periods.stock[now], d.stay, d.stay_newborn)
            enter = d.enter * np.exp(-d.enter_slope * bounded)
            moved = draws.idle[now] < np.where(zero[before], stay, enter)
            zero[now] = np.where(repeats[now], zero[before], moved)
    return Track(size, zero if idle is None else idle)


def shock_scale(dynamics: Dynamics) -> float:
    """Return the standard deviation of shocks."""
    return float(np.sqrt(_transitory(dynamics) * (1.0 - dynamics.persistence**2)))


def _transitory(dynamics: Dynamics) -> float:
    return max(1.0 - dynamics.permanent - dynamics.blip, 1e-6)
