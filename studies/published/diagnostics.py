"""How a chain did: acceptance, effective sample size, and R-hat, the disagreement of two chains from two starts.

A chain that has forgotten its start has R-hat near 1; R-hat of 10 says that the chains lie ten times farther apart than
each of them moves. NOT PRIVATE: all of it is computed beside confidential rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

AGREE = 1.05  # two chains with an R-hat below this are taken to sample the same law


@dataclass(frozen=True)
class ChainReport:
    """One quantile's draw.

    Parameters
    ----------
    column, tau, epsilon
        What was drawn, and the share of epsilon that the paper books for it.
    steps : int
        States of the chain, burn-in and second chain included; 1 for an exact draw.
    acceptance : float
        Share of proposals accepted; 1 for draws along lines, which are never refused.
    effective_size : float
        Effective number of independent draws in the chain, of its worst coefficient.
    rhat : float or None
        Of the worst coefficient; 1 for an exact draw, infinite where neither chain moved, None without a second chain.
    feasible : bool
        False where no point was allowed and the start was kept.
    """

    column: str
    tau: float
    epsilon: float
    steps: int
    acceptance: float
    effective_size: float
    rhat: float | None
    feasible: bool = True


@dataclass(frozen=True)
class Diagnostics:
    """All draws of one synthetic table; `note` says what it must not be taken for."""

    method: str
    epsilon: float
    converged: bool
    chains: tuple[ChainReport, ...] = field(repr=False)
    note: str = "NOT PRIVATE: a study of the published mechanism"

    def summary(self) -> dict[str, float | None]:
        """Return the table's chains in a few numbers; None where there is no finite one."""
        rhats = [chain.rhat for chain in self.chains if chain.rhat is not None]
        numbers = {
            "acceptance_median": float(np.median([chain.acceptance for chain in self.chains])),
            "acceptance_min": min(chain.acceptance for chain in self.chains),
            "effective_size_median": float(np.median([chain.effective_size for chain in self.chains])),
            "effective_size_min": min(chain.effective_size for chain in self.chains),
            "rhat_median": float(np.median(rhats)) if rhats else np.nan,
            "rhat_max": max(rhats, default=np.nan),
            "agreeing": float(np.mean([rhat < AGREE for rhat in rhats])) if rhats else np.nan,
            "feasible": float(np.mean([chain.feasible for chain in self.chains])),
            "steps": float(sum(chain.steps for chain in self.chains)),
        }
        return {name: value if np.isfinite(value) else None for name, value in numbers.items()}


def potential_scale_reduction(chains: Sequence[Floats]) -> float:
    """Return R-hat (Gelman and Rubin 1992) of chains of equal length, of the worst coefficient.

    Examples
    --------
    >>> potential_scale_reduction([np.zeros((4, 1)), np.ones((4, 1))])
    inf
    """
    stacked = np.stack(chains)
    length = stacked.shape[1]
    within = stacked.var(axis=1, ddof=1).mean(axis=0)
    between = stacked.mean(axis=1).var(axis=0, ddof=1)
    moved = within > 0
    if not moved.any():
        return 1.0 if not (between > 0).any() else float("inf")
    if (between[~moved] > 0).any():
        return float("inf")
    ratio = (length - 1) / length + between[moved] / within[moved]
    return float(np.sqrt(ratio.max()))


def effective_size(chain: Floats) -> float:
    """Return the effective sample size of a chain's worst coefficient (Geyer's initial monotone sequence).

    A coefficient that never moved counts as one draw.
    """
    return min(_effective(chain[:, j]) for j in range(chain.shape[1]))


def _effective(series: Floats) -> float:
    n = series.size
    centred = series - series.mean()
    power = np.abs(np.fft.rfft(centred, 2 * n)) ** 2
    covariance = np.fft.irfft(power)[:n] / n
    if covariance[0] <= 1e-300 or n < 4:
        return 1.0
    correlation = covariance / covariance[0]
    pairs = correlation[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    pairs = np.minimum.accumulate(pairs[: negative[0] if negative.size else pairs.size])
    return float(np.clip(n / max(2.0 * pairs.sum() - 1.0, 1.0 / n), 1.0, n))
