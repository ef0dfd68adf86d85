"""Ten yearly appends on the stand-in for the LBD, at epsilon 2 in all, beside one release at epsilon 2."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail.panel import PanelSynthesizer, PeriodSynthesizer
from quantail.schema import Panel
from studies.lbd.runner import lbd_schema
from studies.lbd.standin import lbd_industry

FIRST, BEFORE, LAST = 1976, 1990, 2000


def schema_to(end):
    return replace(lbd_schema(), panel=Panel("lbdnum", start=FIRST, end=end))


def sizes(table, first, last):
    return np.column_stack([np.array(table[f"emp_{year}"], float) for year in range(first, last + 1)])


def upto(table, end):
    kept = (~np.isnan(sizes(table, FIRST, end))).any(axis=1)
    return table.select(["lbdnum", *(f"emp_{year}" for year in range(FIRST, end + 1))]).filter(pa.array(kept))


def rates(table, last):
    """Return entry and exit rates in percent and totals, of the years after the first release."""
    values = sizes(table, BEFORE, last)
    there = ~np.isnan(values)
    before, now = there[:, :-1], there[:, 1:]
    entry = 100 * (now & ~before).sum(axis=0) / now.sum(axis=0)
    exit_ = 100 * (before & ~now).sum(axis=0) / before.sum(axis=0)
    return entry, exit_, np.nansum(values[:, 1:], axis=0)


def appended(table, seed, last):
    """Return a synthetic panel that was released once, and continued year by year."""
    made = PanelSynthesizer(schema_to(BEFORE), 1, noise="simulated", seed=seed).fit(upto(table, BEFORE))
    panel = made.sample(seed=seed)
    for year in range(BEFORE + 1, last + 1):
        noise = {"noise": "simulated", "seed": 100 * seed + year}
        panel = PeriodSynthesizer(schema_to(year), "1/10", panel, **noise).fit(upto(table, year)).sample()
    return panel


def errors(table, made, last):
    """Return mistakes by year: points of entry and exit, and percent of totals."""
    (entry, exit_, total), found = rates(table, last), rates(made, last)
    return np.abs(found[0] - entry), np.abs(found[1] - exit_), 100 * np.abs(found[2] / total - 1)


def test_two_appended_years_have_rates_within_a_point():
    table, last = lbd_industry(178, 1), BEFORE + 2
    entry, exit_, total = errors(table, appended(table, 1, last), last)
    assert entry.mean() < 1 and exit_.mean() < 1 and total.mean() < 15


@pytest.mark.slow
@pytest.mark.parametrize("industry", [178, 542])
def test_ten_appended_years_cost_what_one_release_does_and_are_as_good(industry):
    table, years, at_once = lbd_industry(industry, 1), [], []
    for seed in (1, 2, 3):
        whole = PanelSynthesizer(schema_to(LAST), 2, noise="simulated", seed=seed).fit(upto(table, LAST))
        years.append(errors(table, appended(table, seed, LAST), LAST))
        at_once.append(errors(table, whole.sample(seed=seed), LAST)[2])
    entry, exit_, total = np.mean(years, axis=0)
    assert entry.max() < 1 and exit_.max() < 1  # every year
    assert total.mean() < 1.7 * np.mean(at_once)
