"""Every place that asks the gate has a proof that names it in its title, and every proof names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

import quantail

SOURCE = Path(quantail.__file__).parent
PROOFS = {path.name: path.read_text(encoding="utf-8") for path in (SOURCE / "privacy/proofs").glob("*.md")}
TESTS = Path(__file__).parents[1]
# Where nothing is released: checks of the gate itself, broken mechanisms on show, a study on made-up tables.
APART = ("auditing", "privacy")


def askers() -> dict[str, list[str]]:
    """Return, for each module, its calls of the gate's six questions."""
    found: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                asked = "gate" in ast.unparse(node.func.value).lower()
                if (
                    asked
                    and node.func.attr in ("select", "count", "histogram", "sum", "path", "points")
                    and not name.startswith(APART)
                ):
                    found.setdefault(name, []).append(ast.unparse(node.func))
    return found


def test_every_module_that_asks_the_gate_is_named_in_the_title_of_a_proof() -> None:
    titles = [text.splitlines()[0] for text in PROOFS.values()]
    modules = askers()
    assert len(modules) >= 10  # else calls are no longer found
    unproven = [name for name in modules if not any(Path(name).name in title for title in titles)]
    assert unproven == []


@pytest.mark.parametrize("proof", PROOFS)
def test_a_proof_names_tests_that_exist(proof: str) -> None:
    named = re.findall(r"tests/engines|(?:tests/\w+/)?test_\w+\.py", PROOFS[proof])
    assert named
    for name in named:
        assert (TESTS.parent / name).exists() or list(TESTS.glob(f"*/{name}")), name
