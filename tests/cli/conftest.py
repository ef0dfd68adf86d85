"""A small confidential table with recognisable values, its schema, and a way to run commands."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from quantail.cli import app

CANARY = 987654.25  # a value that must never show up in any output
CANARY_LABEL = "canary-label"

SCHEMA = """\
[table]
name = "payroll"
unit = "firm"
neighbours = "replace-one"

[[column]]
name = "jobs"
type = "integer"
lower = 0
upper = 5000
grid = "log"
source = "size classes of the register"

[[column]]
name = "pay"
type = "numeric"
lower = 0
upper = 1000000
grid = "log"
decimals = 2
source = "programme rules"
"""


def rows(count: int = 200) -> list[str]:
    lines = ["jobs,pay"]
    for place in range(count):
        jobs = 1 + (place * place) % 97
        lines.append(f"{jobs},{jobs * 310.5 + (place % 13) * 17.25:.2f}")
    return lines


class Workshop:
    """A folder with a table and a schema, in which commands run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table = self.write("payroll.csv", "\n".join(rows()) + "\n")
        self.schema = self.write("schema.toml", SCHEMA)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *arguments: object, **environment: str):
        return CliRunner().invoke(app, [str(argument) for argument in arguments], env=environment)

    def files(self) -> set[str]:
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")}


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Workshop(tmp_path)
