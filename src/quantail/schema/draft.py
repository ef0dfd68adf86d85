"""Draft a schema file from names and declared types of columns; never from values, never from the number of rows.

Where nothing declares types (CSV, Excel) they are what the name suggests, or blank. Bounds and categories are left
blank for a person to fill in from public knowledge. Filling them from the data would spend privacy outside the budget,
so Quantail offers no way to do that.
"""

import re
from collections.abc import Mapping
from typing import Any, get_args

from quantail.errors import SchemaError
from quantail.schema.column_types import DATED, LISTED, NUMBERS, ColumnType
from quantail.schema.csv_format import CsvFormat
from quantail.schema.panel_draft import PanelNames, panel_section, split_names
from quantail.schema.proposals import Proposal, proposal_of
from quantail.schema.toml import toml_text

_TABLE = """\
# Draft of a schema, made from column names{types} only: no row was looked at.
# Replace blanks ("" and []) from public knowledge (rules, codebooks, law), never by looking at the data, and
# say in `source` where it comes from; what does not belong to the type of a column may stay blank. Lines are explained
# where a kind of column comes first.
# Remove the sections of columns that are not to be released (texts, names, telephone numbers): they are left out.
{order}
[table]
name = ""                   # name of the data set, by which its ledger goes, for example "payroll 2024"
unit = {unit}
neighbours = {neighbours}# replace-one: number of rows is public | add-remove: it is protected too
by = []                     # category columns whose groups are public and fitted separately
"""
_ORDER = """\
# Columns are synthesised in this order, each explained by earlier ones. Where you know by which, say so in the column,
# predictors = ["age"]: that is free, and keeps more than a choice that noise disturbs.
"""
_ORDERED = """\
order = "declared"          # declared: synthesised in this order | auto: categories first, then dates and numbers
"""
_LEADS = """\
# The first column of numbers leads: a unit is active where it has a value. Later ones follow it, as ratios to it.
"""
_ROW = '"row"                # what one row stands for and is protected: person, firm, claim'
_HISTORY = '""                   # what is protected, with its whole history, in words: person, firm, plant'

_CSV = """
[csv]  # how the file is written, as its first line shows or suggests; rows were not looked at
separator = {separator}
decimal = {decimal}  # what stands before decimals: "." or ","
thousands = ""  # what may stand between groups of three digits: "", ".", ",", " " or "'"
encoding = {encoding}  # utf-8 | utf-16 | windows-1252 | iso-8859-1 | iso-8859-15
dates = "2020-01-31"  # how that day is written: 2020-01-31 | 31.01.2020 | 31/01/2020 | 31-01-2020 | 01/31/2020
missing = []  # words that stand for a missing value besides an empty cell, for example ["k.A.", "?"]
"""
_PLAIN_CSV = """
# If the file has words for a missing value besides an empty cell, or dates in another form than 2020-01-31, write this
# without the leading #:
# [csv]
# missing = ["NA", "?"]
# dates = "31/01/2020"
"""

_RULES = """
# Rules that hold in every row are kept in every synthetic row. Write them like this, without the leading #:
# [[identity]]            # a total is the sum of its parts
# total = "income"
# parts = ["wages", "rents"]
#
# [[inequality]]          # a part is at most its total, a date not after another
# part = "tips"
# total = "wages"
#
# What is asked of some only says so in its column: universe = "age >= 15"; elsewhere it is missing, or outside = 0.
# Where that stands nowhere else (amounts of claims, zero exactly where there is none), write only_outside = true, too.
# A code that belongs to one coarser code says so in its column: within = "state" (docs: codes within codes).
"""

_TYPES = "numeric | integer | category | ordinal | boolean | date | datetime | key"
_PANEL_TYPES = "numeric | integer | category"
# What tables know and panels do not.
_NOT_IN_PANELS = re.compile(
    r"^(missing_codes|atoms|heaps|missing = false  # true if labels).*\n|; also missing_codes.*", re.M
)
_BY_NAME = "by its name; or "

