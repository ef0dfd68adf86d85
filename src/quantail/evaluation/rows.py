"""Gathering results: only the measures asked for, and those without a value with their reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import isfinite

from quantail.errors import DataError
from quantail.evaluation.measure import Measure
from quantail.evaluation.table import Evaluation, Measured, Skipped

Computed = float | tuple[float, float | None]
"""A value, or a value and its null."""


@dataclass
class Rows:
    """Rows of a table of results, in the order in which they are added."""

    wanted: frozenset[str]
    measures: list[Measured] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def wants(self, *measures: Measure) -> bool:
        """Say whether any of the measures is asked for, before work is done for them."""
        return any(measure.name in self.wanted for measure in measures)

    def put(
        self,
        measure: Measure,
        columns: tuple[str, ...],
        value: float,
        null: float | None = None,
        note: str = "",
    ) -> None:
        """Add a value; one that is not finite counts as skipped."""
        if measure.name not in self.wanted:
            return
        if not isfinite(value):
            self.skip((measure,), columns, "it has no value on these columns")
            return
        known = null if null is not None and isfinite(null) else measure.null
        self.measures.append(Measured(measure, columns, float(value), known, note))

    def add(
        self, measure: Measure, columns: tuple[str, ...], compute: Callable[[], Computed], note: str = ""
    ) -> None:
        """Compute and add a value if it is asked for; a DataError becomes the reason why it is skipped."""
        if measure.name not in self.wanted:
            return
        try:
            found = compute()
        except DataError as error:
            self.skip((measure,), columns, str(error))
            return
        value, null = found if isinstance(found, tuple) else (found, None)
        self.put(measure, columns, value, null, note)

    def found(self, measure: Measure) -> float | None:
        """Look up a value that was added before, of a measure that occurs once."""
        return next((row.value for row in self.measures if row.name == measure.name), None)

    def skip(self, measures: tuple[Measure, ...], columns: tuple[str, ...], reason: str) -> None:
        """Record measures that are asked for and have no value."""
        self.skipped += [Skipped(m.name, columns, reason) for m in measures if m.name in self.wanted]

    def evaluation(self) -> Evaluation:
        """Give the finished table."""
        return Evaluation(tuple(self.measures), tuple(self.skipped))
