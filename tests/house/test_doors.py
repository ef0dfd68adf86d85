"""Doors: what CONTRIBUTING asks of whoever adds a measure, a column kind, a mechanism, a format or a method was done.

Every test takes its list from the code, so that a new entry is asked for its places at once.
"""

import ast
import importlib
import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pytest

import quantail
from quantail import TableSynthesizer
from quantail.auditing.negative_controls import negative_controls
from quantail.cli.options import Method
from quantail.evaluation import MEASURES
from quantail.frames.storage import arrow_type
from quantail.interop.sdmetrics import sdmetrics_metadata
from quantail.io.dialects import DIALECTS
from quantail.io.files import FORMATS
from quantail.panel.methods import PANEL_METHODS
from quantail.privacy import Gate
from quantail.schema import Column, Schema
from quantail.schema.column_types import LISTED, ColumnType
from quantail.schema.draft import draft
from quantail.schema.storage import DEFAULTS
from quantail.table.methods import METHODS
from tools.mutants.catalogue import catalogue

ROOT = Path(__file__).parents[2]
SOURCE = Path(quantail.__file__).parent
PROOFS = SOURCE / "privacy" / "proofs"
KINDS = get_args(ColumnType)


def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def constant(path: str, name: str) -> tuple[str, ...]:
    """Read a tuple of texts from a test without running it; names in it are constants of the same file."""
    found: dict[str, ast.expr] = {}
    for node in ast.parse(text(path)).body:
        if isinstance(node, ast.Assign):
            found[ast.unparse(node.targets[0])] = node.value

    def flat(node: ast.expr) -> Iterator[str]:
        for part in node.elts if isinstance(node, ast.Tuple) else [node]:
            if isinstance(part, ast.Starred):
                yield from flat(found[ast.unparse(part.value)])
            else:
                yield str(ast.literal_eval(part))

    return tuple(flat(found[name]))


def section(title: str) -> str:
    """Return what CONTRIBUTING says about a door."""
    return text("CONTRIBUTING.md").partition(f"**{title}**")[2].partition("\n**")[0]


@pytest.mark.parametrize(
    "door",
    [
        "A measure",
        "A column kind",
        "A mechanism",
        "A file format or database",
        "A table method",
        "A panel method",
    ],
)
def test_every_place_that_a_door_names_exists(door: str) -> None:
    places = re.findall(
        r"`((?:src|docs|tests|tools|schema|frames|io|privacy|auditing|table|panel|cli|evaluation|interop)/[\w./-]*)",
        section(door),
    )
    assert len(places) >= 2
    for place in places:
        if not place.endswith(("_", "/")):  # else the name is left open
            assert any((base / place).exists() for base in (ROOT, SOURCE)), place


# A measure


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_computed_by_hand_in_a_test_and_has_a_line_in_the_document(name: str) -> None:
    tests = [
        path for path in (ROOT / "tests/evaluation").glob("test_*.py") if path.name != "test_registry.py"
    ]
    naming = [
        path.name for path in tests if re.search(rf"\b{re.escape(name)}\b", path.read_text(encoding="utf-8"))
    ]
    assert set(naming) - {"test_summary.py", "test_clusters.py"}, "no test with a known answer names it"
    assert f"`{name}` |" in text("docs/measures.md")
    assert len(MEASURES[name].null.split()) > 3


# A column kind

EXAMPLES = {
    "numeric": (Column("it", "numeric", 0, 9), [1.5, 2.5]),
    "integer": (Column("it", "integer", 0, 9), [1, 2]),
    "category": (Column("it", "category", categories=("a", "b")), ["a", "b"]),
    "ordinal": (Column("it", "ordinal", categories=("a", "b")), ["a", "b"]),
    "boolean": (Column("it", "boolean"), [True, False]),
    "date": (
        Column("it", "date", "2020-01-01", "2020-12-31"),
        np.array(["2020-01-05", "2020-02-01"], "datetime64[D]"),
    ),
    "datetime": (
        Column("it", "datetime", "2020-01-01", "2020-12-31"),
        np.array(["2020-01-05T10:00:00", "2020-02-01T11:00:00"], "datetime64[us]"),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_kind_is_known_in_every_place(kind: str) -> None:
    column, _ = EXAMPLES[kind]
    assert kind in DEFAULTS and arrow_type(column) is not None
    drafted = draft({"it": kind})
    assert f'type = "{kind}"' in drafted and re.search(rf"#.*\b{kind}\b", drafted)
    assert sdmetrics_metadata(Schema((column,), "row"))["columns"]["it"]["sdtype"]
    rows = [
        line for line in text("docs/columns.md").splitlines() if line.startswith("|") and f"`{kind}`" in line
    ]
    assert len(rows) >= 2, "one in the table of types, one in that of storage"
    for tests in ("tests/privacy/test_released_bytes.py", "tests/frames/test_encoding.py"):
        assert f'"{kind}"' in text(tests), tests


def test_what_is_laid_down_for_every_column_kind_leaves_none_out() -> None:
    asked: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict):
                keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
                if len(keys & set(KINDS)) >= 5:
                    asked.setdefault(path.relative_to(SOURCE).as_posix(), set()).update(set(KINDS) - keys)
    # These have one word for all labels that are listed, which a new kind of label may share.
    words = ("interop/croissant.py", "schema/storage.py")
    assert {
        name: left for name, left in asked.items() if left - (set(LISTED) if name in words else set())
    } == {}
    assert {*words, "interop/dictionary.py", "interop/sdmetrics.py", "studio/column_form.py"} <= set(asked)
    card = json.loads((SOURCE / "report/card.schema.json").read_text(encoding="utf-8"))
    assert set(KINDS) <= set(card["properties"]["public_inputs"]["items"]["properties"]["type"]["enum"])


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_kind_goes_from_a_table_to_synthetic_rows(kind: str) -> None:
    column, values = EXAMPLES[kind]
    table = pa.table({"it": pa.array(values).take(pa.array([0, 1] * 20))})
    model = TableSynthesizer(Schema((column,), "row"), 1, noise="simulated", seed=1).fit(table)
    assert model.sample(5).schema.field("it").type == arrow_type(column)


# A mechanism


def questions() -> set[str]:
    """Methods of the gate that use a leaf of the plan."""
    return {
        name
        for name, method in inspect.getmembers(Gate, inspect.isfunction)
        if not name.startswith("_") and "self._use(" in inspect.getsource(method)
    }


def test_every_question_of_the_gate_is_watched_proven_and_tested() -> None:
    asked = questions()
    assert len(asked) >= 4
    watched = set(
        re.findall(r"node\.func\.attr in \(([^)]*)\)", text("tests/privacy/test_proofs.py"))[0]
        .replace('"', "")
        .split(", ")
    )
    assert watched == asked
    gate = (PROOFS / "gate.md").read_text(encoding="utf-8")
    exact = "".join(path.read_text(encoding="utf-8") for path in (SOURCE / "auditing").rglob("*.py"))
    exact += "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "tests/privacy").glob("test_exact_*.py")
    )
    for question in asked:
        assert re.search(rf"`{question}\b|\*\*{question}\b", gate), (
            f"proofs/gate.md does not speak of {question}"
        )
        # Mechanisms of the audit call the gate through production code, or directly.
        used = [
            path for path in SOURCE.rglob("*.py") if f"gate.{question}(" in path.read_text(encoding="utf-8")
        ]
        assert used, question
        assert any(path.stem in exact for path in used), f"no exact test reaches {question}"


