"""Tables of README and docs are those of the stored results, and a figure typed by hand is noticed."""

import shutil

import pytest

from quantail.errors import DataError
from studies.documents import DOCUMENTS, ROOT, TABLES, outdated, with_tables, write_documents


def test_every_table_is_what_the_results_say():
    assert outdated() == []


def test_every_table_is_shown_somewhere():
    texts = [(ROOT / path).read_text(encoding="utf-8") for path in DOCUMENTS]
    for name in TABLES:
        assert any(f"<!-- table: {name} -->" in text for text in texts), name


def test_a_figure_typed_by_hand_is_noticed_and_written_over(tmp_path):
    for path in DOCUMENTS:
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    readme = tmp_path / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(text.replace("| 964 |", "| 999 |", 1), encoding="utf-8")
    assert [path.name for path in outdated(tmp_path)] == ["README.md"]
    assert [path.name for path in write_documents(tmp_path)] == ["README.md"]
    assert readme.read_text(encoding="utf-8") == text


def test_an_unknown_table_is_refused_by_name():
    with pytest.raises(DataError, match="'nothing'"):
        with_tables("<!-- table: nothing -->\n<!-- end of table -->")
