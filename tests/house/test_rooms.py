"""The rooms as they are written down: import contracts, CONTRIBUTING and folders of tests name every one of them."""

import re
import tomllib
from pathlib import Path

import pytest

import quantail

ROOT = Path(__file__).parents[2]
SOURCE = Path(quantail.__file__).parent
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
    "contracts"
]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def rooms() -> set[str]:
    """Folders of the package."""
    return {path.parent.name for path in SOURCE.glob("*/__init__.py")}


def modules() -> set[str]:
    """Modules beside them."""
    return {path.stem for path in SOURCE.glob("*.py")} - {"__init__", "__main__", "_version"}


def layers() -> list[str]:
    """Rooms and modules in the contract's order, the lowest first."""
    (contract,) = [part for part in CONTRACTS if part["name"] == "rooms import only to the left"]
    names = [re.split(r"\s*[:|]\s*", layer) for layer in reversed(contract["layers"])]
    return [name.removeprefix("quantail.") for layer in names for name in layer]


def test_the_contract_of_layers_covers_every_room_and_none_is_optional() -> None:
    assert sorted(layers()) == sorted(rooms() | modules())


def test_only_privacy_may_touch_opendp() -> None:
    (contract,) = [part for part in CONTRACTS if part.get("forbidden_modules") == ["opendp"]]
    named = {name.removeprefix("quantail.") for name in contract["source_modules"]}
    assert named == rooms() - {"privacy"}


def test_contributing_lists_the_rooms_in_the_order_of_imports() -> None:
    listed = re.findall(r"^\| `(\w+)` \| \S.{20,}\|$", CONTRIBUTING, re.MULTILINE)
    assert listed == layers()


@pytest.mark.parametrize("room", sorted(rooms()))
def test_every_room_has_tests_in_a_folder_of_its_name_and_says_what_it_holds(room: str) -> None:
    assert list((ROOT / "tests" / room).glob("test_*.py"))
    assert len((SOURCE / room / "__init__.py").read_text(encoding="utf-8").split('"""')[1].split()) > 5
