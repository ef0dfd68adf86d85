"""What `infer` gives back: one row for each estimate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from quantail.io.native import Framed
from quantail.notebook import counted, in_columns, short, shown
from quantail.visible import visible


@dataclass(frozen=True)
class Inferred:
    """One estimate.

    Attributes
    ----------
    term : str
        What is estimated.
    estimate, low, high : float
        Corrected estimate and the ends of its confidence interval.
    error : float
        Standard error: sampling, privacy noise and synthesis together.
    bias : float
        What the mechanism adds on average; taken out of `estimate`.
    outlying, failed : int
        Reruns that were set aside as outlying, and reruns that gave no estimate. If more than a tenth
        failed, error, bias and interval are NaN: not known.
    naive, naive_low, naive_high : float
        What one would state who took the synthetic table for a real sample.
    doubt, doubted_low, doubted_high : float
        Of regressions: one standard deviation of what the estimate may be off, besides, if the relation bends or its
        spread grows in a way that the release does not tell, and the interval that allows for it. NaN for others.
    """

    term: str
    estimate: float
    low: float
    high: float
    error: float
    bias: float
    outlying: int
    failed: int
    naive: float
    naive_low: float
    naive_high: float
    doubt: float = math.nan
    doubted_low: float = math.nan
    doubted_high: float = math.nan


@dataclass(frozen=True)
class Inference(Framed):
    """Estimates about the population behind a synthetic table; iterate for rows, or turn into a frame."""

    question: str
    level: float
    reruns: int
    rows: tuple[Inferred, ...]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Inferred]:
        """Go through the estimates."""
        return iter(self.rows)

    def __getitem__(self, term: str) -> Inferred:
        """Return the estimate of a term."""
        for row in self.rows:
            if row.term == term:
                return row
        raise KeyError(f"no term {term!r}; there are {', '.join(row.term for row in self.rows)}")

    def __repr__(self) -> str:
        """Say in a line what was asked."""
        estimates, reruns = counted(len(self.rows), "estimate"), counted(self.reruns, "rerun")
        return f"<Inference {short(self.question)}: {estimates}, {reruns}; print it, or use to_pandas()>"

    def _repr_html_(self) -> str:
        level = f"{100 * self.level:g}% interval"
        head = ("term", "estimate", level, "error", "naive", f"naive {level}")
        facts = [("reruns of the mechanism", str(self.reruns))]
        return shown(self.question, facts, head, self._texts(), self.remarks)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader must know besides the figures: tails that decide, reruns that were outlying or failed."""
        found = list(self.notes)
        doubtful = [row for row in self.rows if row.doubt > row.error]
        if doubtful:
            named = ", ".join(
                f"{row.term} {row.doubted_low:.5g} to {row.doubted_high:.5g}" for row in doubtful
            )
            found.append(
                "The intervals hold if the response follows its predictors along lines with an even spread, which this "
                "release hardly tells. If the relation bends moderately, or its spread grows, rather believe these: "
                f"{named}."
            )
        for row in self.rows:
            if row.outlying:
                found.append(
                    f"{row.term}: {row.outlying} of {self.reruns} reruns were outlying and set aside. About so often "
                    "a release is far off, and no interval shows it."
                )
            if row.failed:
                unknown = "" if math.isfinite(row.error) else ", too many for an interval"
                found.append(f"{row.term}: {row.failed} of {self.reruns} reruns gave no estimate{unknown}.")
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON values, None for what is not known."""
        facts = {"question": self.question, "level": self.level, "reruns": self.reruns}
        return {**facts, "estimates": self.to_dicts(), "remarks": list(self.remarks)}

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows as plain JSON values, None for what is not known."""
        return [
            {name: None if value != value else value for name, value in asdict(row).items()}
            for row in self.rows
        ]

    def to_arrow(self) -> Any:
        """Return the rows as a pyarrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.to_dicts())

    def __str__(self) -> str:
        """Write the estimates as a text table."""
        head = ("term", "estimate", f"{100 * self.level:g}% interval", "error", "naive", "naive interval")
        opening = f"{visible(self.question)} ({self.reruns} reruns of the mechanism)"
        return "\n".join([opening, *in_columns(head, self._texts()), *self.remarks])

    def _texts(self) -> list[tuple[str, ...]]:
        return [
            (
                row.term,
                f"{row.estimate:.5g}",
                f"{row.low:.5g} to {row.high:.5g}",
                f"{row.error:.2g}",
                f"{row.naive:.5g}",
                f"{row.naive_low:.5g} to {row.naive_high:.5g}",
            )
            for row in self.rows
        ]
