"""One column of a table: its type, public bounds or categories, and what may stand in place of a value.

A column is checked when it is made, so a `Column` that exists is complete and consistent. Messages name the
column and say what to write; they quote only the schema, which is public.
"""

from dataclasses import dataclass
from typing import Literal, cast

from quantail.schema.column_rules import check_column
from quantail.schema.column_types import DATED, LABELLED, NUMBERS, ColumnType, Grid
from quantail.schema.dates import DateType, date_text
from quantail.schema.storage import check_storage

OTHER = "other"

_LINEAR_STEPS = 1e-6
_LOG_STEPS = 1e-7
_COARSEST_LOG_STEP = 0.01  # so that a generous bound does not decide what is small


@dataclass(frozen=True)
class Column:
    """A column and the public facts about it.

    Parameters
    ----------
    name : str
        Name of the column in the table.
    type : {"numeric", "integer", "category", "boolean", "ordinal", "date", "datetime"}
        Numeric columns hold real numbers, integer columns whole numbers, category columns labels, ordinal columns
        labels in an order, boolean columns true and false.
    lower, upper : float, date or ISO text
        Public bounds of a column of numbers or dates; values beyond them are clipped. Bounds of dates are kept as
        days (of datetimes: seconds) since 1970-01-01. None for a column of labels.
    grid : {"linear", "log"}
        Spacing of candidate values; "log" suits heavy tails and may include zero and negative bounds.
    decimals : int, optional
        Numeric columns only: how many decimals the values are recorded with.
    resolution : float, optional
        Smallest difference that matters, if it does not follow from `decimals` (in the column's own unit; for dates in
        days, for datetimes in seconds).
    categories : tuple of str
        Labels of a category or ordinal column, in the order that their codes follow.
    predictors : tuple of str, optional
        Earlier columns that explain this one; None means all of them, an empty tuple none.
    source : str
        Where the bounds or categories come from, for example a rule or a codebook.
    public : bool
        The column is public and kept as it is: it costs nothing, explains the others, and stands first in synthesis.
        In a panel it needs neither bounds nor categories.
    missing : bool
        Values may be missing; how many is then released with noise.
    missing_codes : tuple of float
        Numbers that mean a kind of missing value (-8: refused), not an amount.
    atoms : tuple of float
        Values that many rows hold next to a continuous rest, such as 0 or a top code.
    heaps : tuple of float
        Round figures that values are often multiples of, coarsest first, such as 1000 and 500.
    other : bool
        Category columns: labels that are not listed become "other" instead of being refused.
    label : str
        What the column means, in words: the variable label of .dta, .sav and .xpt files.
    storage : str
        How the column is stored in what is released, for example "int16", "category" or "decimal128(12, 2)"
        (`quantail.schema.storage`); empty for the default of its type.
    universe : str
        Where the column has a value at all, as a condition on earlier columns ("age >= 15").
    outside : str or float
        What it is elsewhere: one of its labels, atoms or missing codes; by default it is missing.
    only_outside : bool
        That stands nowhere else: never zero, or never missing, within the universe. Labels and codes never do.
    missing_with : str
        An earlier column: this one is missing in the same rows, and in no others.
    within : str
        An earlier column of labels: each label of this one belongs to one of its labels (a county to a state).
    parents : tuple of str
        Which one, in the order of `categories`, "" where that column is missing; by default the one it begins with.

    Raises
    ------
    SchemaError
        If anything is missing or contradictory.

    Examples
    --------
    >>> Column("pay", "numeric", 0, 1_000_000, grid="log", decimals=2).lattice
    0.01
    """

    name: str
    type: ColumnType
    lower: float | None = None
    upper: float | None = None
    grid: Grid = "linear"
    decimals: int | None = None
    resolution: float | None = None
    categories: tuple[str, ...] = ()
    predictors: tuple[str, ...] | None = None
    source: str = ""
    public: bool = False
    missing: bool = False
    missing_codes: tuple[float, ...] = ()
    atoms: tuple[float, ...] = ()
    other: bool = False
    label: str = ""
    storage: str = ""
    universe: str = ""
    outside: str | float = ""
    missing_with: str = ""
    heaps: tuple[float, ...] = ()
    within: str = ""
    parents: tuple[str, ...] = ()
    only_outside: bool = False

    def __post_init__(self) -> None:
        check_column(self)
        check_storage(self)

    def __repr__(self) -> str:
        """Write the column without what stands at its default."""
        from quantail.schema.notebook import column_line

        return column_line(self)

    @property
    def is_labelled(self) -> bool:
        """Whether the column holds labels (a category, ordinal or boolean column) and not numbers or dates."""
        return self.type in LABELLED

    @property
    def is_dated(self) -> bool:
        """Whether the column holds dates or moments."""
        return self.type in DATED

    @property
    def is_plain(self) -> bool:
        """Whether the column is a number, integer or category and nothing else can stand in place of a value."""
        special = (
            self.missing or self.missing_codes or self.atoms or self.other or self.universe or self.within
        )
        return self.type in (*NUMBERS, "category") and not special

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels that the column may hold, in the order of their codes.

        Examples
        --------
        >>> Column("sector", "category", categories=("farm", "mill"), other=True).labels
        ('farm', 'mill', 'other')
        """
        if self.type == "boolean":
            return ("false", "true")
        return (*self.categories, OTHER) if self.other and OTHER not in self.categories else self.categories

    def bound_text(self, option: Literal["lower", "upper"]) -> str:
        """Return a bound as a person would write it; empty if there is none."""
        bound = getattr(self, option)
        if bound is None:
            return ""
        return date_text(cast(DateType, self.type), bound) if self.is_dated else f"{bound:.15g}"

    @property
    def lattice(self) -> float:
        """Smallest difference that matters, in the column's unit (1 for integers, codes, days and seconds).

        An explicit `resolution` wins, then `decimals`; otherwise a millionth of the range on a linear grid,
        and a ten-millionth of the larger bound on a log grid, at most a hundredth, so that generous bounds are free.
        """
        if self.resolution is not None:
            return self.resolution
        if self.lower is None or self.upper is None or self.type != "numeric":
            return 1.0
        if self.decimals is not None:
            return float(10.0**-self.decimals)
        step = (self.upper - self.lower) * _LINEAR_STEPS
        if self.grid == "log":
            step = min(step, max(abs(self.lower), abs(self.upper)) * _LOG_STEPS, _COARSEST_LOG_STEP)
        return step
