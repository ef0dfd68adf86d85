"""SDMetrics: its quality report, and three of its measures of privacy."""

from __future__ import annotations

from typing import Any

from contract import Figures, Job, figure, run
from sdmetrics.reports.single_table import QualityReport
from sdmetrics.single_table import DCRBaselineProtection, DCROverfittingProtection, NewRowSynthesis

ROWS = 2000  # of each table, where distances between all pairs of rows are taken


def judge(job: Job, name: str) -> Figures:
    real, control, made = (job.table(each) for each in ("real", "control", name))
    metadata: dict[str, Any] = {
        "columns": {
            column: {"sdtype": "categorical" if column in job.categories else "numerical"} for column in real
        }
    }
    report = QualityReport()
    report.generate(real, made, metadata, verbose=False)
    for row in report.get_properties().itertuples():
        yield figure(row.Property, row.Score)
    whole = {"tables": {"register": metadata}}
    yield figure("NewRowSynthesis", NewRowSynthesis.compute(real, made, whole, "register"))
    real, control, made = (table.head(ROWS) for table in (real, control, made))
    yield figure("DCRBaselineProtection", DCRBaselineProtection.compute(real, made, whole, "register"))
    near = DCROverfittingProtection.compute(real, made, control, whole, "register")
    yield figure("DCROverfittingProtection", near)


if __name__ == "__main__":
    run(judge, "sdmetrics")
