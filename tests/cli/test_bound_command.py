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
