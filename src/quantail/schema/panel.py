"""The panel part of a schema: which columns hold unit, period, entry and exit, and the public range of periods.

The privacy unit of a panel is the whole history of a unit. Entry, exit, groups and public columns are public:
neighbouring panels hold the same units with the same public columns, and differ in the confidential values of
one unit, in all of its periods at once. A wide table has one row per unit and one column `{column}_{period}`
for every confidential column and period; a long table has one row per unit and period.
"""

from collections import Counter
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, get_args

from quantail.errors import SchemaError
from quantail.schema.column import Column
from quantail.schema.column_rules import check_text, is_encodable, shown

Layout = Literal["wide", "long"]

# A mistyped range must not ask for memory without end.
MOST_PERIODS = 1000


@dataclass(frozen=True)
class Panel:
    """Where a panel keeps its units and periods, checked on construction.

    Parameters
    ----------
    unit : str
        Column that identifies the unit; distinct in a wide table.
    entry, exit : str
        Public columns with the first and the last active period of a unit, both inclusive.
    start, end : int
        Public range of periods, both inclusive.
    layout : {"wide", "long"}
        One row per unit, or one row per unit and period.
    time : str
        Long layout only: the column with the period.
    source : str
        Where it comes from that ids, entry and exit of the units are public; a blank is reported.

    Raises
    ------
    SchemaError
        If anything is missing or contradictory.

    Examples
    --------
    >>> panel = Panel("lbdnum", "firstyear", "lastyear", 1976, 1978)
    >>> panel.stored_as("emp")
    ('emp_1976', 'emp_1977', 'emp_1978')
    """

    unit: str
    entry: str
    exit: str
    start: int
    end: int
    layout: Layout = "wide"
    time: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        for option in ("unit", "entry", "exit"):
            check_text(getattr(self, option), f"[panel] {option}", f'write a column name: {option} = "..."')
        if self.layout not in get_args(Layout):
            allowed = ", ".join(get_args(Layout))
            raise SchemaError(f"[panel] layout {shown(self.layout)} is unknown; write one of {allowed}")
        if not isinstance(self.source, str) or not is_encodable(self.source):
            raise SchemaError('[panel] source must be text; write why units are public, or source = ""')
        self._check_time()
        named = self.named
        if len(set(named)) < len(named):
            raise SchemaError(
                "[panel] names a column twice; unit, time, entry and exit are different columns"
            )
        self._check_range()

    @property
    def named(self) -> tuple[str, ...]:
        """Columns that the panel itself needs: unit, time (long layout), entry and exit."""
        return tuple(name for name in (self.unit, self.time, self.entry, self.exit) if name)

    @property
    def periods(self) -> range:
        """Every period of the public range, in order."""
        return range(self.start, self.end + 1)

    def stored_as(self, name: str) -> tuple[str, ...]:
        """Names under which the table holds the confidential column `name`: one per period if wide."""
        if self.layout == "long":
            return (name,)
        return tuple(f"{name}_{period}" for period in self.periods)

    def _check_time(self) -> None:
        if self.layout == "long":
            check_text(self.time, "[panel] time", 'write the column with the period: time = "year"')
        elif self.time != "":
            raise SchemaError(
                '[panel] time belongs to layout = "long"; remove time, or write layout = "long"'
            )

    def _check_range(self) -> None:
        for option in ("start", "end"):
            given: Any = getattr(self, option)
            if not isinstance(given, Integral) or isinstance(given, bool) or abs(int(given)) > 10**9:
                advice = f"write the {'first' if option == 'start' else 'last'} period: {option} = 1976"
                raise SchemaError(f"[panel] {option} must be a whole number; {advice}")
            object.__setattr__(self, option, int(given))
        if self.start > self.end:
            raise SchemaError("[panel] start is after end; write the first period as start, the last as end")
        if len(self.periods) > MOST_PERIODS:
            raise SchemaError(
                f"[panel] the range has more than {MOST_PERIODS} periods; number periods one by one"
            )


def check_columns(panel: Panel | None, columns: tuple[Column, ...], by: tuple[str, ...]) -> None:
    """Raise a SchemaError unless the columns can belong to this panel (or to a table, if it is None)."""
    if panel is None:
        _check_public(columns)
        return
    for column in columns:
        _check_plain(column)
    confidential = tuple(column for column in columns if not column.public)
    if not confidential:
        raise SchemaError("every column is public, so nothing is left to synthesise; describe another column")
    for column in confidential:
        if column.type == "category":
            raise SchemaError(
                f"column {column.name!r}: confidential columns of a panel are numeric or integer; "
                "write public = true if it is public, or leave it out of the schema"
            )
    for column in columns:
        if column.name in by and not column.categories:
            raise SchemaError(
                f"column {column.name!r}: [table] by needs its labels; "
                'write every label the column may hold: categories = ["a", "b"]'
            )
    _check_names(panel, columns, confidential)


def _check_public(columns: tuple[Column, ...]) -> None:
    """Raise a SchemaError unless public columns of a table can explain the others, and others are left."""
    if all(column.public for column in columns):
        raise SchemaError("every column is public, so nothing is left to synthesise; describe another column")
    for column in columns:
        if column.public and not column.labels and column.lower is None:
            what = "categories" if column.is_labelled else "lower and upper"
            raise SchemaError(
                f"column {column.name!r}: no {what}; a public column explains the others, "
                f"and for that it needs {what}, too"
            )


def _check_plain(column: Column) -> None:
    """Raise a SchemaError for what tables know and panels do not."""
    if not column.is_plain or column.heaps:
        raise SchemaError(
            f"column {column.name!r}: columns of a panel are numeric, integer or category columns without "
            "missing values, atoms, heaps or other labels; change its type, or leave it out of the schema"
        )
    if column.public and (column.lower is not None or column.upper is not None):
        raise SchemaError(
            f"column {column.name!r}: lower and upper have no meaning for a public column of a panel, "
            "which is kept as it is; remove them"
        )


def _check_names(panel: Panel, columns: tuple[Column, ...], confidential: tuple[Column, ...]) -> None:
    for column in columns:
        if column.name in panel.named:
            raise SchemaError(
                f"column {column.name!r} is named in [panel] already; remove its [[column]] section"
            )
    stored = [name for column in confidential for name in panel.stored_as(column.name)]
    stored += [*panel.named, *(column.name for column in columns if column.public)]
    twice = sorted(name for name, times in Counter(stored).items() if times > 1)
    if twice:
        raise SchemaError(
            f"column {twice[0]!r} would stand for two things, a period of a column and a column of that name; "
            "rename one of them"
        )
