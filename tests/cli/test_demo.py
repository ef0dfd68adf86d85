"""The demonstration: the whole path, with secure noise, more than once."""

import json

import pyarrow.parquet

from quantail.privacy.ledger import Ledger


def test_the_demo_leaves_a_complete_release(shop):
    done = shop.run("demo", "--out", "show", "--rows", "600")
    assert done.exit_code == 0, done.output
    folder = shop.folder / "show"
    for name in (
        "payroll.parquet",
        "schema.toml",
        "plan.txt",
        "synthetic.card.md",
        "internal-evaluation.json",
    ):
        assert (folder / name).stat().st_size > 0
        assert str(name) in done.stdout
    card = json.loads((folder / "synthetic.card.json").read_text())
    assert card["private"] is True and card["promise"]["epsilon"] == "1"
    assert pyarrow.parquet.read_table(folder / "synthetic.parquet").num_rows == 600
    ledger = Ledger.open(folder / "payroll.ledger")
    assert ledger.left == 0 and ledger.verify(card["ledger"]["hash"]) == []
    assert "INTERNAL" in done.stdout and "What to do next" in done.stdout


def test_a_second_run_goes_to_a_new_folder_and_says_so(shop):
    shop.write("mine.txt", "keep me")
    first = {path: path.read_bytes() for path in shop.folder.rglob("*") if path.is_file()}
    done = shop.run("demo", "--out", shop.folder, "--rows", "300", "--epsilon", "2")
    assert done.exit_code == 0, done.output
    assert "run-2" in done.stderr
    assert {path: path.read_bytes() for path in first} == first
    assert (shop.folder / "run-2" / "synthetic.card.md").exists()


def test_a_wrong_epsilon_leaves_no_folder_behind(shop):
    before = shop.files()
    assert shop.run("demo", "--out", "show", "--epsilon", "0").exit_code == 5
    assert shop.run("demo", "--out", "show", "--rows", "1").exit_code == 2
    assert shop.files() == before
