"""Calibration: locate, then count (DESIGN 4.1). The marginal distribution of a finished column, set right.

What the released models imply for a column is known without asking (it can be simulated), so it can be cut into
cells at its own quantiles, and the confidential rows counted in them: one geometric count, L1 sensitivity 2 under
replace-one and 1 under add/remove. Where the counts differ from the model by more than noise explains, the column
is remapped, value by value and monotonically, onto the counted distribution.

Shrinkage works on all scales at once: the differences are split by a Haar transform (upper half against lower half,
quarter against quarter, ...), and how far the contrasts are believed is told by the contrasts themselves.
An extra cell holds the column's lowest possible value, where atoms such as zero sit, and no cell ends within that of a
value: whole numbers are counted whole.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves.lookup import Lookup
from quantail.curves.rows import Vector
from quantail.privacy import Gate, Plan, cells_touched

Floats = NDArray[np.float64]

_KNOTS = 1000
_RAREST = 1 / 512  # what the outermost cells hold
_MANY = 64  # cells from which tails are counted more finely than by halves
_DOUBT, _EMPTY_DOUBT = 2.5, 4.0  # standard deviations; more where the models leave a cell empty
_SIZES = np.concatenate([[0.0], np.geomspace(0.001, 1.0, 60)])
_SAMPLING = 0.5  # part of the sampling variance that counts as noise: what is chance need not be followed
_GAIN = 1.0  # nats by which some error must explain the counts better than none


@dataclass(frozen=True)
class Remap:
    """A monotone map of values on the modelling scale: linear between knots, shifted beyond them."""

    knots: tuple[float, ...]
    values: tuple[float, ...]

    def __call__(self, y: Floats) -> Floats:
        """Map synthetic values."""
        knots, values = np.asarray(self.knots), np.asarray(self.values)
        inside = np.interp(y, knots, values)
        return np.asarray(inside + np.minimum(y - knots[0], 0) + np.maximum(y - knots[-1], 0))

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {"knots": list(self.knots), "values": list(self.values)}

    @classmethod
    def from_dict(cls, form: dict[str, Any]) -> "Remap":
        """Rebuild a map from `to_dict`."""
        return cls(tuple(form["knots"]), tuple(form["values"]))


def cell_levels(cells: int) -> Floats:
    """Return cut levels: so many even cells, and shrinking ones inside the outermost of them, where tails are.

    Examples
    --------
    >>> cell_levels(4)[:9].tolist()
    [0.001953125, 0.00390625, 0.0078125, 0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5]
    """
    even = np.arange(1, cells) / cells
    ratio = 0.5 if cells < _MANY else 0.8
    outer = 0.25 * ratio ** np.arange(int(np.log(4 * _RAREST) / np.log(ratio) + 1e-9), -1, -1)
    outer = outer[outer < even[0]]
    return np.unique(np.concatenate([outer, even, 1 - outer]))


def draw_calibration(
    gate: Gate,
    leaf: Plan,
    values: Vector | Floats,
    implied: Floats,
    atom: float,
    cells: int,
    rows: int,
    borders: Callable[[Floats], Floats] = np.asarray,
) -> Remap:
    """Release a calibration.

    Parameters
    ----------
    values : Vector or array
        Confidential values on the modelling scale.
    implied : array
        Values simulated from the released models: public.
    atom : float
        Upper end of the cell that holds the lowest possible value.
    borders : callable
        Moves cuts to where they divide no value of the column: see `Scale.borders`.
    """
    implied = np.sort(implied)
    cuts = borders(np.append(atom, np.quantile(implied, cell_levels(cells))))
    cuts = np.unique(np.maximum(cuts, cuts[0]))
    counts = Vector.of(values).total(partial(_count, cuts=cuts))
    sensitivity = cells_touched(gate.relation)
    noisy = gate.count(leaf, counts, sensitivity)
    deviation = np.sqrt(2.0) * sensitivity / max(gate.signal(leaf, rows), 1e-9)
    expected = np.diff(np.searchsorted(implied, cuts, side="right") / implied.size, prepend=0.0, append=1.0)
    shares = _shrunk(noisy / rows, expected, deviation, _SAMPLING / rows)
    return _remap(implied, cuts, shares)


def _count(values: Floats, cuts: Floats) -> NDArray[np.int64]:
    """Return how many rows lie in each cell; rows whose value is absent (NaN) lie in none."""
    present = values[~np.isnan(values)]
    return np.bincount(Lookup(cuts).below(present), minlength=cuts.size + 1)


def _shrunk(found: Floats, expected: Floats, noise: float, sampling: float) -> Floats:
    """Return shares of cells: expected ones, corrected where the counts clearly differ.

    A correction is split over cells by halves: in proportion to what is expected, moved by the contrast of the two
    halves (what the lower one has beyond its proportional part of both) as far as that can be trusted.
    """
    splits = _splits(found - expected, expected, noise, sampling)
    kept = _trusted(splits)
    correction = np.zeros(expected.size)
    for (start, middle, end), moved in zip(splits.ends, kept, strict=True):
        for part, sign in ((slice(start, middle), 1.0), (slice(middle, end), -1.0)):
            total = expected[part].sum()
            even = np.full(expected[part].size, 1 / expected[part].size)
            correction[part] += sign * moved * (expected[part] / total if total > 0 else even)
    corrected = np.maximum(expected + correction, 0.0)
    return np.asarray(corrected / corrected.sum())


@dataclass(frozen=True)
class _Splits:
    """All splits of cells by halves: where, the contrast found, its noise, and how much mass could move."""

    ends: list[tuple[int, int, int]]
    contrast: Floats
    deviation: Floats
    mass: Floats


def _splits(difference: Floats, expected: Floats, noise: float, sampling: float) -> _Splits:
    ends, found = [], []
    open_parts = [(0, difference.size)]
    while open_parts:
        start, end = open_parts.pop()
        if end - start < 2:
            continue
        middle = start + (end - start) // 2
        left, right = expected[start:middle].sum(), expected[middle:end].sum()
        part = left / (left + right) if left + right > 0 else 0.5
        contrast = (1 - part) * difference[start:middle].sum() - part * difference[middle:end].sum()
        mass = part * (1 - part) * (left + right)
        cells = (1 - part) ** 2 * (middle - start) + part**2 * (end - middle)
        ends.append((start, middle, end))
        found.append((contrast, np.sqrt(noise**2 * cells + sampling * mass), mass))
        open_parts += [(start, middle), (middle, end)]
    contrast, deviation, mass = (np.array(column) for column in zip(*found, strict=True))
    return _Splits(ends, contrast, deviation, mass)


def _trusted(splits: _Splits) -> Floats:
    """Return the part of each contrast that is believed.

    The error of a model in a contrast is taken to grow with the root of the mass that the contrast could move (a few
    percent of the middle, more of a tail), times a size that maximum likelihood finds: where the model is right it is
    zero and nothing moves. A contrast far beyond its noise (an atom that the model missed) is believed whatever the
    others say.
    """
    weight = np.sqrt(splits.mass)
    variance = (_SIZES[:, None] * weight) ** 2 + splits.deviation**2
    likelihood = -0.5 * (np.log(variance) + splits.contrast**2 / variance).sum(axis=1)
    likelihood[0] += _GAIN
    prior = (_SIZES[int(np.argmax(likelihood))] * weight) ** 2
    smooth = prior / (prior + splits.deviation**2)
    limit = np.where(splits.mass > 0, _DOUBT, _EMPTY_DOUBT) * splits.deviation
    clear = 1 - np.minimum(limit / np.maximum(np.abs(splits.contrast), 1e-300), 1.0) ** 2
    return np.asarray(np.maximum(smooth, clear) * splits.contrast)


def _remap(implied: Floats, cuts: Floats, shares: Floats) -> Remap:
    """Return the map from implied quantiles to the quantiles of the calibrated distribution."""
    levels = (np.arange(_KNOTS) + 0.5) / _KNOTS
    tail = np.geomspace(1e-4, levels[0], 8)[:-1]
    levels = np.concatenate([tail, levels, 1 - tail[::-1]])
    ends = np.cumsum(shares)
    cell = np.minimum(np.searchsorted(ends, levels, side="left"), shares.size - 1)
    start = np.concatenate([[0.0], ends[:-1]])[cell]
    within = np.clip((levels - start) / np.maximum(shares[cell], 1e-300), 0.0, 1.0)
    low = np.searchsorted(implied, np.concatenate([[-np.inf], cuts]), side="right") / implied.size
    high = np.concatenate([low[1:], [1.0]])
    inner = np.quantile(implied, np.clip(low[cell] + within * (high - low)[cell], 0.0, 1.0))
    edges = np.concatenate([[min(implied[0], cuts[0])], cuts, [max(implied[-1], cuts[-1])]])
    flat = edges[cell] + within * (edges[cell + 1] - edges[cell])
    # A cell that the models leave empty has no shape of its own: spread it evenly.
    values = np.where((high - low)[cell] > 0, inner, flat)
    values = np.maximum.accumulate(np.clip(values, edges[cell], edges[cell + 1]))
    knots = np.quantile(implied, levels)
    kept = np.concatenate([[True], np.diff(knots) > 0])
    return Remap(tuple(knots[kept].tolist()), tuple(values[kept].tolist()))
