"""The `[panel]` section of a draft, from the names of the columns alone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from quantail.errors import SchemaError
from quantail.schema.panel import BETWEEN
from quantail.schema.periods import FORMS, MONTH_NUMBERS, WHOLE, PeriodForm, seem_months
from quantail.schema.toml import toml_text

_Type = TypeVar("_Type")
_STORED = [
    (between, form, re.compile(rf"({'.+' if between else '.*[^0-9]'}){re.escape(between)}({form.pattern})"))
    for form in (*FORMS, WHOLE)  # 2020-01 ends as a whole number does, so months are tried first
    for between in BETWEEN
    if form is not MONTH_NUMBERS
]
_ENTRY = ("entry", "firstyear", "first_year", "first", "opened", "birth", "start")
_EXIT = ("exit", "lastyear", "last_year", "last", "closed", "death", "end")

_LONG = """
[panel]
layout = "long"  # one row per unit and period
synthesis = "full"  # full: nothing of a unit is copied | partial: ids, entry and exit are public, and copied
unit = {unit}
time = {time}
entry = {entry}  # column with the first period in which a unit is active; full: may stay blank
exit = {exit}  # column with the last one
start = ""  # first period of the panel as the column has it: 2001, "2020-01", "2020Q1"
end = ""  # last period of the panel
attributes = []  # full: category columns that belong to the unit, such as ["region"]
changing = []  # full: category columns that may change over a unit's life, such as ["legal_form"]
gaps = false  # full: whether units may be away between their first and last period
borrow = true  # full, replace-one: small groups share questions; false if they are very unlike
{firm}source = ""  # partial: where it is public which units there are, and in which periods
"""

_WIDE = """
[panel]
layout = "wide"  # one row per unit, one column for each period
{between}synthesis = "full"  # full: nothing of a unit is copied | partial: ids, entry and exit are public, and copied
unit = {unit}
entry = {entry}  # column with the first period in which a unit is active; full: may stay blank
exit = {exit}  # column with the last one
start = {start}
end = {end}
attributes = []  # full: category columns that belong to the unit, such as ["region"]
changing = []  # full: category columns that may change over a unit's life, such as ["legal_form"]
gaps = false  # full: whether units may be away between their first and last period
borrow = true  # full, replace-one: small groups share questions; false if they are very unlike
{firm}source = ""  # partial: where it is public which units there are, and in which periods
"""

_NO_FIRM = 'firm = ""  # full: column that names the firm of an establishment, where firms are protected as a whole\n'
_FIRM = """firm = {firm}  # full, add-remove: the firm of an establishment, protected as a whole
establishments = ""  # how many establishments of a firm are used at most, such as 3: noise is that many times as large
"""


@dataclass(frozen=True)
class PanelNames:
    """Which columns of a table hold the unit and, in a long table, the period; and its firm, if that is protected.

    Examples
    --------
    >>> PanelNames.of("firm,year")
    PanelNames(unit='firm', time='year', firm='')
    """

    unit: str
    time: str = ""
    firm: str = ""

    @classmethod
    def of(cls, text: str) -> "PanelNames":
        """Read "unit,period", or "unit" alone for a table with one row per unit."""
        parts = [part.strip() for part in text.split(",")]
        if len(parts) > 2 or not all(parts):
            raise SchemaError(
                "a panel is named by its unit and its period, such as firm,year; by its unit alone if it is wide"
            )
        return cls(*parts)


def panel_section(panel: PanelNames, names: Mapping[str, object]) -> str:
    """Draft the section, or raise a SchemaError that says which column the table does not have."""
    for name in (panel.unit, panel.time, panel.firm):
        if name and name not in names:
            raise SchemaError(
                f"the table has no column {name!r}; its columns are {', '.join(map(repr, names))}"
            )
    filled = {
        "unit": toml_text(panel.unit),
        "time": toml_text(panel.time),
        "entry": toml_text(_named(names, _ENTRY)),
        "exit": toml_text(_named(names, _EXIT)),
        "firm": _FIRM.format(firm=toml_text(panel.firm)) if panel.firm else _NO_FIRM,
    }
    if panel.time:
        return _LONG.format(**filled)
    between, form, found = _stored(names)
    periods = [period for _, period in found.values()]
    if not periods:
        raise SchemaError(
            "no column is named after a period, such as staff_2001; for a table with one row per unit and period "
            "name the column of the period, too"
        )
    told = (
        "" if between == "_" else f"between = {toml_text(between)}  # stands between a name and its period\n"
    )
    start, end = (form.written(period) for period in (min(periods), max(periods)))
    quoted = {"start": start, "end": end} if form.is_whole else {"start": f'"{start}"', "end": f'"{end}"'}
    return _WIDE.format(**filled, between=told, **quoted)


def split_names(panel: PanelNames, columns: Mapping[str, _Type]) -> dict[str, _Type]:
    """Return the columns that need a section of their own: not those of `[panel]`, and a wide panel's once each.

    Examples
    --------
    >>> split_names(PanelNames("site"), {"site": "", "staff_2001": "integer", "staff_2002": "integer"})
    {'staff': 'integer'}
    """
    named = {panel.unit, panel.time, panel.firm, _named(columns, _ENTRY), _named(columns, _EXIT)}
    kept: dict[str, _Type] = {}
    stored = {} if panel.time else _stored(columns)[2]
    for name, kind in columns.items():
        if name not in named:
            kept.setdefault(stored[name][0] if name in stored else name, kind)
    return kept


def seems_wide(names: Mapping[str, object]) -> str:
    """Return a column that looks like one period of a wide panel (staff_2001 beside staff_2002), or a blank.

    Examples
    --------
    >>> seems_wide({"site": "", "q_1": "", "q_2": ""}), seems_wide({"site": "", "staff_2001": "", "staff_2002": ""})
    ('', 'staff_2001')
    """
    _, form, found = _stored(names)
    dated = {stored: name for name, stored in found.items() if not form.is_whole or 1900 <= stored[1] <= 2100}
    return next((name for (stem, period), name in dated.items() if (stem, period + 1) in dated), "")


def _stored(names: Mapping[str, object]) -> tuple[str, PeriodForm, dict[str, tuple[str, int]]]:
    """Return what stands between names and periods, how these are written, and columns named so, with both parts.

    Examples
    --------
    >>> _stored({"id": "", "y2010": "", "y2011": ""})[2]
    {'y2010': ('y', 2010), 'y2011': ('y', 2011)}
    """
    for between, form, pattern in _STORED:
        matches = {name: match for name in names if (match := pattern.fullmatch(name))}
        if not matches:
            continue
        numbers = [int(match[2]) for match in matches.values()] if form.is_whole else []
        if numbers and seem_months(min(numbers), max(numbers)):
            form = MONTH_NUMBERS
        found = {name: (match[1], form.number(match[2])) for name, match in matches.items()}
        return between, form, {name: (stem, when) for name, (stem, when) in found.items() if when is not None}
    return "_", WHOLE, {}


def _named(names: Mapping[str, object], words: tuple[str, ...]) -> str:
    """Return the column that is called by one of these words, or a blank."""
    return next((name for name in names if name.lower() in words), "")
