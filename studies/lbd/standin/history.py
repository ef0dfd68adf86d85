"""Histories of a made-up industry: who is there in which year, with how many employees and what payroll.

Each year, the level common to all is solved so that continuers create, net, as many jobs as the targets say;
births start a gap below the size they are heading for, solved so that gross employment meets its target.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studies.lbd.standin.level import TOLERANCE, solve_level, whole_staff
from studies.lbd.standin.profile import Profile, establishment_flows
from studies.lbd.standin.targets import FIRST_YEAR, GROSS_EMPLOYMENT, JOB_CREATION, NET_CREATION, YEARS
from studies.lbd.standin.units import (
    Floats,
    Units,
    age_stock,
    choose_stayers,
    draw_units,
    idle_chance,
    laplace,
    move,
)
from studies.lbd.standin.variants import Variant

_IDLE_AT_BIRTH = 0.22  # paid somebody in the year, but were born after March 12
_LARGEST_GAP = 2.0  # log points by which births may start below their own size, at most
_LEVEL_STEP = 0.6  # the most a level may move in a year: small industries must not chase their target
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


@dataclass(frozen=True)
class _Aim:
    """What a year should come to: employment in all, net creation of continuers, employees at most."""

    gross: float
    net: float
    largest: float


def simulate_histories(
    profile: Profile, establishments: int, variant: Variant, rng: np.random.Generator
) -> Histories:
    """Simulate an industry with so many establishments ever seen, year by year."""
    flows = establishment_flows(profile, establishments)
    newcomers = np.split(rng.permutation(establishments), np.cumsum(flows.entries)[:-1])
    first, last, multi_unit = (np.zeros(establishments, np.int64) for _ in range(3))
    employees, pay = (np.zeros((len(YEARS), establishments), np.int64) for _ in range(2))
    aims = _yearly_aims(profile, establishments)
    unrest, wages = _unrest(), np.geomspace(*profile.wage, len(YEARS))
    units, level = None, 0.0
    for t, slots in enumerate(newcomers):
        births, multi_unit[slots] = draw_units(profile, variant, slots, rng)
        if units is None:
            units, level = births, _staff_stock(births, aims[t], rng)
        else:
            units = units.keep(choose_stayers(units, int(flows.exits[t]), rng))
            fixed = move(units, profile, variant, unrest[t - 1], rng)
            level = _staff_year(units, births, fixed, aims[t], level, rng)
            units = units.join(births)
        first[slots] = FIRST_YEAR + t
        last[units.slot] = FIRST_YEAR + t
        employees[t, units.slot] = units.employees
        pay[t, units.slot] = _payroll(units, level, wages[t], rng)
    return Histories(first, last, multi_unit, employees, pay)


def _yearly_aims(profile: Profile, establishments: int) -> list[_Aim]:
    scale = establishments / profile.sample_size
    net = [0.0, *_net_creation(profile)]  # the first year has no continuers
    return [_Aim(gross * scale, net[t], profile.largest) for t, gross in enumerate(profile.gross)]


def _net_creation(profile: Profile) -> Floats:
    """Aim at a net creation of continuers for 1977-2000, as a share of the mean employment of both years.

    Employment grows by what continuers create, less the surplus of exits over births. That surplus varies over
    the years as it does in the four industries together, around the industry's own mean.
    """
    pooled = np.array(list(GROSS_EMPLOYMENT.values()), np.float64).sum(axis=0)
    surplus = np.array(NET_CREATION) / 100 - _growth(pooled)
    aim: Floats = _growth(np.array(profile.gross, np.float64)) + profile.exit_surplus + surplus
    aim -= surplus.mean()
    return aim


def _growth(total: Floats) -> Floats:
    growth: Floats = 2 * np.diff(total) / (total[1:] + total[:-1])
    return growth


def _unrest() -> Floats:
    """Give factors on the shocks of 1977-2000: half the reallocation rate is job creation less half of net."""
    reallocation = np.array(JOB_CREATION) - np.array(NET_CREATION) / 2
    factors: Floats = (reallocation / reallocation.mean()) ** _UNREST
    return factors


def _staff_stock(units: Units, aim: _Aim, rng: np.random.Generator) -> float:
    """Staff the stock of the first year and give its level."""
    age_stock(units, rng)
    weights = units.weights()
    start = float(np.log(aim.gross / max(weights.sum(), 1.0)))
    units.idle = rng.random(len(units)) < idle_chance(weights * np.exp(start))
    return _staff(units, _none_fixed(units), aim.gross, start, 3.0, aim.largest)


def _staff_year(
    units: Units, births: Units, fixed: Floats, aim: _Aim, level: float, rng: np.random.Generator
) -> float:
    """Staff continuers and births, and give the level of the year."""
    continuing = units.employees.sum() * (2 + aim.net) / (2 - aim.net)
    level = _staff(units, fixed, continuing, level, _LEVEL_STEP, aim.largest)
    births.idle = rng.random(len(births)) < _IDLE_AT_BIRTH
    born = aim.gross - units.employees.sum()
    reach = _LARGEST_GAP / 2
    start = _staff(births, _none_fixed(births), born, level - reach, reach, aim.largest)
    births.deviation -= level - start
    # Where no gap within reason brings births to their aim, the level of the continuers gives way.
    rest = aim.gross - births.employees.sum()
    if abs(rest - units.employees.sum()) > TOLERANCE * aim.gross:
        level = _staff(units, fixed, rest, level, _LEVEL_STEP, aim.largest)
    return level


def _none_fixed(units: Units) -> Floats:
    return np.full(len(units), np.nan)


def _staff(units: Units, fixed: Floats, aim: float, start: float, reach: float, largest: float) -> float:
    """Set employees so that they add up to `aim` as nearly as they can, and give the level.

    Employees are 0 for the idle, a given number where `fixed`, and solved for the others.
    """
    free = np.isnan(fixed) & ~units.idle
    weights = units.weights()[free]
    level = solve_level(weights, aim - np.nansum(fixed), start, reach, largest)
    units.employees = np.where(np.isnan(fixed), 0.0, fixed)
    units.employees[free] = whole_staff(weights, level, largest)
    return level


def _payroll(units: Units, level: float, wage: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Pay in thousand dollars: staff x wage level x the establishment's wage x noise; a bit more if large."""
    staff = units.employees.copy()
    staff[units.idle] = _IDLE_PAY * np.exp(level) * units.weights()[units.idle]
    noise = np.exp(_PAY_NOISE * laplace(rng, len(units)))
    pay = wage * units.wage * noise * staff ** (1 + _SIZE_PREMIUM)
    return np.maximum(np.rint(pay), 1).astype(np.int64)
