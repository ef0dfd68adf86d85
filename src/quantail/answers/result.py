"""What `quantiles` gives back: a row a level, with the public facts of the release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from quantail.io.native import Framed
from quantail.notebook import counted, in_columns, short, shown
from quantail.privacy import Entry
from quantail.release import NOT_PRIVATE
from quantail.release.facts import Facts


@dataclass(frozen=True)
class Quantile:
    """One released quantile.

    Attributes
    ----------
    level : float
        Which one: 0.5 is the median.
    value : float
        In the column's own unit.
    drawn : bool
        Whether it was drawn, or read off between those that were, because noise could not tell it from its neighbour.
    low, high : float or None
        The true level of `value` lies between these with the stated probability, by the noise of privacy alone; None
        where the value was read off.
    """

    level: float
    value: float
    drawn: bool
    low: float | None
    high: float | None


@dataclass(frozen=True, repr=False)
class Quantiles(Framed):
    """Released quantiles of a column; iterate for rows, or turn into a frame. Everything in it is public.

    Attributes
    ----------
    column : str
        Whose quantiles.
    rows : tuple of Quantile
        In rising order of levels.
    coverage : float
        Probability of the bands.
    release : Facts
        What is stated about the release: schema of the column, plan, terms, budget.
    entry : Entry, optional
        The charge in the ledger.
    """

    column: str
    rows: tuple[Quantile, ...]
    coverage: float
    release: Facts
    entry: Entry | None = None

    def __iter__(self) -> Iterator[Quantile]:
        """Go through the quantiles."""
        return iter(self.rows)

    def __len__(self) -> int:
        """Count the quantiles."""
        return len(self.rows)

    def __getitem__(self, level: float) -> float:
        """Return the value at a level."""
        for row in self.rows:
            if abs(row.level - level) < 1e-12:
                return row.value
        raise KeyError(f"no level {level:g}; there are {', '.join(f'{row.level:g}' for row in self.rows)}")

    def facts(self) -> Facts:
        """Return the public facts of the release."""
        return self.release

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know besides the values."""
        found = []
        if not self.release.private:
            found.append(NOT_PRIVATE)
        off = sum(not row.drawn for row in self.rows)
        if off:
            found.append(
                f"{off} of {len(self.rows)} quantiles were read off between the others, which noise leaves far enough "
                "apart; a larger epsilon, or more rows, draws more of them."
            )
        return tuple(found)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain JSON values."""
        return [asdict(row) for row in self.rows]

    def to_arrow(self) -> Any:
        """Return the rows as a pyarrow table."""
        import pyarrow as pa

        number = pa.float64()
        fields = {"level": number, "value": number, "drawn": pa.bool_(), "low": number, "high": number}
        return pa.Table.from_pylist(self.to_dicts(), schema=pa.schema(list(fields.items())))

    def __str__(self) -> str:
        """Write the quantiles as a text table."""
        head = ("level", self.column, f"true level, {100 * self.coverage:g}% band")
        return "\n".join([*in_columns(head, self._texts(), right=[1]), *self.remarks])

    def __repr__(self) -> str:
        """Say in a line what was asked."""
        number = counted(len(self.rows), "quantile")
        return f"<Quantiles of {short(self.column)}: {number}, epsilon {self.release.epsilon_text}; print it>"

    def _repr_html_(self) -> str:
        facts = [("epsilon", self.release.epsilon_text), ("protects", self.release.unit)]
        head = ("level", "value", f"true level, {100 * self.coverage:g}% band")
        return shown(f"Quantiles of {self.column}", facts, head, self._texts(), self.remarks)

    def _texts(self) -> list[tuple[str, str, str]]:
        return [
            (
                f"{row.level:g}",
                f"{row.value:,.10g}",
                "read off" if row.low is None else f"{row.low:.5g} to {row.high:.5g}",
            )
            for row in self.rows
        ]
