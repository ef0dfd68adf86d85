"""What SDMetrics is given: every kind of column has a type it knows, and values of that type."""

import sys
from datetime import date, datetime

import polars as pl
import pyarrow as pa
import pytest

from quantail.errors import DataError
from quantail.interop import sdmetrics_frame, sdmetrics_metadata
from quantail.schema import Column, Schema

SCHEMA = Schema(
    (
        Column("region", "category", categories=("1", "2")),
        Column("size", "ordinal", categories=("low", "high"), missing=True),
        Column("open", "boolean", missing=True),
        Column("jobs", "integer", 0, 500, missing_codes=(-8,)),
        Column("pay", "numeric", 0, 1000, missing=True),
        Column("day", "date", "2020-01-01", "2020-12-31"),
        Column("moment", "datetime", "2020-01-01", "2020-12-31"),
    ),
    unit="firm",
)
TABLE = {
    "extra": [0, 0],
    "moment": [datetime(2020, 1, 2, 3), datetime(2020, 5, 6)],
    "region": [1, 2],
    "size": ["low", None],
    "open": [True, None],
    "jobs": [3, -8],
    "pay": [1.5, None],
    "day": [date(2020, 1, 2), date(2020, 5, 6)],
}


def test_metadata_names_a_type_for_every_kind_of_column():
    metadata = sdmetrics_metadata(SCHEMA)
    types = {name: column["sdtype"] for name, column in metadata["columns"].items()}
    assert types == {
        "region": "categorical",
        "size": "categorical",
        "open": "boolean",
        "jobs": "numerical",
        "pay": "numerical",
        "day": "datetime",
        "moment": "datetime",
    }
    formats = {n: c["datetime_format"] for n, c in metadata["columns"].items() if "datetime_format" in c}
    assert date(2020, 1, 2).strftime(formats.pop("day")) == "2020-01-02"
    assert list(formats) == ["moment"]
    assert metadata["METADATA_SPEC_VERSION"] == "SINGLE_TABLE_V1"


@pytest.mark.parametrize("kind", [pa.table, pl.DataFrame])
def test_frames_hold_what_the_metadata_says(kind):
    frame = sdmetrics_frame(kind(TABLE), SCHEMA)
    assert list(frame) == list(sdmetrics_metadata(SCHEMA)["columns"])
    assert frame["region"].tolist() == ["1", "2"]
    assert frame["size"].isna().tolist() == frame["open"].isna().tolist() == [False, True]
    assert frame["jobs"].dtype == frame["pay"].dtype == "float64"
    assert frame["jobs"][0] == 3 and frame["jobs"].isna().tolist() == [False, True]
    assert {str(frame[name].dtype) for name in ("day", "moment")} == {"datetime64[ns]"}


def test_a_column_that_is_missing_is_named():
    with pytest.raises(DataError, match="'region' is missing"):
        sdmetrics_frame(pa.table({"pay": [1.0]}), SCHEMA)


def test_sdmetrics_itself_is_not_needed():
    assert "sdmetrics" not in sys.modules
