"""The TOML form: reading back what was written gives the same schema, and mistakes are told precisely."""

import tomllib

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quantail.errors import SchemaError
from quantail.schema import Column, Schema

HEAD = '[table]\nunit = "firm"\n'
PAY = '[[column]]\nname = "pay"\ntype = "numeric"\nlower = 0\nupper = 10\n'

# Every character that UTF-8 can write, control characters, quotes and line ends included.
texts = st.text(st.characters(codec="utf-8"), max_size=8)
names = texts.filter(str.strip)
finite = st.floats(-1e100, 1e100)


@st.composite
def numbers(draw, name):
    kind = draw(st.sampled_from(["numeric", "integer"]))
    bound = st.integers(-(2**53), 2**53) if kind == "integer" else finite
    lower, upper = sorted(draw(st.tuples(bound, bound).filter(lambda pair: abs(pair[0] - pair[1]) > 1e-300)))
    extra = {}
    if kind == "numeric" and upper - lower >= 1:
        extra["decimals"] = draw(st.none() | st.integers(0, 15))
    grid = draw(st.sampled_from(["linear", "log"]))
    assume(upper - lower > max(abs(lower), abs(upper), 1e-80) * 1e-5)
    return Column(name, kind, lower, upper, grid=grid, source=draw(texts), **extra)


@st.composite
def schemas(draw):
    columns = []
    for name in draw(st.lists(names, min_size=1, max_size=4, unique=True)):
        if draw(st.booleans()):
            labels = draw(st.lists(names, min_size=1, max_size=3, unique=True))
            columns.append(Column(name, "category", categories=labels))
        else:
            columns.append(draw(numbers(name)))
    groups = [column.name for column in columns if column.type == "category"]
    # One column at least is left to synthesise.
    by = draw(st.lists(st.sampled_from(groups), unique=True, max_size=len(columns) - 1)) if groups else ()
    earlier = [column.name for column in columns[:-1]]
    predictors = st.lists(st.sampled_from(earlier), unique=True) if earlier else st.just([])
    last = columns[-1]
    columns[-1] = Column(**{**vars(last), "predictors": draw(st.none() | predictors)})
    neighbours = draw(st.sampled_from(["replace-one", "add-remove"]))
    return Schema(columns, draw(names), neighbours, by, draw(names | st.just("")))


@given(schemas())
def test_writing_and_reading_back_is_the_identity(schema):
    text = schema.to_toml()
    again = Schema.from_toml(text)
    assert again == schema
    assert again.to_toml() == text
    assert again.fingerprint() == schema.fingerprint()


@given(schemas())
def test_a_saved_file_reads_back_whatever_the_line_ends_in_its_names(tmp_path_factory, schema):
    path = tmp_path_factory.mktemp("schemas") / "schema.toml"
    schema.save(path)
    assert Schema.load(path) == schema


def test_the_file_of_the_documentation_is_read():
    schema = Schema.from_toml(
        """
        [table]
        unit = "establishment"
        neighbours = "replace-one"
        [[column]]
        name = "pay"
        type = "numeric"        # numeric | integer | category
        lower = 0
        upper = 1000000
        grid = "log"            # linear | log
        source = "programme rules cap payments at one million"
        """
    )
    pay = Column("pay", "numeric", 0, 1e6, grid="log", source="programme rules cap payments at one million")
    assert schema == Schema((pay,), unit="establishment")


def test_whole_bounds_are_written_as_integers_and_defaults_left_out():
    schema = Schema((Column("pay", "numeric", 0.0, 1e6), Column("rate", "numeric", -0.5, 1e20)), unit="firm")
    text = schema.to_toml()
    assert "lower = 0\nupper = 1000000\n" in text
    assert tomllib.loads(text)["column"][1] == {
        "name": "rate",
        "type": "numeric",
        "lower": -0.5,
        "upper": 1e20,
    }


def test_no_predictors_is_not_the_same_as_all():
    schema = Schema((Column("a", "numeric", 0, 1), Column("b", "numeric", 0, 1, predictors=())), unit="firm")
    assert Schema.from_toml(schema.to_toml()).column("b").predictors == ()
    assert Schema.from_toml(schema.to_toml()).column("a").predictors is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + PAY + "uper = 3\n", "column 'pay': unknown key 'uper'; did you mean 'upper'?"),
        (HEAD + PAY + "qqq = 3\n", "column 'pay': unknown key 'qqq'; known keys are name, type"),
        (HEAD + "neighbors = 'x'\n" + PAY, "[table]: unknown key 'neighbors'; did you mean 'neighbours'?"),
        (HEAD + PAY.replace("[[column]]", "[[columns]]"), "unknown key 'columns'; did you mean 'column'?"),
        (HEAD + PAY.replace("[[column]]", "[column]"), "in double brackets"),
        (HEAD, "no [[column]] sections"),
        (PAY, "no [table] section"),
        ("[table]\n" + PAY, "[table] unit is blank"),
        (HEAD + PAY.replace('name = "pay"\n', ""), "[[column]] number 1: no name"),
        (HEAD + PAY.replace('type = "numeric"\n', ""), "column 'pay': no type"),
        (HEAD + PAY.replace("upper = 10", 'upper = "10"'), "column 'pay': upper must be a number"),
        (HEAD + PAY.replace("upper = 10", "upper = inf"), "column 'pay': upper must be a finite number"),
        (HEAD + PAY.replace("upper = 10", "upper = 2020-01-01"), "column 'pay': upper must be a number"),
        (HEAD + "by = [[1]]\n" + PAY, "by is not text"),
        (HEAD + PAY + PAY, "'pay' is described twice"),
        (HEAD + PAY + "grid = 'log\n", "line 8"),
        (HEAD + "upper = " + "9" * 5000, "number that is too long"),
        ("", "no [table] section"),
    ],
)
def test_mistakes_are_told_with_their_place(text, said):
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(text)
    assert said in str(caught.value)


def test_all_blanks_are_reported_at_once():
    blank = (
        HEAD
        + PAY
        + '[[column]]\nname = "jobs"\ntype = "integer"\nlower = ""\nupper = 5\n'
        + '[[column]]\nname = "rent"\ntype = "numeric"\n'
        + '[[column]]\nname = "region"\ntype = "category"\ncategories = []\n'
    )
    with pytest.raises(SchemaError) as caught:
        Schema.from_toml(blank)
    said = str(caught.value)
    assert "'jobs': lower blank: write" in said
    assert "'rent': lower and upper blank: write" in said
    assert "'region': write every label" in said
    assert "'pay'" not in said


def test_a_blank_of_many_columns_is_said_once():
    labelled = "".join(
        f'[[column]]\nname = "{name}"\ntype = "category"\ncategories = []\n'
        for name in ("sex", "state", "trade")
    )
    with pytest.raises(SchemaError, match="columns 'sex', 'state', 'trade': write every label"):
        Schema.from_toml(HEAD + PAY + labelled)
