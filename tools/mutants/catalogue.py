"""The catalogue: which text of which file is changed, why that matters, and which tests must notice."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).parent
TREE = HOME.parent.parent


@dataclass(frozen=True)
class Mutant:
    """One change.

    Attributes
    ----------
    why : str
        What would be lost if nobody noticed.
    old, new : str
        The text that is replaced; it stands in the file exactly once.
    tests : tuple of str
        What pytest is told to run; one of them must fail.
    """

    name: str
    why: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    room: str

    def problem(self, tree: Path = TREE) -> str:
        """Say why the mutant cannot be made any more; empty if it can."""
        path = tree / self.file
        found = path.read_text(encoding="utf-8").count(self.old) if path.exists() else 0
        if found != 1:
            return f"its text stands {found} times in {self.file}"
        if self.old == self.new:
            return "it changes nothing"
        missing = [test for test in self.tests if not _exists(tree, test)]
        return f"there is no test {missing[0]}" if missing else ""

    def changed(self, tree: Path = TREE) -> str:
        """Return the file with the change made."""
        return (tree / self.file).read_text(encoding="utf-8").replace(self.old, self.new)


def catalogue() -> list[Mutant]:
    """Return all mutants, room by room."""
    return [mutant for path in sorted(HOME.glob("*.toml")) for mutant in _read(path)]


def _read(path: Path) -> Iterable[Mutant]:
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]:
        yield Mutant(**entry | {"tests": tuple(entry["tests"]), "room": path.stem})


def _exists(tree: Path, test: str) -> bool:
    file, _, rest = test.partition("::")
    name = rest.rpartition("::")[2].partition("[")[0]
    path = tree / file
    return path.is_dir() or (
        path.exists() and (not name or f"def {name}(" in path.read_text(encoding="utf-8"))
    )
