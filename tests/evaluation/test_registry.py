"""The list of measures is complete, consistent, and the same in code and document."""

from pathlib import Path

import pytest

from quantail.errors import OptionError
from quantail.evaluation import FAMILIES, MEASURES
from quantail.evaluation.registry import chosen
from tools.measures_document import rewritten

DOCUMENT = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("measure", MEASURES.values(), ids=list(MEASURES))
def test_every_definition_is_sound(measure):
    low, high = measure.range
    assert low <= measure.best <= high
    assert {"lower": low, "higher": high}.get(measure.direction, measure.best) == measure.best
    assert measure.family in FAMILIES and measure.meaning.endswith(".") and measure.reference and measure.null
    assert measure.to_dict()["title"] == measure.title


def test_the_document_is_as_the_registry_writes_it():
    assert rewritten(DOCUMENT) == DOCUMENT, "run python -m tools.measures_document"
    assert all(f"`{name}` | {measure.meaning} | " in DOCUMENT for name, measure in MEASURES.items())


def test_titles_are_words_and_all_different():
    titles = [measure.title for measure in MEASURES.values()]
    assert len(set(titles)) == len(titles)
    assert not [title for title in titles if "_" in title]


def test_every_family_has_a_measure():
    assert {measure.family for measure in MEASURES.values()} == set(FAMILIES)


def test_old_names_are_refused_with_the_new_one():
    for old, new in (("km", "k_marginal"), ("tail", "tails"), ("pmse_woi_ratio", "pmse_ratio")):
        with pytest.raises(OptionError, match=f"called {new} now"):
            chosen([old])
    with pytest.raises(OptionError, match="neither a measure nor a family"):
        chosen(["pmse_lasso_z"])


def test_the_example_of_the_document_runs(capsys):
    code = DOCUMENT.split("```python\n")[1].split("```")[0]
    namespace = {}
    exec(compile(code, "measures.md", "exec"), namespace)
    first, second = map(float, capsys.readouterr().out.split())
    assert 800 < first < 950 and second < 5
    assert namespace["frame"].num_rows == len(namespace["result"])
