"""Fingerprints of code: which modules a row of a study rests on, and one short text for what they say.

The modules are those that can be reached by imports, wherever these stand in a file, within this package and the
studies. What they say is their syntax tree without docstrings: comments, wording and layout change nothing. A changed
fingerprint means that a row must be computed again, not that it comes out otherwise (`studies.replay`).
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_PLACES = {"quantail": _ROOT / "src", "studies": _ROOT}
_LENGTH = 16  # of a fingerprint, in hexadecimal digits


def fingerprint(modules: Iterable[str], shallow: Iterable[str] = ()) -> str:
    """Return the fingerprint of modules and of all that they import.

    Parameters
    ----------
    shallow : iterable of str
        Modules whose own imports are not followed: tables of methods that name far more than one method uses.

    Examples
    --------
    >>> fingerprint(["studies.quantreg"]) == fingerprint(["studies.quantreg", "quantail.errors"])
    True
    """
    parts = [f"{name} {_said(path)}" for name, path in sorted(reached(modules, frozenset(shallow)).items())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:_LENGTH]


def reached(modules: Iterable[str], shallow: frozenset[str] = frozenset()) -> dict[str, Path]:
    """Return the files of modules and of all that they import, by name."""
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = None if name in found else _file(name)
        if path is None:
            continue
        found[name] = path
        if name not in shallow:
            waiting += _imports(path)
    return found


def _file(name: str) -> Path | None:
    """Return the file of a module; none for other packages, and for names within a module."""
    first, *rest = name.split(".")
    if first not in _PLACES or not rest:  # the front door of the package loads by name: it decides nothing
        return None
    path = _PLACES[first].joinpath(first, *rest)
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


@cache
def _imports(path: Path) -> tuple[str, ...]:
    return tuple(_named(ast.parse(path.read_text(encoding="utf-8"))))


def _named(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


@cache
def _said(path: Path) -> str:
    """Return the hash of a file's syntax tree without docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [part for part in body if not _is_text(part)]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()


def _is_text(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
