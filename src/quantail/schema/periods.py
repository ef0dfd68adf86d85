"""How a panel writes its periods: whole numbers such as years, or months and quarters such as 2020-01 and 2020Q1.

Inside, a period is a whole number and the next one is one more. Only where a table is read or written does it matter
how that number is spelled.
"""

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class PeriodForm:
    """One way to write periods.

    Examples
    --------
    >>> monthly = PeriodForm(12, "-", 2)
    >>> monthly.number("2020-12"), monthly.written(monthly.number("2020-12") + 1), monthly.number("2020-13")
    (24251, '2021-01', None)
    """

    a_year: int = 1  # periods of a year; 1: whole numbers, which stand for themselves
    between: str = ""  # what stands between the year and its month or quarter
    digits: int = 1  # of the month or quarter
    day: str = ""  # what follows a month that is named by its first day

    def written(self, number: int) -> int | str:
        """Return a period as it stands in a table."""
        if self.is_whole:
            return number
        year, part = divmod(number, self.a_year)
        return f"{year:04d}{self.between}{part + 1:0{self.digits}d}{self.day}"

    def number(self, written: object) -> int | None:
        """Return the number of a period, or None if it is written in another way."""
        match = self._pattern.fullmatch(str(written))
        if match is None:
            return None
        if self.is_whole:
            return int(match[0])
        part = int(match[2])
        return int(match[1]) * self.a_year + part - 1 if 1 <= part <= self.a_year else None

    @property
    def is_whole(self) -> bool:
        """Whether periods are whole numbers."""
        return self.a_year == 1

    @property
    def pattern(self) -> str:
        """What periods look like, as a regular expression without groups."""
        if self.is_whole:
            return "[0-9]{1,9}"
        return f"[0-9]{{4}}{re.escape(self.between)}[0-9]{{{self.digits}}}{re.escape(self.day)}"

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if self.is_whole:
            return re.compile("-?[0-9]{1,10}")
        between, day = re.escape(self.between), re.escape(self.day)
        return re.compile(f"([0-9]{{4}}){between}([0-9]{{{self.digits}}}){day}")


WHOLE = PeriodForm()
MONTH_NUMBERS = PeriodForm(12, "", 2)
_MONTHS = (
    PeriodForm(12, "-", 2),
    PeriodForm(12, "-", 2, "-01"),
    *(PeriodForm(12, between, 2) for between in ("_", "/", ".", "M", "m", "-M")),
    MONTH_NUMBERS,
)
_QUARTERS = tuple(PeriodForm(4, between) for between in ("Q", "-Q", "q", "-q", "_Q", "_q", " Q"))
FORMS = (*_QUARTERS, *_MONTHS)
"""All ways to write months and quarters."""


def form_of(written: object) -> PeriodForm | None:
    """Return how a month or quarter is written, None if it is none.

    Examples
    --------
    >>> form_of("2020Q1").a_year, form_of("2020-01-01").written(24241), form_of("2020")
    (4, '2020-02-01', None)
    """
    return next((form for form in FORMS if form.number(written) is not None), None)


def seem_months(first: int, last: int) -> bool:
    """Say whether whole numbers look like months of several years, 202011 to 202102, which are not consecutive.

    Examples
    --------
    >>> seem_months(202011, 202102), seem_months(2001, 2015), seem_months(202001, 202012)
    (True, False, False)
    """
    ends = [divmod(number, 100) for number in (first, last)]
    return ends[0][0] < ends[1][0] and all(1900 <= year <= 2100 and 1 <= month <= 12 for year, month in ends)
