"""Does an object hold what its annotations say? The guard between a file and a model.

Frozen dataclasses trust whoever makes them. A file can hold anything, so what was read from one is checked here,
field by field and all the way down, before it is used.
"""

import math
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_KNOWN: dict[Any, dict[str, Any]] = {}  # reading annotations is slow, and a plan has many parts of one kind


def check_fields(value: Any, kind: type | None = None) -> None:
    """Raise a TypeError if any field of a dataclass does not fit its annotation; numbers must be finite.

    With `kind`, a base class of it, only the fields of that are looked at.
    """
    for name, hint in _hints(kind or type(value)).items():
        if not fits(getattr(value, name), hint):
            raise TypeError(f"{type(value).__name__}.{name} does not hold what it should")


def fits(value: Any, hint: Any) -> bool:
    """Say whether a value fits an annotation.

    Examples
    --------
    >>> fits((1.0, 2), tuple[float, ...]), fits((1.0, "2"), tuple[float, ...]), fits(float("nan"), float)
    (True, False, False)
    """
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is dict:
        return isinstance(value, dict)
    if origin is tuple:
        return isinstance(value, tuple) and _items_fit(value, parts)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is None or hint is NoneType:
        return value is None
    if not isinstance(value, hint):
        return False
    if is_dataclass(hint):
        return all(fits(getattr(value, name), part) for name, part in _hints(hint).items())
    return True


def _items_fit(items: tuple[Any, ...], parts: tuple[Any, ...]) -> bool:
    if len(parts) == 2 and parts[1] is Ellipsis:
        return all(fits(item, parts[0]) for item in items)
    return len(items) == len(parts) and all(map(fits, items, parts))


def _hints(kind: Any) -> dict[str, Any]:
    if kind not in _KNOWN:
        names = {field.name for field in fields(kind)} if is_dataclass(kind) else set()
        _KNOWN[kind] = {name: hint for name, hint in get_type_hints(kind).items() if name in names}
    return _KNOWN[kind]
