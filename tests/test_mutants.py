"""The catalogue of mutants: all of them can still be made, and a few of them are, every time."""

from collections import Counter
from pathlib import Path

import pytest

from tools.mutants.__main__ import main
from tools.mutants.catalogue import TREE, Mutant, catalogue
from tools.mutants.run import copied, try_mutant

MUTANTS = {mutant.name: mutant for mutant in catalogue()}
# One of each kind, with tests that take no time; `make mutants` tries all of them.
SAMPLE = (
    "a leaf can be used twice",
    *(
        pytest.param(name, marks=pytest.mark.slow)
        for name in (
            "what was spent before does not count",
            "the plan hash ignores the schema",
            "a field of a card is not escaped",
        )
    ),
)


@pytest.mark.parametrize("name", MUTANTS)
def test_every_mutant_can_still_be_made(name):
    # A mutant whose text is gone tests nothing: write it anew for the code that took its place.
    assert MUTANTS[name].problem() == ""


def test_there_are_many_and_each_says_why_it_matters():
    assert len(MUTANTS) == len(catalogue()) >= 60
    rooms = Counter(mutant.room for mutant in MUTANTS.values())
    assert (
        set(rooms) == {"mechanisms", "private_n", "budget", "ledger", "release", "studio"}
        and min(rooms.values()) >= 10
    )
    assert all(len(mutant.why.split()) >= 4 and mutant.tests for mutant in MUTANTS.values())


@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_is_killed(name):
    with copied() as copy:
        assert try_mutant(MUTANTS[name], copy).fate == "killed"


def _tree(folder: Path, code: str = "LIMIT = 3\n") -> Path:
    (folder / "src").mkdir()
    (folder / "tests").mkdir()
    (folder / "src" / "limit.py").write_text(code)
    (folder / "tests" / "test_limit.py").write_text(
        "from limit import LIMIT\n\n\ndef test_limit():\n    assert LIMIT < 10\n"
    )
    return folder


@pytest.mark.parametrize(
    ("code", "new", "fate"),
    [
        ("LIMIT = 3\n", "LIMIT = 30", "killed"),
        ("LIMIT = 3\n", "LIMIT = 4", "survived"),
        ("LIMIT = 5\n", "LIMIT = 30", "stale"),
        ("LIMIT = 3\n", "LIMIT =", "broken"),
    ],
)
def test_what_becomes_of_a_mutant(tmp_path, code, new, fate):
    tree = _tree(tmp_path, code)
    mutant = Mutant("limit", "so that", "src/limit.py", "LIMIT = 3", new, ("tests/test_limit.py",), "toy")
    outcome = try_mutant(mutant, tree)
    assert outcome.fate == fate
    assert (tree / "src" / "limit.py").read_text() == code  # put back


def test_a_test_that_is_gone_makes_a_mutant_stale(tmp_path):
    tree = _tree(tmp_path)
    tests = ("tests/test_limit.py::test_other",)
    mutant = Mutant("limit", "so that", "src/limit.py", "LIMIT = 3", "LIMIT = 4", tests, "toy")
    assert mutant.problem(tree) == "there is no test tests/test_limit.py::test_other"


def test_the_working_tree_is_never_changed():
    before = {mutant.file: (TREE / mutant.file).read_bytes() for mutant in MUTANTS.values()}
    with copied() as copy:
        assert not copy.is_relative_to(TREE)
        (copy / "src/quantail/privacy/gate.py").write_text("")
    assert {file: (TREE / file).read_bytes() for file in before} == before


def test_the_command_lists_what_there_is(capsys):
    assert main(["--list", "ledger", "hard links"]) == 0
    assert capsys.readouterr().out.count("\n") == 1