# How mutants speak of each question.
SPOILT = {
    "select": "selection",
    "count": "noise of a count",
    "histogram": "histogram",
    "sum": "noise of a sum",
    "path": "path",
    "points": "points",
}


def test_every_question_of_the_gate_has_a_mutant() -> None:
    names = [mutant.name for mutant in catalogue() if mutant.file.startswith("src/quantail/privacy/")]
    for question in questions():
        assert any(SPOILT[question] in name for name in names), question


def test_every_proof_of_a_mechanism_names_an_exact_test() -> None:
    # The others prove what several mechanisms share, with tests of their own.
    shared = {"gate.md", "dither.md", "engines.md", "shape.md", "table.md"}
    for path in PROOFS.glob("*.md"):
        named = re.findall(r"test_exact_\w+\.py", path.read_text(encoding="utf-8"))
        assert named or path.name in shared, f"{path.name} names no exact test"


def test_negative_controls_have_a_flaw_that_is_marked_and_are_all_judged() -> None:
    judged = {control.flawed.__name__ for control in negative_controls()}
    written = set()
    for path in (SOURCE / "auditing/flawed").glob("*.py"):
        if path.stem != "__init__":
            module = importlib.import_module(f"quantail.auditing.flawed.{path.stem}")
            written |= {
                name
                for name, _ in inspect.getmembers(module, inspect.isfunction)
                if name.startswith("flawed_")
            }
            assert path.read_text(encoding="utf-8").count("# flaw") >= 2
    assert judged == written


# A file format or database

SPOKEN = {"postgresql": "pg"}  # short names in tests


def test_every_format_is_written_and_read_again_compared_byte_by_byte_and_described() -> None:
    written = {suffix.removeprefix(".") for suffix, form in FORMATS.items() if form.write is not None}
    kinds = set(constant("tests/frames/test_round_trips.py", "KINDS"))
    assert kinds == written | {SPOKEN.get(name, name) for name in DIALECTS}
    compared = set(constant("tests/privacy/test_released_files.py", "OUTPUTS"))
    # DuckDB puts a random number into its files, and a server has none: their rows are compared instead.
    assert compared == (written | set(DIALECTS)) - {"duckdb", "postgresql"}
    head = text("docs/files.md").partition("```sh")[0]
    assert all(f"`{suffix}`" in head for suffix in FORMATS)
    assert all(f"`{scheme}://" in head for scheme in DIALECTS)


# A method


def test_every_table_method_is_explained_in_the_help_and_in_the_documents() -> None:
    (option,) = Method.__metadata__
    for name in METHODS:
        assert re.search(rf"\b{name}\b", option.help), f"--help does not explain {name}"
        assert f"`{name}`" in text("docs/commands.md") or f"--method {name}" in text("docs/commands.md"), name


def test_every_table_method_saves_columns_that_the_schema_of_models_knows() -> None:
    kinds = json.dumps(json.loads((SOURCE / "table/model.schema.json").read_text(encoding="utf-8")))
    table = pa.table({"pay": np.linspace(1, 90, 60), "tax": np.linspace(1, 30, 60)})
    schema = Schema((Column("pay", "numeric", 0, 100), Column("tax", "numeric", 0, 50)), "row")
    for name in METHODS:
        model = TableSynthesizer(schema, 1, method=name, noise="simulated", seed=1).fit(table)
        for column in model.to_dict()["groups"][0]["columns"]:
            assert f'"const": "{column["kind"]}"' in kinds, (name, column["kind"])


def test_every_panel_method_is_described() -> None:
    for name in PANEL_METHODS:
        assert f"`{name}`" in text("docs/panels.md"), name
