"""What a column must meet, checked when it is made: complete, consistent, and written so that a person can act on it.

Numbers are brought into one form on the way (bounds as floats, dates as days or seconds, lists as tuples). Messages
name the column and say what to write; they quote only the schema, which is public.
"""

import math
from datetime import date
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast, get_args

from quantail.errors import SchemaError
from quantail.schema.column_types import NUMBERS, ColumnType, Grid
from quantail.schema.dates import DateType, date_number, in_calendar, is_day_alone

if TYPE_CHECKING:
    from quantail.schema.column import Column

# Whole numbers are exact in a float64 up to here.
LARGEST_INTEGER = 2**53
# Names and labels beyond this are no names; messages quote them.
LONGEST_TEXT = 1000
# A float64 carries no more than fifteen decimal digits faithfully.
MOST_DECIMALS = 15
# What stands in place of a value is counted one by one; a long list of them is a category column.
MOST_SPECIAL = 50
MOST_HEAPS = 8
# Beyond these, differences and quotients of values would leave the range or the precision of a float64.
_LARGEST_BOUND, _NARROWEST_RANGE = 1e100, 2.0**-20

_NUMBER_OPTIONS = ("lower", "upper", "decimals", "resolution")


def check_column(column: "Column") -> None:
    """Raise a SchemaError unless a column is complete and consistent."""
    check_text(column.name, "the name of a column", "write the name as it stands in the table's header")
    if not isinstance(column.source, str) or not is_encodable(column.source):
        raise wrong(column, "source must be text", 'write where the bounds come from, or source = ""')
    if not isinstance(column.label, str) or not is_encodable(column.label):
        raise wrong(column, "label must be text", 'write what the column means, or label = ""')
    for option, allowed in (("type", get_args(ColumnType)), ("grid", get_args(Grid))):
        given = getattr(column, option)
        if given not in allowed:
            advice = f"write one of {', '.join(allowed)}" + (", or key" if option == "type" else "")
            raise wrong(column, f"{option} {shown(given)} is unknown", advice)
    _set(column, "categories", _texts(column, "categories", column.categories))
    if column.predictors is not None:
        _set(column, "predictors", _texts(column, "predictors", column.predictors))
    for option in ("public", "missing", "other", "only_outside"):
        if not isinstance(getattr(column, option), bool):
            raise wrong(column, f"{option} must be true or false", f"write {option} = true, or remove it")
    if column.is_labelled:
        _check_labels(column)
    elif column.public and column.lower is None and column.upper is None:
        _refuse(column, ("decimals", "resolution"), "a public column without bounds, which is kept as it is")
    elif column.public and (column.lower is None or column.upper is None):
        given, blank = ("lower", "upper") if column.upper is None else ("upper", "lower")
        raise wrong(
            column, f"{blank} is blank", f"write {blank}, or remove {given}: a public column has both or none"
        )
    else:
        _check_number(column)
    _check_special(column)
    _check_heaps(column)
    _check_rule(column)
    _check_within(column)


def _check_labels(column: "Column") -> None:
    kind = "a category" if column.type == "category" else f"{column.type} columns"
    _refuse(column, _NUMBER_OPTIONS, kind)
    if column.grid != "linear":
        raise wrong(column, f"grid has no meaning for {kind}", "remove grid")
    if column.type == "boolean":
        if column.categories:
            raise wrong(column, "boolean columns hold true and false", "remove categories")
    elif not column.categories and not column.public:
        advice = 'write every label the column may hold: categories = ["a", "b"]'
        raise wrong(column, "no categories", advice)


def _check_number(column: "Column") -> None:
    if column.categories:
        what = f"categories belong to category columns, not {column.type} ones"
        raise wrong(column, what, 'remove categories, or write type = "category"')
    if column.is_dated and column.grid != "linear":
        raise wrong(column, f"grid has no meaning for {column.type} columns", "remove grid")
    lower, upper = _bound(column, "lower"), _bound(column, "upper")
    if lower >= upper:
        advice = "write a lower bound that is smaller than the upper bound"
        raise wrong(column, "lower is not below upper", advice)
    largest = max(abs(lower), abs(upper))
    if largest > _LARGEST_BOUND:
        raise wrong(column, "the bounds are too large", "measure the column in a larger unit")
    _check_decimals(column)
    _check_resolution(column)
    is_given = column.decimals is not None or column.resolution is not None
    if is_given and column.lattice > upper - lower:
        advice = "write more decimals or a smaller resolution"
        raise wrong(column, "the steps between values are wider than the bounds", advice)
    narrowest = (
        0.0 if column.is_dated else _NARROWEST_RANGE * largest
    )  # dates are counted from the lower bound
    if upper - lower < narrowest or column.lattice < 1 / _LARGEST_BOUND:
        advice = "measure the column in a smaller unit, or from another origin"
        raise wrong(column, "the bounds, or the steps between values, are too close together", advice)


