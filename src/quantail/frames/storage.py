"""Arrow's types for what the schema says about storage (`quantail.schema.storage`)."""

import pyarrow as pa

from quantail.schema import Column
from quantail.schema.storage import DECIMAL, TIMESTAMP, storage_of

DAY = 86_400.0  # seconds
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""Ticks of a timestamp by its unit."""

NAMED = {
    **{f"int{bits}": getattr(pa, f"int{bits}")() for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": getattr(pa, f"uint{bits}")() for bits in (8, 16, 32, 64)},
    "float32": pa.float32(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "string": pa.string(),
    "date32": pa.date32(),
}
"""Types that are known by their names alone."""


def arrow_type(column: Column) -> pa.DataType:
    """Return the type in which a column is released.

    Examples
    --------
    >>> arrow_type(Column("pay", "numeric", 0, 9, storage="decimal128(12, 2)"))
    Decimal128Type(decimal128(12, 2))
    """
    name = storage_of(column)
    if name == "category":
        return pa.dictionary(pa.int32(), pa.string(), ordered=column.type == "ordinal")
    if moment := TIMESTAMP.fullmatch(name):
        return pa.timestamp(moment[1], tz=moment[2])
    if decimal := DECIMAL.fullmatch(name):
        return pa.decimal128(int(decimal[1]), int(decimal[2]))
    return NAMED[name]
