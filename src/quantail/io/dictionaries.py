"""Dictionary-encoded columns: most formats store labels themselves, not codes beside a list of labels."""

import pyarrow as pa


def decoded(table: pa.Table) -> pa.Table:
    """Return a table whose columns hold plain values; its metadata stay.

    Examples
    --------
    >>> decoded(pa.table({"region": pa.array(["north"]).dictionary_encode()})).schema.field("region").type
    DataType(string)
    """
    for index, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            values = table.column(index).cast(field.type.value_type)
            table = table.set_column(index, pa.field(field.name, field.type.value_type), values)
    return table
