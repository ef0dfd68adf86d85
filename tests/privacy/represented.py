"""Columns of every kind, stored in every way that three libraries know: stale dictionaries, objects, null types."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

Values = list[Any]
Way = Callable[[Values], Any]
ZONES = (UTC, timezone(timedelta(hours=2)), timezone(timedelta(hours=-7)))
_START = datetime(2020, 1, 1)


def made_up(kind: str, rows: int, rng: np.random.Generator, missing: bool) -> Values:
    """Return values of a kind: beyond bounds, all the same, or all missing, too."""
    makers: dict[str, Callable[[], Any]] = {
        "integer": lambda: int(rng.integers(-5, 700)),
        "numeric": lambda: round(float(rng.normal(50, 200)), int(rng.integers(0, 4))),
        "codes": lambda: int(rng.integers(1, 4)),
        "labels": lambda: ("low", "mid", "high")[rng.integers(3)],
        "boolean": lambda: bool(rng.integers(2)),
        "date": lambda: date(2020, 1, 1) + timedelta(days=int(rng.integers(0, 360))),
        "datetime": lambda: _START + timedelta(seconds=int(rng.integers(0, 10**7))),
    }
    share = (0.0, 0.3, 1.0)[rng.integers(3)] if missing else 0.0
    return [None if rng.random() < share else makers[kind]() for _ in range(rows)]


def stale(values: pa.Array) -> pa.Array:
    """Encode by a dictionary in the order of rows, backwards, with entries that no row holds."""
    known = values.dictionary_encode()
    backwards = known.dictionary.take(pa.array(np.arange(len(known.dictionary))[::-1]))
    extra = pa.array(["stale one", "stale two"]) if pa.types.is_string(values.type) else backwards.slice(0, 0)
    indices = [None if i is None else len(backwards) - 1 - i for i in known.indices.to_pylist()]
    return pa.DictionaryArray.from_arrays(pa.array(indices, pa.int32()), pa.concat_arrays([backwards, extra]))


def _each(change: Callable[[Any], Any]) -> Way:
    return lambda values: [None if value is None else change(value) for value in values]


def _arrow(type_: pa.DataType, change: Callable[[Any], Any] = lambda value: value) -> Way:
    return lambda values: pa.array(_each(change)(values), type_)


def _natural(values: Values) -> pa.Array:
    return pa.array(values)  # of the null type if all are missing


def _dictionary(values: Values) -> pa.Array:
    return stale(pa.array(values)) if any(value is not None for value in values) else pa.array(values)


def _whole_or_float(value: float) -> int | float:
    return int(value) if float(value).is_integer() and int(value) % 2 else float(value)


ARROW: dict[str, dict[str, Way]] = {
    "integer": {
        "int16": _arrow(pa.int16()),
        "double": _arrow(pa.float64()),
        "decimal": _arrow(pa.decimal128(12, 3), Decimal),
    },
    "numeric": {
        "float": _arrow(pa.float32()),
        "decimal": _arrow(pa.decimal128(20, 9), lambda v: Decimal(repr(v))),
    },
    "codes": {"int8": _arrow(pa.int8()), "double": _arrow(pa.float64()), "text": _arrow(pa.string(), str)},
    "labels": {"long text": _arrow(pa.large_string())},
    "boolean": {
        "int8": _arrow(pa.int8(), int),
        "double": _arrow(pa.float64(), float),
        "text": _arrow(pa.string(), str),
    },
    "date": {
        "date64": _arrow(pa.date64()),
        "moment": _arrow(pa.timestamp("ns"), lambda v: datetime(v.year, v.month, v.day, 9)),
        "text": _arrow(pa.string(), lambda v: v.isoformat()),
    },
    "datetime": {
        "seconds": _arrow(pa.timestamp("s")),
        "zone": _arrow(pa.timestamp("ms", "Asia/Tokyo"), lambda v: v.replace(tzinfo=UTC)),
        "text": _arrow(pa.string(), lambda v: v.isoformat()),
    },
}
for _ways in ARROW.values():
    _ways |= {"natural": _natural, "stale dictionary": _dictionary}


def _object(change: Callable[[Any], Any] = lambda value: value) -> Way:
    return lambda values: pd.Series(_each(change)(values), dtype=object)


def _typed(dtype: str) -> Way:
    return lambda values: pd.Series(values, dtype=dtype)


def _categorical(values: Values) -> Any:
    known = list(dict.fromkeys(value for value in reversed(values) if value is not None))
    unused = ["stale"] if known and isinstance(known[0], str) else []
    return pd.Series(pd.Categorical(values, categories=[*unused, *known]))


def _zoned(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC).astimezone(ZONES[value.second % 3])


PANDAS: dict[str, dict[str, Way]] = {
    "integer": {
        "3 and 3.0": _object(_whole_or_float),
        "decimals": _object(Decimal),
        "Int64": _typed("Int64"),
        "float": _typed("float64"),
    },
    "numeric": {
        "3 and 3.0": _object(_whole_or_float),
        "Float64": _typed("Float64"),
        "decimals": _object(lambda v: Decimal(repr(v))),
    },
    "codes": {
        "3 and 3.0": _object(_whole_or_float),
        "Int8": _typed("Int8"),
        "float": _typed("float32"),
        "text": _object(str),
    },
    "labels": {"string": _typed("string"), "arrow": _typed("string[pyarrow]")},
    "boolean": {
        "numpy": _object(np.bool_),
        "boolean": _typed("boolean"),
        "0 and 1.0": _object(lambda v: 1.0 if v else 0),
    },
    "date": {"moments": _typed("datetime64[s]"), "text": _object(str)},
    "datetime": {
        "moments": _typed("datetime64[ns]"),
        "zones": _object(_zoned),
        "zone": lambda v: (
            pd.Series(v, dtype="datetime64[us]").dt.tz_localize("UTC").dt.tz_convert("America/Lima")
        ),
    },
}
for _kind, _ways in PANDAS.items():
    _ways |= {"natural": pd.Series, "objects": _object(), "categories": _categorical}

POLARS: dict[str, dict[str, Way]] = {
    "integer": {
        "int32": lambda v: pl.Series(v, dtype=pl.Int32),
        "float": lambda v: pl.Series(v, dtype=pl.Float64),
    },
    "numeric": {"float": lambda v: pl.Series(v, dtype=pl.Float32)},
    "codes": {
        "uint8": lambda v: pl.Series(v, dtype=pl.UInt8),
        "text": lambda v: pl.Series(_each(str)(v), dtype=pl.String),
    },
    "labels": {
        "categorical": lambda v: pl.Series(v, dtype=pl.Categorical),
        "enum": lambda v: pl.Series(v, dtype=pl.Enum(["stale", "high", "mid", "low"])),
    },
    "boolean": {"int8": lambda v: pl.Series(_each(int)(v), dtype=pl.Int8)},
    "date": {"moments": lambda v: pl.Series(v, dtype=pl.Date).cast(pl.Datetime("ms"))},
    "datetime": {"zone": lambda v: pl.Series(v, dtype=pl.Datetime("us")).dt.replace_time_zone("Asia/Tokyo")},
}
for _ways in POLARS.values():
    _ways |= {"natural": pl.Series}

WAYS = {"pyarrow": ARROW, "pandas": PANDAS, "polars": POLARS}
FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pyarrow": pa.table,
    "pandas": lambda columns: pd.DataFrame(columns),
    "polars": pl.DataFrame,
}
