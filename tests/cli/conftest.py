"""A small confidential table, its schema, and a way to run commands."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from payroll_files import SCHEMA, payroll_text
from quantail.cli import app


class Workshop:
    """A folder with a table and a schema, in which commands run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table = self.write("payroll.csv", payroll_text())
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
