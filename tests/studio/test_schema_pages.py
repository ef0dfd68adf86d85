"""A schema edited on pages is the file of the command line; blanks stay blank until somebody fills them in."""

from typing import get_args

import pytest
from desk import PANEL_FORM

from payroll_files import SCHEMA
from quantail.schema import ColumnType, CsvFormat, Schema
from quantail.schema.sections import _COLUMN_KEYS
from quantail.studio.advice import column_advice, rules_advice
from quantail.studio.column_form import BELONGS, FIELDS, fields, read, value_of
from quantail.studio.schema_file import SchemaFile

RICH = """\
[table]
name = "survey"
unit = "person"
neighbours = "replace-one"
by = ["region"]

[csv]
separator = ";"
decimal = ","

[[column]]
name = "region"
type = "category"
categories = ["north", "two words", "<b>"]
other = true
source = "codebook"

[[column]]
name = "id"
type = "key"
source = "register"

[[column]]
name = "income"
type = "numeric"
lower = -0.5
upper = 1e6
grid = "log"
decimals = 2
missing = true
missing_codes = [-8, -9.5]
atoms = [0]
predictors = []
label = "yearly"

[[column]]
name = "wages"
type = "numeric"
lower = -0.5
upper = 1e6
decimals = 2
missing_codes = [0]
universe = "region = north"
outside = 0
predictors = ["income"]
storage = "float32"

[[column]]
name = "day"
type = "date"
lower = 2020-01-01
upper = 2020-12-31
resolution = 7

[[inequality]]
part = "wages"
total = "income"
"""


def form_of(column, earlier):
    """Return what a browser sends back of a form that nobody touched."""
    shown = fields(column)
    sent = {name: [value] for name, value in shown.items() if isinstance(value, str)}
    sent |= {name: ["yes"] for name in ("public", "missing", "other") if shown[name]}
    sent["categories"] = [shown["categories"].replace("\n", "\r\n")]
    sent["explained_by"] = [str(earlier.index(name)) for name in shown["predictors"]]
    return sent


def test_looking_at_a_column_and_saving_it_changes_nothing(tmp_path):
    path = tmp_path / "rich.toml"
    path.write_text(RICH)
    schema = Schema.load(path)
    found = SchemaFile.load(path)
    columns = [read(form_of(c, found.names), c, found.names[:k]) for k, c in enumerate(found.columns)]
    again = SchemaFile(found.table, tuple(columns), found.csv, None, (), found.inequalities)
    assert again.problem() == "" and Schema.from_toml(again.text()) == schema
    assert Schema.from_toml(found.text()) == schema


def test_the_form_knows_every_key_of_a_column():
    assert set(_COLUMN_KEYS) == set(FIELDS) and set(BELONGS) == {*get_args(ColumnType), "key", ""}


def test_a_key_that_the_form_does_not_know_stays():
    before = {"name": "pay", "type": "boolean", "later": 3}
    assert read(form_of(before, ()), before, ())["later"] == 3


def test_what_is_typed_comes_back_even_if_it_is_wrong():
    column = read({"name": ["pay"], "type": ["numeric"], "lower": ["nought"], "upper": ["1,000"]}, {}, ())
    found = SchemaFile({"name": "x", "unit": "y"}, (column,))
    assert "must be a number" in found.column_problem(0)
    assert fields(column)["lower"] == "nought" and fields(column)["upper"] == "1,000"


def test_fields_of_another_type_are_dropped():
    before = {"name": "pay", "type": "numeric", "lower": 0, "upper": 9, "decimals": 2, "atoms": [0]}
    sent = form_of(before, ()) | {"type": ["category"]}
    column = read(sent | {"categories": ["a\r\nb\r\n\r\n"]}, before, ())
    assert column == {"name": "pay", "type": "category", "categories": ["a", "b"], "source": ""}
    assert read(sent | {"type": ["key"]}, before, ()) == {"name": "pay", "type": "key", "source": ""}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5 000", 5000),
        ("1_000", 1000),
        ("1e3", 1000.0),
        ("-.5", -0.5),
        ("", ""),
        ("nan", "nan"),
        ("0x10", "0x10"),
    ],
)
def test_numbers_are_read_as_people_write_them(text, value):
    assert value_of(text) == value and type(value_of(text)) is type(value)


