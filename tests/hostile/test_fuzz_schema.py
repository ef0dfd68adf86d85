"""Schemas made to do harm: only a SchemaError, soon, in a message of bounded length, and nothing is executed."""

import string

import pytest
from effort import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.errors import SchemaError
from quantail.schema import Schema, sections
from quantail.schema.toml import toml_text

TABLE = '[table]\nunit = "firm"\n'
COLUMN = '[[column]]\nname = "jobs"\ntype = "integer"\nlower = 0\nupper = 500\n'
WHOLE = (
    '[table]\nname = "payroll"\nunit = "firm"\nneighbours = "replace-one"\nby = ["region"]\n\n'
    '[[column]]\nname = "region"\ntype = "category"\ncategories = ["a", "b"]\n\n'
    '[[column]]\nname = "pay"\ntype = "numeric"\nlower = -1e3\nupper = 1e6\ngrid = "log"\ndecimals = 2\n'
    'predictors = []\nsource = "rules"\n'
)
PANEL = TABLE + '[panel]\nunit = "id"\nentry = "first"\nexit = "last"\nstart = 1990\nend = 1999\n' + COLUMN
LONGEST = 4000  # characters of a message: texts of a schema may be quoted, within reason


def attempt(text: str) -> str:
    """Read a schema; returns "" or what was said, which must be short."""
    try:
        schema = Schema.from_toml(text)
    except SchemaError as error:
        assert 0 < len(str(error)) <= LONGEST
        return str(error)
    assert Schema.from_toml(schema.to_toml()) == schema
    return ""


VALUES = st.recursive(
    st.one_of(
        st.integers(-(10**30), 10**30).map(str),
        st.floats().map(repr),
        st.text(max_size=20).map(toml_text).filter(lambda text: "\ud800" not in text),
        st.sampled_from(["true", "false", "1979-05-27", "07:32:00", "0x" + "f" * 5000, '""', "'c:\\x'"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: "[" + ", ".join(items) + "]"),
        inner.map(lambda value: "{a = " + value + "}"),
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        *sections._TABLE_KEYS,
        *sections._PANEL_KEYS,
        *sections._COLUMN_KEYS,
        "table",
        "panel",
        "column",
        "a.b",
        '""',
        "__class__",
    ]
)


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from([WHOLE, PANEL]), st.lists(st.tuples(KEYS, VALUES, st.integers(0, 30)), max_size=4))
def test_any_value_at_any_key(text: str, planted: list[tuple[str, str, int]]) -> None:
    lines = text.split("\n")
    for key, value, place in planted:
        own = [number for number, line in enumerate(lines) if line.startswith(f"{key} =")]
        line = f"{key} = {value}"
        if own:  # replaces the value of a key that is there
            lines[own[place % len(own)]] = line
        else:
            lines.insert(place % len(lines), line)
    attempt("\n".join(lines))


@settings(max_examples=examples(300), deadline=None)
@given(
    st.sampled_from([WHOLE, PANEL]),
    st.lists(
        st.tuples(
            st.integers(0, 400), st.integers(0, 12), st.text(string.printable + "é\0\ud800", max_size=6)
        ),
        min_size=1,
        max_size=4,
    ),
)
def test_any_damage_to_the_text(text: str, cuts: list[tuple[int, int, str]]) -> None:
    for place, length, new in cuts:
        place %= len(text) + 1
        text = text[:place] + new + text[place + length :]
    attempt(text)


BOMBS = {
    "lists in lists": TABLE + "by = " + "[" * 20_000 + "]" * 20_000,
    "tables in tables": TABLE + "by = " + "{a = " * 20_000 + "1" + "}" * 20_000,
    "a key of 100,000 parts": "a." * 100_000 + "b = 1",
    "a quoted key of 100,000 parts": '"\\"".' * 100_000 + "b = 1",
    "a section of 100,000 parts": "[" + "a . " * 100_000 + "b]",
    "a key inside a table": TABLE + "by = {" + "a." * 100_000 + "b = 1}",
    "one word of a megabyte": "a" * 10**6,
    "one blank of a megabyte": TABLE + " " * 10**6 + "x",
    "a type of 10,000 digits": TABLE + '[[column]]\nname = "x"\ntype = 0x' + "f" * 10_000,
    "neighbours of 10,000 digits": '[table]\nunit = "f"\nneighbours = 0x' + "f" * 10_000 + "\n" + COLUMN,
    "a layout of 10,000 digits": PANEL + "[panel]\nlayout = 0x" + "f" * 10_000,
    "a number of 10,000 digits": TABLE + COLUMN + "upper = " + "9" * 10_000,
    "a name of a megabyte": TABLE + COLUMN.replace("jobs", "x" * 10**6),
    "a key of a megabyte": TABLE + "k" * 10**6 + " = 1\n" + COLUMN,
    "an open string of 20,000 lines": TABLE + COLUMN * 1000 + '[[column]]\nname = """\n' + "x\n" * 20_000,
    "2^40 groups": '[table]\nunit = "f"\nby = ['
    + ", ".join(f'"c{k}"' for k in range(40))
    + "]\n"
    + "".join(f'[[column]]\nname = "c{k}"\ntype = "category"\ncategories = ["a", "b"]\n' for k in range(40)),
    "10^9 periods": PANEL.replace("1999", "1000000000"),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs_are_refused(bomb: str) -> None:
    assert attempt(BOMBS[bomb])


def test_text_with_many_dots_is_not_taken_for_a_bomb() -> None:
    source = ". ".join(["See table 3.1.4 of the handbook"] * 60)
    assert attempt(TABLE + COLUMN + f'source = "{source}"\n') == ""


def test_an_open_string_is_still_located_in_a_schema_of_usual_size() -> None:
    said = attempt(
        TABLE + COLUMN + "".join(COLUMN.replace("jobs", f"c{k}") for k in range(50)) + 'x = """\nno end\n'
    )
    assert "opened at line 258, never closed" in said


def test_a_file_that_never_ends_is_given_up(tmp_path) -> None:
    path = tmp_path / "table.toml"
    with path.open("wb") as file:
        file.truncate(2**26 + 2**20)  # takes no room on the disk
    with pytest.raises(SchemaError, match="far too large"):
        Schema.load(path)


def test_nothing_in_a_schema_is_executed(tmp_path) -> None:
    victim = tmp_path / "victim"
    for attack in (
        f"__import__('os').mkdir('{victim}')",
        f"$(mkdir {victim})",
        f"!!python/object/apply:os.mkdir ['{victim}']",
    ):
        attempt(TABLE + COLUMN + f"source = {toml_text(attack)}\n")
        attempt(TABLE + COLUMN + f"upper = {attack}\n")
    assert not victim.exists()
