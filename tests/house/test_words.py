"""The glossary and the walk through the house speak of things that exist."""

import importlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

import quantail
from quantail.cli import app
from quantail.examples import payroll_example, payroll_schema
from quantail.io import write_table
from tools.value_path import passed

ROOT = Path(__file__).parents[2]
SOURCE = Path(quantail.__file__).parent
GLOSSARY = (ROOT / "docs/glossary.md").read_text(encoding="utf-8")
WALK = (ROOT / "docs/walk.md").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| `([^`|]+)` \|$", GLOSSARY, re.MULTILINE)
NAMED = re.compile(r"`([a-z_]+(?:\.\w+)+)`")
NAMES = sorted(set(NAMED.findall(WALK)) - {"payroll.csv", "schema.toml"})
# What the walk names beside the way: data, and what other tables, panels and commands do.
BESIDE = {
    "errors.DataError",
    "examples.payroll.payroll_example",
    "table.methods.METHODS",
    "orders.fitting.fit_lines",
    "panel.tables.pair_table",
    "panel.stage.Stage.simulate",
    "engines.tables.synthesize_table",
    "planning.expectation.expect",
}


@pytest.mark.parametrize(("words", "where"), [(entry[0], entry[3]) for entry in ENTRIES])
def test_a_word_of_the_glossary_is_used_where_it_says(words: str, where: str) -> None:
    place = SOURCE / where
    assert place.exists(), where
    texts = [place] if place.is_file() else sorted(place.rglob("*.py"))
    held = " ".join(path.read_text(encoding="utf-8").lower() for path in texts)
    for word in words.split(", "):
        assert word.replace("-", "_") in held or word in held, f"{where} no longer says {word}"


def test_the_glossary_holds_each_word_once() -> None:
    words = [word for entry in ENTRIES for word in entry[0].split(", ")]
    assert len(words) >= 50 and len(set(words)) == len(words)


@pytest.mark.parametrize("name", NAMES)
def test_the_walk_names_what_exists(name: str) -> None:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(["quantail", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        for part in parts[length:]:
            found = getattr(found, part)
        return
    pytest.fail(f"no module holds {name}")


def test_the_walk_goes_through_every_room() -> None:
    rooms = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert {name.split(".")[0] for name in NAMES} >= rooms
    assert all(f"`{room}`" in WALK for room in rooms - {"examples"})


def test_a_value_passes_what_the_walk_says_in_front_of_those_who_look_on(tmp_path: Path) -> None:
    write_table(payroll_example(3000), tmp_path / "payroll.csv")
    schema = replace(payroll_schema(), name="a name of its own")  # what a schema implies is worked out once
    schema.save(tmp_path / "schema.toml")
    command = WALK.partition("```text\nquantail ")[2].partition("\n```")[0].split()
    arguments = [str(tmp_path / word) if "." in word else word for word in command]
    found = passed(lambda: app(arguments, standalone_mode=False))
    way = {f"{file.removesuffix('.py').replace('/', '.')}.{name}." for file, name in found}
    told = set(NAMED.findall(WALK.partition("## 9.")[0])) - BESIDE - {"payroll.csv"}
    assert len(told) > 30
    assert [name for name in sorted(told) if not any(one.startswith(f"{name}.") for one in way)] == []
