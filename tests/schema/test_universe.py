"""Rules of columns in a schema: written, read back, and refused where they could not be kept."""

import pytest

from quantail.errors import SchemaError
from quantail.schema import Column, Identity, Inequality, Schema
from quantail.schema.universe import universe_of

AGE = Column("age", "integer", 0, 99)
SALES = Column("sales", "numeric", 0, 100, missing=True)


def pay(**options):
    return Column("pay", "numeric", 0, 100, **options)


def schema_of(*columns, **options):
    return Schema(columns, unit="person", **options)


def test_rules_survive_the_round_trip():
    schema = schema_of(
        AGE,
        Column("job", "category", categories=("none", "some"), universe="age >= 15", outside="none"),
        pay(atoms=(0,), universe="job = some", outside=0, only_outside=True),
        SALES,
        Column("costs", "numeric", 0, 100, missing=True, missing_with="sales"),
    )
    assert Schema.from_toml(schema.to_toml()) == schema
    assert 'universe = "age >= 15"' in schema.to_toml()
    assert "outside = 0" in schema.to_toml()


def test_what_stands_outside():
    assert universe_of(pay(missing=True, universe="age > 3")).outside is None
    assert universe_of(pay(atoms=(0,), universe="age > 3", outside=0)).outside == 0
    assert not universe_of(pay(atoms=(0,), universe="age > 3", outside=0)).both_ways
    assert universe_of(pay(atoms=(0,), universe="age > 3", outside=0, only_outside=True)).both_ways
    assert universe_of(pay(missing=True, universe="age > 3", only_outside=True)).both_ways
    coded = universe_of(pay(missing_codes=(-9,), universe="age > 3", outside=-9))
    assert coded.outside == -9
    assert coded.both_ways  # a code for "not asked" stands nowhere else


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [
        ((AGE, pay(universe="age > 15")), {}, "would be missing, which it cannot be"),
        ((AGE, pay(missing=True, universe="age is old")), {}, "universe cannot be read"),
        ((AGE, pay(missing=True, universe="wage > 1")), {}, "'wage', which is not a column"),
        ((pay(missing=True, universe="age > 15"), AGE), {}, "does not stand before it"),
        ((AGE, pay(missing=True, universe="pay > 15")), {}, "does not stand before it"),
        ((AGE, pay(universe="age > 15", outside=0)), {}, r"atoms = \[0"),
        ((AGE, pay(missing=True, missing_with="age")), {}, "'age' is never missing"),
        (
            (AGE, Column("job", "category", categories=("none",), universe="age > 15", outside="none")),
            {},
            "its only label stands outside",
        ),
        ((AGE, pay(missing=True, public=True, universe="age > 15")), {}, "does not stand before it"),
        (
            (SALES, pay(atoms=(5,), universe="sales > 15", outside=5)),
            {"inequalities": (Inequality("pay", "sales"),)},
            "above its total",
        ),
        (
            (SALES, pay(atoms=(0,), universe="sales > 15", outside=0), Column("rest", "numeric", 0, 100)),
            {"identities": (Identity("sales", ("pay", "rest")),)},
            "may not add up",
        ),
        (
            (SALES, Column("rest", "numeric", 0, 100), pay(atoms=(0,), universe="rest > 15", outside=0)),
            {"identities": (Identity("sales", ("rest", "pay")),)},
            "follows from an identity",
        ),
        (
            (
                Column("sex", "category", categories=("f", "m")),
                AGE,
                pay(atoms=(0,), universe="age > 15", outside=0, only_outside=True),
            ),
            {"by": ("sex",)},
            "fitted as one",
        ),
        (
            (AGE, pay(atoms=(5,), universe="age > 15", outside=5, only_outside=True)),
            {},
            "may be rounded to it",
        ),
        (
            (SALES, pay(atoms=(0,), universe="sales > 15", outside=0, only_outside=True)),
            {"inequalities": (Inequality("pay", "sales"),)},
            "part of a relation",
        ),
        (
            (
                AGE,
                Column("a", "numeric", 0, 9, missing=True, atoms=(0,), universe="age > 3", outside=0),
                pay(missing=True, missing_with="a"),
            ),
            {},
            "not missing outside of its universe",
        ),
    ],
)
def test_what_cannot_be_kept(columns, options, said):
    with pytest.raises(SchemaError, match=said):
        schema_of(*columns, **options)


def test_how_it_is_written():
    with pytest.raises(SchemaError, match="missing in other rows than those outside"):
        schema_of(AGE, SALES, pay(missing=True, universe="age > 3", missing_with="sales"))
    with pytest.raises(SchemaError, match="outside of a universe"):
        pay(missing=True, outside=0)
    with pytest.raises(SchemaError, match="only_outside belongs"):
        pay(missing=True, only_outside=True)
    with pytest.raises(SchemaError, match="only_outside must be true or false"):
        pay(missing=True, universe="age > 3", only_outside=1)
    with pytest.raises(SchemaError, match="universe must be text"):
        pay(missing=True, universe=3)