def _bound(column: "Column", option: str) -> float:
    given = getattr(column, option)
    if column.is_dated:
        side = "earliest" if option == "lower" else "latest"
        advice = f"write the {side} date that public rules allow: {option} = 2020-01-31"
    else:
        side, example = ("smallest", 0) if option == "lower" else ("largest", 1000)
        advice = f"write the {side} value that public rules allow: {option} = {example}"
    if given is None or given == "":
        raise wrong(column, f"{option} is blank", advice)
    if column.is_dated and isinstance(given, str | date):
        is_day = column.type == "datetime" and option == "upper" and is_day_alone(given)
        given = date_number(cast(DateType, column.type), given)
        if given is None:
            raise wrong(column, f"{option} is not a date", advice)
        if is_day:  # moments of the last day are within the bounds, up to its last one
            given += 86_400 - (column.resolution if isinstance(column.resolution, Real) else 1)
    value = _number(column, option, given, advice)
    if column.is_dated and not in_calendar(cast(DateType, column.type), value):
        raise wrong(column, f"{option} lies outside of the calendar", advice)
    if column.type in ("integer", "date") and (not value.is_integer() or abs(value) > LARGEST_INTEGER):
        what = f"{option} must be a whole number between -2^53 and 2^53 in an integer column"
        raise wrong(column, what, 'round it outwards, or write type = "numeric"')
    _set(column, option, value)
    return value


def _check_decimals(column: "Column") -> None:
    if column.decimals is None:
        return
    if column.type != "numeric":
        advice = 'remove decimals, or write type = "numeric"'
        raise wrong(column, "decimals belong to numeric columns", advice)
    whole = isinstance(column.decimals, Integral) and not isinstance(column.decimals, bool)
    if not whole or not 0 <= column.decimals <= MOST_DECIMALS:
        what = f"decimals must be a whole number from 0 to {MOST_DECIMALS}"
        raise wrong(column, what, "write how many decimals the values have: decimals = 2")
    _set(column, "decimals", int(column.decimals))


def _check_resolution(column: "Column") -> None:
    if column.resolution is None:
        return
    advice = "write the smallest difference that matters: resolution = 1"
    value = _number(column, "resolution", column.resolution, advice)
    if value <= 0:
        raise wrong(column, "resolution must be above zero", advice)
    if column.type in ("integer", "date") and not value.is_integer():
        kind = "an integer" if column.type == "integer" else "a date"
        raise wrong(column, f"resolution must be whole in {kind} column", advice)
    _set(column, "resolution", value)


def _check_special(column: "Column") -> None:
    """Check what may stand in place of a value."""
    if column.other and column.type != "category":
        raise wrong(column, "other belongs to category columns", 'remove other, or write type = "category"')
    for option in ("missing_codes", "atoms"):
        given: Any = getattr(column, option)
        if not is_list(given):
            raise wrong(column, f"{option} must be a list", f"write a list of numbers: {option} = [-8]")
        numbers = tuple(_number(column, f"an entry of {option}", entry, "write a number") for entry in given)
        if numbers and column.type not in NUMBERS:
            advice = "list it in categories" if column.is_labelled else "write missing = true"
            raise wrong(column, f"{option} belong to columns of numbers", advice)
        if column.type == "integer" and not all(number.is_integer() for number in numbers):
            raise wrong(column, f"{option} of an integer column must be whole", "round them")
        _set(column, option, numbers)
    special = (*column.missing_codes, *column.atoms)
    if len(set(special)) < len(special):
        raise wrong(column, "missing_codes and atoms list a number twice", "remove the second one")
    if len(special) > MOST_SPECIAL:
        advice = "list those that many rows hold"
        raise wrong(column, f"there are more than {MOST_SPECIAL} missing_codes and atoms", advice)


def _check_heaps(column: "Column") -> None:
    """Check the round figures that values are often multiples of."""
    given: Any = column.heaps
    advice = "write the figures, coarsest first: heaps = [1000, 500]"
    if not is_list(given):
        raise wrong(column, "heaps must be a list", advice)
    numbers = tuple(_number(column, "an entry of heaps", entry, "write a number") for entry in given)
    if not numbers:
        _set(column, "heaps", ())
        return
    if column.type not in NUMBERS:
        raise wrong(column, "heaps belong to columns of numbers", "remove heaps")
    if len(numbers) > MOST_HEAPS:
        raise wrong(column, f"there are more than {MOST_HEAPS} heaps", "list those that are seen most")
    if list(numbers) != sorted(set(numbers), reverse=True):
        raise wrong(column, "heaps must fall", advice)
    if numbers[-1] < 2 * column.lattice:
        what = "heaps must be at least twice the smallest difference between values"
        raise wrong(column, what, "give decimals or resolution, or other heaps")
    _set(column, "heaps", numbers)


