"""How columns are stored: what may be declared, and what is refused when the schema is read."""

import pytest

from quantail.errors import SchemaError
from quantail.schema import Column, Schema
from quantail.schema.storage import storage_of

LABELS = ("1", "300")
REFUSED = {
    "unknown": (("integer", 0, 9), "int65", "does not suit type integer"),
    "not text": (("integer", 0, 9), 7, "storage must be text"),
    "fractions": (("integer", 0, 9), "float64", "does not suit"),
    "too narrow": (("integer", 0, 300), "int8", "cannot hold its bounds"),
    "no sign": (("integer", -1, 9), "uint8", "cannot hold its bounds"),
    "whole": (("numeric", 0, 9), "int64", "does not suit"),
    "small float": (("numeric", 0, 1e39), "float32", "cannot hold its bounds"),
    "few digits": (("numeric", 0, 1000), "decimal128(5, 2)", "cannot hold its bounds"),
    "too many digits": (("numeric", 0, 9), "decimal128(39, 2)", "does not suit"),
    "scale beyond digits": (("numeric", 0, 9), "decimal128(2, 3)", "does not suit"),
    "early nanoseconds": (("date", "1500-01-01", "2000-01-01"), "timestamp[ns]", "cannot hold its bounds"),
    "zone of a day": (("date", "2000-01-01", "2001-01-01"), "timestamp[s, tz=UTC]", "does not suit"),
    "no such zone": (
        ("datetime", "2000-01-01", "2001-01-01"),
        "timestamp[s, tz=Mars/North]",
        "does not suit",
    ),
    "a day as date": (("datetime", "2000-01-01", "2001-01-01"), "date32", "does not suit"),
    "truth as label": (("boolean",), "category", "does not suit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_column_cannot_be_stored_as_is_refused_with_advice(name):
    (kind, *bounds), storage, said = REFUSED[name]
    with pytest.raises(SchemaError, match=f"column 'x': .*{said}.*; write "):
        Column("x", kind, *bounds, storage=storage)


def test_labels_must_fit_the_declared_storage():
    assert storage_of(Column("x", "category", categories=LABELS, storage="int16")) == "int16"
    for labels, storage in ((LABELS, "int8"), (("007",), "int8"), (("a",), "int64"), (("+1",), "int8")):
        with pytest.raises(SchemaError, match="cannot hold all of its categories"):
            Column("x", "category", categories=labels, storage=storage)
    with pytest.raises(SchemaError, match="cannot hold all of its categories"):  # "other" is a label, too
        Column("x", "category", categories=LABELS, storage="int16", other=True)
    with pytest.raises(SchemaError, match="needs categories"):
        Column("x", "category", public=True, storage="category")


def test_codes_and_atoms_must_fit_too():
    with pytest.raises(SchemaError, match="cannot hold"):
        Column("x", "integer", 0, 100, storage="int8", missing_codes=(-999,))


def test_label_and_storage_survive_the_written_form():
    column = Column("pay", "numeric", 0, 9, label='Pay "gross"', storage="decimal128(12, 2)")
    schema = Schema((column, Column("jobs", "integer", 0, 9)), unit="firm")
    text = schema.to_toml()
    assert Schema.from_toml(text) == schema and Schema.from_toml(text).to_toml() == text
    assert 'storage = "decimal128(12, 2)"' in text and text.count("storage") == 1
    with pytest.raises(SchemaError, match="label must be text"):
        Column("pay", "numeric", 0, 9, label=7)
