"""A stand-in for the Synthetic Longitudinal Business Database (SynLBD): every establishment is made up.

The panels have the file's layout and size and follow the trends published for it; see docs/lbd-stand-in.md.
Wide tables have one row per establishment and columns emp_1976..emp_2000 (employees on March 12) and
pay_1976..pay_2000 (yearly payroll in thousand dollars), null in the years in which it is not active.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from quantail.errors import OptionError
from studies.lbd.standin.history import Histories, simulate_histories
from studies.lbd.standin.profile import LBD_PROFILES, Profile
from studies.lbd.standin.targets import YEARS
from studies.lbd.standin.variants import find_variant

_NUMBERS = 10_000_000  # identifiers per industry


def lbd_industry(sic: int, seed: int = 0, variant: str = "synlbd") -> pa.Table:
    """Make up one of the paper's four industries, one row per establishment.

    Parameters
    ----------
    sic : int
        178, 239, 542 or 829.
    seed : int
        The same seed, industry and variant always give the same table.
    variant : str
        How sizes move: a key of `LBD_VARIANTS`.

    Returns
    -------
    pyarrow.Table
        Columns lbdnum, sic3, firstyear, lastyear (the last active year; 2000 may be censored), mu (1 if part of
        a larger firm), emp_1976..emp_2000, pay_1976..pay_2000.

    Examples
    --------
    >>> lbd_industry(178).num_rows
    10975
    """
    if sic not in LBD_PROFILES:
        known = ", ".join(str(code) for code in LBD_PROFILES)
        raise OptionError(f"lbd_industry: sic must be one of {known}; use lbd_panel for other industries.")
    profile = LBD_PROFILES[sic]
    return industry_table(sic, profile, profile.sample_size, variant, (seed, sic))


def lbd_long(sic: int, seed: int = 0, variant: str = "synlbd") -> pa.Table:
    """Make up the same industry as `lbd_industry`, one row per establishment and active year.

    Columns lbdnum, sic3, firstyear, lastyear, mu, year, emp, pay; sorted by establishment, then year.
    """
    return lengthen(lbd_industry(sic, seed, variant))


def industry_table(
    sic: int, profile: Profile, establishments: int, variant: str, key: tuple[int, ...], offset: int = 0
) -> pa.Table:
    """Simulate an industry from its own random stream and lay it out wide; numbering starts after `offset`."""
    if min(key) < 0:
        raise OptionError("seed must not be negative; give 0 or any positive whole number.")
    rng = np.random.Generator(np.random.SFC64(np.random.SeedSequence(key)))
    histories = simulate_histories(profile, establishments, find_variant(variant), rng)
    columns = {
        "lbdnum": sic * _NUMBERS + offset + np.arange(1, establishments + 1),
        "sic3": np.full(establishments, sic),
        "firstyear": histories.first,
        "lastyear": histories.last,
        "mu": histories.multi_unit,
    }
    return pa.table({**columns, **_year_columns(histories)})


def _year_columns(histories: Histories) -> dict[str, pa.Array]:
    absent = [(year < histories.first) | (year > histories.last) for year in YEARS]
    return {
        f"{name}_{year}": pa.array(values[t], mask=absent[t])
        for name, values in (("emp", histories.employees), ("pay", histories.pay))
        for t, year in enumerate(YEARS)
    }


def lengthen(wide: pa.Table) -> pa.Table:
    """Turn a wide panel into one row per establishment and active year."""
    first, last = wide["firstyear"].to_numpy(), wide["lastyear"].to_numpy()
    unit = np.repeat(np.arange(wide.num_rows), last - first + 1)
    starts = np.cumsum(last - first + 1) - (last - first + 1)
    year = first[unit] + np.arange(len(unit)) - starts[unit]
    columns = {
        name: wide[name].to_numpy()[unit] for name in ("lbdnum", "sic3", "firstyear", "lastyear", "mu")
    }
    columns["year"] = year
    for name in ("emp", "pay"):
        cells = np.stack([wide[f"{name}_{y}"].fill_null(0).to_numpy() for y in YEARS])
        columns[name] = cells[year - YEARS[0], unit]
    return pa.table(columns)
