"""Tuned numbers stand in the `tuning.py` of their room, each with a line that says what it is and what set it.

A number is tuned if another value would give other fits that are just as private. Numbers that a proof, a file format,
a paper or the machine sets stay beside the code that needs them; they are listed here.
"""

import ast
from pathlib import Path

import pytest

import quantail

SOURCE = Path(quantail.__file__).parent
ROOMS = ("curves", "orders", "panel", "planning", "table")
NOT_TUNED = {
    "curves/curve.py": "a smallest step of a level",
    "curves/tail.py": "parts of the cut of the proof, and knots of a numerical integral",
    "curves/slope_scores.py": "exact arithmetic on the bits of doubles, and pieces that fit the cache",
    "curves/lookup.py": "speed of a search",
    "curves/sobol.py": "bits of the points, which are those of scipy",
    "curves/rows.py": "rows that fit the cache",
    "curves/scale.py": "where doubles end",
    "orders/lines.py": "instruments of the proof, and 64 bits",
    "orders/steps.py": "the paper's levels",
    "panel/curve.py": "points between which a tail is linear",
    "panel/tables.py": "points and sensitivities of the proof",
    "panel/latent.py": "the scale of a Laplace variable of variance 1",
    "table/heaps.py": "digits of a uniform number that are independent of the others",
    "planning/sweep.py": "round numbers: 1, 2, 5",
    "table/conditional.py": "memory, and patience",
    "table/model.py": "file format, and memory",
    "table/relations.py": "digits of a figure that is printed",
    "table/synthesizer.py": "the fewest rows, and the number of a simulated stream",
    "table/base_law.py": "the smallest spread, and speed of a search",
    "table/candidates.py": "counts that fit the cache",
    "table/shifted_base.py": "points of a table, and how far it reaches",
    "table/law.py": "memory, and the smallest weight",
    "table/stage_one/label_shares.py": "reach and steps of a numerical integral",
    "table/fitting.py": "bins of a numerical integral",
    "table/zeros.py": "bits of a pattern, the smallest weight, and steps until shares agree",
}


def numbers(path: Path) -> list[str]:
    """Names of module-level constants that hold a number of their own."""
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            if isinstance(node.value, ast.Subscript):
                continue  # a type
            plain = [part for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
            called = [part for part in ast.walk(node.value) if isinstance(part, ast.Call | ast.Lambda)]
            of_arrays = [part for part in called if ast.unparse(part).startswith(("np.", "Fraction"))]
            if any(type(part.value) in (int, float) for part in plain) and len(called) == len(of_arrays):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                found.append(ast.unparse(target))
    return found


def modules() -> list[str]:
    paths = (path for room in ROOMS for path in (SOURCE / room).rglob("*.py"))
    return sorted(path.relative_to(SOURCE).as_posix() for path in paths if path.name != "tuning.py")


def test_numbers_outside_of_tuning_are_none_that_anyone_would_tune() -> None:
    found = {name: constants for name in modules() if (constants := numbers(SOURCE / name))}
    assert {name: found[name] for name in found if name not in NOT_TUNED} == {}
    assert set(NOT_TUNED) - set(found) == set(), "listed in vain"


@pytest.mark.parametrize("room", ROOMS)
def test_every_tuned_number_has_a_line_that_explains_it(room: str) -> None:
    path = SOURCE / room / "tuning.py"
    body = ast.parse(path.read_text(encoding="utf-8")).body
    explained = 0
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.Assign):
            has_words = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            assert has_words, f"{room}/tuning.py: {ast.unparse(node.targets[0])} is not explained"
            explained += 1
    assert explained >= 8
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_a_number_in_a_module_would_be_found(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        "import numpy as np\nFloats = tuple[int, 3]\n_A = 0.3\n_B, C = 1, 2\nD = np.array([1.0])\n"
    )
    assert numbers(path) == ["_A", "(_B, C)", "D"]
