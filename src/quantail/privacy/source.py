"""Where the gates of a fit get their noise: secure for a release, seeded for experiments, scripted for the audit."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from quantail.privacy.budget import Plan
from quantail.privacy.gate import Gate, Relation, Watch
from quantail.privacy.noise import Noise, SecureNoise, SimulatedNoise


@dataclass(frozen=True)
class Source:
    """A source of noise, for as many gates as a fit opens.

    Attributes
    ----------
    noise : callable
        From the codes of a group to noise of its own; no codes for a whole table or panel.
    private : bool
        Whether what is released with this noise may be called private.
    watch : callable, optional
        Told every question of every gate, never an answer.
    """

    noise: Callable[[Sequence[int]], Noise]
    private: bool
    watch: Watch | None = None

    def gate(self, plan: Plan, noise: Noise, relation: Relation, rows_held: int = 1) -> Gate:
        """Open a gate."""
        return Gate(plan, noise, relation, self.watch, rows_held)


def source_of(kind: Literal["secure", "simulated"], seed: int | None) -> Source:
    """Return the source that an option asks for.

    Examples
    --------
    >>> source_of("simulated", 3).private
    False
    """
    if kind == "secure":
        return Source(_secure, private=True)
    return Source(partial(SimulatedNoise, seed or 0), private=False)


def _secure(group: Sequence[int]) -> Noise:
    """Return secure noise; it is never the same, whatever the group."""
    return SecureNoise()
