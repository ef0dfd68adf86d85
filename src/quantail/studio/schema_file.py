"""A schema file while it is being filled in: sections of plain values, blanks included, read and written as TOML.

A complete file is written in its canonical form; one with blanks is kept as a draft, with what was typed, so that work
can be laid down and taken up again. A draft is good for nothing else: planning and releasing load it, and are refused.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quantail.cli.staging import write_text
from quantail.errors import SchemaError
from quantail.schema import Schema
from quantail.schema.sections import SECTIONS
from quantail.schema.toml import parse_toml, schema_text, toml_text, toml_value

Section = Mapping[str, Any]

_HEAD = "# Draft of a schema: fill in its blanks from public knowledge (rules, codebooks, law), never from the data.\n"
_ON_OTHERS = ("predictors", "universe", "outside", "only_outside", "missing_with", "within", "parents")
_EXAMPLE = re.compile(r", (?:lower|upper|categories) = (?:[\w-]+|\[.*\])")


@dataclass(frozen=True)
class SchemaFile:
    """The sections of a schema file, as they stand in it."""

    table: Section
    columns: tuple[Section, ...]
    csv: Section | None = None  # how a CSV file is written
    panel: Section | None = None  # where a panel keeps its units
    identities: tuple[Section, ...] = ()
    inequalities: tuple[Section, ...] = ()
    seen: str = ""  # hash of the file as it was read; tells whether somebody changed it meanwhile

    @classmethod
    def load(cls, path: Path) -> "SchemaFile":
        """Read a schema file, complete or not."""
        text = schema_text(path)
        return replace(cls.of(parse_toml(text)), seen=hashlib.sha256(text.encode()).hexdigest())

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "SchemaFile":
        """Take the sections of a document, or say that they are not those of a schema."""
        table, csv, panel = document.get("table", {}), document.get("csv"), document.get("panel")
        lists = [document.get(name, []) for name in ("column", "identity", "inequality")]
        plain = all(isinstance(part, list) and all(isinstance(one, dict) for one in part) for part in lists)
        if not plain or not all(isinstance(part, dict | None) for part in (table, csv, panel)):
            raise SchemaError("the sections of the schema are not as they should be; correct it in an editor")
        if set(document) - set(SECTIONS):
            raise SchemaError("the schema has sections that are not known; correct it in an editor")
        columns, identities, inequalities = (tuple(part) for part in lists)
        return cls(table, columns, csv, panel, identities, inequalities)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(str(column.get("name", "")) for column in self.columns)

    def text(self) -> str:
        """Write the sections as TOML: in the canonical form if they are complete."""
        draft = self._draft()
        try:
            return Schema.from_toml(draft).to_toml()
        except SchemaError:
            return _HEAD + draft

    def problem(self) -> str:
        """Say what keeps the sections from being a schema; empty if nothing does."""
        try:
            Schema.from_toml(self._draft())
        except SchemaError as error:
            return str(error)
        return ""

    def column_problem(self, place: int) -> str:
        """Say what is wrong with one column by itself; empty if nothing is."""
        column = {key: value for key, value in self.columns[place].items() if key not in _ON_OTHERS}
        other = {
            "name": f"another than {self.names[place]}"[:900],
            "type": "boolean",
        }  # a key needs a column beside it
        alone = SchemaFile({"name": "x", "unit": "x"}, (column, other))
        said = alone.problem().rpartition("\n  ")[2]
        return _EXAMPLE.sub("", said)  # beside an empty field, an example would be a proposal

    def save(self, path: Path) -> None:
        """Write the file, in one step, unless somebody else did meanwhile."""
        if path.exists() and SchemaFile.load(path).seen != self.seen:
            raise SchemaError(
                "the file was changed since this page was shown; nothing was saved, load it again"
            )
        write_text(path, self.text(), force=True)

    def _draft(self) -> str:
        lines = ["[table]", *_lines(self.table)]
        for title, section in (("csv", self.csv), ("panel", self.panel)):
            if section is not None:
                lines += ["", f"[{title}]", *_lines(section)]
        for title, sections in (
            ("column", self.columns),
            ("identity", self.identities),
            ("inequality", self.inequalities),
        ):
            for section in sections:
                lines += ["", f"[[{title}]]", *_lines(section)]
        return "\n".join(lines) + "\n"


def _lines(section: Section) -> Iterable[str]:
    for key, value in section.items():
        plain = key if key.replace("_", "").replace("-", "").isalnum() and key.isascii() else toml_text(key)
        yield f"{plain} = {toml_value(value)}"
