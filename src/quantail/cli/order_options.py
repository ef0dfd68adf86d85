"""Options of the paper's methods (kng, stepwise, sandwich) as they are typed."""

from fractions import Fraction
from typing import Any

from quantail.errors import OptionError


def order_options(
    slopes: str | None = None,
    draw: str | None = None,
    taus: str | None = None,
    main: str | None = None,
    shares: str | None = None,
) -> dict[str, Any]:
    """Return what was typed for the paper's methods as a synthesizer takes it, without what was not given.

    Examples
    --------
    >>> order_options(taus="0.25,0.5", shares="median=0.8")
    {'taus': [0.25, 0.5], 'shares': {'median': '0.8'}}
    """
    typed = {
        "slopes": slopes,
        "draw": draw,
        "taus": _levels(taus, "--taus"),
        "main": _levels(main, "--main"),
        "shares": _shares(shares),
    }
    return {name: value for name, value in typed.items() if value is not None}


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
