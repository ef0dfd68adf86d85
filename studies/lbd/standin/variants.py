"""Variants of the stand-in panel whose structure differs, so that no method is flattered by sharing its form."""

from __future__ import annotations

from dataclasses import dataclass

from quantail.errors import OptionError


@dataclass(frozen=True)
class Variant:
    """How an establishment's size moves from one year to the next.

    Attributes
    ----------
    shock : float
        Factor on the scale of the yearly shocks.
    repeat : float
        Share of continuers that report last year's employment again.
    jump_rate, jump : float
        Yearly probability of a lasting jump up or down, and its size in log points.
    state_volatility : bool
        Whether small and young establishments move more than large and old ones.
    permanent : bool
        Whether each establishment has a size of its own to which it returns.
    """

    shock: float = 1.0
    repeat: float = 0.0
    jump_rate: float = 0.0
    jump: float = 0.0
    state_volatility: bool = False
    permanent: bool = True


LBD_VARIANTS = {
    "synlbd": Variant(),
    "low-volatility": Variant(shock=0.35),
    "sticky": Variant(repeat=0.3),
    "jumps": Variant(shock=0.75, jump_rate=0.03, jump=1.5),
    "state-volatility": Variant(shock=1.15, state_volatility=True),
    "no-permanent": Variant(permanent=False),
}


def find_variant(name: str) -> Variant:
    """Look a variant up by name."""
    if name not in LBD_VARIANTS:
        raise OptionError(f"variant must be one of {', '.join(LBD_VARIANTS)}; {name!r} is none of them.")
    return LBD_VARIANTS[name]