_NUMBER = """
[[column]]
name = {name}
type = "{type}"  # {why}{types}
lower = ""  # smallest value that public rules allow, for example 0
upper = ""  # largest value that public rules allow, for example 1000000
grid = "{grid}"  # linear | log (for heavy tails: incomes, payrolls, sizes)
{decimals}missing = false  # true if values may be missing
missing_codes = []  # numbers that mean a kind of missing value, for example [-8, -9]
atoms = []  # values that many rows hold next to a continuous rest, for example [0]
heaps = []  # round figures that values are often multiples of, coarsest first, for example [1000, 500]
source = ""  # where the bounds come from
"""

_DATE = """
[[column]]
name = {name}
type = "{type}"  # {why}{types}
lower = ""  # earliest date that public rules allow, for example 2020-01-01
upper = ""  # latest date that public rules allow, for example 2020-12-31
missing = false  # true if values may be missing
source = ""  # where the bounds come from
"""

_MOMENT = """
[[column]]
name = {name}
type = "{type}"  # {why}{types}
lower = ""  # earliest moment that public rules allow, for example 2020-01-01
upper = ""  # latest moment that public rules allow, for example 2020-12-31, to the end of that day
missing = false  # true if values may be missing
source = ""  # where the bounds come from
"""

_BOOLEAN = """
[[column]]
name = {name}
type = "boolean"  # {why}{types}
missing = false  # true if values may be missing
source = "stored as true and false"
"""

_CATEGORY = """
[[column]]
name = {name}
type = "{type}"  # {why}{types}
categories = []  # every label as it is written, ["north", "south"] or ["007", "010"]; of an ordinal in their order
missing = false  # true if labels may be missing
source = ""  # where the list comes from
"""

_KEY = """
[[column]]
name = {name}
type = "key"  # {why}{types}
source = ""  # a key only tells rows apart: synthetic rows are numbered anew; whoever owns several is protected less
"""

_UNKNOWN = """
[[column]]
name = {name}
type = ""  # what it holds: {types}
lower = ""  # of numbers and dates: smallest value that public rules allow, for example 0 or 2020-01-01
upper = ""  # of numbers and dates: largest value that public rules allow, for example 1000000 or 2020-12-31
grid = "linear"  # of numbers: linear | log (for heavy tails: incomes, payrolls, sizes)
# decimals = 2  # of numbers, how many are recorded; also missing_codes = [-9], atoms = [0], heaps = [1000]
categories = []  # of categories: every label the column may hold, for example ["north", "south"]
missing = false  # true if values may be missing
source = ""  # where the bounds or the list come from
"""

_DECIMALS = "# decimals = 2  # how many are recorded; without the line values have up to 15 digits\n"

_TEMPLATES = {
    "": _UNKNOWN,
    **dict.fromkeys(NUMBERS, _NUMBER),
    **dict.fromkeys(DATED, _DATE),
    "datetime": _MOMENT,
    **dict.fromkeys(LISTED, _CATEGORY),
    "boolean": _BOOLEAN,
    "key": _KEY,
}


def header_of(frame: Any) -> dict[str, ColumnType]:
    """Names and types of the columns of a pandas, polars or pyarrow table, without looking at its values.

    Integer types become "integer", floating and decimal ones "numeric", dates "date" and "datetime", truth values
    "boolean", labels whose type declares their order "ordinal", everything else "category".
    """
    import narwhals as nw  # here, because most users of a schema never draft one

    try:
        types = nw.from_native(frame).collect_schema()
    except (TypeError, ValueError):
        types = None
    if types is None:
        raise SchemaError(
            "cannot draft a schema from this object; "
            "pass a pandas, polars or pyarrow table with distinct column names, or names and types"
        )
    return {name: _type_of(dtype) for name, dtype in types.items()}


