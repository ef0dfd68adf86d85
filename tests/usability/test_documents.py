"""What the documents show works: commands parse, the Python example runs, the tutorial's schema loads."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command

from quantail import __version__
from quantail.cli import app
from quantail.schema import Schema

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / name for name in ("README.md", "docs/tutorial.md")]


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def shown_commands():
    for page in PAGES:
        for block in blocks(page, "sh"):
            for line in block.splitlines():
                if line.startswith("quantail "):
                    yield line


@pytest.mark.parametrize("line", list(shown_commands()))
def test_shown_commands_parse(line):
    words = shlex.split(line, comments=True)[1:]
    command = get_command(app)
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    command.make_context("quantail", words)


def test_the_python_example_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (code,) = blocks(ROOT / "README.md", "python")
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "epsilon" in printed and (tmp_path / "model.json").exists()


def test_the_schema_of_the_tutorial_loads():
    (text,) = blocks(ROOT / "docs/tutorial.md", "toml")
    schema = Schema.from_toml(text)
    assert schema.names == ("sector", "employees", "payroll") and schema.unsourced() == ()


def test_links_between_documents_lead_somewhere():
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_versions_agree():
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
