"""The opening of the report: words that follow from the measures, and tiles for the questions that were answered."""

import re

import pytest

from quantail.evaluation import Evaluation
from quantail.evaluation.measure import Measure
from quantail.evaluation.table import Measured
from quantail.report.summary import _opening, _standing_out, _tiles


def row(name, value, null=1.0, family="columns", columns=("x",)):
    return Measured(Measure(name, f"the {name}", family, "", "", "", (0.0, 1e9)), columns, value, null)


def said(*rows):
    measures = Evaluation(tuple(rows))
    return re.sub(r"<[^>]*>", "", " ".join((*_opening(measures), *_standing_out(measures))))


@pytest.mark.parametrize(
    ("far", "words"),
    [
        (0, "close to an independent sample throughout"),
        (4, "mostly close to an independent sample"),
        (9, "in some respects only"),
        (15, "far from an independent sample in most respects"),
    ],
)
def test_words_follow_the_share_of_measures_that_are_close(far, words):
    rows = [row(f"m{k}", 50.0 if k < far else 1.0) for k in range(20)]
    assert words in said(*rows)
    assert f"{20 - far} of 20 measures" in said(*rows)


def test_what_stands_out_is_named_once_for_each_family():
    text = said(row("wrt", 5.0), row("far", 20.0), row("km", 4.0, family="counts"), row("ks", 1.0))
    assert text.endswith(
        "farthest from it: single columns: the far of x 20 (in an independent sample 1)"
        "tables of counts: the km of x 4 (in an independent sample 1)"
    )
    assert "wrt of" not in text
    assert "Nothing stands out" in said(row("wrt", 1.0))


def test_without_a_yardstick_no_words_are_claimed():
    assert "No measure has a yardstick" in said(row("wrt", 1.0, None))
    assert "No measure has a yardstick" in said()


def test_a_tile_shows_the_worst_answer_to_its_question():
    rows = (
        row("ks", 0.2, 0.1, "columns", ("pay",)),
        row("total_variation", 0.9, 0.1, "columns", ("sector",)),
        row("ks", 0.1, 0.1, "columns", ("jobs",)),
        row("unasked", 0.1, None, "overall"),
    )
    (tile,) = _tiles(Evaluation(rows))
    assert "Which column differs most?" in tile and "0.9" in tile and "of sector" in tile
    assert "Visibly apart from an independent sample" in tile
    assert tile.count('class="on"') == 2


def test_a_tile_also_names_the_largest_error_where_the_yardstick_hides_it():
    """A total 37% off hid behind another 7% off, which a second sample would have got nearer."""
    rows = tuple(
        row("total_error", value, null, "tails", (name,))
        for name, value, null in (("premium", 0.07, 0.004), ("paid", 0.37, 0.064))
    )
    (tile,) = _tiles(Evaluation(rows))
    assert "0.07" in tile and "largest: 0.37 of paid (independent sample 0.064)" in tile
    (tile,) = _tiles(Evaluation(rows[:1]))
    assert "largest" not in tile


def test_a_tile_says_what_the_farthest_of_many_errors_is_compared_with():
    rows = [
        row("quantile_error_99", value, 0.1, "tails", (name,))
        for name, value in (("pay", 0.3), ("jobs", 0.1))
    ]
    (tile,) = _tiles(Evaluation(tuple(rows)))
    assert "independent sample 0.1, farthest of 2 about 0.16; best 0" in tile and "Close to" in tile


def test_what_to_take_care_with_is_not_what_a_tile_calls_close():
    names = ("rank_correlation_difference", "correlation_ratio_difference", "cramers_v_difference")
    rows = [
        row(name, value, 0.001, "relations", (name, "y"))
        for name, value in zip(names, (0.005, 0.001, 0.001), strict=True)
    ]
    assert "Close to" in _tiles(Evaluation(tuple(rows)))[0]  # the farthest of three
    assert "Nothing stands out" in said(*rows)
