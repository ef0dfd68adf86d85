"""What a notebook shows of errors to expect: a row a column and measure, with its band."""

from typing import TYPE_CHECKING

from quantail.notebook import counted, shown

if TYPE_CHECKING:
    from quantail.planning.expectation import Expectation


def expectation_html(expectation: "Expectation") -> str:
    """Return errors to expect as HTML."""
    rows = [
        (column.name, measure, str(band), f"{column.resolution.share:.0%}")
        for column in expectation.columns
        for measure, band in column.errors.items()
    ]
    facts = [
        ("epsilon", expectation.epsilon),
        ("rows", f"{expectation.rows:,}" + (" in the smallest group" if expectation.grouped else "")),
        ("reference shape", expectation.shape),
        ("made-up tables", str(expectation.tables)),
    ]
    remarks = [
        "No data were read: errors are those of made-up tables that fit the schema, with their 90% bands."
    ]
    head = ("column", "error of", "expected", "share of budget")
    return shown("Errors to expect", facts, head, rows, remarks)


def expectation_line(expectation: "Expectation") -> str:
    """Return errors to expect as one line."""
    columns, rows = counted(len(expectation.columns), "column"), counted(expectation.rows, "row")
    return f"<Expectation: {columns}, {rows}, epsilon {expectation.epsilon}, shape {expectation.shape}>"
