"""The notebooks of the documentation run, and what they are stored with is what they show."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("nbclient", reason="notebooks need the dependency group test")
pytest.importorskip("ipykernel", reason="notebooks need the dependency group test")
pytest.importorskip("pandas", reason="the notebooks show frames of pandas")
pytest.importorskip("formulaic", reason="the notebooks ask for a regression")

import nbformat

from tools.notebooks import executed, notebooks, tidied

ROOT = Path(__file__).parents[2]


def kinds(book: Any) -> list[list[list[str]]]:
    """Return, cell by cell, the kinds of what is shown."""
    return [
        [sorted(out.get("data", {})) or [out.output_type] for out in cell.outputs]
        for cell in book.cells
        if cell.cell_type == "code"
    ]


# The first every day, the others among the longer checks.
BOOKS = [
    pytest.param(path, id=path.stem, marks=[pytest.mark.slow] * (place > 0))
    for place, path in enumerate(notebooks())
]


@pytest.mark.parametrize("path", BOOKS)
def test_a_notebook_runs_and_shows_what_it_is_stored_with(path: Path, tmp_path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    assert not any(
        out.output_type in ("error", "stderr") for cell in stored.cells for out in cell.get("outputs", [])
    )
    assert sum(map(len, kinds(stored))) >= 4, "run `python -m tools.notebooks`"
    assert kinds(tidied(executed(path, tmp_path))) == kinds(stored)


def test_there_are_three_and_the_documents_lead_to_them() -> None:
    page = (ROOT / "docs/notebooks.md").read_text(encoding="utf-8")
    assert len(notebooks()) == 3
    for path in notebooks():
        assert f"notebooks/{path.name}" in page
    assert "docs/notebooks.md" in (ROOT / "README.md").read_text(encoding="utf-8")
