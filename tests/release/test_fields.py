"""The guard between files and models: what does not fit its annotation is noticed at any depth."""

from dataclasses import dataclass, replace
from typing import Literal

import pytest

from quantail.release.fields import check_fields, fits


@dataclass(frozen=True)
class Leaf:
    size: float
    kind: Literal["a", "b"]


@dataclass(frozen=True)
class Tree:
    name: str
    leaves: tuple[tuple[str, Leaf], ...]
    pair: tuple[float, float]
    best: Leaf | None
    ready: bool = False


SOUND = Tree("oak", (("x", Leaf(1, "a")), ("y", Leaf(2.5, "b"))), (0.0, 1.0), None)


def test_a_sound_object_passes():
    check_fields(SOUND)
    check_fields(replace(SOUND, best=Leaf(3.0, "a"), leaves=()))


@pytest.mark.parametrize(
    "change",
    [
        {"name": 3},
        {"ready": 1},
        {"ready": "false"},
        {"best": "none"},
        {"pair": (0.0, 1.0, 2.0)},
        {"pair": [0.0, 1.0]},
        {"pair": (0.0, True)},
        {"pair": (0.0, float("nan"))},
        {"pair": (0.0, float("inf"))},
        {"leaves": (("x", Leaf("1", "a")),)},
        {"leaves": (("x", Leaf(1, "c")),)},
        {"leaves": ((1, Leaf(1, "a")),)},
        {"leaves": (Leaf(1, "a"),)},
        {"best": Leaf(None, "a")},
    ],
)
def test_anything_else_is_noticed_and_named(change):
    with pytest.raises(TypeError, match=next(iter(change))):
        check_fields(replace(SOUND, **change))


def test_whole_numbers_may_stand_for_numbers_but_not_the_reverse():
    assert fits(3, float)
    assert not fits(3.0, int)
    assert not fits(True, int)
