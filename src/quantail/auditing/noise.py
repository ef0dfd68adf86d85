"""What the kinds of noise of an audit share: each answers some questions by its own rule, and refuses the others."""

from typing import Any, ClassVar

import numpy as np

from quantail.arrays import Floats
from quantail.privacy.noise import Stream


class AuditNoise:
    """Noise that refuses every question; what it answers, a kind of it overrides."""

    private = False
    seed: ClassVar[int] = 11

    def generator(self) -> np.random.Generator:
        """Return a generator for simulations from released models: the same for all tables."""
        return np.random.default_rng(self.seed)

    def stream(self, rows: int) -> Stream:
        """Return the numbers of `random`, by position."""
        return stretches(self.random(rows))

    def random(self, size: int) -> Any:
        """Return numbers that belong to rows: jitter, dither, coins."""
        raise self._refused()

    def noisy_max(self, scores: Any, scale: float, definition: str) -> int:
        """Answer a selection."""
        raise self._refused()

    def pick(self, logs: Floats) -> int:
        """Answer a step of a path."""
        raise self._refused()

    def subset(self, rows: int, size: int) -> Any:
        """Return a secret part of the rows."""
        raise self._refused()

    def geometric(self, counts: Any, scale: float) -> Any:
        """Answer a count."""
        raise self._refused()

    def gaussian(self, counts: Any, scale: float) -> Any:
        """Answer a histogram under zCDP."""
        raise self._refused()

    def _refused(self) -> NotImplementedError:
        return NotImplementedError(f"{type(self).__name__}: this audit asks no such question")


def stretches(numbers: Floats) -> Stream:
    """Return numbers by position."""
    return lambda start, size: numbers[start : start + size]
