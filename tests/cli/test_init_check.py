"""Drafting a schema and checking a table against it, without a value ever being shown."""

import json
import tomllib
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quantail.schema import Column, Schema


def test_init_drafts_names_and_what_they_suggest_with_blank_bounds(shop):
    shop.write("t.csv", "jobs,pay,region_code,x1\n1,2,007,3\n")
    done = shop.run("init", "t.csv", "-o", "draft.toml")
    assert done.exit_code == 0
    draft = tomllib.loads((shop.folder / "draft.toml").read_text())
    assert [(c["name"], c["type"], c.get("lower"), c.get("grid")) for c in draft["column"]] == [
        ("jobs", "integer", "", "log"),
        ("pay", "numeric", "", "log"),
        ("region_code", "category", None, None),
        ("x1", "", "", "linear"),
    ]
    assert "quantail check" in done.stderr and "declares no types" in done.stderr


def test_init_asks_whether_columns_of_years_are_a_panel(shop):
    shop.write("wide.csv", "site,staff_2001,staff_2002\n1,2,3\n")
    assert "--panel" in shop.run("init", "wide.csv", "-o", "a.toml").stderr
    assert "staff_2001" not in shop.run("init", "wide.csv", "-o", "b.toml", "--panel", "site").stderr
    shop.write("survey.csv", "site,q_1,q_2\n1,2,3\n")
    assert "--panel" not in shop.run("init", "survey.csv", "-o", "c.toml").stderr


def test_a_draft_is_the_same_whatever_the_rows_hold(shop):
    texts = set()
    for rows in ("", "1,2,007\n", "a,b,c\n" * 50, "1;5,2;5,\xe9\n"):
        shop.write("t.csv", f"jobs,pay,code\n{rows}")
        shop.run("init", "t.csv", "-o", "draft.toml", "--force")
        texts.add((shop.folder / "draft.toml").read_text())
    assert len(texts) == 1


def test_init_of_a_format_with_types_takes_the_declared_kinds(shop):
    for stored in (pa.int8(), pa.int64()):  # whatever their width
        pq.write_table(pa.table({"jobs": pa.array([1, 2], stored), "pay": [1.5, 2.0]}), "t.parquet")
        done = shop.run("init", "t.parquet", "-o", "draft.toml", "--force")
        draft = tomllib.loads((shop.folder / "draft.toml").read_text())
        assert [(c["name"], c["type"]) for c in draft["column"]] == [("jobs", "integer"), ("pay", "numeric")]
        assert "no types" not in done.stderr


def test_a_draft_of_a_csv_file_works_once_its_blanks_are_filled_in(shop):
    shop.run("init", shop.table, "-o", "draft.toml")
    text = (shop.folder / "draft.toml").read_text()
    text = text.replace('lower = ""', "lower = 0").replace('upper = ""', "upper = 1000000")
    shop.write("draft.toml", text.replace('name = ""', 'name = "payroll"'))
    assert shop.run("check", shop.table, "--schema", "draft.toml").exit_code == 0


def test_a_draft_with_blanks_is_refused_with_what_to_write(shop):
    shop.run("init", shop.table, "-o", "draft.toml")
    done = shop.run("check", shop.table, "--schema", "draft.toml")
    assert done.exit_code == 3
    assert "'jobs', 'pay': lower and upper blank" in " ".join(done.stderr.split())  # all blanks at once


def test_init_keeps_an_existing_schema_unless_forced(shop):
    before = shop.schema.read_text()
    refused = shop.run("init", shop.table)
    assert refused.exit_code == 4 and "--force" in refused.stderr
    assert shop.schema.read_text() == before
    assert shop.run("init", shop.table, "--force").exit_code == 0
    assert shop.schema.read_text() != before


def test_init_never_overwrites_the_table_itself(shop):
    before = shop.table.read_bytes()
    assert shop.run("init", shop.table, "-o", shop.table, "--force").exit_code == 4
    assert shop.table.read_bytes() == before


def test_check_says_that_a_table_fits(shop):
    done = shop.run("check", shop.table, "--schema", shop.schema)
    assert done.exit_code == 0 and "fits" in done.stdout
    (note,) = done.stderr.splitlines()
    assert "--internal" in note  # what is clipped is not told without
    assert shop.run("check", shop.table, "--schema", shop.schema, "--internal").stderr == ""


