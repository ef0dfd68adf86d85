"""The internal picture."""

import sys

import pyarrow as pa
import pytest

from quantail.errors import OptionError
from quantail.report.comparison import TITLE, draw_comparison
from quantail.schema import Column, Schema

SCHEMA = Schema(
    (
        Column("region", "category", categories=("north", "south")),
        Column("jobs", "integer", 0, 100),
        Column("pay", "numeric", 0, 1e6, grid="log"),
    ),
    unit="firm",
)


def table(shift):
    return pa.table({"region": ["north", "south", "north"], "jobs": [0, 2, 9], "pay": [0.0, 5.5, shift]})


def test_a_picture_is_written(tmp_path):
    pytest.importorskip("matplotlib")
    draw_comparison(table(10.0), table(2000.0), SCHEMA, tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_constant_columns_can_be_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    flat = pa.table({"region": ["north"], "jobs": [0], "pay": [3.0]})
    draw_comparison(flat, flat, SCHEMA, tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 0


def test_without_matplotlib_it_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(OptionError, match="install"):
        draw_comparison(table(1.0), table(1.0), SCHEMA, tmp_path / "c.png")
    assert list(tmp_path.iterdir()) == []


def test_the_title_says_internal():
    assert TITLE.startswith("INTERNAL")
