import pytest

from quantail.schema import Column, Schema


@pytest.fixture
def pay_schema():
    """One heavy-tailed column: a fit takes milliseconds."""
    return Schema((Column("pay", "numeric", 0, 1e6, grid="log", decimals=2),), unit="person")


@pytest.fixture
def mixed_schema():
    return Schema(
        (
            Column("region", "category", categories=("north", "south")),
            Column("jobs", "integer", 0, 5000, grid="log"),
            Column("pay", "numeric", 0, 1000),
        ),
        unit="firm",
    )