def test_a_draft_has_blanks_and_stays_one_until_they_are_filled_in(desk):
    desk.post("/table/draft", table="payroll.csv", output="s.toml")
    page = desk.get("/schema/column", schema="s.toml", column=1)
    assert 'id="lower" name="lower" value=""' in page.text and 'id="upper" name="upper" value=""' in page.text
    sent = {"schema": "s.toml", "column": 1, "name": "pay", "type": "numeric", "lower": "0", "then": "stay"}
    assert desk.post("/schema/column", seen=desk.hidden(page, "seen"), **sent).status_code == 303
    page = desk.get("/schema/column", schema="s.toml", column=1)
    assert "upper blank" in page.text and 'name="lower" value="0"' in page.text
    assert "upper = " not in page.text  # not even as an example
    for path in ("/plan", "/check"):
        answer = desk.get(path, schema="s.toml", table="payroll.csv", rows="100")
        assert answer.status_code == 422 and "blank" in answer.text


def test_a_file_that_somebody_else_changed_is_not_overwritten(ready):
    page = ready.get("/schema/column", schema="schema.toml", column=0)
    theirs = ready.write("schema.toml", SCHEMA.replace("5000", "6000")).read_text()
    sent = {
        "schema": "schema.toml",
        "column": 0,
        "seen": ready.hidden(page, "seen"),
        "name": "jobs",
        "type": "integer",
    }
    answer = ready.post("/schema/column", **sent)
    assert answer.status_code == 409 and (ready.folder / "schema.toml").read_text() == theirs


def test_columns_are_moved_left_out_and_added(ready):
    def change(do, **more):
        seen = ready.hidden(ready.get("/schema", schema="schema.toml"), "seen")
        return ready.post("/schema/columns", schema="schema.toml", seen=seen, do=do, **more)

    change("down 0")
    assert SchemaFile.load(ready.folder / "schema.toml").names == ("pay", "jobs")
    change("drop 0")
    page = ready.get("/schema", schema="schema.toml", table="payroll.csv").text
    assert "not in the schema" in page and "<b>pay</b>" in page
    assert change("add", new_name="jobs").status_code == 422
    change("add", new_name="pay")
    found = SchemaFile.load(ready.folder / "schema.toml")
    assert found.names == ("jobs", "pay") and "write its type" in found.column_problem(1)
    for wrong in ("up 9", "drop x", "burn 0"):
        assert change(wrong).status_code == 422


def test_rules_are_added_if_they_hold_together_and_removed(ready):
    ready.write("schema.toml", SCHEMA.replace('"integer"', '"numeric"\ndecimals = 2'))

    def change(do, **more):
        seen = ready.hidden(ready.get("/schema", schema="schema.toml"), "seen")
        return ready.post("/schema/rules", schema="schema.toml", seen=seen, do=do, **more)

    assert change("inequality", part="0", total="0").status_code == 422
    assert change("inequality", part="1", total="0").status_code == 303
    assert Schema.load(ready.folder / "schema.toml").inequalities[0].names == ("jobs", "pay")
    change("drop-inequality 0")
    assert Schema.load(ready.folder / "schema.toml").inequalities == ()


def test_the_overview_shows_what_else_is_public_of_a_number(ready):
    path = ready.folder / "schema.toml"
    facts = "missing = true\nmissing_codes = [-9]\natoms = [0]\ndecimals = 2\n"
    column = f'[[column]]\nname = "pay"\ntype = "numeric"\nlower = 0\nupper = 9\n{facts}'
    path.write_text(f'[table]\nname = "t"\nunit = "person"\n{column}')
    page = ready.get("/schema", schema="schema.toml").text
    assert "0 to 9, decimals 2, atoms 0, codes -9, may be missing" in page


