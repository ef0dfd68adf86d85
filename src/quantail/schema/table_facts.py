"""What a schema says about a table as a whole, complete or still a draft: for a question about one of its columns.

A bound is asked for because the schema has a blank there, so the file cannot be read as a `Schema` yet.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantail.errors import SchemaError
from quantail.schema.csv_format import CsvFormat
from quantail.schema.sections import csv_section
from quantail.schema.toml import parse_toml, schema_text


@dataclass(frozen=True)
class TableFacts:
    """Unit, name and layout of a table with one row per unit, and the codes of one of its columns."""

    unit: str = "row"
    name: str = ""
    csv: CsvFormat | None = None
    missing_codes: tuple[float, ...] = ()  # of the column that is asked about

    @classmethod
    def load(cls, path: Path, column: str) -> "TableFacts":
        """Read a schema or a draft of one; a SchemaError says why a question about rows cannot be asked of it."""
        document = parse_toml(schema_text(path))
        table, sections = document.get("table", {}), document.get("column", [])
        if not isinstance(table, dict) or not isinstance(sections, list):
            raise SchemaError(f"{path}: no schema; draft one with `quantail init FILE`")
        if "panel" in document or table.get("neighbours", "replace-one") != "replace-one":
            raise SchemaError(
                f"{path}: a bound is asked of a table whose rows are its units, under replace-one neighbours, and the "
                "schema says otherwise; find a rule, a form or a codebook that tells a bound"
            )
        described: list[Any] = [
            one for one in sections if isinstance(one, dict) and one.get("name") == column
        ]
        codes = described[0].get("missing_codes", ()) if described else ()
        csv = csv_section(document.get("csv"))
        return cls(table.get("unit") or "row", table.get("name") or "", csv, codes)
