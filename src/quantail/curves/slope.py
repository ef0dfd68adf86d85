"""A released slope: what one predictor adds to another column, y = slope (x - centre)."""

from dataclasses import dataclass

from quantail.arrays import Floats


@dataclass(frozen=True)
class Slope:
    """A released slope on one predictor's innovation, measured from a released point of that innovation."""

    on: str
    slope: float
    centre: float

    def flatten(self, residual: Floats, x: Floats) -> Floats:
        """Take what the predictor explains out of a residual."""
        return residual - self.at(x)

    def at(self, x: Floats) -> Floats:
        """Return what the predictor adds at x."""
        return self.slope * (x - self.centre)
