"""Comparing two tables from the command line; the answer is always labelled internal."""

import json


def test_a_table_is_as_close_to_itself_as_can_be(shop):
    done = shop.run("evaluate", shop.table, shop.table, "--json", "measures.json")
    assert done.exit_code == 0
    assert done.stdout.startswith("INTERNAL")
    written = json.loads((shop.folder / "measures.json").read_text())
    assert written["private"] is False and "INTERNAL" in written["notice"]
    assert written["summary"]["k_marginal"] == 1000.0
    assert written["summary"]["pmse_ratio"] < 1e-9


def test_names_of_columns_are_not_cut_off(shop):
    """In eighty columns of text the worst column was "educatio", and a pair of columns could not be told."""
    rows = "".join(f"{k},{7919 * k % 61}.{k:02}\n" for k in range(60))
    real = shop.write("real.csv", f"benefits,education_years\n{rows}")
    other = shop.write("other.csv", f"benefits,education_years\n{rows.replace('1', '2')}")
    shown = shop.run("evaluate", real, other).stdout
    assert all("education_years" in line for line in shown.splitlines() if "educ" in line) and "educ" in shown


def test_a_holdout_adds_prediction_errors(shop):
    done = shop.run("evaluate", shop.table, shop.table, "--holdout", shop.table, "--json", "-")
    names = {measure["name"] for measure in json.loads(done.stdout)["measures"]}
    assert "prediction_error" in names
    without = json.loads(shop.run("evaluate", shop.table, shop.table, "--json", "-").stdout)
    assert "prediction_error" not in {measure["name"] for measure in without["measures"]}


def test_tables_of_other_columns_are_refused(shop):
    shop.write("other.csv", "jobs,wage\n1,2\n3,4\n")
    done = shop.run("evaluate", shop.table, "other.csv", "--json", "m.json")
    assert done.exit_code == 4
    assert not (shop.folder / "m.json").exists()


def test_an_existing_measures_file_is_kept_unless_forced(shop):
    kept = shop.write("m.json", "mine")
    assert shop.run("evaluate", shop.table, shop.table, "--json", kept).exit_code == 4
    assert kept.read_text() == "mine"
    assert shop.run("evaluate", shop.table, shop.table, "--json", kept, "--force").exit_code == 0
    assert json.loads(kept.read_text())["private"] is False


def test_tables_that_cannot_be_compared_are_refused_without_a_value(shop):
    for content in (
        "jobs,pay\n1,canary\n2,3\n",
        "jobs,pay\n1,inf\n2,987654.25\n",
        "jobs,pay\n",
        "jobs,pay\n3,inf\n4,5\n",
    ):
        shop.write("bad.csv", content)
        for pair in ((shop.table, "bad.csv"), ("bad.csv", shop.table)):
            for schema in ((), ("--schema", shop.schema)):
                done = shop.run("evaluate", *pair, *schema)
                assert done.exit_code == 4, (content, pair, schema, done.output)
                assert "canary" not in done.output and "987654" not in done.output


def test_missing_values_are_compared_rather_than_refused(shop):
    shop.write("gaps.csv", "jobs,pay\n1,\n2,3\n4,5\n")
    done = shop.run(
        "evaluate", "gaps.csv", "gaps.csv", "--measures", "k_marginal,missing_difference", "--json", "-"
    )
    rows = json.loads(done.stdout)["measures"]
    assert [(row["name"], row["value"]) for row in rows] == [
        ("missing_difference", 0.0),
        ("k_marginal", 1000.0),
    ]


def test_formulas_add_a_row_for_every_coefficient(shop):
    formulas = ("--formula", "pay ~ jobs", "--formula", "quantile(0.9): pay ~ jobs")
    done = shop.run(
        "evaluate", shop.table, shop.table, *formulas, "--measures", "coefficient_difference", "--json", "-"
    )
    rows = json.loads(done.stdout)["measures"]
    assert [row["note"] for row in rows] == ["pay ~ jobs"] * 2 + ["quantile(0.9): pay ~ jobs"] * 2
    assert all(row["value"] == 0 for row in rows)
    wrong = shop.run("evaluate", shop.table, shop.table, "--formula", "pay jobs")
    assert wrong.exit_code == 2 and "formula" in wrong.output


def test_measures_are_listed_with_their_meaning(shop):
    done = shop.run("evaluate", "--list", "--json", "-")
    listed = {measure["name"]: measure for measure in json.loads(done.stdout)}
    assert listed["k_marginal"]["range"] == [0.0, 1000.0] and listed["k_marginal"]["direction"] == "higher"
    assert (
        "pmse_ratio_interactions  Propensity score ratio, with interactions"
        in shop.run("evaluate", "--list").output
    )
    assert shop.run("evaluate").exit_code == 2


def test_rows_are_printed_only_when_asked_for(shop):
    short = shop.run("evaluate", shop.table, shop.table, "--measures", "ks").output
    long = shop.run("evaluate", shop.table, shop.table, "--measures", "ks", "--rows").output
    assert sum(line.startswith("Kolmogorov-Smirnov distance ") for line in short.splitlines()) == 1
    assert sum(line.startswith("Kolmogorov-Smirnov distance ") for line in long.splitlines()) > 1
