"""Options of the paper's methods (kng, stepwise, sandwich) as they are typed."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from quantail.errors import OptionError


@dataclass(frozen=True)
class OrderOptions:
    """What was typed for the paper's methods; None where nothing was."""

    slopes: str | None = None
    draw: str | None = None
    taus: str | None = None
    main: str | None = None
    shares: str | None = None

    def given(self) -> dict[str, Any]:
        """Return them as a synthesizer takes them, without those that were not given.

        Examples
        --------
        >>> OrderOptions(taus="0.25,0.5", shares="median=0.8").given()
        {'taus': [0.25, 0.5], 'shares': {'median': '0.8'}}
        """
        options = {
            "slopes": self.slopes,
            "draw": self.draw,
            "taus": _levels(self.taus, "--taus"),
            "main": _levels(self.main, "--main"),
            "shares": _shares(self.shares),
        }
        return {name: value for name, value in options.items() if value is not None}


NO_ORDER = OrderOptions()


def _levels(text: str | None, option: str) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(Fraction(part.strip())) for part in text.split(",")]
    except (ValueError, ZeroDivisionError) as fault:
        raise OptionError(
            f"{option} lists levels between 0 and 1, for instance {option} 0.25,0.5,0.75"
        ) from fault


def _shares(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    shares: dict[str, Any] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name in shares:
            raise OptionError("--shares names each share once, for instance --shares median=0.8,main=0.8")
        parts = value.split(":")
        shares[name] = parts if len(parts) > 1 or name == "columns" else value
    return shares
