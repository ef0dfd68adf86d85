"""`quantail report`, and --report of `synth`."""

import json

SYNTH = ("-e", "1", "--simulate-noise", "--seed", "1", "-o", "out.parquet")


def test_a_report_is_written_called_internal_and_replaced_only_by_force(shop):
    assert shop.run("synth", shop.table, "-s", shop.schema, *SYNTH, "--model", "model.json").exit_code == 0
    formulas = ("--formula", "pay ~ jobs", "--formula", "quantile(0.5): pay ~ jobs")
    asked = ("report", shop.table, "out.parquet", "--model", "model.json", *formulas, "-o", "r.html")
    shop.write("r.html", "mine")
    assert shop.run(*asked).exit_code == 4 and (shop.folder / "r.html").read_text() == "mine"
    done = shop.run(*asked, "--force")
    assert done.exit_code == 0, done.output
    assert "INTERNAL" in done.output and "Wrote r.html" in done.output
    page = (shop.folder / "r.html").read_text(encoding="utf-8")
    assert "INTERNAL" in page and "epsilon 1" in page
    assert "<h3>pay ~ jobs</h3>" in page and "<h3>quantile(0.5): pay ~ jobs</h3>" in page


def test_synth_writes_a_report_on_request(shop):
    done = shop.run("synth", shop.table, "-s", shop.schema, *SYNTH, "--report", "r.html")
    assert done.exit_code == 0, done.output
    assert "Every measure" in (shop.folder / "r.html").read_text(encoding="utf-8")


def test_a_report_that_cannot_be_written_costs_nothing(shop):
    before = shop.files()
    paid = ("-s", shop.schema, "-e", "1", "-l", "payroll.ledger", "--new-ledger", "-o", "out.parquet")
    for place in ("none/r.html", "r.txt", "out.card.html"):
        done = shop.run("synth", shop.table, *paid, "--report", place)
        assert done.exit_code != 0
        assert shop.files() == before


def test_fit_writes_the_card_beside_the_model(shop):
    paying = ("-e", "1", "-l", "payroll.ledger", "--new-ledger")
    done = shop.run("fit", shop.table, "-s", shop.schema, *paying, "-o", "m.json")
    assert done.exit_code == 0, done.output
    card = json.loads((shop.folder / "m.card.json").read_text(encoding="utf-8"))
    assert card["ledger"]["entry"] == 2 and card["release"]["rows"] == 200
    for form in ("md", "html"):
        assert card["ledger"]["hash"] in (shop.folder / f"m.card.{form}").read_text(encoding="utf-8")


def test_sample_states_expected_errors_on_request(shop):
    shop.run(
        "fit", shop.table, "-s", shop.schema, "-e", "4/3", "--simulate-noise", "--seed", "1", "-o", "m.json"
    )
    done = shop.run("sample", "m.json", "-o", "out.parquet", "--expected-errors")
    assert done.exit_code == 0, done.output
    lines = json.loads((shop.folder / "out.card.json").read_text(encoding="utf-8"))["errors_to_expect"]
    assert "made-up tables of 200 rows" in lines[0]
    assert lines[1].startswith("jobs: median ") and lines[2].startswith("pay: median ")
