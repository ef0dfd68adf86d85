"""Keys: columns that only tell rows apart. Synthetic rows are numbered anew; nothing of the original is looked at."""

from dataclasses import dataclass

from quantail.errors import SchemaError
from quantail.schema.column_rules import check_text, is_encodable

KEY = "key"
_STORAGE = ("int32", "int64", "uint32", "uint64", "string")


@dataclass(frozen=True)
class Key:
    """A column of running numbers, 1 for the first synthetic row; in a schema file a column with `type = "key"`.

    Parameters
    ----------
    name : str
        Name of the column in what is released.
    place : int
        How many columns stand before it.
    storage : {"int64", "int32", "uint32", "uint64", "string"}
        How the numbers are stored.
    source : str
        A remark for the release card.

    Examples
    --------
    >>> Key("case_id").storage
    'int64'
    """

    name: str
    place: int = 0
    storage: str = "int64"
    source: str = ""

    def __post_init__(self) -> None:
        check_text(self.name, "the name of a key", "write the name that it shall have")
        if not isinstance(self.place, int) or isinstance(self.place, bool) or self.place < 0:
            raise SchemaError(f"key {self.name!r}: place must be a whole number of at least 0")
        if self.storage not in _STORAGE:
            raise SchemaError(
                f"column {self.name!r}: storage does not suit a key; write one of {', '.join(_STORAGE)}, or remove it"
            )
        if not isinstance(self.source, str) or not is_encodable(self.source):
            raise SchemaError(f'column {self.name!r}: source must be text; write source = "", or a remark')


def check_keys(keys: tuple[Key, ...], names: tuple[str, ...], in_panel: bool) -> None:
    """Raise a SchemaError unless keys have names of their own, and belong to a table."""
    if keys and in_panel:
        raise SchemaError(
            f"column {keys[0].name!r}: a panel has the unit and the period of [panel] to tell its rows apart; "
            "remove the key from the schema"
        )
    taken = [*names, *(key.name for key in keys)]
    for name in taken:
        if taken.count(name) > 1 and any(key.name == name for key in keys):
            raise SchemaError(f"column {name!r} is described twice; remove one of its [[column]] sections")


def with_keys(names: tuple[str, ...], keys: tuple[Key, ...]) -> tuple[str, ...]:
    """Return the names of columns with those of keys at their places.

    Examples
    --------
    >>> with_keys(("pay", "age"), (Key("id"), Key("case", 2)))
    ('id', 'pay', 'case', 'age')
    """
    ordered = list(names)
    for key in sorted(keys, key=lambda one: one.place):
        ordered.insert(key.place, key.name)
    return tuple(ordered)
