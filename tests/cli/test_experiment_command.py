"""The studies from the command line: a thin layer over `quantail.experiments`."""

import json

import pytest

ARGUMENTS = ("experiment", "simulation", "--replications", "2", "--workers", "1", "--out", "results")
CURVES = ("experiment", "epsilon-curves", "--replications", "1", "--workers", "1", "--out", "results")
ABLATION = ("experiment", "ablation", "--replications", "1", "--workers", "1", "--out", "results")


def test_a_small_study_writes_results_and_prints_its_table(shop):
    done = shop.run(*ARGUMENTS, "--methods", "fresh", "--seed", "3")
    assert done.exit_code == 0, done.output
    results = json.loads((shop.folder / "results" / "results.json").read_text())
    assert set(results) == {"fresh"} and results["fresh"]["km"]["mean"] > 900
    assert "fresh" in done.stdout and (shop.folder / "results" / "table.md").exists()


def test_a_folder_of_other_settings_is_refused_and_kept(shop):
    assert shop.run(*ARGUMENTS, "--methods", "fresh", "--seed", "3").exit_code == 0
    before = (shop.folder / "results" / "replications.jsonl").read_bytes()
    refused = shop.run(*ARGUMENTS, "--methods", "fresh", "--seed", "4")
    assert refused.exit_code == 2 and "seed" in refused.output
    assert (shop.folder / "results" / "replications.jsonl").read_bytes() == before


def test_epsilon_curves_take_epsilons_and_groups(shop):
    done = shop.run(*CURVES, "--methods", "fresh,sandwich-fixed", "--epsilons", "1/2, 2")
    assert done.exit_code == 0, done.output
    results = json.loads((shop.folder / "results" / "results.json").read_text())
    assert {method: list(points) for method, points in results.items()} == {
        "fresh": ["none"],
        "sandwich-fixed": ["0.5", "2"],
    }


def test_the_ablation_prints_its_steps(shop, monkeypatch):
    from quantail.experiments import ablation

    kept = {name: ablation.STEPS[name] for name in ("lattice", "curve")}
    monkeypatch.setattr(ablation, "STEPS", kept)
    done = shop.run(*ABLATION)
    assert done.exit_code == 0, done.output
    assert kept["lattice"].title in done.stdout and kept["curve"].guarantee in done.stdout


@pytest.mark.parametrize(
    ("command", "wrong", "code"),
    [
        (ARGUMENTS, ("--methods", "nonsense"), 2),
        (ARGUMENTS, ("--methods", ","), 2),
        (ARGUMENTS, ("--epsilon", "0"), 5),
        (ARGUMENTS, ("--replications", "0"), 2),
        (CURVES, ("--methods", "ladder,magic"), 2),
        (CURVES, ("--epsilons", "1,-1"), 5),
        (CURVES, ("--epsilons", ""), 2),
        (ABLATION, ("--epsilon", "none"), 5),
    ],
)
def test_wrong_options_are_refused_at_once(shop, command, wrong, code):
    before = shop.files()
    assert shop.run(*command, *wrong).exit_code == code
    assert shop.files() == before


@pytest.mark.parametrize("command", [ARGUMENTS, CURVES, ABLATION])
def test_an_output_that_is_a_file_is_refused_before_the_work(shop, command):
    shop.write("results", "mine")
    assert shop.run(*command).exit_code == 4
    assert (shop.folder / "results").read_text() == "mine"
