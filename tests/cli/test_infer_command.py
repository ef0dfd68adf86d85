"""`quantail infer`: a readable table or JSON, from released files only."""

import csv
import json

import pytest


@pytest.fixture
def released(shop):
    for command in (
        (
            "fit",
            shop.table,
            "-s",
            shop.schema,
            "-e",
            "1",
            "--simulate-noise",
            "--seed",
            "1",
            "-o",
            "model.json",
        ),
        ("sample", "model.json", "--seed", "1", "-o", "synthetic.csv"),
    ):
        assert shop.run(*command).exit_code == 0
    shop.table.unlink()  # the confidential table is not needed any more
    return shop


def test_a_table_of_estimates_and_json_say_the_same(released):
    asked = ("infer", "model.json", "synthetic.csv", "pay ~ jobs", "gini(pay)")
    options = ("--effort", "10", "--seed", "2", "--workers", "1")
    shown = released.run(*asked, *options)
    assert shown.exit_code == 0, shown.stderr
    form = json.loads(released.run(*asked, *options, "--json").stdout)
    assert [answer["question"] for answer in form] == ["pay ~ jobs", "gini(pay)"]
    for answer in form:
        assert answer["reruns"] == 10
        for row in answer["estimates"]:
            assert f"{row['low']:.5g} to {row['high']:.5g}" in shown.stdout
    assert "naive" in shown.stderr  # what the columns mean is a note, not a result


def test_replicates_are_read_too(released):
    assert released.run("sample", "model.json", "--seed", "2", "-o", "more.csv").exit_code == 0
    asked = (
        "infer",
        "model.json",
        "synthetic.csv",
        "mean(pay)",
        "--effort",
        "10",
        "--workers",
        "1",
        "--json",
    )
    one, two = (json.loads(released.run(*asked, *more).stdout) for more in ((), ("--replicate", "more.csv")))
    assert one[0]["estimates"][0]["naive"] != two[0]["estimates"][0]["naive"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("model.json", "synthetic.csv", "pay"), 2),
        (("model.json", "synthetic.csv", "mean(pay)", "--effort", "slow"), 2),
        (("model.json", "synthetic.csv", "mean(pay)", "--effort", "3"), 2),
        (("model.json", "synthetic.csv", "mean(pay)", "--level", "95"), 2),
        (("model.json", "synthetic.csv"), 2),
        (("model.json", "nowhere.csv", "mean(pay)"), 4),
        (("synthetic.csv", "synthetic.csv", "mean(pay)"), 7),
    ],
)
def test_what_is_wrong_is_said_with_an_exit_code(released, arguments, code):
    run = released.run("infer", *arguments)
    assert run.exit_code == code, run.stderr
    assert run.stdout == ""


def test_only_some_rows_can_be_asked_about(released):
    asked = (
        "infer",
        "model.json",
        "synthetic.csv",
        "mean(jobs)",
        "--effort",
        "10",
        "--seed",
        "2",
        "--workers",
        "1",
    )
    form = json.loads(released.run(*asked, "--where", "jobs > 5", "--json").stdout)
    with open("synthetic.csv", encoding="utf-8", newline="") as file:
        jobs = [float(row["jobs"]) for row in csv.DictReader(file)]
    some = [number for number in jobs if number > 5]
    assert 0 < len(some) < len(jobs)
    assert form[0]["estimates"][0]["naive"] == pytest.approx(sum(some) / len(some))
    refused = released.run(*asked, "--where", "jobs >")
    assert refused.exit_code != 0 and "no condition" in refused.stderr
