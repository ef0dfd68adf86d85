"""One column of a table: its type, public bounds or categories, and the grid its quantiles are looked for on.

A column is checked when it is made, so a `Column` that exists is complete and consistent. Messages name the
column and say what to write; they quote only the schema, which is public.
"""

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal, get_args

from quantail.errors import SchemaError

ColumnType = Literal["numeric", "integer", "category"]
Grid = Literal["linear", "log"]

# Whole numbers are exact in a float64 up to here.
LARGEST_INTEGER = 2**53
# Names and labels beyond this are no names; messages quote them.
LONGEST_TEXT = 1000
# A float64 carries no more than fifteen decimal digits faithfully.
MOST_DECIMALS = 15

_LINEAR_STEPS = 1e-6
_LOG_STEPS = 1e-9


@dataclass(frozen=True)
class Column:
    """A column and the public facts about it.

    Parameters
    ----------
    name : str
        Name of the column in the table.
    type : {"numeric", "integer", "category"}
        Numeric columns hold real numbers, integer columns whole numbers, category columns labels.
    lower, upper : float
        Public bounds of a numeric or integer column; values beyond them are clipped. None for a category.
    grid : {"linear", "log"}
        Spacing of candidate values; "log" suits heavy tails and may include zero and negative bounds.
    decimals : int, optional
        Numeric columns only: how many decimals the values are recorded with.
    resolution : float, optional
        Smallest difference that matters, if it is not told by `decimals` (in the column's own unit).
    categories : tuple of str
        Labels of a category column, in the order that their codes follow.
    predictors : tuple of str, optional
        Earlier columns that explain this one; None means all of them, an empty tuple none.
    source : str
        Where the bounds or categories come from, for example a rule or a codebook.
    public : bool
        Panels only: the column is public and kept as it is, so it needs neither bounds nor categories.

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

    def __post_init__(self) -> None:
        check_text(self.name, "the name of a column", "write the name as it stands in the table's header")
        if not isinstance(self.source, str) or not _encodable(self.source):
            raise self._wrong("source must be text", 'write where the bounds come from, or source = ""')
        _check_choice(self, "type", get_args(ColumnType))
        _check_choice(self, "grid", get_args(Grid))
        object.__setattr__(self, "categories", self._texts("categories", self.categories))
        if self.predictors is not None:
            object.__setattr__(self, "predictors", self._texts("predictors", self.predictors))
        if not isinstance(self.public, bool):
            raise self._wrong("public must be true or false", "write public = true, or remove it")
        if self.type == "category":
            self._check_category()
        elif self.public:
            self._refuse(
                ("lower", "upper", "decimals", "resolution"), "a public column, which is kept as it is"
            )
        else:
            self._check_number()

    @property
    def lattice(self) -> float:
        """Smallest difference that matters, in the column's unit (1 for integers and for category codes).

        An explicit `resolution` wins, then `decimals`; otherwise a millionth of the range on a linear grid,
        and a billionth of the larger bound on a log grid (never more than a millionth of the range).
        """
        if self.resolution is not None:
            return self.resolution
        if self.lower is None or self.upper is None or self.type == "integer":
            return 1.0
        if self.decimals is not None:
            return float(10.0**-self.decimals)
        step = (self.upper - self.lower) * _LINEAR_STEPS
        if self.grid == "log":
            step = min(step, max(abs(self.lower), abs(self.upper)) * _LOG_STEPS)
        return step

    def _check_category(self) -> None:
        self._refuse(("lower", "upper", "decimals", "resolution"), "a category")
        if self.grid != "linear":
            raise self._wrong("grid has no meaning for a category", "remove grid")
        if not self.categories and not self.public:
            raise self._wrong(
                "no categories", 'write every label the column may hold: categories = ["a", "b"]'
            )

    def _refuse(self, options: tuple[str, ...], kind: str) -> None:
        for option in options:
            if getattr(self, option) is not None:
                raise self._wrong(f"{option} has no meaning for {kind}", f"remove {option}")

    def _check_number(self) -> None:
        if self.categories:
            raise self._wrong(
                f"categories belong to category columns, not {self.type} ones",
                'remove categories, or write type = "category"',
            )
        lower, upper = self._bound("lower"), self._bound("upper")
        if lower >= upper:
            raise self._wrong(
                "lower is not below upper", "write a lower bound that is smaller than the upper bound"
            )
        if not math.isfinite(upper - lower):
            raise self._wrong(
                "the range between the bounds is too large", "write bounds that are closer together"
            )
        self._check_decimals()
        self._check_resolution()
        if (self.decimals is not None or self.resolution is not None) and self.lattice > upper - lower:
            raise self._wrong(
                "the steps between values are wider than the bounds",
                "write more decimals or a smaller resolution",
            )
        if self.lattice <= 0:
            raise self._wrong("the bounds are too close together", "measure the column in a smaller unit")

    def _bound(self, option: str) -> float:
        side = "smallest" if option == "lower" else "largest"
        advice = (
            f"write the {side} value that public rules allow: {option} = {0 if option == 'lower' else 1000}"
        )
        given = getattr(self, option)
        if given is None or given == "":
            raise self._wrong(f"{option} is blank", advice)
        value = self._number(option, given, advice)
        if self.type == "integer" and (not value.is_integer() or abs(value) > LARGEST_INTEGER):
            raise self._wrong(
                f"{option} must be a whole number between -2^53 and 2^53 in an integer column",
                'round it outwards, or write type = "numeric"',
            )
        object.__setattr__(self, option, value)
        return value

    def _check_decimals(self) -> None:
        if self.decimals is None:
            return
        if self.type != "numeric":
            raise self._wrong(
                "decimals belong to numeric columns", 'remove decimals, or write type = "numeric"'
            )
        whole = isinstance(self.decimals, Integral) and not isinstance(self.decimals, bool)
        if not whole or not 0 <= self.decimals <= MOST_DECIMALS:
            raise self._wrong(
                f"decimals must be a whole number from 0 to {MOST_DECIMALS}",
                "write how many decimals the values have: decimals = 2",
            )
        object.__setattr__(self, "decimals", int(self.decimals))

    def _check_resolution(self) -> None:
        if self.resolution is None:
            return
        advice = "write the smallest difference that matters: resolution = 1"
        value = self._number("resolution", self.resolution, advice)
        if value <= 0:
            raise self._wrong("resolution must be above zero", advice)
        if self.type == "integer" and not value.is_integer():
            raise self._wrong("resolution must be whole in an integer column", advice)
        object.__setattr__(self, "resolution", value)

    def _number(self, option: str, given: Any, advice: str) -> float:
        if not isinstance(given, Real) or isinstance(given, bool):
            raise self._wrong(f"{option} must be a number", advice)
        try:
            value = float(given) + 0.0  # adding zero turns -0.0 into 0.0
        except OverflowError:
            value = math.inf
        if not math.isfinite(value):
            raise self._wrong(f"{option} must be a finite number", advice)
        return value

    def _texts(self, option: str, given: Any) -> tuple[str, ...]:
        advice = f'write a list of texts: {option} = ["a", "b"]'
        if isinstance(given, str) or not hasattr(given, "__iter__"):
            raise self._wrong(f"{option} must be a list", advice)
        texts = tuple(given)
        for text in texts:
            check_text(text, f"column {self.name!r}: an entry of {option}", advice)
        if len(set(texts)) < len(texts):
            raise self._wrong(f"{option} lists an entry twice", "remove the second one")
        return texts

    def _wrong(self, what: str, advice: str) -> SchemaError:
        return SchemaError(f"column {self.name!r}: {what}; {advice}")


def check_text(text: object, where: str, advice: str) -> None:
    """Raise a SchemaError unless `text` is text that can be written to a file and is not blank."""
    if not isinstance(text, str):
        raise SchemaError(f"{where} is not text; {advice}")
    if not text.strip():
        raise SchemaError(f"{where} is blank; {advice}")
    if not _encodable(text):
        raise SchemaError(f"{where} holds a character that UTF-8 cannot write; {advice}")
    if len(text) > LONGEST_TEXT:
        raise SchemaError(f"{where} is longer than {LONGEST_TEXT} characters; {advice}")


def shown(value: object) -> str:
    """Quote a value of the schema in a message, if it is a text that a reader can take in."""
    return repr(value) if isinstance(value, str) and len(value) <= 60 else "as it is written"


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _check_choice(column: Column, option: str, allowed: tuple[str, ...]) -> None:
    given = getattr(column, option)
    if given not in allowed:
        raise SchemaError(
            f"column {column.name!r}: {option} {shown(given)} is unknown; write one of {', '.join(allowed)}"
        )
