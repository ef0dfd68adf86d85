"""Numbers as a reader wants them: short on axes, with three or four digits in tables."""

import math
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNITS = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))


def short(value: float, digits: int = 3) -> str:
    """Write a number in few characters: 12k, 3.5M, 0.02.

    Examples
    --------
    >>> short(12_000), short(3_450_000), short(0.02), short(-7.0), short(1e-7)
    ('12k', '3.45M', '0.02', '-7', '1·10⁻⁷')
    """
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞" if value < 0 else "n/a"
    for unit, letter in _UNITS:
        # 999.6 thousand is written as 1M, so the next unit begins where rounding would reach it.
        if abs(value) >= unit * (1 - 0.5 * 10**-digits) and not (letter == "k" and abs(value) < 9999.5):
            return (
                f"{value / unit:.{digits}g}{letter}" if abs(value) < 999.5e12 else f"{value:.{digits - 1}e}"
            )
    if value != 0 and abs(value) < 1e-4:
        mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
        mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{mantissa}·10{str(int(exponent)).translate(_RAISED)}"
    whole = len(str(int(abs(value))))  # digits before the point are all written
    return f"{value:.{max(digits, whole)}g}"


def plain(value: float, places: int) -> str:
    """Write a number with so many decimals, and 0 without a sign.

    Examples
    --------
    >>> plain(-0.001, 2), plain(-0.016, 2)
    ('0.00', '-0.02')
    """
    return f"{round(value, places) + 0.0:.{places}f}"


def percent(share: float) -> str:
    """Write a share in percent, with more digits for small ones.

    Examples
    --------
    >>> percent(0.5), percent(0.0123), percent(0.0004), percent(0.0)
    ('50%', '1.2%', '0.04%', '0%')
    """
    points = 100 * share
    return f"{points:.0f}%" if abs(points) >= 9.95 else f"{points:.2g}%"


def day(seconds: float) -> str:
    """Write a moment, given in seconds since 1970, as a date.

    Examples
    --------
    >>> day(86_400.0)
    '1970-01-02'
    """
    return (_EPOCH + timedelta(seconds=seconds)).date().isoformat()
