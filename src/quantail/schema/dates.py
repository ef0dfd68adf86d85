"""Dates as numbers: days, or seconds, since 1970-01-01, and back to the text that files hold.

Bounds of date and datetime columns may be written as dates or as ISO text; they are kept as numbers, so that
everything that compares or subtracts bounds works for dates too. Zones are not part of a bound: a bound of a column
with a time zone is meant in UTC.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

DateType = Literal["date", "datetime"]
_EPOCH = datetime(1970, 1, 1)


def date_number(kind: DateType, given: Any) -> float | None:
    """Return days ("date") or seconds ("datetime") since 1970-01-01, or None if `given` is no date.

    Examples
    --------
    >>> date_number("date", "1970-01-31"), date_number("datetime", "1970-01-01T00:01")
    (30.0, 60.0)
    """
    if isinstance(given, str):
        try:
            given = datetime.fromisoformat(given)
        except ValueError:
            return None
    if isinstance(given, date) and not isinstance(given, datetime):
        given = datetime(given.year, given.month, given.day)
    if not isinstance(given, datetime):
        return None
    moment = given if given.tzinfo is None else given.astimezone(UTC).replace(tzinfo=None)
    passed = moment - _EPOCH
    return float(passed.days) if kind == "date" else passed.total_seconds()


def is_day_alone(given: str | date) -> bool:
    """Say whether a bound names a day without a time.

    Examples
    --------
    >>> is_day_alone("2020-12-31"), is_day_alone("2020-12-31T00:00")
    (True, False)
    """
    if isinstance(given, str):
        return len(given.strip()) <= len("2020-12-31") and "T" not in given
    return not isinstance(given, datetime)


def date_text(kind: DateType, number: float) -> str:
    """Return a number of days or seconds as ISO text (the inverse of `date_number`).

    Examples
    --------
    >>> date_text("date", 30), date_text("datetime", 60)
    ('1970-01-31', '1970-01-01T00:01:00')
    """
    if kind == "date":
        return (_EPOCH + timedelta(days=number)).date().isoformat()
    return (_EPOCH + timedelta(seconds=number)).isoformat()


def in_calendar(kind: DateType, number: float) -> bool:
    """Say whether a number of days or seconds lies in the years 1 to 9999."""
    unit = timedelta(days=1) if kind == "date" else timedelta(seconds=1)
    first, last = ((moment - _EPOCH) / unit for moment in (datetime.min, datetime.max))
    return first <= number <= last
