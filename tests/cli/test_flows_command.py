"""`quantail flows`: printed, written and as JSON, from a schema or from names alone."""

import json

import pyarrow.csv as pc

LONG = "firm,year,emp,region\n1,2001,10,n\n1,2002,14,n\n2,2001,6,s\n3,2002,2,s\n"


def test_flows_are_printed_written_and_given_as_json(shop):
    shop.write("panel.csv", LONG)
    named = ("flows", "panel.csv", "--panel", "firm,year", "--column", "emp")
    shown = shop.run(*named)
    assert shown.exit_code == 0 and "created" in shown.stdout and "37.5" in shown.stdout
    assert "internal" in shown.stderr
    (row,) = json.loads(shop.run(*named, "--json").stdout)
    assert row["year"] == 2002 and row["job_creation"] == 6 and row["job_destruction"] == 6
    done = shop.run(*named, "--by", "region,size", "--size-classes", "1,10", "-o", "flows.csv")
    assert done.exit_code == 0
    written = pc.read_csv(shop.folder / "flows.csv").to_pylist()
    assert {(cell["region"], cell["size"]) for cell in written} == {("n", "10+"), ("s", "1-9")}
    again = shop.run(*named, "-o", "flows.csv")
    assert again.exit_code == 4 and "--force" in again.output


def test_a_schema_names_the_columns(shop):
    shop.write(
        "wide.csv",
        "site,opened,closed,staff_2001,staff_2002\n1,2001,2002,10,14\n2,2001,2001,6,\n3,2002,2002,,2\n",
    )
    schema = shop.write(
        "panel.toml",
        '[table]\nname = "x"\nunit = "site"\n\n[csv]\nseparator = ";"\ndecimal = ","\n\n'
        '[panel]\nunit = "site"\nentry = "opened"\nexit = "closed"\nstart = 2001\nend = 2002\n\n'
        '[[column]]\nname = "staff"\ntype = "integer"\nlower = 0\nupper = 100\n',
    )
    (row,) = json.loads(shop.run("flows", "wide.csv", "-s", schema, "--json").stdout)
    assert (
        row["job_creation"] == 6
    )  # a plain file is read as such, whatever the schema says of the confidential one
    text = (shop.folder / "wide.csv").read_text().replace(",", ";")
    shop.write("german.csv", text)
    assert json.loads(shop.run("flows", "german.csv", "-s", schema, "--json").stdout) == [row]


def test_what_is_missing_is_asked_for(shop):
    shop.write("panel.csv", LONG)
    for options in (
        (),
        ("--panel", "firm,year"),
        ("--panel", "firm,year", "--column", "emp", "--size-classes", "a"),
    ):
        refused = shop.run("flows", "panel.csv", *options)
        assert refused.exit_code == 2 and "Error" in refused.stderr
