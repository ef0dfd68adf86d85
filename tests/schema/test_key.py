"""Keys: described like columns, numbered anew, and no part of what is modelled."""

import pytest

from quantail.errors import SchemaError
from quantail.schema import Column, Key, Panel, Schema, core_of, draft

PAY = Column("pay", "numeric", 0, 100)
AGE = Column("age", "integer", 0, 100)


def test_a_key_is_no_part_of_what_is_modelled():
    schema = Schema((PAY, AGE), "person", keys=(Key("id"),))
    core, plain = core_of(schema), core_of(Schema((PAY, AGE), "person"))
    assert schema.names == ("pay", "age")
    assert (core.schema.columns, core.parts) == (plain.schema.columns, plain.parts)


@pytest.mark.parametrize(
    "keys", [(Key("id"),), (Key("id", 2, "string", "case number"), Key("b", 0, "int32"))]
)
def test_keys_keep_their_places_and_options_in_the_file(keys):
    schema = Schema((PAY, AGE), "person", keys=tuple(sorted(keys, key=lambda key: key.place)))
    assert Schema.from_toml(schema.to_toml()) == schema


def test_a_drafted_column_becomes_a_key_by_its_type_alone():
    text = draft({"q1": "", "pay": "boolean"}).replace('type = ""', 'type = "key"')
    schema = Schema.from_toml(text.replace('name = ""', 'name = "x"'))
    assert [key.name for key in schema.keys] == ["q1"]
    assert [
        key.name
        for key in Schema.from_toml(
            draft({"case_id": "", "pay": "boolean"}).replace('name = ""', 'name = "x"')
        ).keys
    ] == ["case_id"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("lower = 3", "lower has no meaning"),
        ("public = true", "public has no meaning"),
        ('storage = "float64"', "storage"),
    ],
)
def test_what_means_nothing_for_a_key_is_refused(line, said):
    text = Schema((PAY,), "person", keys=(Key("id"),)).to_toml()
    with pytest.raises(SchemaError, match=said):
        Schema.from_toml(text.replace('type = "key"', f'type = "key"\n{line}'))


def test_names_are_described_once_and_panels_take_no_keys():
    for keys in ((Key("pay"),), (Key("id"), Key("id", 1))):
        with pytest.raises(SchemaError, match="twice"):
            Schema((PAY,), "person", keys=keys)
    with pytest.raises(SchemaError, match="remove the key"):
        Schema((PAY,), "firm", panel=Panel("firm", "a", "b", 1, 2), keys=(Key("id"),))
