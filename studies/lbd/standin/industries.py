"""Panels of any size: many made-up industries, one bounded piece at a time.

Industries take turns with the shapes of the paper's four, each with a trend of its own; their sizes are
lognormal. Every piece has its own random stream, so an industry does not depend on those before it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.errors import OptionError
from studies.lbd.standin.industry import industry_table, lengthen
from studies.lbd.standin.profile import LBD_PROFILES, Profile
from studies.lbd.standin.targets import YEARS

_FIRST_CODE = 1001  # above every three-digit code: none of these industries exists
_PIECE = 50_000  # establishments simulated together; larger industries are several pieces
_SIZE_SPREAD = 1.0  # standard deviation of the log number of establishments of an industry
_TREND_SPREAD, _YEAR_SPREAD = 0.015, 0.03  # of an industry's own growth: per year for good, and year by year
_STREAM = 1  # keeps these streams apart from those of the paper's industries


def lbd_panel(
    industries: int,
    establishments: int,
    seed: int = 0,
    variant: str = "synlbd",
    layout: str = "wide",
    chunk: int = 100_000,
) -> Iterator[pa.Table]:
    """Make up a panel of many industries and give it in tables of at most `chunk` rows (the last may be shorter).

    The rows are the same whatever the chunk size. Memory is that of one chunk and one piece of 50,000
    establishments. An establishment is active for about eight years on average.

    Parameters
    ----------
    industries, establishments : int
        How many; every industry has at least one establishment.
    seed : int
        Industry k depends on the seed, k, and its number of establishments (see `panel_sizes`) alone.
    variant : str
        How sizes move: a key of `LBD_VARIANTS`.
    layout : str
        "wide" (one row per establishment) or "long" (one row per establishment and active year).
    chunk : int
        Rows per table.

    Examples
    --------
    >>> sum(table.num_rows for table in lbd_panel(3, 500, chunk=200))
    500
    """
    if layout not in ("wide", "long"):
        raise OptionError('lbd_panel: layout must be "wide" or "long".')
    if chunk < 1:
        raise OptionError("lbd_panel: chunk must be at least 1; give the number of rows per table.")
    sizes = panel_sizes(industries, establishments, seed)
    pieces = (piece for k, size in enumerate(sizes) for piece in _pieces(k, int(size), seed, variant))
    return _rechunk((lengthen(piece) for piece in pieces) if layout == "long" else pieces, chunk)


def panel_sizes(industries: int, establishments: int, seed: int = 0) -> NDArray[np.int64]:
    """Give the number of establishments of each industry: spread like a lognormal law, in random order."""
    if industries < 1 or establishments < industries:
        raise OptionError("lbd_panel: give at least one industry, and at least one establishment for each.")
    if seed < 0:
        raise OptionError("lbd_panel: seed must not be negative; give 0 or any positive whole number.")
    ranks = (np.arange(industries) + 0.5) / industries
    weights = np.exp(_SIZE_SPREAD * np.array([NormalDist().inv_cdf(rank) for rank in ranks]))
    weights = np.random.default_rng([seed, _STREAM]).permutation(weights)
    ends = np.rint(np.cumsum(weights) / weights.sum() * (establishments - industries)).astype(np.int64)
    sizes: NDArray[np.int64] = 1 + np.diff(ends, prepend=0)
    return sizes


def panel_industry(k: int, establishments: int, seed: int = 0, variant: str = "synlbd") -> pa.Table:
    """Make up industry k (counted from 0) of a panel alone, wide."""
    return pa.concat_tables(_pieces(k, establishments, seed, variant))


def _pieces(k: int, establishments: int, seed: int, variant: str) -> Iterator[pa.Table]:
    profile = _industry_profile(k, seed)
    for number, start in enumerate(range(0, establishments, _PIECE)):
        size = min(_PIECE, establishments - start)
        key = (seed, _STREAM, k, number)
        yield industry_table(_FIRST_CODE + k, profile, size, variant, key, offset=start)


def _industry_profile(k: int, seed: int) -> Profile:
    """Give one of the four shapes a growth path of its own."""
    base = list(LBD_PROFILES.values())[k % len(LBD_PROFILES)]
    rng = np.random.default_rng([seed, _STREAM, k])
    steps = _TREND_SPREAD * rng.standard_normal() + _YEAR_SPREAD * rng.standard_normal(len(YEARS))
    path = np.cumsum(steps)
    gross = np.array(base.gross) * np.exp(path - path.mean())
    return replace(base, gross=tuple(gross.tolist()))


def _rechunk(tables: Iterator[pa.Table], rows: int) -> Iterator[pa.Table]:
    waiting: list[pa.Table] = []
    held = 0
    for table in tables:
        waiting.append(table)
        held += table.num_rows
        if held < rows:
            continue
        stacked = pa.concat_tables(waiting)
        full = held - held % rows
        for start in range(0, full, rows):
            yield stacked.slice(start, rows).combine_chunks()
        waiting, held = [stacked.slice(full).combine_chunks()], held - full
    if held:
        yield pa.concat_tables(waiting).combine_chunks()
