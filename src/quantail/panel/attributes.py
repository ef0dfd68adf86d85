"""Attributes of units (region, legal form): categories that stay the same over a unit's life, drawn after its history.

A unit is counted once, by its category and its kind: there in the first period or born later, gone or still there, and
the class of its first size that is not zero. So replacing its record moves the table by at most 2, adding or removing
it by 1 (proofs/skeleton.md). Shares of a kind are shrunk towards those of all kinds by their noise; attributes are
independent of each other given the kind.
"""

from dataclasses import dataclass

import numpy as np

from quantail.arrays import Floats, Integers
from quantail.frames import PanelData
from quantail.frames.panel import panel_of
from quantail.panel.curve import Curve
from quantail.panel.tables import Track
from quantail.panel.tuning import ATTRIBUTE_CUTS, ATTRIBUTE_KINDS, ATTRIBUTE_NOISE, KIND_UNITS
from quantail.panel.unit_periods import UnitPeriods
from quantail.privacy import Gate, Plan, cells_touched

KINDS = 4 * (len(ATTRIBUTE_CUTS) + 1)


@dataclass(frozen=True)
class AttributeModel:
    """Released shares of categories by kind of unit."""

    name: str
    shares: tuple[tuple[float, ...], ...]


def unit_kinds(unit_periods: UnitPeriods, track: Track, cuts: Floats) -> Integers:
    """Return the kind of every unit, in the order of `unit_periods`."""
    units = unit_periods.order.size
    usable = np.flatnonzero(unit_periods.there & ~track.idle)
    size = np.full(units, -np.inf)
    # The line runs from young to old, so that of each unit the first entry is written last.
    size[unit_periods.unit[usable[::-1]]] = track.size[usable[::-1]]
    stock = unit_periods.first == 0
    still = unit_periods.first + unit_periods.length == unit_periods.periods
    size_class = np.searchsorted(cuts, size, side="right")
    return np.asarray((2 * stock + still) * (len(cuts) + 1) + size_class, dtype=np.int64)


def size_cuts(curve: Curve) -> Floats:
    """Return where classes of first sizes are cut."""
    return curve.at(np.array(ATTRIBUTE_CUTS))


def kinds_apart(units: float, noise: float) -> int:
    """Return how many kinds are told apart: as many as have enough units each beside the noise of a cell.

    Examples
    --------
    >>> kinds_apart(20_000, 70.0), kinds_apart(5_000, 70.0), kinds_apart(500, 70.0)
    (12, 3, 1)
    """
    return next((kinds for kinds in ATTRIBUTE_KINDS if units >= KIND_UNITS * noise * kinds), 1)


def release_attribute(
    gate: Gate, leaf: Plan, name: str, kinds: Integers, codes: Integers, categories: int, units: int
) -> AttributeModel:
    """Ask for a table of kinds by categories, and return shares; `units` is their number, public or released."""
    touched = cells_touched(gate.relation)
    noise = gate.count_noise(leaf, touched)
    # Classes of first sizes are the last digit of a kind.
    apart = kinds_apart(units, noise)
    counts = np.bincount(kinds % apart * categories + codes, minlength=apart * categories)
    table = gate.count(leaf, counts, touched).reshape(apart, categories).astype(np.float64)
    whole = believed(table.sum(axis=0), noise * apart**0.5, units)
    # Counts of a kind against as many units from the pool as the noise of its cells.
    weight = ATTRIBUTE_NOISE * noise * categories**0.5
    own = np.maximum(table + weight * whole / whole.sum(), 1e-9) if apart > 1 else whole[None, :]
    shares = own / own.sum(axis=1, keepdims=True)
    rows = shares[np.arange(KINDS) % apart]
    return AttributeModel(name, tuple(tuple(row) for row in rows.tolist()))


def believed(noisy: Floats, deviation: float, total: float) -> Floats:
    """Return positive counts of a given sum: noisy ones, softly cut off at zero and moved by the same amount each.

    Examples
    --------
    >>> believed(np.array([60.0, 45.0, -5.0]), 1e-3, 100.0).round(1).tolist()
    [57.5, 42.5, 0.0]
    """
    soft = deviation / 2.0**0.5
    low, high = float(noisy.min()) - total, float(noisy.max()) + 40.0 * soft
    for _ in range(60):
        middle = (low + high) / 2
        counts = soft * np.logaddexp(0.0, (noisy - middle) / soft)
        low, high = (middle, high) if counts.sum() > total else (low, middle)
    return np.asarray(counts)


def release_attributes(
    gate: Gate, data: PanelData, real: UnitPeriods, units: int, track: Track, curve: Curve
) -> tuple[AttributeModel, ...]:
    """Ask about every attribute of a group of units; `track` is its leading column, `curve` was released.

    `units` is their number, public or released.
    """
    found = []
    for name in panel_of(data.schema).attributes:
        codes = data.attributes[name]
        kinds = unit_kinds(real, track, size_cuts(curve))
        leaf, categories = gate.plan.find(f"attribute {name}"), len(data.schema.column(name).categories)
        found.append(release_attribute(gate, leaf, name, kinds, codes[real.order], categories, units))
    return tuple(found)


def draw_attribute(model: AttributeModel, kinds: Integers, rng: np.random.Generator) -> Integers:
    """Draw the category of every unit: of each kind as many as its shares say, to whom is chance."""
    codes = np.zeros(kinds.size, dtype=np.int64)
    for kind, shares in enumerate(model.shares):
        own = rng.permutation(np.flatnonzero(kinds == kind))
        ends = np.rint(np.cumsum(shares) / sum(shares) * own.size).astype(np.int64)
        codes[own] = np.repeat(np.arange(len(shares)), np.diff(ends, prepend=0))
    return codes