def test_check_says_that_a_table_of_few_rows_fits_and_will_be_refused(shop):
    """Its number of rows is public under replace-one, and is not told of one that is protected."""
    shop.write("few.csv", "\n".join(shop.table.read_text().splitlines()[:6]))
    assert "fewer than 20 rows" in shop.run("check", "few.csv", "--schema", shop.schema).stderr
    text = shop.schema.read_text()
    protected = shop.write("p.toml", text.replace("[table]", '[table]\nneighbours = "add-remove"'))
    assert "fewer than" not in shop.run("check", "few.csv", "--schema", protected).stderr


def test_check_lists_every_problem_at_once(shop):
    shop.write("bad.csv", "jobs,other\n1.5,2\n3,4\n")
    done = shop.run("check", "bad.csv", "--schema", shop.schema)
    assert done.exit_code == 4
    assert "'pay' is missing" in done.stdout and "'jobs' holds values that are not whole" in done.stdout


def test_text_that_is_no_date_or_truth_is_one_problem_among_others(shop):
    """The first such column ended the list, and the others were found one run after the other."""
    shop.write("bad.csv", "day,open,pay\n31.01.2020,ja,k.A.\n")
    kinds = ('"date"\nlower = 2000-01-01\nupper = 2030-01-01', '"boolean"', '"numeric"\nlower = 0\nupper = 9')
    columns = "".join(
        f'[[column]]\nname = "{name}"\ntype = {kind}\n'
        for name, kind in zip(("day", "open", "pay"), kinds, strict=True)
    )
    shop.write("s.toml", f'[table]\nname = "t"\nunit = "row"\n{columns}')
    done = shop.run("check", "bad.csv", "--schema", "s.toml")
    assert done.exit_code == 4
    assert [line[:13] for line in done.stdout.splitlines()] == [
        "- column 'day",
        "- column 'ope",
        "- column 'pay",
    ]
    assert "[csv]" in done.stdout and "neither true nor false" in done.stdout
    assert "31.01.2020,ja" not in done.output and "k.A." not in done.output


def test_check_json_is_clean_and_complete(shop):
    shop.write("bad.csv", "jobs\n1\n")
    done = shop.run("check", "bad.csv", "--schema", shop.schema, "--json")
    answer = json.loads(done.stdout)
    assert done.exit_code == 4
    assert answer["fits"] is False
    assert [problem["column"] for problem in answer["problems"]] == ["pay"]


def test_check_warns_about_columns_without_a_source(shop):
    shop.schema.write_text(shop.schema.read_text().replace('source = "programme rules"\n', ""))
    done = shop.run("check", shop.table, "--schema", shop.schema, "--json")
    assert done.exit_code == 0
    assert "'pay'" in done.stderr and "source" in done.stderr
    assert json.loads(done.stdout)["unsourced"] == ["pay"]


@pytest.mark.parametrize("internal", [False, True])
def test_values_outside_bounds_are_told_only_on_internal_demand(shop, internal):
    shop.write("wide.csv", "jobs,pay\n1,5\n2,987654321.25\n")
    done = shop.run(
        "check", "wide.csv", "--schema", shop.schema, *(["--internal"] if internal else []), "--json"
    )
    assert done.exit_code == 0
    assert json.loads(done.stdout).get("clipped_columns_internal") == (["pay"] if internal else None)
    assert "987654321" not in done.output


GERMAN = """\
[csv]
separator = ";"
decimal = ","
thousands = "."
encoding = "windows-1252"

"""


