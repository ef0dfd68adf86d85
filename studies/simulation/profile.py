"""The profile of a table: how its rows spread over fixed bins of each column, small enough for the journal.

Bins cover where the simulated model puts nearly all rows (up to about its 99.9% quantile); what lies beyond is
counted at both sides, so a method that throws rows far away still shows it.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

PROFILE_RANGE = {"X1": (-10.0, 75.0), "X2": (-30.0, 270.0), "X3": (-50.0, 420.0)}
_BINS = 240


def profile_edges(column: str) -> Floats:
    """Return the edges of a column's bins."""
    return np.linspace(*PROFILE_RANGE[column], _BINS + 1)


def profile_of(table: Mapping[str, Floats]) -> dict[str, list[int]]:
    """Return counts for every column: below the bins, in each bin, above the bins."""
    return {name: _counts(np.asarray(table[name]), profile_edges(name)) for name in PROFILE_RANGE}


def _counts(values: Floats, edges: Floats) -> list[int]:
    place = np.searchsorted(edges, values, side="right")
    return [int(count) for count in np.bincount(place, minlength=edges.size + 1)]


def density(counts: list[int], edges: Floats, width: float) -> tuple[Floats, Floats]:
    """Return bin centres and the density there, smoothed by a normal kernel of standard deviation `width`."""
    centres = (edges[1:] + edges[:-1]) / 2
    inside = np.asarray(counts[1:-1], dtype=np.float64)
    kernel = np.exp(-0.5 * ((centres[:, None] - centres[None, :]) / width) ** 2) / (
        width * np.sqrt(2 * np.pi)
    )
    return centres, kernel @ inside / max(sum(counts), 1)


def outside(counts: list[int]) -> float:
    """Return the share of rows that lie beyond the bins."""
    return (counts[0] + counts[-1]) / max(sum(counts), 1)
