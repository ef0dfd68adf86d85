"""`quantail quantiles`: values, files, card and payment; what is wrong shows before anything is charged."""

import json

import pyarrow.csv


def ask(shop, *more):
    return shop.run("quantiles", shop.table, "--column", "pay", "--levels", "0.25,0.5,0.75", "-e", "1", *more)


def test_values_file_and_card_say_the_same_and_are_paid_for(shop):
    shown = ask(shop, "-s", shop.schema, "-l", "shop.ledger", "--new-ledger", "-o", "pay.csv", "--json")
    assert shown.exit_code == 0, shown.stderr
    card = json.loads(shown.stdout)
    assert [row["level"] for row in card["quantiles"]] == [0.25, 0.5, 0.75]
    with open("pay.csv", "rb") as file:
        written = pyarrow.csv.read_csv(file)
    assert written["value"].to_pylist() == [row["value"] for row in card["quantiles"]]
    with open("pay.card.json") as file:
        assert json.load(file) == card
    assert card["private"] and card["ledger"]["charged"] == "1"
    again = ask(shop, "-s", shop.schema, "-l", "shop.ledger")
    assert again.exit_code == 5 and "left 0" in again.stderr


def test_bounds_may_be_said_on_the_command_line_and_must_be_said_somewhere(shop):
    bare = ask(shop, "--no-ledger")
    assert bare.exit_code == 2 and "never from the data" in " ".join(bare.stderr.split())
    given = ("--lower", "0", "--upper", "1e6", "--grid", "log", "--simulate-noise", "--seed", "1")
    shown = ask(shop, *given)
    assert shown.exit_code == 0 and "NOT PRIVATE" in shown.stderr and "0.75" in shown.stdout


def test_wrong_levels_and_a_missing_column_cost_nothing(shop):
    made = ("-s", shop.schema, "-l", "shop.ledger", "--new-ledger", "--limit", "3")
    assert ask(shop, *made, "--levels", "half").exit_code == 2
    assert ask(shop, *made, "--column", "absent").exit_code == 3
    assert not (shop.table.parent / "shop.ledger").exists()


def test_an_output_that_is_no_table_is_refused_before_anything_is_charged(shop):
    made = ("-s", shop.schema, "-l", "shop.ledger", "--new-ledger")
    refused = ask(shop, *made, "-o", "pay.json")
    assert refused.exit_code == 4 and ".parquet" in refused.stderr
    assert not (shop.table.parent / "shop.ledger").exists()


def test_what_a_kind_of_file_refuses_shows_before_the_charge(shop, monkeypatch):
    import quantail.cli.answering as answering
    from quantail.errors import DataError

    def refuse(*_, **__):
        raise DataError("this kind of file is not there")

    monkeypatch.setattr(answering, "write_table", refuse)
    refused = ask(shop, "-s", shop.schema, "-l", "shop.ledger", "--new-ledger", "-o", "pay.xlsx")
    assert refused.exit_code == 4
    shown = shop.run("ledger", "show", "shop.ledger")
    assert "charged" not in shown.stdout
