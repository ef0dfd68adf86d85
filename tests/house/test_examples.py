"""Examples in docstrings run, and give what they say."""

import doctest
import importlib
from pathlib import Path

import pytest

import quantail

SOURCE = Path(quantail.__file__).parent
MODULES = sorted(
    ".".join(("quantail", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")
    for path in SOURCE.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_give_what_they_say(module: str) -> None:
    tried = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert tried.attempted
    assert tried.failed == 0


def test_a_wrong_example_would_be_noticed() -> None:
    """A must-fail control."""
    (wrong,) = doctest.DocTestFinder().find(
        type("Wrong", (), {"__doc__": ">>> 1 + 1\n3\n", "__module__": __name__}), "wrong"
    )
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda text: None).failed == 1
