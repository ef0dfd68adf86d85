"""The stand-in panel: exact sizes, sound histories, and the published trends it is calibrated to."""

from functools import cache

import numpy as np
import pytest

from quantail.errors import OptionError
from studies.lbd.standin import LBD_INDUSTRIES, LBD_VARIANTS, lbd_industry, lbd_long
from studies.lbd.standin.targets import (
    GROSS_EMPLOYMENT,
    JOB_CREATION,
    NET_CREATION,
    SAMPLE_SIZES,
    SIZE_SHARES,
    YEARS,
    ZERO_SHARE,
)


@cache
def industry(sic, seed=0, variant="synlbd"):
    return lbd_industry(sic, seed, variant)


@cache
def cells(name, sic, variant="synlbd"):
    """Year by establishment, NaN where inactive."""
    table = industry(sic, variant=variant)
    return np.stack([table[f"{name}_{year}"].to_numpy().astype(float) for year in YEARS])


@cache
def growth(sic, variant="synlbd"):
    """Log growth of those that stay positive, with their size in the year before."""
    before, after = cells("emp", sic, variant)[:-1], cells("emp", sic, variant)[1:]
    kept = (before > 0) & (after > 0)
    return np.log(after[kept] / before[kept]), before[kept]


def excess_kurtosis(values):
    centred = values - values.mean()
    return (centred**4).mean() / centred.var() ** 2 - 3


def creation(variant="synlbd"):
    """Job creation and net creation of continuers in percent, four industries together."""
    gained = net = mean = 0.0
    for sic in LBD_INDUSTRIES:
        before, after = cells("emp", sic, variant)[:-1], cells("emp", sic, variant)[1:]
        gained = gained + np.nansum(np.maximum(after - before, 0), axis=1)
        net = net + np.nansum(after - before, axis=1)
        mean = mean + np.nansum((after + before) / 2, axis=1)
    return 100 * gained / mean, 100 * net / mean


@pytest.mark.parametrize("sic", LBD_INDUSTRIES)
@pytest.mark.parametrize("variant", LBD_VARIANTS)
def test_sample_sizes_are_exact_and_gross_employment_follows_the_curve(sic, variant):
    table = industry(sic, variant=variant)
    assert table.num_rows == SAMPLE_SIZES[sic] == len(table["lbdnum"].unique())
    gross = np.nansum(cells("emp", sic, variant), axis=1)
    assert np.abs(gross / GROSS_EMPLOYMENT[sic] - 1).max() < 0.02


@pytest.mark.parametrize("variant", ["synlbd", "sticky", "jumps"])
def test_cells_are_null_exactly_outside_the_active_years(variant):
    table = industry(239, variant=variant)
    first, last = table["firstyear"].to_numpy(), table["lastyear"].to_numpy()
    assert first.min() == 1976 and last.max() == 2000 and (first <= last).all()
    for name in ("emp", "pay"):
        for year in YEARS:
            present = ~table[f"{name}_{year}"].is_null().to_numpy()
            assert np.array_equal(present, (first <= year) & (year <= last))


def test_employment_and_pay_are_whole_numbers_and_pay_is_positive():
    table = industry(178)
    for year in YEARS:
        assert str(table[f"emp_{year}"].type) == str(table[f"pay_{year}"].type) == "int64"
    assert np.nanmin(cells("emp", 178)) == 0 and np.nanmin(cells("pay", 178)) >= 1
    assert set(table["mu"].to_pylist()) == {0, 1}


def test_job_creation_and_net_creation_follow_the_published_rates():
    gained, net = creation()
    assert np.abs(gained - JOB_CREATION).max() < 3 and np.abs(gained - JOB_CREATION).mean() < 1
    assert np.abs(net - NET_CREATION).max() < 2 and np.abs(net - NET_CREATION).mean() < 0.7


def test_growth_is_tent_shaped_and_persistent():
    moves = np.concatenate([growth(sic)[0] for sic in LBD_INDUSTRIES])
    assert 0.48 < moves.std() < 0.58
    assert 1.5 < excess_kurtosis(moves) < 3.5  # 0 for a normal law
    assert 0.24 < (moves == 0).mean() < 0.36
    before = np.log(np.concatenate([growth(sic)[1] for sic in LBD_INDUSTRIES]))
    assert 0.88 < np.corrcoef(before, before + moves)[0, 1] < 0.94


def test_sizes_are_heavy_tailed_and_mostly_small():
    for sic, shares in SIZE_SHARES.items():
        sizes = cells("emp", sic)[YEARS.index(1994)]
        sizes = sizes[~np.isnan(sizes)]
        # The sector's share; the industry itself may be of smaller shops (meat markets are).
        assert abs((sizes <= 4).mean() - shares[0]) < (0.25 if sic == 542 else 0.09)
        assert np.quantile(sizes, 0.999) > 10 * np.quantile(sizes, 0.5) + 20
    year = np.concatenate([cells("emp", sic)[YEARS.index(1995)] for sic in LBD_INDUSTRIES])
    assert abs((year[~np.isnan(year)] == 0).mean() - ZERO_SHARE) < 0.015


