"""`quantail card`: the card of a release for data portals and for the registry of DP deployments."""

import json

import pytest

SYNTH = ("-e", "1", "--no-ledger", "-o", "out.csv")
WHO = ("--curator", "Office", "--curator-type", "Government", "--region", "R", "--use", "u", "--author", "A")


@pytest.fixture
def released(shop):
    assert shop.run("synth", shop.table, "-s", shop.schema, *SYNTH).exit_code == 0
    return shop


def test_a_release_gets_croissant_metadata_and_a_registry_entry(released):
    asked = ("card", "out.card.json", "--format")
    done = released.run(*asked, "croissant", "--table", "out.csv", "-o", "out.croissant.json")
    assert done.exit_code == 0, done.output
    found = json.loads((released.folder / "out.croissant.json").read_text(encoding="utf-8"))
    assert found["distribution"][0]["contentUrl"] == "out.csv"
    done = released.run(*asked, "registry", *WHO, "-o", "out.yaml")
    assert done.exit_code == 0, done.output
    assert "justification" in done.output
    assert 'data_curator_name: "Office"' in (released.folder / "out.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("--format", "registry"), "--curator, --curator-type, --region, --use, --author"),
        (("--format", "registry", *WHO, "--sector", "Fishing"), "sector must be one of"),
        (("--format", "croissant"), "--table synthetic.csv"),
        (("--format", "croissant", "--table", "none.csv"), "does not exist"),
    ],
)
def test_what_is_missing_is_named_and_nothing_is_written(released, asked, said):
    before = released.files()
    done = released.run("card", "out.card.json", *asked, "-o", "new.file")
    assert done.exit_code != 0 and said in " ".join(done.output.split())
    assert released.files() == before


def test_metadata_lie_beside_the_table_that_they_name(released):
    (released.folder / "sub").mkdir()
    done = released.run(
        "card", "out.card.json", "--format", "croissant", "--table", "out.csv", "-o", "sub/c.json"
    )
    assert done.exit_code != 0 and "into its folder" in " ".join(done.output.split())


@pytest.mark.parametrize("content", ["no json", "[]", '{"format": 2}', '{"format": 1, "synthesis": {}}'])
def test_what_is_no_card_is_refused(shop, content):
    shop.write("x.card.json", content)
    done = shop.run("card", "x.card.json", "--format", "registry", *WHO, "-o", "out.yaml")
    assert done.exit_code == 4 and "out.yaml" not in shop.files(), done.output