def test_the_overview_shows_the_rules_of_columns(ready):
    labels = 'type = "category"\ncategories = ["a", "ab"]\nmissing = true\n'
    rules = ('within = "q0"', 'universe = "q1 = a"', 'missing_with = "q1"')
    columns = "".join(
        f'[[column]]\nname = "q{place}"\n{labels}{rule}\n' for place, rule in enumerate(("", *rules))
    )
    (ready.folder / "schema.toml").write_text(f'[table]\nname = "t"\nunit = "person"\n{columns}')
    page = ready.get("/schema", schema="schema.toml").text
    for said in ("within q0", "only where q1 = a", "missing with q1"):
        assert f"a, ab, may be missing, {said}<" in page


def test_the_forms_of_csv_and_panel_write_their_sections(ready):
    def seen():
        return ready.hidden(ready.get("/schema", schema="schema.toml"), "seen")

    marks = {"separator": ";", "decimal": ",", "thousands": " ", "encoding": "windows-1252"}
    marks |= {"dates": "31.01.2020", "missing": "k.A., ?"}
    assert ready.post("/schema/csv", schema="schema.toml", seen=seen(), **marks).status_code == 303
    assert Schema.load(ready.folder / "schema.toml").csv == CsvFormat(**marks | {"missing": ("k.A.", "?")})
    ready.post("/schema/panel", schema="schema.toml", seen=seen(), start="2001", end="2005", **PANEL_FORM)
    assert Schema.load(ready.folder / "schema.toml").panel.end == 2005
    ready.post("/schema/panel", schema="schema.toml", seen=seen(), layout="")
    assert Schema.load(ready.folder / "schema.toml").panel is None


@pytest.mark.parametrize(
    "text", ["[table]\nx = 1", "a" + ".a" * 5000 + " = 1", "[[table]]\n", "column = 3", "\x00"]
)
def test_files_that_are_no_schemas_are_refused_in_words(ready, text):
    ready.write("odd.toml", text + "\n# [[column]]")
    for path in ("/schema", "/schema/column", "/table"):
        assert ready.get(path, schema="odd.toml", table="payroll.csv", column=0).status_code in (200, 422)


def test_advice_rests_on_the_schema_alone_and_proposes_no_bound():
    pay = {"name": "pay", "type": "numeric", "lower": "", "upper": "", "source": ""}
    told = " ".join(column_advice(pay))
    for topic in ("Bounds:", "Grid:", "Decimals:", "Missing:", "Source:"):
        assert topic in told
    done = pay | {"lower": 1, "upper": 10**6, "grid": "log", "decimals": 2, "missing": True, "source": "law"}
    assert [line for line in column_advice(done) if not line.startswith("Rules:")] == []
    assert "Atoms:" in " ".join(column_advice(done | {"lower": 0}))
    assert "key" in column_advice({"name": "person_id", "type": "integer", "lower": 0, "upper": 9})[0]
    assert "categories" in column_advice({"name": "zip_code", "type": "integer", "lower": 0, "upper": 9})[0]
    assert len(rules_advice([done, done | {"name": "tips"}])) == 1 and rules_advice([done]) == []
    coarse = {"name": "land", "type": "category", "categories": ["01", "02", "03"]}
    codes = [f"0{k}{place}" for k in (1, 2, 3) for place in "abc"]
    fine = {"name": "kreis", "type": "category", "categories": codes}
    (advice,) = rules_advice([coarse, fine])
    assert "kreis: every label begins with one of land" in advice
    assert (
        rules_advice([coarse, fine | {"within": "land"}])
        == rules_advice([coarse, fine | {"categories": []}])
        == []
    )
