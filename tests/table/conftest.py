"""A payroll table, its schema and a model of it, shared by the tests of this room."""

import pytest

from payroll_case import payroll, payroll_schema, simulate


@pytest.fixture(scope="session")
def table():
    return payroll(4000)


@pytest.fixture(scope="session")
def schema():
    return payroll_schema()


@pytest.fixture(scope="session")
def model(table, schema):
    return simulate(schema, table, 2)
