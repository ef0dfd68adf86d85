"""Make mutants in a copy of the tree, and see whether the tests that are named for them notice."""

import compileall
import os
import py_compile
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tools.mutants.catalogue import TREE, Mutant

Fate = Literal["killed", "survived", "stale", "broken"]
SECONDS = 600  # for the tests of one mutant
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "build", "dist", "results", "*.egg-info")
_FAILED, _PASSED = 1, 0  # exit codes of pytest
_NAMED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: which test noticed it, or why none could."""

    mutant: Mutant
    fate: Fate
    by: str
    seconds: float


@contextmanager
def copied(tree: Path = TREE) -> Iterator[Path]:
    """Make a throw-away copy of the tree."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        copy = Path(folder) / "tree"
        shutil.copytree(tree, copy, ignore=_LEFT_OUT)
        # Byte code that is there serves on (copies keep their times, and a mutant is younger than its file). What is
        # missing is checked by content: a file changed twice within a second is not taken for the same.
        checked = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(copy / "src", quiet=2, invalidation_mode=checked)
        yield copy


def try_mutant(mutant: Mutant, copy: Path) -> Outcome:
    """Change a file of the copy, run the tests, and put it back."""
    problem, began = mutant.problem(copy), time.monotonic()
    if problem:
        return Outcome(mutant, "stale", problem, 0.0)
    path = copy / mutant.file
    before = path.read_text(encoding="utf-8")
    path.write_text(mutant.changed(copy), encoding="utf-8")
    try:
        code, output = run_tests(mutant.tests, copy)
    finally:
        path.write_text(before, encoding="utf-8")
    noticed = _NAMED.search(output)
    fate: Fate = {_FAILED: "killed", _PASSED: "survived"}.get(code, "broken")  # type: ignore[assignment]
    by = noticed[1] if noticed else output.strip().splitlines()[-1] if output.strip() else f"exit code {code}"
    return Outcome(mutant, fate, by, time.monotonic() - began)


def run_tests(tests: Sequence[str], copy: Path) -> tuple[int, str]:
    """Run tests of the copy up to the first that fails; slow ones too."""
    settings = {
        "PYTHONPATH": f"{copy / 'src'}{os.pathsep}{copy}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # no test needs one, and they take longer to load than most tests
    }
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command,
            cwd=copy,
            env=os.environ | settings,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return -1, f"no answer within {SECONDS} seconds"
    return done.returncode, done.stdout + done.stderr
