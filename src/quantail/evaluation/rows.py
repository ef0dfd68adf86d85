"""Gathering results: only the measures asked for, and those without a value with their reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING

from quantail.evaluation.measure import Measure
from quantail.evaluation.table import Evaluation, Measured, Skipped

if TYPE_CHECKING:
    from quantail.evaluation.coefficients import Comparison


@dataclass
class Rows:
    """Rows of a table of results, in the order in which they are added."""

    wanted: frozenset[str]
    measures: list[Measured] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    regressions: list[Comparison] = field(default_factory=list)

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
        known = null if null is not None and isfinite(null) else None
        self.measures.append(Measured(measure, columns, float(value), known, note))

    def skip(self, measures: tuple[Measure, ...], columns: tuple[str, ...], reason: str) -> None:
        """Record measures that are asked for and have no value."""
        self.skipped += [Skipped(m.name, columns, reason) for m in measures if m.name in self.wanted]

    def evaluation(self) -> Evaluation:
        """Give the finished table."""
        return Evaluation(tuple(self.measures), tuple(self.skipped), tuple(self.regressions))
