"""Conditions on rows as text: what they say of numbers, labels, dates and missing values, and what is refused."""

import numpy as np
import pytest

from quantail.errors import SchemaError
from quantail.schema import Column
from quantail.schema.condition import Condition

COLUMNS = {
    "age": Column("age", "integer", 0, 99, missing=True, missing_codes=(-8,)),
    "home town": Column("home town", "category", categories=("Bath", "St Ives"), missing=True),
    "grade": Column("grade", "ordinal", categories=("low", "middle", "high")),
    "hired": Column("hired", "date", "2020-01-01", "2020-12-31"),
}
ROWS = {
    "age": np.array([10.0, 15.0, 80.0, -8.0, np.nan]),
    "home town": np.array([0, 1, 1, 0, 2]),
    "grade": np.array([0, 1, 2, 0, 1]),
    "hired": np.array([18262.0, 18300.0, 18400.0, 18262.0, 18262.0]),  # 18262: 2020-01-01
}


def holds(text):
    condition = Condition.parse(text)
    condition.check(COLUMNS)
    return condition.holds(ROWS, COLUMNS).astype(int).tolist()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age >= 15", [0, 1, 1, 0, 0]),
        ("age<15", [1, 0, 0, 0, 0]),
        ("age != 10", [0, 1, 1, 0, 0]),  # a missing age is not another age
        ("age = -8", [0, 0, 0, 1, 0]),
        ("age in [10, 80]", [1, 0, 1, 0, 0]),
        ("age is missing", [0, 0, 0, 1, 1]),
        ("age is not missing", [1, 1, 1, 0, 0]),
        ("`home town` = 'St Ives'", [0, 1, 1, 0, 0]),
        ('`home town` in [Bath, "St Ives"] and age >= 15', [0, 1, 1, 0, 0]),
        ("grade > low", [0, 1, 1, 0, 1]),
        ("hired >= 2020-02-01", [0, 1, 1, 0, 0]),
    ],
)
def test_where_it_holds(text, expected):
    assert holds(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no condition"),
        ("age", "no condition"),
        ("age >= 15 and", "no condition"),
        ("age >= 15 or age < 3", "no condition"),
        ("age >= 15; drop", "no condition"),
        ("__import__('os').remove('x')", "no condition"),
        ("size > 3", "'size', which is not a column"),
        ("age > old", "no number"),
        ("age > nan", "no number"),
        ("hired > 5", "no date"),
        ("`home town` > Bath", "have no order"),
        ("`home town` = Rome", "no label of 'home town'"),
    ],
)
def test_what_is_refused(text, said):
    with pytest.raises(SchemaError, match=said):
        holds(text)
