"""The parameters of one industry of the stand-in panel, and the four industries of the paper.

An industry's numbers of entrants and exits follow from its number of active establishments (log-linear from
the first to the last year) and the number ever seen. An establishment of age a leaves with a hazard
proportional to 1 + exp(-a/3); the factor is solved so that the number ever seen comes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from studies.lbd.standin.targets import GROSS_EMPLOYMENT, SAMPLE_SIZES, YEARS

YOUTH = 3.0  # years in which the extra hazard of the young falls to 1/e
_STOCK_AGE = 8.0  # mean age in the first year
_OLDEST = 60
_BISECTIONS = 60


@dataclass(frozen=True)
class Profile:
    """What shapes an industry.

    Attributes
    ----------
    sample_size : int
        Establishments ever seen.
    active : tuple of float
        Active establishments in the first and the last year.
    gross : tuple of float
        Employment of all active establishments, by year.
    spread, tail : float
        Standard deviation of the normal part and mean of the exponential part of the permanent log size.
    shock : float
        Scale of the Laplace shocks to log size.
    exit_surplus : float
        Employment lost by exits minus that gained by births, share of employment, mean over the years.
    largest : float
        The most employees that one establishment may have.
    wage : tuple of float
        Yearly pay per employee in thousand dollars, first and last year.
    """

    sample_size: int
    active: tuple[float, float]
    gross: tuple[float, ...]
    spread: float
    tail: float
    shock: float
    exit_surplus: float
    largest: float
    wage: tuple[float, float]


_ACTIVE = {178: (3200.0, 3700.0), 239: (7600.0, 7400.0), 542: (13000.0, 8000.0), 829: (5000.0, 16500.0)}
_LARGEST = {178: 600.0, 239: 5000.0, 542: 800.0, 829: 3000.0}
_WAGE = {178: (9.5, 26.0), 239: (7.5, 21.0), 542: (6.0, 15.0), 829: (7.0, 24.0)}


def _paper_profile(sic: int, spread: float, tail: float, shock: float, exit_surplus: float) -> Profile:
    return Profile(
        sample_size=SAMPLE_SIZES[sic],
        active=_ACTIVE[sic],
        gross=GROSS_EMPLOYMENT[sic],
        spread=spread,
        tail=tail,
        shock=shock,
        exit_surplus=exit_surplus,
        largest=_LARGEST[sic],
        wage=_WAGE[sic],
    )


LBD_PROFILES = {
    178: _paper_profile(178, spread=0.65, tail=0.30, shock=0.365, exit_surplus=0.035),
    239: _paper_profile(239, spread=1.10, tail=0.35, shock=0.365, exit_surplus=0.043),
    542: _paper_profile(542, spread=0.60, tail=0.30, shock=0.365, exit_surplus=0.050),
    829: _paper_profile(829, spread=0.90, tail=0.35, shock=0.365, exit_surplus=0.016),
}


@dataclass(frozen=True)
class Flows:
    """Whole numbers of establishments that enter in each year, and that leave between the year before and it."""

    entries: NDArray[np.int64]
    exits: NDArray[np.int64]


def establishment_flows(profile: Profile, establishments: int) -> Flows:
    """Scale the flows of a profile to a number of establishments, which the entries then add up to exactly.

    Examples
    --------
    >>> int(establishment_flows(LBD_PROFILES[178], 20).entries.sum())
    20
    """
    entering, leaving = _expected_flows(profile.sample_size, profile.active)
    scale = establishments / profile.sample_size
    entered = np.rint(np.cumsum(entering) * scale).astype(np.int64)
    entered[-1] = establishments
    left = np.rint(np.cumsum(leaving) * scale).astype(np.int64)
    # Nobody can leave before entering, whatever the rounding of a small industry does.
    left[1:] = np.maximum.accumulate(np.minimum(left[1:], entered[:-1]))
    left[0] = 0
    return Flows(np.diff(entered, prepend=0), np.diff(left, prepend=0))


@cache
def _expected_flows(
    sample_size: int, active: tuple[float, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Solve the hazard by bisection so that stock and births add up to the sample size."""
    stocks = np.geomspace(*active, len(YEARS))
    low, high = 0.0, 0.5
    for _ in range(_BISECTIONS):
        hazard = (low + high) / 2
        entering, leaving = _run_cohorts(stocks, hazard)
        low, high = (hazard, high) if entering.sum() < sample_size else (low, hazard)
    return entering, leaving


def _run_cohorts(
    stocks: NDArray[np.float64], hazard: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ages = np.arange(_OLDEST)
    rates = hazard * (1.0 + np.exp(-ages / YOUTH))
    by_age = np.exp(-ages / _STOCK_AGE)
    by_age *= stocks[0] / by_age.sum()
    entering, leaving = stocks[:1].tolist(), [0.0]
    for stock in stocks[1:]:
        exits = by_age * rates
        by_age -= exits
        by_age[-2] += by_age[-1]  # the oldest class is open
        by_age = np.roll(by_age, 1)
        by_age[0] = 0.0
        by_age[0] = stock - by_age.sum()
        entering.append(by_age[0])
        leaving.append(exits.sum())
    return np.array(entering), np.array(leaving)
