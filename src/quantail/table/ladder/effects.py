"""Which earlier columns have an effect on a number: those it declares, or those it chooses through the gate."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from quantail.curves import BEND_LEVELS, Vector
from quantail.privacy import Plan
from quantail.table.ladder.choosing import Cells, choose
from quantail.table.ladder.column import CategoryModel
from quantail.table.ladder.design import ColumnDesign
from quantail.table.ladder.fit_state import Fit

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Effects:
    """Predictors with an effect, each with its leaves, and released quantiles of the column if they are known."""

    shifts: list[tuple[str, tuple[Plan, ...]]]
    slopes: list[tuple[str, tuple[Plan, ...]]]
    overall: Floats | None = None


def declared_effects(design: ColumnDesign) -> Effects:
    """Return the effects that the design asks for by name."""
    return Effects(
        [(name, design.leaves(f"shift on {name}")) for name in design.shifts],
        [(name, design.leaves(f"slope on {name}")) for name in design.slopes],
    )


def chosen_effects(fit: Fit, design: ColumnDesign, residual: Vector, overall: Floats) -> Effects:
    """Release which earlier columns tell most about a column, cut at its released quantiles `overall`."""
    cell = residual.map(lambda part: np.where(np.isnan(part), -1, np.searchsorted(overall, part)))
    levels = [float(level) for level in BEND_LEVELS]
    target = Cells(design.column.name, cell, np.diff(levels, prepend=0.0, append=1.0))
    left = {name: fit.cells(name, design.status, by_innovation=True)[0] for name in design.candidates}
    effects = Effects([], [], overall)
    for choice in range(1, design.choices + 1):
        pick, *leaves = design.leaves(f"choice {choice}")[-3:]
        noise, candidates = partial(_effect_noise, fit, leaves[0]), list(left.values())
        index = choose(fit.gate, pick, target, candidates, fit.present(design.status), noise)
        if index is None:
            continue
        name = candidates[index].name
        del left[name]
        kind = effects.shifts if isinstance(fit.models[name], CategoryModel) else effects.slopes
        kind.append((name, tuple(leaves)))
    return effects


def _effect_noise(fit: Fit, leaf: Plan, candidate: Cells) -> float:
    """Return what an effect costs each pair of cells: a shift every label, a slope all of them together."""
    noise = fit.noise_rows(leaf) / (len(BEND_LEVELS) + 1)
    return noise if isinstance(fit.models[candidate.name], CategoryModel) else noise / candidate.shares.size
