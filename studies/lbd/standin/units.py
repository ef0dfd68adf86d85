"""The active establishments of a made-up industry, and what happens to them in a year: exit, shock, a March off.

An establishment's log size is a level common to all + permanent + deviation; the deviation is an AR(1) with
Laplace shocks, which gives growth rates their tent shape. Sizes are heavy-tailed through the exponential upper
tail of the permanent part.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from studies.lbd.standin.profile import YOUTH, Profile
from studies.lbd.standin.variants import Variant

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_PERSISTENCE = 0.75
_STOCK_AGE = 8.0
_EXIT_ELASTICITY = 0.15  # the small leave more often
_IDLE_ENTER, _IDLE_ELASTICITY = 0.088, 0.7  # a March without staff is rarer among the large
_IDLE_STAY, _IDLE_STAY_NEWBORN = 0.6, 0.25
_WAGE_SPREAD = 0.4
_MULTI_UNIT = (-1.75, 1.0)  # logit of belonging to a larger firm: constant, and slope on permanent size


@dataclass
class Units:
    """Active establishments, one array entry each; `idle` ones have no staff in March of the current year."""

    slot: NDArray[np.int64]
    permanent: Floats
    deviation: Floats
    age: Floats
    wage: Floats
    employees: Floats
    idle: Flags

    def __len__(self) -> int:
        """Count them."""
        return len(self.slot)

    def keep(self, chosen: Flags) -> Units:
        """Give those that are chosen."""
        return Units(*(getattr(self, field.name)[chosen] for field in fields(self)))

    def join(self, others: Units) -> Units:
        """Put two groups together."""
        pairs = ((getattr(self, field.name), getattr(others, field.name)) for field in fields(self))
        return Units(*(np.concatenate(pair) for pair in pairs))

    def weights(self) -> Floats:
        """Size relative to the level of the year."""
        return np.exp(self.permanent + self.deviation)


def laplace(rng: np.random.Generator, n: int) -> Floats:
    """Draw from the Laplace law of scale 1 (faster than the generator's own method)."""
    size = rng.standard_exponential(n)
    return np.copysign(size, rng.random(n) - 0.5)


def persistence(profile: Profile, variant: Variant) -> float:
    """Give the AR(1) coefficient: without a permanent part, the one that keeps the spread of sizes."""
    if variant.permanent:
        return _PERSISTENCE
    total = profile.spread**2 + profile.tail**2 + _settled(profile.shock)
    return float(np.sqrt(1 - 2 * (variant.shock * profile.shock) ** 2 / total))


def _settled(shock: float) -> float:
    """Variance of the deviations in the long run."""
    return 2 * shock**2 / (1 - _PERSISTENCE**2)


def _permanent_spread(profile: Profile, variant: Variant) -> float:
    """Give the permanent part what spread the shocks lose in a variant, so that sizes keep theirs."""
    jumps = _STOCK_AGE * variant.jump_rate * variant.jump**2
    lost = _settled(profile.shock) - _settled(profile.shock * variant.shock) - jumps
    return float(np.sqrt(profile.spread**2 + max(lost, 0.0)))


def draw_units(
    profile: Profile, variant: Variant, slots: NDArray[np.int64], rng: np.random.Generator
) -> tuple[Units, NDArray[np.int64]]:
    """Draw newcomers of age 0 with settled deviations, and whether each belongs to a larger firm."""
    n = len(slots)
    normal = rng.standard_normal(n)
    permanent = _permanent_spread(profile, variant) * normal + profile.tail * rng.standard_exponential(n)
    shock = profile.shock * min(variant.shock, 1.0)
    deviation = np.sqrt(_settled(shock) / 2) * laplace(rng, n)
    constant, slope = _MULTI_UNIT
    multi_unit = rng.logistic(size=n) < constant + slope * normal
    if not variant.permanent:
        permanent, deviation = np.zeros(n), permanent - profile.tail + deviation
    wage = np.exp(_WAGE_SPREAD * rng.standard_normal(n))
    units = Units(slots, permanent, deviation, np.zeros(n), wage, np.zeros(n), np.zeros(n, bool))
    return units, multi_unit.astype(np.int64)


def age_stock(units: Units, rng: np.random.Generator) -> None:
    """Give the establishments of the first year the ages of an industry that has been there for long."""
    units.age = np.floor(_STOCK_AGE * rng.standard_exponential(len(units)))


def choose_stayers(units: Units, exits: int, rng: np.random.Generator) -> Flags:
    """Choose exactly so many to leave, the young and the small more often; true for those that stay."""
    hazard = (1 + np.exp(-units.age / YOUTH)) * (1 + units.employees) ** -_EXIT_ELASTICITY
    # The smallest of exponential times with these rates are a draw without replacement.
    times = rng.standard_exponential(len(units)) / hazard
    stays = np.ones(len(units), bool)
    if exits:
        stays[np.argpartition(times, exits - 1)[:exits]] = False
    return stays


def idle_chance(employees: Floats) -> Floats:
    """Give the long-run chance of a March without staff."""
    enter = _idle_entry(employees)
    return enter / (enter + 1 - _IDLE_STAY)


def _idle_entry(employees: Floats) -> Floats:
    chance: Floats = _IDLE_ENTER * np.maximum(employees, 1) ** -_IDLE_ELASTICITY
    return chance


def move(units: Units, profile: Profile, variant: Variant, unrest: float, rng: np.random.Generator) -> Floats:
    """Move all by one year: age, shock, jump, whether there is staff in March.

    Returns the employees of those that report last year's number again, NaN for the others.
    """
    n = len(units)
    scale: float | Floats = profile.shock * variant.shock * unrest
    if variant.state_volatility:
        scale = scale * _volatility(units)
    units.deviation = persistence(profile, variant) * units.deviation + scale * laplace(rng, n)
    if variant.jump_rate:
        jumps = np.flatnonzero(rng.random(n) < variant.jump_rate)
        units.permanent[jumps] += np.copysign(variant.jump, rng.random(len(jumps)) - 0.5)
    stay = np.where(units.age < 1, _IDLE_STAY_NEWBORN, _IDLE_STAY)
    idle = rng.random(n) < np.where(units.idle, stay, _idle_entry(units.employees))
    units.age = units.age + 1
    repeats = rng.random(n) < variant.repeat
    units.idle = np.where(repeats, units.idle, idle)
    return np.where(repeats, units.employees, np.nan)


def _volatility(units: Units) -> Floats:
    """Give factors of mean near 1 that fall with size and age."""
    factor = (1 + units.employees) ** -0.25 * (1 + np.exp(-units.age / 4))
    # Above this, shocks to the smallest would have tails without a mean.
    volatility: Floats = np.minimum(factor / factor.mean(), 1.6) if len(units) else factor
    return volatility
