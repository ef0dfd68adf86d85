"""The panel part of a schema: which columns hold unit, period, entry and exit, and the public range of periods.

The privacy unit of a panel is the whole history of a unit. Under full synthesis that is everything about it: when it
enters and leaves, its attributes, and its values in all periods at once; nothing of a unit is copied. Under partial
synthesis ids, entry, exit and public columns are public and copied, and the values of a unit are protected. A wide
table has one row per unit and one column `{column}_{period}` for every column with a history and every period; a long
table has one row per unit and period.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import cached_property
from numbers import Integral
from typing import Any, Literal, get_args

from quantail.errors import SchemaError
from quantail.schema.column_rules import check_text, is_encodable, is_list, shown
from quantail.schema.periods import WHOLE, PeriodForm, form_of, seem_months

Layout = Literal["wide", "long"]
Synthesis = Literal["full", "partial"]

# A mistyped range must not ask for memory without end, nor a mistyped number for noise without end.
MOST_PERIODS, MOST_ESTABLISHMENTS = 1000, 1000
_NOT_GIVEN = 10**10
BETWEEN = ("_", ".", "-", " ", "")


@dataclass(frozen=True)
class Panel:
    """Where a panel keeps its units and periods, checked on construction.

    Parameters
    ----------
    unit : str
        Column that identifies the unit; distinct in a wide table.
    entry, exit : str
        Columns with the first and the last active period of a unit, both inclusive. Full synthesis can do without:
        they follow from the periods that have values.
    start, end : int or str
        Public range of periods, both inclusive: whole numbers such as years, or months and quarters as the table writes
        them, such as "2020-01", "202001", "2020-01-01" (months by their first day) and "2020Q1".
    layout : {"wide", "long"}
        One row per unit, or one row per unit and period.
    time : str
        Long layout only: the column with the period.
    between : str
        Wide layout only: what stands between a column's name and the period, as in staff_2001; "" for staff2001.
    source : str
        Partial synthesis: where it comes from that ids, entry and exit of the units are public; a blank is reported.
    synthesis : {"full", "partial"}
        Whether ids, entry, exit and attributes are synthetic too, or public and copied.
    attributes : sequence of str
        Full synthesis only: category columns that belong to the unit, the same in all of its periods.
    changing : sequence of str
        Full synthesis only: category columns that may change over a unit's life, with a label in every active period.
    gaps : bool
        Full synthesis only: whether units may be away between entry and exit; then that is synthetic too.
    borrow : bool
        Whether small groups share questions (full synthesis, replace-one); False if they are very unlike.
    firm : str
        Full synthesis under add-remove only: the column that names the firm to which a unit, its establishment,
        belongs in all periods. Then the firm is protected as a whole.
    establishments : int
        With `firm`: how many establishments of a firm are used at most; of others the largest are.

    Raises
    ------
    SchemaError
        If anything is missing or contradictory.

    Examples
    --------
    >>> panel = Panel("lbdnum", "firstyear", "lastyear", 1976, 1978)
    >>> panel.stored_as("emp")
    ('emp_1976', 'emp_1977', 'emp_1978')
    >>> Panel("meter", start="2020-11", end="2021-01").stored_as("kwh")
    ('kwh_2020-11', 'kwh_2020-12', 'kwh_2021-01')
    """

    unit: str
    entry: str = ""
    exit: str = ""
    start: int | str = _NOT_GIVEN
    end: int | str = _NOT_GIVEN
    layout: Layout = "wide"
    time: str = ""
    source: str = ""
    synthesis: Synthesis = "full"
    attributes: tuple[str, ...] = ()
    changing: tuple[str, ...] = ()
    gaps: bool = False
    borrow: bool = True
    firm: str = ""
    establishments: int = 0
    between: str = "_"

    def __post_init__(self) -> None:
        for option, allowed in (("layout", get_args(Layout)), ("synthesis", get_args(Synthesis))):
            if (given := getattr(self, option)) not in allowed:
                raise SchemaError(
                    f"[panel] {option} {shown(given)} is unknown; write one of {', '.join(allowed)}"
                )
        for option in ("unit", "entry", "exit"):
            if option == "unit" or not self.is_full or getattr(self, option) != "":
                check_text(
                    getattr(self, option), f"[panel] {option}", f'write a column name: {option} = "..."'
                )
        self._check_attributes()
        if not isinstance(self.source, str) or not is_encodable(self.source):
            raise SchemaError('[panel] source must be text; write why units are public, or source = ""')
        self._check_time()
        self._check_firm()
        named = self.described
        if len(set(named)) < len(named):
            raise SchemaError(
                "[panel] names a column twice; unit, time, entry, exit and firm are different columns"
            )
        self._check_range()

    @property
    def is_full(self) -> bool:
        """Whether nothing of a unit is copied."""
        return self.synthesis == "full"

    @property
    def named(self) -> tuple[str, ...]:
        """Columns that the panel itself names: unit, time (long layout), and entry and exit if they are there."""
        return tuple(name for name in (self.unit, self.time, self.entry, self.exit) if name)

    @property
    def categories(self) -> tuple[str, ...]:
        """Category columns that are synthetic: those that belong to the unit, then those that may change."""
        return (*self.attributes, *self.changing)

    @property
    def described(self) -> tuple[str, ...]:
        """All columns that the panel names: those of a released one, and the firm, which is not released."""
        return (*self.named, *([self.firm] if self.firm else []))

    @property
    def units_protected(self) -> int:
        """How many units are protected as one: at most so many establishments of a firm, or the unit itself."""
        return self.establishments if self.firm else 1

    @cached_property
    def form(self) -> PeriodForm:
        """How periods are written."""
        return form_of(self.start) or WHOLE if isinstance(self.start, str) else WHOLE

    @cached_property
    def first(self) -> int:
        """Number of the first period."""
        return self._numbered(self.start)

    @cached_property
    def last(self) -> int:
        """Number of the last period."""
        return self._numbered(self.end)

    @property
    def periods(self) -> range:
        """Numbers of the periods of the public range, in order."""
        return range(self.first, self.last + 1)

    def until(self, last: int) -> "Panel":
        """Return the same panel with another last period."""
        return replace(self, end=self.form.written(last))

    def stored_as(self, name: str) -> tuple[str, ...]:
        """Names under which the table holds the confidential column `name`: one per period if wide, or an attribute."""
        if self.layout == "long" or name in self.attributes:
            return (name,)
        return tuple(f"{name}{self.between}{self.form.written(period)}" for period in self.periods)

    def _check_attributes(self) -> None:
        for option in ("attributes", "changing"):
            given: Any = getattr(self, option)
            if not is_list(given):
                raise SchemaError(f'[panel] {option} must be a list; write {option} = ["region"]')
            object.__setattr__(self, option, tuple(given))
            for name in getattr(self, option):
                check_text(
                    name, f"an entry of [panel] {option}", f'write column names: {option} = ["region"]'
                )
        if len(set(self.categories)) < len(self.categories):
            where = "attributes or changing lists" if self.changing else "attributes lists"
            raise SchemaError(f"[panel] {where} a column twice; remove the second one")
        if not isinstance(self.gaps, bool) or (self.gaps and not self.is_full):
            raise SchemaError(
                "[panel] gaps must be true or false, and true goes with full synthesis only; remove it, "
                'or write synthesis = "full"'
            )
        if not isinstance(self.borrow, bool):
            raise SchemaError("[panel] borrow must be true or false; write whether small groups borrow")
        if self.categories and not self.is_full:
            raise SchemaError(
                "[panel] attributes and changing are synthetic, and so belong to full synthesis; "
                'write public = true for columns that are copied, or synthesis = "full"'
            )

    def _check_time(self) -> None:
        if self.layout == "long":
            check_text(self.time, "[panel] time", 'write the column with the period: time = "year"')
        elif self.time != "":
            raise SchemaError(
                '[panel] time belongs to layout = "long"; remove time, or write layout = "long"'
            )
        if self.between not in BETWEEN or (self.layout == "long" and self.between != "_"):
            raise SchemaError(
                '[panel] between is what stands between the name of a column and its period in a wide panel: "_", ".", '
                '"-", " " or ""; write between = "" for staff2001, or remove it'
            )

    def _check_firm(self) -> None:
        given: Any = self.establishments
        if (
            not isinstance(given, Integral)
            or isinstance(given, bool)
            or not 0 <= int(given) <= MOST_ESTABLISHMENTS
        ):
            raise SchemaError(
                "[panel] establishments must be a whole number; write how many establishments of a firm are used at "
                "most: establishments = 3"
            )
        object.__setattr__(self, "establishments", int(given))
        if self.firm != "":
            check_text(self.firm, "[panel] firm", 'write a column name: firm = "firm_id"')
        if bool(self.firm) != bool(self.establishments):
            raise SchemaError(
                "[panel] firm and establishments go together; write the column that names a unit's firm and how many "
                "establishments of a firm are used at most, or neither"
            )
        if self.firm and not self.is_full:
            raise SchemaError(
                '[panel] firm belongs to full synthesis; write synthesis = "full", or remove firm and establishments'
            )

    def _check_range(self) -> None:
        for option in ("start", "end"):
            given: Any = getattr(self, option)
            object.__setattr__(self, option, _period(given, option))
        if isinstance(self.start, str) != isinstance(self.end, str) or self.form.number(self.end) is None:
            raise SchemaError(
                "[panel] start and end are written in different ways; write both as the table writes its periods"
            )
        if self.first > self.last:
            raise SchemaError("[panel] start is after end; write the first period as start, the last as end")
        if self.form is WHOLE and seem_months(self.first, self.last):
            raise SchemaError(
                f"[panel] start and end look like months, but numbers between them, such as {self.first // 100}13, are "
                f'none; write them in quotes: start = "{self.first}", end = "{self.last}"'
            )
        if len(self.periods) > MOST_PERIODS:
            raise SchemaError(
                f"[panel] the range has more than {MOST_PERIODS} periods; number periods one by one"
            )

    def _numbered(self, given: int | str) -> int:
        number = self.form.number(given)
        assert number is not None  # as the constructor saw to
        return number


def _period(given: Any, option: str) -> int | str:
    """Return a period as a whole number, or the text of a month or quarter, or refuse it."""
    if isinstance(given, date) and not isinstance(given, datetime):  # TOML has dates
        given = given.isoformat()
    if isinstance(given, str) and form_of(given) is not None:
        return given
    if isinstance(given, Integral) and not isinstance(given, bool) and abs(int(given)) <= 10**9:
        return int(given)
    which = "first" if option == "start" else "last"
    raise SchemaError(
        f"[panel] {option} must be a whole number, or a month or quarter in quotes; write the {which} period as the "
        f'table has it: {option} = 1976, {option} = "2020-01", {option} = "2020Q1"; weeks and days are numbered one '
        "after the other, 1, 2, 3 and so on, in a column of the table, too"
    )