def _check_rule(column: "Column") -> None:
    """Check how the universe of a column is written; what it says is checked with the schema."""
    for option in ("universe", "missing_with"):
        given: Any = getattr(column, option)
        if not isinstance(given, str) or len(given) > LONGEST_TEXT or not is_encodable(given):
            example = '"age >= 15"' if option == "universe" else '"employees"'
            raise wrong(column, f"{option} must be text", f"write {option} = {example}, or remove it")
    if column.only_outside and not column.universe:
        raise wrong(column, "only_outside belongs to a universe", "write universe = ..., or remove it")
    if column.outside == "":
        return
    if not column.universe:
        raise wrong(
            column, "outside says what stands outside of a universe", "write universe = ..., or remove it"
        )
    if not isinstance(column.outside, str):
        _set(
            column,
            "outside",
            _number(column, "outside", column.outside, "write a number, a label or missing"),
        )


def _check_within(column: "Column") -> None:
    """Check how it is written that labels belong to those of another column."""
    given: Any = column.parents
    listed = isinstance(given, list | tuple)
    if not listed or not all(isinstance(entry, str) and is_encodable(entry) for entry in given):
        raise wrong(
            column, "parents must be a list of texts", 'write parents = ["GA", "GA", "FL"], or remove it'
        )
    _set(column, "parents", tuple(given))
    if not isinstance(column.within, str) or not is_encodable(column.within):
        raise wrong(column, "within must be text", 'write within = "state", or remove it')
    if column.parents and not column.within:
        raise wrong(column, "parents says what labels belong to", "write within = ..., or remove it")
    if column.within and not column.categories:
        raise wrong(column, "within belongs to columns with categories", "remove within")
    if column.parents and len(column.parents) != len(column.categories):
        what = f"parents has {len(column.parents)} entries for {len(column.categories)} categories"
        advice = (
            'write one for each, in their order, "" for a label that stands where the other column is missing'
        )
        raise wrong(column, what, advice)


def _number(column: "Column", option: str, given: Any, advice: str) -> float:
    if not isinstance(given, Real) or isinstance(given, bool):
        raise wrong(column, f"{option} must be a number", advice)
    try:
        value = float(given) + 0.0  # adding zero turns -0.0 into 0.0
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise wrong(column, f"{option} must be a finite number", advice)
    return value


def _texts(column: "Column", option: str, given: Any) -> tuple[str, ...]:
    advice = f'write a list of texts: {option} = ["a", "b"]'
    if not is_list(given):
        raise wrong(column, f"{option} must be a list", advice)
    texts = tuple(given)
    for text in texts:
        check_text(text, f"column {column.name!r}: an entry of {option}", advice)
    if len(set(texts)) < len(texts):
        raise wrong(column, f"{option} lists an entry twice", "remove the second one")
    return texts


def _refuse(column: "Column", options: tuple[str, ...], kind: str) -> None:
    for option in options:
        if getattr(column, option) is not None:
            raise wrong(column, f"{option} has no meaning for {kind}", f"remove {option}")


def _set(column: "Column", option: str, value: Any) -> None:
    object.__setattr__(column, option, value)


def wrong(column: "Column", what: str, advice: str) -> SchemaError:
    """Return an error about a column."""
    return SchemaError(f"column {column.name!r}: {what}; {advice}")


def check_text(text: object, where: str, advice: str) -> None:
    """Raise a SchemaError unless `text` is text that can be written to a file and is not blank."""
    if not isinstance(text, str):
        raise SchemaError(f"{where} is not text; {advice}")
    if not text.strip():
        raise SchemaError(f"{where} is blank; {advice}")
    if not is_encodable(text):
        raise SchemaError(f"{where} holds a character that UTF-8 cannot write; {advice}")
    if len(text) > LONGEST_TEXT:
        raise SchemaError(f"{where} is longer than {LONGEST_TEXT} characters; {advice}")


def is_list(given: object) -> bool:
    """Say whether something is a list, and not one text."""
    return hasattr(given, "__iter__") and not isinstance(given, str)


def shown(value: object) -> str:
    """Quote a value of the schema in a message, if it is a text that a reader can take in."""
    return repr(value) if isinstance(value, str) and len(value) <= 60 else "as it is written"


def is_encodable(text: str) -> bool:
    """Say whether text can be written to a file."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
