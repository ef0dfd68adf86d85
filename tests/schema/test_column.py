"""A column that exists is complete and consistent; one that is not names itself and says what to write."""

import math
from datetime import date, datetime

import pytest

from quantail.errors import SchemaError
from quantail.schema import Column, Schema


def number(**changes):
    return Column(**{"name": "pay", "type": "numeric", "lower": 0, "upper": 100, **changes})


def label(**changes):
    return Column(**{"name": "pay", "type": "category", "categories": ("a", "b"), **changes})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: number(type="float"), "type 'float' is unknown; write one of numeric, integer, category"),
        (lambda: number(grid="cubic"), "write one of linear, log"),
        (lambda: number(lower=None), "lower is blank"),
        (lambda: number(upper=""), "upper is blank"),
        (lambda: number(type="integer", upper=None), "upper is blank"),
        (lambda: number(lower=100), "lower is not below upper"),
        (lambda: number(lower=101), "lower is not below upper"),
        (lambda: number(upper=math.inf), "upper must be a finite number"),
        (lambda: number(lower=math.nan), "lower must be a finite number"),
        (lambda: number(upper=10**400), "upper must be a finite number"),
        (lambda: number(upper="100"), "upper must be a number"),
        (lambda: number(upper=True), "upper must be a number"),
        (lambda: number(lower=-1.7e308, upper=1.7e308), "bounds are too large"),
        (lambda: number(upper=5e-324), "too close together"),
        (lambda: number(upper=1e101), "bounds are too large"),
        (lambda: number(lower=1e15, upper=1e15 + 1), "too close together"),
        (lambda: number(resolution=1e-101), "too close together"),
        (lambda: number(type="integer", upper=10.5), "upper must be a whole number"),
        (lambda: number(type="integer", upper=2.0**54), "upper must be a whole number"),
        (lambda: number(decimals=-1), "decimals must be a whole number"),
        (lambda: number(decimals=1.5), "decimals must be a whole number"),
        (lambda: number(decimals=True), "decimals must be a whole number"),
        (lambda: number(decimals=16), "decimals must be a whole number"),
        (lambda: number(type="integer", decimals=0), "decimals belong to numeric columns"),
        (lambda: number(resolution=0), "resolution must be above zero"),
        (lambda: number(resolution=-1), "resolution must be above zero"),
        (lambda: number(resolution=math.nan), "resolution must be a finite number"),
        (lambda: number(resolution=101), "wider than the bounds"),
        (lambda: number(type="integer", resolution=0.5), "resolution must be whole"),
        (lambda: number(upper=0.5, decimals=0), "wider than the bounds"),
        (lambda: number(categories=("a",)), "categories belong to category columns"),
        (lambda: number(predictors="jobs"), "predictors must be a list"),
        (lambda: number(predictors=("jobs", "jobs")), "lists an entry twice"),
        (lambda: number(source=None), "source must be text"),
        (lambda: label(categories=()), "no categories"),
        (lambda: label(categories=("a", "a")), "lists an entry twice"),
        (lambda: label(categories=("a", "")), "entry of categories is blank"),
        (lambda: label(categories=("a", 1)), "entry of categories is not text"),
        (lambda: label(categories="ab"), "categories must be a list"),
        (lambda: label(lower=0), "lower has no meaning"),
        (lambda: label(decimals=2), "decimals has no meaning"),
        (lambda: label(resolution=1), "resolution has no meaning"),
        (lambda: label(grid="log"), "grid has no meaning"),
    ],
)
def test_a_bad_column_names_itself_and_says_what_to_write(make, said):
    with pytest.raises(SchemaError) as caught:
        make()
    assert "'pay'" in str(caught.value)
    assert said in str(caught.value)
    assert ";" in str(caught.value)


@pytest.mark.parametrize("name", ["", "  ", None, 7, "\ud800"])
def test_a_column_needs_a_name_that_can_be_written(name):
    with pytest.raises(SchemaError, match="name of a column"):
        number(name=name)


def test_bounds_become_floats_and_lists_tuples():
    column = number(lower=-0.0, upper=7, predictors=["a"])
    assert (column.lower, column.upper) == (0.0, 7.0)
    assert isinstance(column.upper, float)
    assert math.copysign(1, column.lower) == 1
    assert column.predictors == ("a",)
    assert hash(column) == hash(number(lower=0, upper=7, predictors=("a",)))


@pytest.mark.parametrize(
    ("column", "lattice"),
    [
        (number(type="integer"), 1.0),
        (number(type="integer", resolution=10), 10.0),
        (number(decimals=2), 0.01),
        (number(decimals=2, resolution=0.5), 0.5),
        (number(lower=-100), 200e-6),
        (number(grid="log"), 100e-7),
        (number(upper=1e15, grid="log"), 0.01),
        (number(lower=-500, grid="log"), 500e-7),
        (number(lower=1e5, upper=1e5 + 1, grid="log"), 1e-6),
        (label(), 1.0),
    ],
)
def test_the_lattice_is_the_smallest_difference_that_matters(column, lattice):
    assert column.lattice == pytest.approx(lattice, rel=1e-12)


def test_moments_of_the_last_day_lie_within_bounds_that_name_the_day():
    """The last day was clipped to its midnight, and a table without --internal was said to fit."""
    for upper, last in (
        ("2020-12-31", "2020-12-31T23:59:59"),
        (date(2020, 12, 31), "2020-12-31T23:59:59"),
        ("2020-12-31T00:00", "2020-12-31T00:00:00"),
        (datetime(2020, 12, 31), "2020-12-31T00:00:00"),
    ):
        column = Column("at", "datetime", "2020-01-01", upper)
        assert (column.bound_text("lower"), column.bound_text("upper")) == ("2020-01-01T00:00:00", last)
        written = Schema((column,), unit="row").to_toml()
        assert Schema.from_toml(written).column("at") == column
    hourly = Column("at", "datetime", "2020-01-01", "2020-12-31", resolution=3600)
    assert hourly.bound_text("upper") == "2020-12-31T23:00:00"
    assert Column("day", "date", "2020-01-01", "2020-12-31").bound_text("upper") == "2020-12-31"
