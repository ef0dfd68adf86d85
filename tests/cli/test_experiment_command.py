"""The simulation study from the command line: a thin layer over `quantail.experiments`."""

import json

import pytest

ARGUMENTS = ("experiment", "simulation", "--replications", "2", "--workers", "1", "--out", "results")


def test_a_small_study_writes_results_and_prints_its_table(shop):
    done = shop.run(*ARGUMENTS, "--methods", "fresh", "--seed", "3")
    assert done.exit_code == 0, done.output
    results = json.loads((shop.folder / "results" / "results.json").read_text())
    assert set(results) == {"fresh"} and results["fresh"]["km"]["mean"] > 900
    assert "fresh" in done.stdout and (shop.folder / "results" / "table.md").exists()


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (("--methods", "nonsense"), 2),
        (("--methods", ","), 2),
        (("--epsilon", "0"), 5),
        (("--replications", "0"), 2),
    ],
)
def test_wrong_options_are_refused_at_once(shop, wrong, code):
    before = shop.files()
    assert shop.run(*ARGUMENTS, *wrong).exit_code == code
    assert shop.files() == before


def test_an_output_that_is_a_file_is_refused_before_the_work(shop):
    shop.write("results", "mine")
    assert shop.run(*ARGUMENTS).exit_code == 4
    assert (shop.folder / "results").read_text() == "mine"
