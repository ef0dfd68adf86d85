"""The page about files names every kind of table there is."""

from pathlib import Path

from quantail.io.dialects import DIALECTS
from quantail.io.files import FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "files.md").read_text(encoding="utf-8")


def test_every_kind_is_named():
    head = PAGE.partition("```sh")[0]
    for suffix in FORMATS:
        assert f"`{suffix}`" in head, suffix
    for scheme in DIALECTS:
        assert f"`{scheme}://" in head, scheme
