"""`quantail plan --years`: budgets of a panel that is continued, and errors to expect, before a row is read."""

import json

SCHEMA = """
[table]
name = "register"
unit = "firm"
neighbours = "{neighbours}"

[panel]
unit = "id"
start = 2001
end = 2003
{firm}

[[column]]
name = "staff"
type = "integer"
lower = 0
upper = 5000
grid = "log"
"""
FIRM = 'firm = "owner"\nestablishments = 3'
ASKED = ("-n", "60", "-e", "1", "--years", "2", "--year-epsilon", "0.1", "-q")


def test_every_year_has_a_line_with_its_cost_and_errors(shop):
    shop.write("s.toml", SCHEMA.format(neighbours="replace-one", firm=""))
    shown = shop.run("plan", "-s", "s.toml", *ASKED)
    assert shown.exit_code == 0, shown.output
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert ["2003", "1", "1"] in lines and ["2005", "0.1", "1.2"] in lines
    assert "--limit 1.2" in shown.stderr
    tried = shop.run("plan", "-s", "s.toml", *ASKED, "--tables", "3", "--json")
    first, *_, last = json.loads(tried.stdout)["years"]
    assert (
        first["period"] == 2003 and last["spent"] == "1.2" and last["errors"]["staff"]["entry"]["high"] >= 0
    )
    assert "90% bands" in shop.run("plan", "-s", "s.toml", *ASKED, "--tables", "3").stderr


def test_plan_says_what_protecting_firms_means(shop):
    shop.write("s.toml", SCHEMA.format(neighbours="add-remove", firm=FIRM))
    shown = shop.run("plan", "-s", "s.toml", "-n", "60", "-e", "1")
    assert shown.exit_code == 0 and "the 3 largest" in " ".join(shown.stderr.split())


def test_years_without_their_budget_or_of_a_table_are_refused(shop):
    shop.write("s.toml", SCHEMA.format(neighbours="replace-one", firm=""))
    alone = shop.run("plan", "-s", "s.toml", "-n", "60", "-e", "1", "--years", "2")
    assert alone.exit_code == 2 and "go together" in alone.output
    table = SCHEMA.format(neighbours="replace-one", firm="").split("[panel]")
    shop.write("t.toml", table[0] + "[[column]]" + table[1].split("[[column]]")[1])
    refused = shop.run("plan", "-s", "t.toml", *ASKED)
    assert refused.exit_code == 2 and "--years is for panels" in " ".join(refused.output.split())
