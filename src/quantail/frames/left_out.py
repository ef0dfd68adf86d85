"""Columns of a table that its schema does not describe: they are left out of everything, and that is said.

Only names are used, which are public: `quantail init` writes them into a schema, and whoever leaves a section out has
seen them. Nothing below the header of such a column is looked at.
"""

from collections.abc import Iterable, Sequence

from quantail.frames.release import released_names
from quantail.schema import Schema

_MOST_NAMED = 20


def left_out_columns(names: Iterable[str], schema: Schema) -> tuple[str, ...]:
    """Return the columns of a table that the schema does not describe, in the table's order.

    None is named of a table that lacks a described column: its first line may be no header, and hold values.

    Examples
    --------
    >>> from quantail.schema import Column
    >>> left_out_columns(["jobs", "remarks"], Schema((Column("jobs", "integer", 0, 500),), unit="firm"))
    ('remarks',)
    """
    firm = () if schema.panel is None else schema.panel.described
    found, described = list(names), frozenset((*released_names(schema), *firm))
    if not described <= {*found, *(key.name for key in schema.keys)}:
        return ()
    return tuple(name for name in found if name not in described)


def left_out_words(names: Sequence[str]) -> str:
    """Say which columns were left out, the first of them by name.

    Examples
    --------
    >>> left_out_words(["remarks"])
    'Left out, because the schema does not describe them (column names are public): remarks.'
    """
    listed = ", ".join(names[:_MOST_NAMED])
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"Left out, because the schema does not describe them (column names are public): {listed}{more}."