@pytest.mark.parametrize("sic", LBD_INDUSTRIES)
def test_births_start_small_and_grow(sic):
    first = industry(sic)["firstyear"].to_numpy()
    sizes = cells("emp", sic)
    at_birth, later, others = [], [], []
    for t in range(1, len(YEARS) - 4):
        born = first == YEARS[t]
        stays = born & (sizes[t] > 0) & (sizes[t + 4] > 0)
        at_birth.append(np.log(sizes[t, stays]).mean())
        later.append(np.log(sizes[t + 4, stays]).mean())
        others.append(np.log(sizes[t, (first < YEARS[t]) & (sizes[t] > 0)]).mean())
    assert np.mean(at_birth) < np.mean(others) - 0.25
    assert np.mean(later) > np.mean(at_birth) + 0.2


def test_the_small_and_the_young_leave_more_often():
    first, last = industry(829)["firstyear"].to_numpy(), industry(829)["lastyear"].to_numpy()
    sizes = cells("emp", 829)
    leaves, size, age = [], [], []
    for t in range(10, len(YEARS) - 1):
        active = ~np.isnan(sizes[t])
        leaves.append(last[active] == YEARS[t])
        size.append(sizes[t, active])
        age.append(YEARS[t] - first[active])
    leaves, size, age = (np.concatenate(parts) for parts in (leaves, size, age))
    assert leaves[age <= 1].mean() > 1.3 * leaves[age >= 8].mean()
    old = age >= 5
    assert leaves[old & (size <= 4)].mean() > 1.15 * leaves[old & (size >= 20)].mean()


def test_pay_follows_employment_and_wages_rise():
    employees, pay = cells("emp", 239), cells("pay", 239)
    for t in (0, 24):
        kept = employees[t] > 0
        assert np.corrcoef(np.log(employees[t, kept]), np.log(pay[t, kept]))[0, 1] > 0.9
    wages = np.nansum(pay, axis=1) / np.nansum(employees, axis=1)
    assert 6 < wages[0] < 13 and 15 < wages[-1] < 35


def test_the_same_seed_gives_the_same_table_and_another_does_not():
    assert lbd_industry(178, 5).equals(lbd_industry(178, 5))
    assert not lbd_industry(178, 5).equals(industry(178))


def test_long_holds_the_same_cells_as_wide():
    wide, long = industry(178), lbd_long(178)
    assert long.column_names == ["lbdnum", "sic3", "firstyear", "lastyear", "mu", "year", "emp", "pay"]
    spans = wide["lastyear"].to_numpy() - wide["firstyear"].to_numpy() + 1
    assert long.num_rows == spans.sum()
    row = {number: i for i, number in enumerate(wide["lbdnum"].to_pylist())}
    at = np.array([row[number] for number in long["lbdnum"].to_pylist()])
    year = long["year"].to_numpy() - YEARS[0]
    for name in ("emp", "pay"):
        assert np.array_equal(cells(name, 178)[year, at], long[name].to_numpy())


def test_variants_differ_as_stated():
    default = growth(239)[0]
    assert growth(239, "low-volatility")[0].std() < 0.55 * default.std()
    unchanged = (growth(239, "sticky")[0] == 0).mean()
    assert abs(unchanged - (0.3 + 0.7 * (default == 0).mean())) < 0.03
    assert excess_kurtosis(growth(239, "jumps")[0]) > excess_kurtosis(default) + 0.7
    assert fall_with_size("state-volatility") > 1.15 * fall_with_size("synlbd")


def fall_with_size(variant):
    moves, size = growth(239, variant)
    return moves[(size > 20) & (size <= 50)].std() / moves[size > 200].std()


def test_without_a_permanent_part_old_sizes_are_forgotten():
    # A permanent part keeps sizes correlated over twenty years; a pure AR(1) decays geometrically.
    assert decay("no-permanent") < 0.9 * decay("synlbd")


def decay(variant):
    """Correlation of log sizes at lag 20 relative to what lag 1 would give if it decayed geometrically."""
    sizes = np.log(np.where(cells("emp", 239, variant) > 0, cells("emp", 239, variant), np.nan))
    at = {}
    for lag in (4, 20):
        before, after = sizes[:-lag].ravel(), sizes[lag:].ravel()
        kept = ~np.isnan(before) & ~np.isnan(after)
        at[lag] = np.corrcoef(before[kept], after[kept])[0, 1]
    return at[20] / at[4]


def test_wrong_options_are_refused():
    with pytest.raises(OptionError, match="178"):
        lbd_industry(100)
    with pytest.raises(OptionError, match="low-volatility"):
        lbd_industry(178, variant="calm")
    with pytest.raises(OptionError, match="seed"):
        lbd_industry(178, seed=-1)
