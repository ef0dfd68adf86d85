"""Codes within codes in a schema: written, read back, and refused where a row would be left without a label."""

import pytest

from quantail.errors import SchemaError
from quantail.schema import Column, Schema
from quantail.schema.nesting import ANYWHERE, parents_of, undeclared_nesting

STATE = Column("state", "category", categories=("GA", "FL"))
AGE = Column("age", "integer", 0, 99)


def county(*labels, **options):
    return Column("county", "category", categories=labels, within="state", **options)


def schema_of(*columns, **options):
    return Schema(columns, unit="person", **options)


def test_it_survives_the_round_trip():
    schema = schema_of(STATE, county("Bibb", "Dade", "Clay", parents=("GA", "FL", "FL")))
    assert Schema.from_toml(schema.to_toml()) == schema
    assert 'within = "state"' in schema.to_toml()
    assert 'parents = ["GA", "FL", "FL"]' in schema.to_toml()


def test_labels_belong_where_they_say_or_to_what_they_begin_with():
    codes = Column("two", "category", categories=("1", "12"))
    assert parents_of(Column("code", "category", categories=("12", "123", "13"), within="two"), codes) == (
        1,
        1,
        0,
    )
    assert parents_of(county("x", "y", parents=("FL", "GA")), STATE) == (1, 0)
    rest = county("GA1", "FL1", other=True)
    assert parents_of(rest, STATE) == (0, 1, ANYWHERE)
    unknown = Column("state", "category", categories=("GA",), missing=True)
    assert parents_of(county("x", "y", parents=("", "GA")), unknown) == (1, 0)


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ((STATE, county("GA1", "AL1")), "'AL1' begins with no label of 'state'"),
        ((STATE, county("GA1", "FL1", parents=("GA", "AL"))), "'AL', which is no label of 'state'"),
        ((STATE, county("GA1", "FL1", parents=("GA", ""))), "'state' is never missing"),
        ((STATE, county("GA1", "GA2")), "none of its labels belongs to 'FL'"),
        ((county("GA1", "FL1"), STATE), "does not stand before it"),
        (
            (AGE, Column("county", "category", categories=("a",), within="age")),
            "which is no column of labels",
        ),
        ((STATE, county("GA1", "FL1", public=True)), "columns that are drawn"),
        (
            (Column("state", "category", categories=("GA", "FL"), missing=True), county("GA1", "FL1")),
            "is known in every row",
        ),
        (
            (AGE, STATE, county("GA1", "FL1", universe="age >= 15", outside="GA1")),
            "outside of its universe it is 'GA1'",
        ),
        (
            (
                AGE,
                Column("job", "category", categories=("a",), missing=True),
                STATE,
                county("GA1", missing=True, missing_with="job"),
            ),
            "none of its labels belongs to 'FL'",
        ),
    ],
)
def test_what_cannot_be_kept(columns, said):
    with pytest.raises(SchemaError, match=said):
        schema_of(*columns)


def test_how_it_is_written():
    with pytest.raises(SchemaError, match="parents says what labels belong to"):
        Column("county", "category", categories=("a",), parents=("GA",))
    with pytest.raises(SchemaError, match="within must be text"):
        Column("county", "category", categories=("a",), within=3)
    with pytest.raises(SchemaError, match="parents must be a list of texts"):
        county("a", parents="GA")
    with pytest.raises(SchemaError, match="belongs to columns with categories"):
        Column("age", "integer", 0, 9, within="state")
    with pytest.raises(SchemaError, match="1 entries for 2 categories"):
        county("GA1", "FL1", parents=("GA",))
    with pytest.raises(SchemaError, match="fitted as one"):
        schema_of(STATE, county("GA1", "FL1"), by=("state",))


def test_a_code_that_is_missing_with_its_parent():
    state = Column("state", "category", categories=("GA", "FL"), missing=True)
    schema = schema_of(state, county("GA1", "FL1", missing=True, missing_with="state"))
    assert schema.column("county").within == "state"
    assert "may be missing; missing with state; within state" in schema._repr_html_()


def test_lists_of_labels_tell_what_may_lie_within_what():
    """From the code lists alone, which are public: nothing of the rows is looked at or told."""
    labels = {"land": ("01", "02", "03"), "kreis": ("01001", "01002", "02001", "02002", "03001", "03002")}
    labels["gemeinde"] = tuple(kreis + place for kreis in labels["kreis"] for place in "ab")
    assert undeclared_nesting(labels, ()) == {"kreis": "land", "gemeinde": "kreis"}
    assert undeclared_nesting(labels, ("kreis", "gemeinde")) == {}
    assert undeclared_nesting({"sex": ("1", "2"), "age": ("10", "11", "20", "21")}, ()) == {}  # by chance
    assert undeclared_nesting({"a": ("1", "2", "3"), "b": ("10", "11", "20", "21", "30", "40")}, ()) == {}
    assert undeclared_nesting(dict(reversed(labels.items())), ()) == {}  # the coarser one stands first
