"""The list of measures is complete, consistent, and the same in code and document."""

from pathlib import Path

import pytest

from quantail.evaluation import FAMILIES, MEASURES

DOCUMENT = (Path(__file__).parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("measure", MEASURES.values(), ids=list(MEASURES))
def test_every_definition_is_sound_and_documented(measure):
    low, high = measure.range
    assert low <= measure.best <= high
    assert measure.null is None or low <= measure.null <= high
    assert {"lower": low, "higher": high}.get(measure.direction, measure.best) in (
        measure.best,
        -float("inf"),
    )
    assert measure.family in FAMILIES and measure.meaning.endswith(".") and measure.reference
    assert f"| `{measure.name}` | {measure.family} | {measure.meaning} | " in DOCUMENT
    assert measure.to_dict()["name"] == measure.name


def test_the_document_lists_no_other_measure():
    assert DOCUMENT.count("\n| `") == len(MEASURES)


def test_every_family_has_a_measure():
    assert {measure.family for measure in MEASURES.values()} == set(FAMILIES)


def test_the_example_of_the_document_runs(capsys):
    code = DOCUMENT.split("```python\n")[1].split("```")[0]
    namespace = {}
    exec(compile(code, "measures.md", "exec"), namespace)
    first, second = map(float, capsys.readouterr().out.split())
    assert 800 < first < 950 and second < 5
    assert namespace["frame"].num_rows == len(namespace["result"])