def draft(columns: Any, *, csv: CsvFormat | None = None, panel: PanelNames | None = None) -> str:
    """Draft the TOML text of a schema with blanks for a person to fill in.

    Parameters
    ----------
    columns : mapping of name to type, or a pandas, polars or pyarrow table
        Of a table only the names and declared types of its columns are used. A blank type becomes what the name
        suggests, or stays blank.
    csv : CsvFormat, optional
        How a CSV file is written; a section tells it unless it is UTF-8 with commas.
    panel : PanelNames, optional
        Columns that hold unit and period, for a draft of the `[panel]` section.

    Returns
    -------
    str
        TOML text; loading it raises a SchemaError that lists the blanks until they are filled in.

    Examples
    --------
    >>> [line.partition("  #")[0] for line in draft({"pay": ""}).partition("[[column]]")[2].splitlines()[1:5]]
    ['name = "pay"', 'type = "numeric"', 'lower = ""', 'upper = ""']
    """
    header = columns if isinstance(columns, Mapping) else header_of(columns)
    if not header:
        raise SchemaError("cannot draft a schema without columns; pass a table with a header")
    named = {name: type_ for name, type_ in header.items() if name.strip()}
    # Row numbers saved by mistake come as a column without a name; it cannot be described, so it is left out.
    note = "# A column without a name was left out.\n" if len(named) < len(header) else ""
    types = " and declared types" if any(named.values()) else ""
    relation = '"add-remove"   ' if panel is not None and panel.firm else '"replace-one"  '
    unit, order = (_ROW, _ORDER) if panel is None else (_HISTORY, _LEADS)
    opening = _TABLE.format(types=types, order=order, unit=unit, neighbours=relation)
    opening += (_ORDERED if panel is None else "") + note
    if csv is not None:
        marks = {key: toml_text(getattr(csv, key)) for key in ("separator", "decimal", "encoding")}
        opening += _CSV.format(**marks) if csv.told() else _PLAIN_CSV
    if panel is not None:
        opening += panel_section(panel, named)
        named = split_names(panel, named)
    sections: list[str] = []
    explained: set[str] = set()  # templates whose lines were explained once
    for name, type_ in named.items():
        sections.append(_section(name, type_, panel is not None, explained))
    return opening + ("" if panel else _RULES) + "".join(sections)


def _section(name: str, type_: Any, in_panel: bool, explained: set[str]) -> str:
    if type_ not in _TEMPLATES:
        raise SchemaError(
            f"column {name!r}: type {type_!r} is unknown; write one of {', '.join(get_args(ColumnType))}"
        )
    start = proposal_of(name, type_)
    if in_panel and start.type not in _PANEL_TYPES.split(" | "):
        start = Proposal("")
    decimals = _once(_DECIMALS, explained) if start.type == "numeric" else ""
    is_by_name = start.by_name and not type_
    template = _TEMPLATES[start.type]
    if in_panel:
        template = _NOT_IN_PANELS.sub("", template)
    is_first = template not in explained
    why = "" if not is_by_name else _BY_NAME if is_first else "  # by its name"
    types = _PANEL_TYPES if in_panel else _TYPES
    return _once(template, explained).format(
        name=toml_text(name), type=start.type, grid=start.grid, decimals=decimals, types=types, why=why
    )


def _once(template: str, explained: set[str]) -> str:
    """Return the lines of a template; what explains them stands there the first time only."""
    if template in explained:
        return re.sub(r"  # (\{why\})?.*", lambda found: found[1] or "", template)
    explained.add(template)
    return template


def _type_of(dtype: Any) -> ColumnType:
    import narwhals as nw

    named: dict[Any, ColumnType] = {
        nw.Boolean: "boolean",
        nw.Date: "date",
        nw.Datetime: "datetime",
        nw.Enum: "ordinal",
    }
    for known, type_ in named.items():
        if dtype == known:
            return type_
    if dtype.is_integer():
        return "integer"
    return "numeric" if dtype.is_numeric() else "category"
