"""Columns that the schema does not describe are named wherever a table is read; their values are nowhere."""

import json

CANARY = "canary-text"


def with_remarks(shop, names=("remarks",)):
    head, *rows = shop.table.read_text().splitlines()
    extra = ",".join([CANARY] * len(names))
    text = "\n".join([f"{head},{','.join(names)}", *(f"{row},{extra}" for row in rows)])
    return shop.write("more.csv", text + "\n")


def test_check_names_them(shop):
    table = with_remarks(shop)
    done = shop.run("check", table, "-s", shop.schema)
    assert done.exit_code == 0 and "remarks" in done.stderr and "does not describe" in done.stderr
    answer = json.loads(shop.run("check", table, "-s", shop.schema, "--json").stdout)
    assert answer["left_out"] == ["remarks"] and answer["fits"]
    assert CANARY not in done.output


def test_synth_and_fit_name_them_and_so_does_the_card(shop):
    table = with_remarks(shop)
    for command, made in (("synth", "made.parquet"), ("fit", "model.json")):
        done = shop.run(command, table, "-s", shop.schema, "-e", "1", "--simulate-noise", "-o", made)
        assert done.exit_code == 0 and "remarks" in done.stderr
        stem = made.partition(".")[0]
        card = json.loads((shop.folder / f"{stem}.card.json").read_text())
        assert card["left_out"] == ["remarks"]
        for form in ("md", "html"):
            text = (shop.folder / f"{stem}.card.{form}").read_text()
            assert "remarks" in text and "column names are public" in text
            assert CANARY not in text


def test_nothing_is_said_where_all_is_described(shop):
    shop.run("synth", shop.table, "-s", shop.schema, "-e", "1", "--simulate-noise", "-o", "made.parquet")
    assert "left_out" not in json.loads((shop.folder / "made.card.json").read_text())


def test_many_are_named_in_part_and_hostile_names_are_shown_not_obeyed(shop):
    names = [f"c{n}" for n in range(30)] + ["<b>x</b>"]
    table = with_remarks(shop, names)
    done = shop.run("check", table, "-s", shop.schema)
    assert "c19 and 11 more" in " ".join(done.stderr.split())
    shop.run(
        "synth",
        with_remarks(shop, ["<b>x</b>"]),
        "-s",
        shop.schema,
        "-e",
        "1",
        "--simulate-noise",
        "-o",
        "m.csv",
    )
    assert "<b>x</b>" not in (shop.folder / "m.card.html").read_text()


def test_keys_are_described_and_periods_of_a_wide_panel_too(shop):
    shop.schema.write_text(shop.schema.read_text() + '\n[[column]]\nname = "remarks"\ntype = "key"\n')
    done = shop.run("check", with_remarks(shop), "-s", shop.schema)
    assert done.exit_code == 0 and "Left out" not in done.stderr


def test_nothing_is_named_of_a_table_that_may_have_no_header(shop):
    shop.write("headless.csv", f"{CANARY},secret\n1,2\n")
    for options in ((), ("--json",)):
        done = shop.run("check", "headless.csv", "-s", shop.schema, *options)
        assert done.exit_code == 4 and CANARY not in done.output and "secret" not in done.output
