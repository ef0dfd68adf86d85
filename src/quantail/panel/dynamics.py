"""The dynamics of a column from its released tables, by simulated moments.

Nothing here sees a confidential value. Parameters are changed until the table of pairs of a simulated panel,
measured by the same function, agrees with the released one. Cells are weighted by the inverse of their noise, and a
prior decides where noise is larger than what is measured (few units, small budgets). The chances of the zero
state are read off the tables directly.
"""

from dataclasses import dataclass, replace

import numpy as np

from quantail.arrays import Floats
from quantail.panel.curve import Curve
from quantail.panel.latent import Dynamics
from quantail.panel.stage import Stage
from quantail.panel.tables import LATTICE, PairCells, pair_table, unchanged_points, unchanged_table
from quantail.panel.tuning import (
    CLASS_MIDDLES,
    ENOUGH_GAIN,
    LONGEST_SEARCH_STEP,
    PAIR_MODEL_ERROR,
    PRIOR_SPREAD,
    SEARCH_STEP,
    TRIES,
)


@dataclass(frozen=True, eq=False)
class Moves:
    """Released pairs of sizes at several lags, in units, and the standard deviation of their noise."""

    pairs: Floats
    cells: PairCells
    deviation: float


def dynamics_at(x: Floats, zero: Dynamics) -> Dynamics:
    """Return the dynamics at a point of the search; chances of the zero state turn into those of non-repeaters."""
    parts = np.exp(np.array([x[0], 0.0, x[1]]))
    parts /= parts.sum()
    persistence, repeat = 1.0 / (1.0 + np.exp(-x[[2, 3]]))
    moving = replace(
        zero,
        permanent=float(parts[0]),
        blip=float(parts[2]),
        persistence=float(persistence),
        repeat=0.0,
        tilt=float(x[4]),
        jump=float(np.exp(min(x[5], 1.5))),
    )
    return with_repeat(moving, float(repeat))


def with_repeat(dynamics: Dynamics, repeat: float) -> Dynamics:
    """Return the dynamics with other repeaters; all units together enter and stay in the zero state as before."""
    changed = (1.0 - repeat) / (1.0 - dynamics.repeat)

    def stay(chance: float) -> float:
        return min(max(1.0 - (1.0 - chance) / changed, 0.0), 0.98)

    return replace(
        dynamics,
        repeat=repeat,
        enter=min(dynamics.enter / changed, 0.9),
        stay=stay(dynamics.stay),
        stay_newborn=stay(dynamics.stay_newborn),
    )


def fit_dynamics(
    stage: Stage,
    curve: Curve,
    effects: Floats,
    zero: Dynamics,
    released: Moves,
    prior: Floats,
    start: Floats,
    rounds: int,
) -> tuple[Floats, float]:
    """Search by Levenberg-Marquardt steps on common random numbers; return the point found and its cost."""
    mass = np.maximum(released.pairs, 0.0)
    root = np.sqrt(released.deviation**2 + 0.5 * mass + (PAIR_MODEL_ERROR * mass) ** 2 + 1e-9)

    def residuals(x: Floats) -> Floats:
        latent = stage.simulate(dynamics_at(x, zero), effects)
        shown = stage.show(latent, stage.size_map(latent, curve))
        made = pair_table(stage.pairs, shown, released.cells) * (stage.ratio / LATTICE)
        return np.concatenate([((made - released.pairs) / root).ravel(), (x - prior) / PRIOR_SPREAD])

    x, damping, current = start, 1.0, residuals(start)
    for _ in range(rounds):
        slopes = [(residuals(x + step) - current) / step.sum() for step in np.diag(SEARCH_STEP)]
        jacobian = np.stack(slopes, axis=1)
        normal, gradient = jacobian.T @ jacobian, jacobian.T @ current
        gain = 0.0
        for _ in range(TRIES):
            move = -np.linalg.solve(normal + damping * np.diag(np.diag(normal)), gradient)
            tried = x + np.clip(move, -LONGEST_SEARCH_STEP, LONGEST_SEARCH_STEP)
            new = residuals(tried)
            if new @ new < current @ current:
                gain = 1 - float(new @ new) / float(current @ current)
                x, current, damping = tried, new, damping / 4
                break
            damping *= 4
        if gain < ENOUGH_GAIN:
            break
    return x, float(current @ current)


