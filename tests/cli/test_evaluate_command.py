"""Comparing two tables from the command line; the answer is always labelled internal."""

import json


def test_a_table_is_as_close_to_itself_as_can_be(shop):
    done = shop.run("evaluate", shop.table, shop.table, "--json", "measures.json")
    assert done.exit_code == 0
    assert done.stdout.startswith("INTERNAL")
    written = json.loads((shop.folder / "measures.json").read_text())
    assert written["private"] is False and "INTERNAL" in written["notice"]
    assert written["summary"]["km"] == 1000.0
    assert written["summary"]["pmse_woi"] < 1e-12


def test_a_holdout_adds_prediction_errors(shop):
    done = shop.run("evaluate", shop.table, shop.table, "--holdout", shop.table, "--json", "-")
    names = {measure["name"] for measure in json.loads(done.stdout)["measures"]}
    assert "nrmse" in names
    without = json.loads(shop.run("evaluate", shop.table, shop.table, "--json", "-").stdout)
    assert "nrmse" not in {measure["name"] for measure in without["measures"]}


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
        "jobs,pay\n1,nan\n2,987654.25\n",
        "jobs,pay\n",
        "jobs,pay\n3,inf\n4,5\n",
    ):
        shop.write("bad.csv", content)
        for pair in ((shop.table, "bad.csv"), ("bad.csv", shop.table)):
            for schema in ((), ("--schema", shop.schema)):
                done = shop.run("evaluate", *pair, *schema)
                assert done.exit_code == 4, (content, pair, schema, done.output)
                assert "canary" not in done.output and "987654" not in done.output
