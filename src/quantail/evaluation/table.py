"""What an evaluation gives back: one tidy table, a row for each measure and the columns it speaks of.

The shape, for those who build on it:

- `Evaluation.measures` is a tuple of `Measured` rows, in the order of families; iterating gives them too.
- A row has `measure` (the `Measure` definition: title, family, meaning, range, direction, best, reference),
  `columns`, `value`, `null` and `note`; `name`, `title`, `family`, `direction` and `best` are there as shortcuts.
- `columns` is empty for no measure: all compared columns for measures of the whole table, one for measures of a
  column, two for relations, the response first for regressions and then the term (or all the predictors).
- `value` is always finite. `null` is what an independent sample of the real population would get on average, given
  the sizes of these two tables; None where it is not known. `note` is empty or a short remark, such as the formula
  of a regression.
- Name, columns and note together are different in every row.
- `Evaluation.skipped` lists what could not be computed, and why, as `Skipped` rows; `Evaluation.regressions` holds
  the fits to both tables behind the differences in coefficients.
- `to_dicts`, `to_arrow`, `to_pandas` and `to_polars` give the rows with the fields name, title, family, columns (a list
  in `to_dicts`, joined by ", " in frames), value, null, best, direction, note. `overview` has a row a measure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from quantail.errors import DataError
from quantail.evaluation.measure import Direction, Family, Measure
from quantail.io.native import Framed
from quantail.notebook import in_columns, shown

if TYPE_CHECKING:
    from quantail.evaluation.coefficients import Comparison

_INTERNAL = "INTERNAL: computed from confidential rows without noise. Clear this output before the notebook is shared."


@dataclass(frozen=True)
class Measured:
    """One measure with its value on two tables; see the module for what each field means."""

    measure: Measure
    columns: tuple[str, ...]
    value: float
    null: float | None = None
    note: str = ""

    @property
    def name(self) -> str:
        """Name of the measure."""
        return self.measure.name

    @property
    def title(self) -> str:
        """What people call the measure."""
        return self.measure.title

    @property
    def family(self) -> Family:
        """Family of the measure."""
        return self.measure.family

    @property
    def direction(self) -> Direction:
        """Which values are better."""
        return self.measure.direction

    @property
    def best(self) -> float:
        """The best possible value."""
        return self.measure.best

    @property
    def badness(self) -> float:
        """Distance from the best possible value: larger is worse, whatever the direction."""
        return abs(self.value - self.best)

    def to_dict(self) -> dict[str, Any]:
        """Give the row as plain values, ready for JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "family": self.family,
            "columns": list(self.columns),
            "value": self.value,
            "null": self.null,
            "best": self.best,
            "direction": self.direction,
            "note": self.note,
        }


@dataclass(frozen=True)
class Skipped:
    """A measure that has no value on these tables, and the reason."""

    name: str
    columns: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Overview:
    """A measure over all the columns it was taken on: how often, the mean, and the row farthest from the best."""

    measure: Measure
    count: int
    mean: float
    worst: Measured


@dataclass(frozen=True, repr=False)
class Evaluation(Framed):
    """All measures of one comparison, computed from real rows without noise: not private, internal only."""

    measures: tuple[Measured, ...]
    skipped: tuple[Skipped, ...] = ()
    regressions: tuple[Comparison, ...] = field(default=(), compare=False)

    def __iter__(self) -> Iterator[Measured]:
        """Go through the rows in order."""
        return iter(self.measures)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.measures)

    def __repr__(self) -> str:
        """Say how much there is, as a notebook shows it."""
        return f"<Evaluation: {len(self)} rows, {len(self.skipped)} skipped; print it, or use to_pandas()>"

    def _repr_html_(self) -> str:
        rows = [
            (
                seen.measure.title,
                str(seen.count),
                f"{seen.mean:.4g}",
                f"{seen.worst.value:.4g}",
                ", ".join(seen.worst.columns),
                "" if seen.worst.null is None else f"{seen.worst.null:.4g}",
                f"{seen.measure.best:g}",
            )
            for seen in self.overview()
        ]
        head = ("measure", "times", "mean", "worst", "worst of", "an independent sample", "best possible")
        remarks = ["evaluation.to_pandas() has every row."]
        if self.skipped:
            remarks.append(f"{len(self.skipped)} could not be computed: see evaluation.skipped.")
        return shown("Evaluation: synthetic against real rows", (), head, rows, remarks, _INTERNAL)

    def __str__(self) -> str:
        """Print the rows in columns of text."""
        head = ("measure", "name", "columns", "value", "null", "best", "note")
        return "\n".join(in_columns(head, [_texts(row) for row in self.measures]))

    def value(self, name: str, columns: tuple[str, ...] | None = None, note: str | None = None) -> float:
        """Look up one value; `columns` and `note` are needed only where a name occurs more than once."""
        found = [
            row
            for row in self.measures
            if row.name == name and columns in (None, row.columns) and note in (None, row.note)
        ]
        if len(found) != 1:
            problem = "is not among the results" if not found else "occurs more than once; name its columns"
            raise DataError(f"measure {name} {problem}.")
        return found[0].value

    def overview(self) -> tuple[Overview, ...]:
        """Sum up every measure over its columns, in order of first appearance."""
        groups: dict[str, list[Measured]] = {}
        for row in self.measures:
            groups.setdefault(row.name, []).append(row)
        return tuple(
            Overview(
                rows[0].measure,
                len(rows),
                fmean(row.value for row in rows),
                max(rows, key=lambda row: row.badness),
            )
            for rows in groups.values()
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """List the rows as plain dictionaries, ready for JSON."""
        return [row.to_dict() for row in self.measures]

    def to_arrow(self) -> Any:
        """Give the rows as a pyarrow table."""
        import pyarrow as pa

        number, text = pa.float64(), pa.string()
        fields = {"name": text, "title": text, "family": text, "columns": text, "value": number}
        fields |= {"null": number, "best": number, "direction": text, "note": text}
        rows = [{**row.to_dict(), "columns": ", ".join(row.columns)} for row in self.measures]
        return pa.Table.from_pylist(rows, schema=pa.schema(list(fields.items())))


def _texts(row: Measured) -> tuple[str, ...]:
    null = "" if row.null is None else f"{row.null:.4g}"
    columns = ", ".join(row.columns)
    return row.title, row.name, columns, f"{row.value:.4g}", null, f"{row.best:g}", row.note
