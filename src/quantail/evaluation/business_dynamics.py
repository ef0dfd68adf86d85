"""Business dynamics of a panel: job creation and destruction, births and deaths, by age and size.

The columns are those of the Business Dynamics Statistics of the US Census Bureau, the rates those of Davis, Haltiwanger
and Schuh (1996). With e_t the size of a unit (0 where it is not active), a unit is active if e_t > 0, and over the
units of a cell

    denom                Z_t = sum (e_t + e_{t-1}) / 2
    job creation         C_t = sum max(e_t - e_{t-1}, 0), of which births: units with e_{t-1} = 0
    job destruction      D_t = sum max(e_{t-1} - e_t, 0), of which deaths: units with e_t = 0
    rates                100 C_t / Z_t, 100 D_t / Z_t, net creation 100 (C_t - D_t) / Z_t
    reallocation rate    the sum of both rates less the absolute net rate
    entry and exit rate  100 births / N_t, 100 deaths / N_t, N_t the mean number of active units of t - 1 and t
    startup rate         the same for births of units that were never active before

Age counts periods since a unit was first active; that of units active in the panel's first period is not known. Size is
that of t - 1, of births that of t, so that nobody changes class by growing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.arrays import Flags, Floats, Integers
from quantail.errors import OptionError
from quantail.evaluation.histories import Histories, read_histories
from quantail.schema import PanelNames, Schema

AGE, SIZE = "age", "size"
SIZE_ENDS = (1.0, 5.0, 10.0, 20.0, 50.0, 100.0, 250.0, 500.0, 1000.0)
"""Lower ends of size classes; what is smaller than the first has a class of its own."""

_AGES = (0, 1, 2, 3, 4, 5, 6, 11, 16, 21, 26)
_UNKNOWN_AGE = "left censored"
COUNTS = (
    "estabs",
    "emp",
    "denom",
    "estabs_entry",
    "estabs_exit",
    "startups",
    "job_creation",
    "job_creation_births",
    "job_creation_continuers",
    "job_destruction",
    "job_destruction_deaths",
    "job_destruction_continuers",
    "net_job_creation",
)
RATES = (
    "entry_rate",
    "exit_rate",
    "startup_rate",
    "job_creation_rate",
    "job_creation_births_rate",
    "job_creation_continuers_rate",
    "job_destruction_rate",
    "job_destruction_deaths_rate",
    "job_destruction_continuers_rate",
    "net_job_creation_rate",
    "reallocation_rate",
)


def flows(
    frame: Any,
    column: str | None = None,
    *,
    schema: Schema | None = None,
    panel: PanelNames | tuple[str, ...] | None = None,
    by: Sequence[str] = (),
    size_ends: Sequence[float] = SIZE_ENDS,
) -> pa.Table:
    """Compute the business dynamics of a panel, as Business Dynamics Statistics publishes them.

    No noise is added: those of a synthetic panel may be published with it, those of a confidential one are internal.

    Parameters
    ----------
    frame : pandas, polars or pyarrow table
        A panel, long or wide.
    column : str, optional
        What is created and destroyed; by default the schema's first confidential column of numbers.
    schema : Schema, optional
        Of the panel; otherwise `panel` names its unit and period, ("firm", "year"), or its unit if it is wide.
    by : sequence of str
        "age", "size", and columns of the table whose labels make cells: a unit belongs to its label of t, or of t - 1
        if it is gone.
    size_ends : sequence of float
        Lower ends of the size classes.

    Returns
    -------
    pyarrow.Table
        A row for every period but the first, and cell; units (`estabs`) and totals (`emp`) of t, changes since t - 1,
        and rates in percent.

    Examples
    --------
    >>> long = {"firm": [1, 1, 2, 3], "year": [2001, 2002, 2001, 2002], "emp": [10, 14, 6, 2]}
    >>> flows(long, "emp", panel=("firm", "year")).select(["job_creation", "job_destruction", "estabs"]).to_pylist()
    [{'job_creation': 6.0, 'job_destruction': 6.0, 'estabs': 2}]
    """
    names = panel if panel is None or isinstance(panel, PanelNames) else PanelNames(*panel)
    own = [name for name in by if name not in (AGE, SIZE)]
    if len(set(by)) < len(by):
        raise OptionError("by names something twice; name it once")
    return flows_of(read_histories(frame, column, schema=schema, panel=names, labels=own), by, size_ends)


def flows_of(
    histories: Histories, by: Sequence[str] = (), size_ends: Sequence[float] = SIZE_ENDS
) -> pa.Table:
    """Compute the business dynamics of histories; see `flows`."""
    if histories.periods.size < 2:
        raise OptionError("flows need a panel of at least two periods")
    sizes = np.where(histories.values > 0, histories.values, 0.0)
    before, after = sizes[:, :-1], sizes[:, 1:]
    there = (before > 0) | (after > 0)
    period = np.broadcast_to(np.arange(before.shape[1]), before.shape)[there]
    cells = [_cells(name, histories, sizes, size_ends) for name in by]
    cell, many = np.zeros(period.size, dtype=np.int64), 1
    for labels, codes in cells:
        cell, many = cell * len(labels) + codes[there], many * len(labels)
    place = period * many + cell
    first = (sizes > 0).argmax(axis=1)[:, None] == np.arange(1, sizes.shape[1])
    counts = _counts(before[there], after[there], first[there], place, before.shape[1] * many)
    kept = np.flatnonzero(counts["denom"] > 0)
    combined = list(product(*(labels for labels, _ in cells)))
    written = pa.array([histories.form.written(int(number)) for number in histories.periods[1:]])
    columns: dict[str, Any] = {histories.time: written.take(pa.array(kept // many))}
    for position, name in enumerate(by):
        columns[name] = pa.array([combined[code % many][position] for code in kept.tolist()], pa.string())
    columns |= {name: counts[name][kept] for name in COUNTS}
    columns |= _rates(counts, kept)
    return pa.table(columns)


def _counts(
    before: Floats, after: Floats, first: Flags, place: Integers, cells: int
) -> dict[str, NDArray[Any]]:
    born, gone = before == 0, after == 0
    created, destroyed = np.maximum(after - before, 0), np.maximum(before - after, 0)

    def total(values: NDArray[Any]) -> Floats:
        return np.asarray(np.bincount(place, weights=values, minlength=cells), dtype=float)

    def number(which: Flags) -> Integers:
        return np.bincount(place[which], minlength=cells).astype(np.int64)

    sums = {
        "emp": total(after),
        "denom": total((after + before) / 2),
        "job_creation": total(created),
        "job_creation_births": total(np.where(born, created, 0)),
        "job_destruction": total(destroyed),
        "job_destruction_deaths": total(np.where(gone, destroyed, 0)),
    }
    sums["job_creation_continuers"] = sums["job_creation"] - sums["job_creation_births"]
    sums["job_destruction_continuers"] = sums["job_destruction"] - sums["job_destruction_deaths"]
    sums["net_job_creation"] = sums["job_creation"] - sums["job_destruction"]
    whole = {"estabs": number(~gone), "estabs_entry": number(born), "estabs_exit": number(gone)}
    whole["startups"] = number(born & first)
    return {**sums, **whole}


def _rates(counts: dict[str, NDArray[Any]], kept: Integers) -> dict[str, Floats]:
    entered, left, now = (counts[name][kept] for name in ("estabs_entry", "estabs_exit", "estabs"))
    units = now + (left - entered) / 2  # the mean of t - 1 and t
    rates = {"entry_rate": 100 * entered / units, "exit_rate": 100 * left / units}
    rates["startup_rate"] = 100 * counts["startups"][kept] / units
    for name in RATES[3:-1]:
        rates[name] = 100 * counts[name.removesuffix("_rate")][kept] / counts["denom"][kept]
    both = rates["job_creation_rate"] + rates["job_destruction_rate"]
    return rates | {"reallocation_rate": both - np.abs(rates["net_job_creation_rate"])}


def _cells(
    name: str, histories: Histories, sizes: Floats, size_ends: Sequence[float]
) -> tuple[list[str], Integers]:
    """Return the labels of a way of making cells, and the code of every unit in every period but the first."""
    before, after = sizes[:, :-1], sizes[:, 1:]
    if name == SIZE:
        ends = _checked(size_ends)
        return _size_labels(ends), np.searchsorted(ends, np.where(before > 0, before, after), side="right")
    if name == AGE:
        first = (sizes > 0).argmax(axis=1)[:, None]
        age = np.arange(1, sizes.shape[1]) - first
        known = np.searchsorted(_AGES, np.maximum(age, 0), side="right") - 1
        labels = [f"{low}" if high == low + 1 else f"{low}-{high - 1}" for low, high in pairwise(_AGES)]
        return [*labels, f"{_AGES[-1]}+", _UNKNOWN_AGE], np.where(first == 0, len(_AGES), known)
    if name not in histories.labels:
        raise OptionError(f"by names {name!r}; name age, size or a column of the panel")
    texts = histories.labels[name]
    own = np.where(after > 0, texts[:, 1:], texts[:, :-1])
    found, codes = np.unique(own, return_inverse=True)
    return found.tolist(), codes.reshape(own.shape)


def _checked(ends: Sequence[float]) -> Floats:
    if not len(ends) or ends[0] <= 0 or any(low >= high for low, high in pairwise(ends)):
        raise OptionError("size classes are lower ends above 0 in increasing order, such as 1, 5, 20")
    return np.asarray(ends, dtype=float)


def _size_labels(ends: Floats) -> list[str]:
    between = [
        f"{low:g}-{high - 1:g}"
        if low.is_integer() and high.is_integer() and high - 1 > low
        else f"{low:g} to {high:g}"
        for low, high in pairwise(ends.tolist())
    ]
    return [f"under {ends[0]:g}", *between, f"{ends[-1]:g}+"]
