"""Databases: types as declared, names as the database compares them, transactions that leave nothing behind."""

import datetime
from contextlib import closing
from decimal import Decimal

import pyarrow as pa
import pytest

from quantail.errors import DataError
from quantail.io import Place, check_output, database_tables, open_source, read_table, write_table
from quantail.io.dialects import DIALECTS
from quantail.privacy.ledger import Ledger

TABLE = pa.table({"pay": [1.5, 2.5]})


@pytest.fixture(params=list(DIALECTS))
def database(request, tmp_path):
    if request.param != "postgresql":
        return f"{request.param}:///{tmp_path}/a.db"
    server = request.getfixturevalue("postgres")
    with closing(DIALECTS["postgresql"].connect(Place.of(f"{server}#x"), False)) as connection:
        connection.execute("DROP TABLE IF EXISTS kept, pay CASCADE")  # of the tests before
        connection.commit()
    return server


def executed(database, *statements):
    place = Place.of(f"{database}#x")
    with closing(DIALECTS[place.scheme].connect(place, False)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_rehearsal_changes_nothing(database, tmp_path):
    write_table(TABLE, f"{database}#kept")
    for name in ("kept", "other"):
        with database_tables(
            [(TABLE.slice(0, 0), Place.of(f"{database}#{name}"))], overwrite=True, keep=False
        ):
            pass
    assert read_table(f"{database}#kept").to_pydict() == TABLE.to_pydict()
    check_output(f"{database}#other")  # is free
    fresh = f"sqlite:///{tmp_path}/fresh.db#pay"
    with database_tables([(TABLE, Place.of(fresh))], keep=False):
        pass
    assert not (tmp_path / "fresh.db").exists()


def test_a_view_is_read_and_not_replaced(database):
    write_table(TABLE, f"{database}#pay")
    executed(database, "CREATE VIEW seen AS SELECT pay FROM pay")
    assert read_table(f"{database}#seen").to_pydict() == TABLE.to_pydict()
    with pytest.raises(DataError, match="exists already"):
        check_output(f"{database}#seen")
    with pytest.raises(DataError, match="cannot write"):
        write_table(TABLE, f"{database}#seen", overwrite=True)


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_names_that_differ_in_case_only_are_one_table(scheme, tmp_path):
    write_table(TABLE, f"{scheme}:///{tmp_path}/a.db#Pay")
    with pytest.raises(DataError, match="exists already"):
        check_output(f"{scheme}:///{tmp_path}/a.db#pay")


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_no_table_goes_into_a_ledger(scheme, tmp_path):
    path = Ledger.create(tmp_path / "some.db", "payroll", 1).path
    before = path.read_bytes()
    place = Place.of(f"{scheme}:///{path}#pay")
    for write in (lambda: write_table(TABLE, place, overwrite=True), lambda: _written(place)):
        with pytest.raises(DataError, match="is a ledger"):
            write()
    assert path.read_bytes() == before


def _written(place):
    with database_tables([(TABLE, place)], overwrite=True):
        pass


def test_reading_in_parts_can_end_early(database):
    write_table(pa.table({"pay": list(range(100))}), f"{database}#pay")
    parts = open_source(f"{database}#pay").chunks(7)
    assert next(parts).to_pydict() == {"pay": list(range(7))}
    parts.close()
    write_table(TABLE, f"{database}#pay", overwrite=True)  # nothing is locked


def test_types_of_postgresql_without_an_equal_are_read_as_text(postgres):
    executed(
        postgres,
        "DROP TABLE IF EXISTS odd",
        "DROP TYPE IF EXISTS mood",
        "CREATE TYPE mood AS ENUM ('calm')",
        "CREATE TABLE odd (mood mood, padded char(6), list int[], free numeric, exact numeric(30, 10), "
        "at timestamptz)",
        "INSERT INTO odd VALUES ('calm', 'ab', '{1,2}', 1.25, 12345678901234567890.1234567891, "
        "'2020-01-01 12:00+02'), (NULL, NULL, NULL, NULL, NULL, NULL)",
    )
    read = read_table(f"{postgres}#odd")
    moment = datetime.datetime(2020, 1, 1, 10, tzinfo=datetime.UTC)
    exact = Decimal("12345678901234567890.1234567891")
    assert [column[0].as_py() for column in read.columns] == ["calm", "ab", "{1,2}", 1.25, exact, moment]
    assert all(column[1].as_py() is None for column in read.columns)
    assert read.schema.field("exact").type == pa.decimal128(30, 10)
    assert read.schema.field("free").type == pa.float64()