def repeat_as_often(
    stage: Stage, curve: Curve, effects: Floats, dynamics: Dynamics, unchanged: float
) -> Dynamics:
    """Return the dynamics with as many repeaters as bring the share of unchanged sizes to the released one.

    The search weighs all cells of pairs and may miss this share, which only a few of them show.
    """
    points, found = unchanged_points(stage.unit_periods), dynamics
    later, earlier = stage.unit_periods.pairs(1)
    for _ in range(TRIES):
        latent = stage.simulate(found, effects)
        shown = stage.show(latent, stage.size_map(latent, curve))
        active = float(points[~(latent.idle[later] | latent.idle[earlier])].sum())
        made = float(unchanged_table(stage.unit_periods, shown)[0])
        # Of those that would change, repeaters are the share that do not.
        changes = (active - unchanged * float(points.sum())) / max(active - made, 1e-6 * active, 1.0)
        found = with_repeat(dynamics, float(np.clip(1.0 - (1.0 - found.repeat) * changes, 0.002, 0.95)))
    return found


def enter_as_often(stage: Stage, effects: Floats, x: Floats, zero: Dynamics, share: float) -> Dynamics:
    """Return chances under which such a share of unit-periods after the first are in the zero state.

    The size table gives this share far more precisely than pairs give the chance of entering the zero state.
    """
    points = np.where(stage.unit_periods.age > 0, stage.points, 0.0)
    for _ in range(TRIES):
        idle = stage.simulate(dynamics_at(x, zero), effects).idle
        made = float(points @ idle) / max(float(points.sum()), 1e-9)
        # In the long run the odds of the zero state are the chance to enter it over the chance to leave it.
        factor = share * (1.0 - made) / max(made * (1.0 - share), 1e-6)
        zero = replace(zero, enter=float(np.clip(zero.enter * np.clip(factor, 0.2, 5.0), 1e-4, 0.9)))
    return zero


def zero_chances(sizes: Floats, kinds: Floats, deviation: float, moves: Moves | None) -> Dynamics:
    """Read the chances of the zero state off released tables, shrunk towards zero by their noise.

    Parameters
    ----------
    sizes, kinds : arrays
        Released size table, whose first three cells are zeros of stocks, births and later unit-periods; and the public
        weight of each kind.
    deviation : float
        Standard deviation of the noise of the size table.
    moves : Moves, optional
        None in a panel of one period.
    """
    born, stock = (share_of(sizes[kind], kinds[kind], 0.0, deviation) for kind in (1, 0))
    if moves is None:
        return Dynamics(born_idle=born, stock_idle=stock)
    first, noise = moves.pairs[0], moves.deviation
    classes = first[4:].reshape(-1, moves.cells.width)
    entering = np.array([share_of(row[0], row.sum(), 0.0, noise) for row in classes])
    mass = np.maximum(classes.sum(axis=1), 1e-9)
    weight = mass * np.maximum(entering, 1e-4)
    centred = CLASS_MIDDLES - np.average(CLASS_MIDDLES, weights=weight)
    logs = np.log(np.maximum(entering, 1e-5))
    steep = -(weight * centred * logs).sum() / ((weight * centred**2).sum() + 0.1 * weight.sum())
    slope = float(np.clip(steep, -0.5, 1.5))
    # At the middle size the chance is such that all classes together enter as often as released.
    enter = float((mass * entering).sum() / (mass * np.exp(-slope * CLASS_MIDDLES)).sum())
    return Dynamics(
        born_idle=born,
        stock_idle=stock,
        enter=enter,
        enter_slope=slope,
        stay=share_of(first[1], first[0] + first[1], 0.5, noise),
        stay_newborn=share_of(first[3], first[2] + first[3], 0.5, noise),
    )


def share_of(part: float, whole: float, prior: float, deviation: float) -> float:
    """Divide, shrunk towards a prior by the noise of the numerator."""
    weight = 2.0 * deviation
    return float(np.clip((part + weight * prior) / (max(whole, 0.0) + weight + 1e-9), 0.0, 0.95))
