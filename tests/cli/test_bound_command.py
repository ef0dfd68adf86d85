"""`quantail bound`: the lines for a schema, the card, the payment; what is wrong shows before anything is charged."""

import json


def ask(shop, *more):
    return shop.run("bound", shop.table, "--column", "pay", "--name", "shop", *more)


def test_lines_and_card_say_the_same_and_are_paid_for(shop):
    paid = ("-e", "10", "-l", "shop.ledger")
    shown = ask(shop, *paid, "--new-ledger", "-o", "pay.json")
    assert shown.exit_code == 0, shown.stderr
    with open("pay.json") as file:
        card = json.load(file)
    assert (
        f"upper = {card['bound']['upper']:.15g}" in shown.stdout and card["bound"]["source"] in shown.stdout
    )
    assert card["ledger"]["charged"] == "10" and (shop.table.parent / "pay.md").exists()
    again = ask(shop, *paid)
    assert again.exit_code == 5 and "left 0" in again.stderr


def test_too_little_budget_costs_nothing(shop):
    refused = ask(shop, "-e", "0.0001", "-l", "shop.ledger", "--new-ledger")
    assert refused.exit_code == 2 and "too little" in refused.stderr
    assert not (shop.table.parent / "shop.ledger").exists()


DRAFT = """
[table]
name = "shop"
unit = "person"

[csv]
separator = ";"
decimal = ","

[[column]]
name = "pay"
type = "numeric"
lower = ""
upper = ""
missing_codes = [-99999999]
"""


def test_a_draft_says_how_the_file_is_written_and_which_codes_are_no_sizes(shop):
    folder = shop.table.parent
    rows = ["-99999999" if k % 2 else f"{100 + k / 7:.2f}".replace(".", ",") for k in range(800)]
    (folder / "german.csv").write_text("\n".join(["pay;x", *(f"{pay};1" for pay in rows)]))
    (folder / "draft.toml").write_text(DRAFT)
    asked = ("bound", "german.csv", "--column", "pay", "-s", "draft.toml", "-e", "20")
    found = shop.run(*asked, "-l", "shop.ledger", "--new-ledger", "--json")
    assert found.exit_code == 0, found.stderr
    card = json.loads(found.stdout)
    assert 1e5 <= card["bound"]["upper"] <= 1e6 and '"unit": "person"' in found.stdout
    without = shop.run("bound", "german.csv", "--column", "pay", "-e", "20", "--no-ledger")
    assert without.exit_code == 4 and "[csv]" in without.stderr


def test_a_schema_of_other_units_than_rows_is_refused(shop):
    for line in ('neighbours = "add-remove"', '[panel]\nunit = "firm"'):
        (shop.table.parent / "other.toml").write_text(f'[table]\nunit = "firm"\n{line}\n')
        refused = ask(shop, "-s", "other.toml", "-e", "10", "--no-ledger")
        assert refused.exit_code == 3 and "rows are its units" in refused.stderr
