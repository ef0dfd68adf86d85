"""The map from latent sizes to sizes: linear between even knots, so that a knot is found by arithmetic."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quantail.arrays import Floats


@dataclass(frozen=True, eq=False)
class SizeMap:
    """A function that never falls, linear between knots, constant beyond the outer ones.

    Examples
    --------
    >>> SizeMap(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 5.0])).at(np.array([-1.0, 0.5, 1.5])).tolist()
    [0.0, 0.5, 3.0]
    """

    knots: Floats  # even
    sizes: Floats  # at the knots

    @cached_property
    def slopes(self) -> Floats:
        """How sizes rise from each knot to the next."""
        return np.diff(self.sizes) / np.diff(self.knots)

    def at(self, latent: Floats) -> Floats:
        """Return sizes of finite latent ones: what `np.interp` gives, to the last bit, several times as fast."""
        last = self.slopes.size - 1
        inside = np.minimum(np.maximum(latent, self.knots[0]), self.knots[-1])
        step = (self.knots[-1] - self.knots[0]) / (last + 1)
        place = np.minimum(((inside - self.knots[0]) / step).astype(np.int64), last)
        # Rounding may have put a number beside its knots.
        place -= self.knots.take(place) > inside
        place += self.knots.take(place + 1) <= inside
        place = np.minimum(place, last)
        found = self.slopes.take(place) * (inside - self.knots.take(place)) + self.sizes.take(place)
        return np.asarray(np.where(inside == self.knots[-1], self.sizes[-1], found))
