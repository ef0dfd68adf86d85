"""Histories of a made-up industry: who is there in which year, with how many employees and what payroll.

Each year, the level common to all is solved so that continuers create, net, as many jobs as the targets say;
births start a gap below the size they are heading for, solved so that gross employment meets its target.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quantail.datasets.lbd_profile import Profile, establishment_flows
from quantail.datasets.lbd_targets import FIRST_YEAR, GROSS_EMPLOYMENT, JOB_CREATION, NET_CREATION, YEARS
from quantail.datasets.lbd_units import Floats, Units, age_stock, choose_stayers, draw_units, laplace, move
from quantail.datasets.lbd_variants import Variant

_IDLE_AT_BIRTH = 0.22  # paid somebody in the year, but were born after March 12
_IDLE_IN_STOCK = 0.10
_GAP = (0.0, 2.0)  # log points by which births may start below their own size
_LEVEL_STEP = 0.6  # the most a level may move in a year: small industries must not chase their target
_TOLERANCE = 2e-4
_STEPS = 40
_UNREST = 1.3  # elasticity of the shocks' scale to the reallocation of jobs in the year
_IDLE_PAY = 0.3  # payroll of a year without staff in March, as a share of what the size would pay
_PAY_NOISE = 0.1
_SIZE_PREMIUM = 0.04


@dataclass(frozen=True)
class Histories:
    """Years of entry and exit, and arrays (year, establishment) that count where the establishment is active."""

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    multi_unit: NDArray[np.int64]
    employees: NDArray[np.int64]
    pay: NDArray[np.int64]


def simulate_histories(
    profile: Profile, establishments: int, variant: Variant, rng: np.random.Generator
) -> Histories:
    """Simulate an industry with so many establishments ever seen, year by year."""
    flows = establishment_flows(profile, establishments)
    newcomers = np.split(rng.permutation(establishments), np.cumsum(flows.entries)[:-1])
    first, last, multi_unit = (np.zeros(establishments, np.int64) for _ in range(3))
    employees, pay = (np.zeros((len(YEARS), establishments), np.int64) for _ in range(2))
    gross = np.array(profile.gross) * (establishments / profile.sample_size)
    net, unrest, wages = _net_creation(profile), _unrest(), np.geomspace(*profile.wage, len(YEARS))
    units, level = None, 0.0
    for t, slots in enumerate(newcomers):
        births, multi_unit[slots] = draw_units(profile, variant, slots, rng)
        if units is None:
            units, level = births, _open(births, gross[t], rng)
        else:
            units = units.keep(choose_stayers(units, int(flows.exits[t]), rng))
            fixed = move(units, profile, variant, unrest[t - 1], rng)
            level = _staff_year(units, births, fixed, gross[t], net[t - 1], level, rng)
            units = units.join(births)
        first[slots] = FIRST_YEAR + t
        last[units.slot] = FIRST_YEAR + t
        employees[t, units.slot] = units.employees
        pay[t, units.slot] = _payroll(units, level, wages[t], rng)
    return Histories(first, last, multi_unit, employees, pay)


def _net_creation(profile: Profile) -> Floats:
    """Aim at a net creation of continuers for 1977-2000, as a share of the mean employment of both years.

    Employment grows by what continuers create, less the surplus of exits over births. That surplus varies over
    the years as it does in the four industries together, around the industry's own mean.
    """
    pooled = np.sum(list(GROSS_EMPLOYMENT.values()), axis=0)
    surplus = np.array(NET_CREATION) / 100 - _growth(pooled)
    return _growth(np.array(profile.gross)) + profile.exit_surplus + surplus - surplus.mean()


def _growth(total: NDArray[np.generic]) -> Floats:
    total = total.astype(np.float64)
    return 2 * np.diff(total) / (total[1:] + total[:-1])


def _unrest() -> Floats:
    """Give factors on the shocks of 1977-2000: half the reallocation rate is job creation less half of net."""
    reallocation = np.array(JOB_CREATION) - np.array(NET_CREATION) / 2
    return (reallocation / reallocation.mean()) ** _UNREST


def _open(units: Units, gross: float, rng: np.random.Generator) -> float:
    """Staff the stock of the first year and give its level."""
    age_stock(units, rng)
    units.idle = rng.random(len(units)) < _IDLE_IN_STOCK
    start = float(np.log(gross / max(units.weights().sum(), 1.0)))
    return _staff(units, _none_fixed(units), gross, start, reach=3.0)


def _staff_year(
    units: Units,
    births: Units,
    fixed: Floats,
    gross: float,
    net: float,
    level: float,
    rng: np.random.Generator,
) -> float:
    """Staff continuers and births, and give the level of the year."""
    aim = units.employees.sum() * (2 + net) / (2 - net)
    level = _staff(units, fixed, aim, level)
    births.idle = rng.random(len(births)) < _IDLE_AT_BIRTH
    born = gross - units.employees.sum()
    low, high = level - _GAP[1], level - _GAP[0]
    start = _staff(births, _none_fixed(births), born, (low + high) / 2, reach=(high - low) / 2)
    births.deviation -= level - start
    # Where no gap within reason brings births to their target, the level of the continuers gives way.
    rest = gross - births.employees.sum()
    return (
        level if abs(rest - units.employees.sum()) < _TOLERANCE * gross else _staff(units, fixed, rest, level)
    )


def _none_fixed(units: Units) -> Floats:
    return np.full(len(units), np.nan)


def _staff(units: Units, fixed: Floats, aim: float, start: float, reach: float = _LEVEL_STEP) -> float:
    """Solve the level at which employees add up to `aim`, set them, and give the level.

    Employees are whole numbers and at least 1, unless idle (0) or fixed (a number given). The level stays
    within `reach` of `start`.
    """
    free = np.isnan(fixed) & ~units.idle
    weights = units.weights()[free]
    aim -= np.nansum(fixed)
    level, best, low, high = start, start, start - reach, start + reach
    miss = np.inf
    for _ in range(_STEPS):
        total = np.maximum(np.rint(weights * np.exp(level)), 1.0).sum()
        if abs(total - aim) < miss:
            miss, best = abs(total - aim), level
        if miss <= _TOLERANCE * abs(aim) or high - low < _TOLERANCE:
            break
        low, high = (level, high) if total < aim else (low, level)
        guess = level + np.log(max(aim, 1.0) / max(total, 1.0))
        level = float(guess) if low < guess < high else (low + high) / 2
    units.employees = np.where(np.isnan(fixed), 0.0, fixed)
    units.employees[free] = np.maximum(np.rint(weights * np.exp(best)), 1.0)
    return best


def _payroll(units: Units, level: float, wage: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Pay in thousand dollars: staff x wage level x the establishment's wage x noise; a bit more if large."""
    staff = units.employees.copy()
    staff[units.idle] = _IDLE_PAY * np.exp(level) * units.weights()[units.idle]
    noise = np.exp(_PAY_NOISE * laplace(rng, len(units)))
    return np.maximum(np.rint(wage * units.wage * noise * staff ** (1 + _SIZE_PREMIUM)), 1).astype(np.int64)
