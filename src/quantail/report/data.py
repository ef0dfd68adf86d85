"""Everything that an internal report draws on: two tables or panels, their columns, measures and the release."""

from dataclasses import dataclass
from typing import Any

from quantail.evaluation import Evaluation
from quantail.frames import PanelData, confidential_panel
from quantail.release.facts import Facts
from quantail.report.columns import AnyColumn, panel_columns, table_columns
from quantail.schema import Schema


@dataclass(frozen=True, eq=False)
class ReportData:
    """A real and a synthetic table, taken apart."""

    schema: Schema | None
    columns: tuple[AnyColumn, ...]
    rows: tuple[int, int]  # rows of the real and of the synthetic table
    measures: Evaluation
    panels: tuple[PanelData, PanelData] | None = None  # both tables as panels, if the schema describes one
    release: Facts | None = None  # public facts of the model behind the synthetic table


def gather(
    real: Any, synth: Any, schema: Schema | None, measures: Evaluation, release: Facts | None
) -> ReportData:
    """Take both tables apart."""
    if schema is not None and schema.panel is not None:
        panels = confidential_panel(real, schema), confidential_panel(synth, schema)
        columns = panel_columns(*panels)
        rows = len(panels[0]), len(panels[1])
    else:
        panels = None
        columns = table_columns(real, synth, schema)
        rows = columns[0].real.size, columns[0].synth.size
    return ReportData(schema, tuple(columns), rows, measures, panels, release)
