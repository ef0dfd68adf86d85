"""Documents, proofs and docstrings name files that exist."""

import re
from pathlib import Path

import pytest

import quantail

ROOT = Path(__file__).parents[2]
SOURCE = Path(quantail.__file__).parent
PAGES = sorted(
    path
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "src/quantail/privacy/proofs/*.md",
        "studies/README.md",
        "benchmarks/README.md",
    )
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"
)
# Of readers, or made by a run; not in a clone.
ELSEWHERE = ("results/", "out/")
FOLDERS = ("src", "docs", "tests", "tools", "studies", "benchmarks")


def missing(text: str) -> list[str]:
    """Paths of Python files and of folders of the package that are named in code style, and are not there."""
    named = re.findall(
        r"`((?:[\w-]+/)+[\w.-]*\.(?:py|md|toml|json)|\w+\.py|(?:src|tests|studies|tools)/[\w/-]*)`", text
    )
    bases = (ROOT, SOURCE, SOURCE / "privacy", SOURCE / "table", *(ROOT / folder for folder in FOLDERS))
    return [
        path
        for path in named
        if not any((base / path).exists() for base in bases)
        and not ("/" not in path and any(list(base.rglob(path)) for base in (SOURCE, *bases[4:])))
        and not path.startswith(ELSEWHERE)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_names_files_that_exist(page: Path) -> None:
    assert missing(page.read_text(encoding="utf-8")) == []


def test_docstrings_name_files_that_exist() -> None:
    wrong = {
        path.relative_to(ROOT).as_posix(): found
        for path in [*SOURCE.rglob("*.py"), *(ROOT / "studies").rglob("*.py")]
        if (found := missing(path.read_text(encoding="utf-8")))
    }
    assert wrong == {}


def test_names_of_folders_that_are_gone_are_found() -> None:
    assert missing("see `synthesis/fitting.py`, `no_such_file.py` and `curves/grid.py`") == [
        "synthesis/fitting.py",
        "no_such_file.py",
    ]