def test_a_table_with_semicolons_and_decimal_commas_goes_all_the_way(shop):
    """The draft tells the form of the file; synthetic files have the same, and are compared with the real ones."""
    lines = shop.table.read_text().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    german = [f"{jobs};{float(pay):,.2f}".translate(str.maketrans(",.", ".,")) for jobs, pay in rows]
    (shop.folder / "german.csv").write_text("jobs;pay\n" + "\n".join(german) + "\n", encoding="cp1252")
    shop.run("init", "german.csv", "-o", "draft.toml")
    assert tomllib.loads((shop.folder / "draft.toml").read_text())["csv"]["separator"] == ";"
    refused = shop.run("check", "german.csv", "--schema", shop.schema)
    assert (
        refused.exit_code == 4 and "separated by semicolons" in refused.output and "[csv]" in refused.output
    )
    shop.schema.write_text(shop.schema.read_text().replace("[[column]]", GERMAN + "[[column]]", 1))
    assert shop.run("check", "german.csv", "--schema", shop.schema).exit_code == 0
    simulated = ("-e", "1", "--simulate-noise", "--seed", "1")
    made = shop.run(
        "synth", "german.csv", "-s", shop.schema, *simulated, "-o", "made.csv", "--model", "m.json"
    )
    assert made.exit_code == 0 and (shop.folder / "made.csv").read_text().startswith("jobs;pay\n")
    plain_schema = shop.write("plain.toml", shop.schema.read_text().replace(GERMAN, ""))
    shop.run("synth", shop.table, "-s", plain_schema, *simulated, "-o", "plain.csv")
    plain = (shop.folder / "plain.csv").read_text()
    assert (shop.folder / "made.csv").read_text() == plain.translate(str.maketrans(",.", ";,"))
    compared = shop.run("evaluate", "german.csv", "made.csv", "-s", shop.schema, "--measures", "k_marginal")
    assert compared.exit_code == 0


def test_init_drafts_the_section_of_a_panel(shop):
    shop.write("long.csv", "firm,year,emp\n1,2001,5\n")
    done = shop.run("init", "long.csv", "--panel", "firm,year", "-o", "draft.toml")
    assert done.exit_code == 0
    draft = tomllib.loads((shop.folder / "draft.toml").read_text())
    assert (draft["panel"]["unit"], draft["panel"]["time"]) == ("firm", "year")
    assert [column["name"] for column in draft["column"]] == ["emp"]
    refused = shop.run("init", "long.csv", "--panel", "firm,jahr", "-o", "other.toml")
    assert refused.exit_code == 3 and "'jahr'" in refused.stderr


def test_check_takes_the_schema_beside_the_table_and_says_so(shop):
    schema = (
        '[table]\nname = "t"\nunit = "row"\nneighbours = "replace-one"\n\n'
        '[[column]]\nname = "pay"\ntype = "numeric"\nlower = 0\nupper = 9\nsource = "s"\n'
    )
    (shop.folder / "data").mkdir()
    shop.write("data/t.csv", "pay\n1\n")
    refused = shop.run("check", "data/t.csv")
    assert refused.exit_code == 2 and "--schema" in refused.stderr and "quantail init" in refused.stderr
    shop.write("data/schema.toml", schema)
    done = shop.run("check", "data/t.csv")
    assert done.exit_code == 0 and "schema.toml, beside the table" in done.stderr
    assert "beside" not in shop.run("check", "data/t.csv", "--schema", "data/schema.toml").stderr


def test_columns_without_a_source_are_listed_in_one_line(shop):
    text = "\n".join(line for line in shop.schema.read_text().splitlines() if not line.startswith("source"))
    told = shop.run("check", shop.table, "--schema", shop.write("bare.toml", text)).stderr
    (line,) = [line for line in told.splitlines() if "where public facts come from" in line]
    assert "'jobs', 'pay'" in line


def test_codes_that_look_nested_are_told_from_their_lists_alone(shop):
    columns = (
        Column("land", "category", categories=("01", "02", "03")),
        Column("kreis", "category", categories=("011", "012", "021", "022", "031", "032")),
    )
    shop.write("codes.csv", "land,kreis\n" + "01,032\n" * 30)  # no row is as the lists suggest
    schema = shop.write("codes.toml", Schema(columns, unit="row", name="codes").to_toml())
    told = shop.run("check", "codes.csv", "--schema", schema).stderr
    assert "'kreis' begins with one of 'land'" in told and 'within = "land"' in told
    within = (columns[0], replace(columns[1], within="land"))
    shop.write("codes.toml", Schema(within, unit="row", name="codes").to_toml())
    assert "begins with" not in shop.run("check", "codes.csv", "--schema", schema).stderr
