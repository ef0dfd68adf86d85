"""The schema of a table: columns in synthesis order, the privacy unit, the neighbour relation and the groups.

Two tables are neighbours when they differ in one unit: one unit's values are replaced ("replace-one", the
number of rows is public), or one unit is present in only one of them ("add-remove", the number of rows is
protected too).
"""

import hashlib
import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from quantail.errors import SchemaError
from quantail.schema.column import Column
from quantail.schema.column_rules import LARGEST_INTEGER, check_text, is_list, shown
from quantail.schema.csv_format import CsvFormat
from quantail.schema.key import Key, check_keys
from quantail.schema.nesting import check_nesting
from quantail.schema.panel import Panel
from quantail.schema.panel_columns import check_columns
from quantail.schema.structure import Identity, Inequality, check_structure, following, placed_parts
from quantail.schema.toml import schema_text
from quantail.schema.universe import check_universes

Neighbours = Literal["replace-one", "add-remove"]
Order = Literal["declared", "auto"]

# Every group is fitted, empty ones included, so their number bounds the work that a schema can ask for.
MOST_GROUPS = 100_000


@dataclass(frozen=True)
class Schema:
    """Public facts about a table, checked on construction.

    Parameters
    ----------
    columns : tuple of Column
        In synthesis order: a column may be explained by the columns before it.
    unit : str
        What the promise protects, for example "establishment"; one row each.
    neighbours : {"replace-one", "add-remove"}
        How neighbouring tables differ ("add/remove" is accepted as a spelling).
    by : tuple of str
        Category columns that split the table into public, disjoint groups, fitted separately.
    name : str
        Name of the data set, for reports.
    panel : Panel, optional
        If the table is a panel: where it keeps units and periods. Then `unit` names the privacy unit in words,
        a unit's whole history is protected, and columns listed in `by` are public.
    order : {"declared", "auto"}
        Synthesis order: as the columns are declared, or labels first (those with few labels before those with
        many), then dates and numbers as declared. Public columns stand first in any case.
    merge_below : int
        With `by`: groups of fewer rows are fitted together, as one group.
    identities, inequalities : tuple of Identity, of Inequality
        Relations between columns that hold in every row.
    csv : CsvFormat, optional
        How the confidential table is written if it is a CSV file; None: UTF-8 with commas, as Quantail writes it.
    keys : tuple of Key
        Columns that number the synthetic rows; nothing of them is read.

    Raises
    ------
    SchemaError
        If anything is missing or contradictory.

    Examples
    --------
    >>> schema = Schema((Column("jobs", "integer", 0, 500), Column("pay", "numeric", 0, 1e6)), unit="firm")
    >>> schema.predictors_of("pay")
    ('jobs',)
    """

    columns: tuple[Column, ...]
    unit: str
    neighbours: Neighbours = "replace-one"
    by: tuple[str, ...] = ()
    name: str = ""
    panel: Panel | None = None
    order: Order = "declared"
    merge_below: int = 0
    identities: tuple[Identity, ...] = ()
    inequalities: tuple[Inequality, ...] = ()
    csv: CsvFormat | None = None
    keys: tuple[Key, ...] = ()

    def __post_init__(self) -> None:
        check_text(self.unit, "[table] unit", 'write what one row stands for and is protected: unit = "firm"')
        if not isinstance(self.name, str):
            raise SchemaError('[table] name is not text; write the name of the data set: name = "payroll"')
        if self.name:
            check_text(self.name, "[table] name", 'write the name of the data set: name = "payroll"')
        self._check_neighbours()
        object.__setattr__(self, "columns", tuple(self.columns))
        if not self.columns:
            raise SchemaError("the schema has no columns; write a [[column]] section for each column")
        self._check_names()
        object.__setattr__(self, "keys", tuple(self.keys))
        check_keys(self.keys, self.names, self.panel is not None)
        self._check_by()
        self._check_panel()
        self._check_order()
        self._check_predictors()
        self._check_rules()
        self._check_encoding()

    def __repr__(self) -> str:
        """Say in a line what it describes."""
        from quantail.schema.notebook import schema_line

        return schema_line(self)

    def _repr_html_(self) -> str:
        from quantail.schema.notebook import schema_html

        return schema_html(self)

    @classmethod
    def from_toml(cls, text: str) -> "Schema":
        """Read a schema from TOML text."""
        from quantail.schema.sections import read_toml  # which builds schemas and so imports this module

        return read_toml(text)

    @classmethod
    def load(cls, path: str | Path) -> "Schema":
        """Read a schema from a TOML file; one that is missing or malformed is a SchemaError."""
        text = schema_text(path)
        try:
            return cls.from_toml(text)
        except SchemaError as error:
            raise SchemaError(f"{path}: {error}") from None

    def to_toml(self) -> str:
        """Write the schema as TOML text, always the same text for the same schema."""
        from quantail.schema.sections import write_toml

        return write_toml(self)

    def save(self, path: str | Path) -> None:
        """Write the schema to a TOML file, replacing what is there."""
        try:
            Path(path).write_text(self.to_toml(), encoding="utf-8", newline="\n")
        except OSError as error:
            advice = "choose a folder that exists and can be written"
            raise SchemaError(f"{path}: cannot write the schema ({error.strerror}); {advice}") from None

    def fingerprint(self) -> str:
        """SHA-256 of the canonical TOML text, in hexadecimal: equal for equal schemas only."""
        return hashlib.sha256(self.to_toml().encode("utf-8")).hexdigest()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names as declared."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def synthesis_order(self) -> tuple[str, ...]:
        """Column names in the order of synthesis: as declared, or by the rule of `order`; public ones first."""

        def rank(column: Column) -> tuple[bool, bool, int]:
            is_first = column.public or column.name in self.by
            is_sorted = self.order == "auto" and not is_first
            many = len(column.labels) if is_sorted and column.is_labelled else 0
            return not is_first, is_sorted and not column.is_labelled, many

        if self.panel is not None or (self.order == "declared" and not any(c.public for c in self.columns)):
            return self.names
        return tuple(column.name for column in sorted(self.columns, key=rank))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    @property
    def confidential(self) -> tuple[Column, ...]:
        """Columns that are synthesised: neither public nor grouping ones."""
        return tuple(column for column in self.columns if not column.public and column.name not in self.by)

    @property
    def histories(self) -> tuple[Column, ...]:
        """Columns of a panel that have a value in every period: confidential ones that are no categories."""
        fixed = () if self.panel is None else self.panel.categories
        return tuple(column for column in self.confidential if column.name not in fixed)

    def column(self, name: str) -> Column:
        """Return the column called `name`."""
        if name in self._places:
            return self.columns[self._places[name]]
        some = ", ".join(map(repr, self.names[:20])) + (", ..." if len(self.names) > 20 else "")
        raise SchemaError(f"the schema has no column {name!r}; its columns are {some}")

    def stored_as(self, column: Column) -> tuple[str, ...]:
        """Names under which a table holds a column: its own, or in a wide panel one for every period."""
        if self.panel is None or column.public:
            return (column.name,)
        return self.panel.stored_as(column.name)

    def predictors_of(self, name: str) -> tuple[str, ...]:
        """Columns that explain `name`: those it lists, or all earlier ones; grouping columns are left out."""
        column, order = self.column(name), self.synthesis_order
        earlier = order[: order.index(name)]
        listed = earlier if column.predictors is None else column.predictors
        return tuple(predictor for predictor in listed if predictor not in self.by)

    def unsourced(self) -> tuple[str, ...]:
        """Names of columns that do not say where their bounds or categories come from, or why they are public."""
        panel = self.panel
        is_sourced = panel is None or panel.is_full or panel.source.strip()
        named = () if panel is None or is_sourced else (panel.unit, panel.entry, panel.exit)
        return named + tuple(column.name for column in self.columns if not column.source.strip())

    def _check_encoding(self) -> None:
        """Refuse names and labels that no CSV file in the declared encoding can hold."""
        if self.csv is None:
            return
        texts = [("the name", name, name) for name in self.names]
        texts += [
            ("a category", column.name, label) for column in self.columns for label in column.categories
        ]
        for what, name, text in texts:
            if not self.csv.can_hold(text):
                raise SchemaError(
                    f"column {name!r}: {what}, {text!r}, cannot be stored in {self.csv.encoding}, which [csv] says "
                    "the file is; correct one of them"
                )

    def _check_neighbours(self) -> None:
        given: object = self.neighbours
        spelled = "add-remove" if given == "add/remove" else self.neighbours
        allowed = get_args(Neighbours)
        if spelled not in allowed:
            raise SchemaError(
                f"[table] neighbours {shown(spelled)} is unknown; write one of {', '.join(allowed)}"
            )
        object.__setattr__(self, "neighbours", spelled)

    def _check_names(self) -> None:
        seen: set[str] = set()
        for name in self.names:
            if name in seen:
                raise SchemaError(
                    f"column {name!r} is described twice; remove one of its [[column]] sections"
                )
            seen.add(name)

    def _check_by(self) -> None:
        if not is_list(self.by):
            raise SchemaError('[table] by must be a list; write by = ["region"]')
        object.__setattr__(self, "by", tuple(self.by))
        for name in self.by:
            check_text(name, "an entry of [table] by", 'write names of category columns: by = ["region"]')
        if len(set(self.by)) < len(self.by):
            raise SchemaError("[table] by lists a column twice; remove the second one")
        categories = {column.name for column in self.columns if column.is_labelled}
        for name in self.by:
            if name not in categories:
                raise SchemaError(
                    f"[table] by lists {name!r}, which is not a category column; "
                    'describe it in a [[column]] section with type = "category", or remove it from by'
                )
        if (
            math.prod(len(column.labels) or 1 for column in self.columns if column.name in self.by)
            > MOST_GROUPS
        ):
            raise SchemaError(
                f"[table] by makes more than {MOST_GROUPS} groups; leave out a column, or merge categories"
            )

    def _check_order(self) -> None:
        if self.order not in get_args(Order):
            allowed = ", ".join(get_args(Order))
            raise SchemaError(f"[table] order {shown(self.order)} is unknown; write one of {allowed}")
        given: object = self.merge_below
        if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= LARGEST_INTEGER:
            raise SchemaError(
                "[table] merge_below must be a whole number; write the fewest rows that a group may have: "
                "merge_below = 200"
            )
        if self.merge_below and not self.by:
            raise SchemaError("[table] merge_below is about groups; write by = [...] too, or remove it")
        for option in ("identities", "inequalities"):
            object.__setattr__(self, option, tuple(getattr(self, option)))

    def _check_predictors(self) -> None:
        places = {name: place for place, name in enumerate(self.synthesis_order)}
        for column in self.columns:
            place = places[column.name]
            for predictor in column.predictors or ():
                if places.get(predictor, place) >= place:
                    raise SchemaError(
                        f"column {column.name!r}: predictor {predictor!r} is not an earlier column; "
                        "move its [[column]] section before this one, or remove it from predictors"
                    )

    def _check_rules(self) -> None:
        columns = {column.name: column for column in self.columns}
        places = {name: place for place, name in enumerate(self.synthesis_order)}
        check_structure(self.identities, self.inequalities, columns, places)
        computed = following(self.identities, self.synthesis_order)
        placed = placed_parts(self.identities, self.inequalities, computed)
        check_universes(columns, places, self.by, placed, computed)
        check_nesting(columns, places, self.by)

    def _check_panel(self) -> None:
        if self.panel is not None:
            if self.neighbours != "replace-one" and not self.panel.is_full:
                raise SchemaError(
                    "[table] neighbours: partial synthesis keeps the units of a panel, which add-remove protects; "
                    'write neighbours = "replace-one", or synthesis = "full" in [panel]'
                )
            if self.panel.firm and self.neighbours == "replace-one":
                raise SchemaError(
                    '[panel] firm needs neighbours = "add-remove" in [table]: firms do not have the same number of '
                    "establishments, so a firm cannot be replaced while the number of establishments of a group stays "
                    "public, which is what replace-one means"
                )
            columns = (replace(c, public=True) if c.name in self.by else c for c in self.columns)
            object.__setattr__(self, "columns", tuple(columns))
            rules = any(column.universe or column.missing_with or column.within for column in self.columns)
            if self.order != "declared" or self.merge_below or self.identities or self.inequalities or rules:
                raise SchemaError(
                    "order, merge_below, universe, missing_with, within, [[identity]] and [[inequality]] belong to "
                    "tables; remove them, or the [panel] section"
                )
        elif self.neighbours == "add-remove" and any(column.public for column in self.columns):
            raise SchemaError(
                "public columns name every row, which add-remove protects; "
                'write neighbours = "replace-one", or remove public'
            )
        check_columns(self.panel, self.columns, self.by)
