"""A saved model: readable JSON with its format, a notice if it is not private, facts, and the method's own part.

A file can hold anything, so whatever goes wrong while one is read becomes a ModelError that says what to do.
"""

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

from quantail.errors import ModelError, QuantailError
from quantail.privacy import Terms, as_decimal

FORMAT = 3  # of tables and panels; 1 shifted labels before slopes, 2 held types of the confidential table
NOTICE = "NOT PRIVATE: made with simulated noise, for experiments only"

_Model = TypeVar("_Model")


def read_model(path: str | Path, read: Callable[[dict[str, Any]], _Model]) -> _Model:
    """Read a file that a model's `save` wrote, and hand its form to a reader.

    Raises a ModelError if the file cannot be read or is not a model.
    """
    form = _read_json(path)
    try:
        return read(form)
    except ModelError:
        raise
    except (
        QuantailError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
        RecursionError,
    ):
        raise ModelError(f"{path} is not a complete model; fit again, or get a fresh copy of it") from None


def _read_json(path: str | Path) -> dict[str, Any]:
    try:
        form = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_not_a_number)
    except OSError as error:
        raise ModelError(f"cannot read the model {path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise ModelError(
            f"{path} is not a model: it is not valid JSON; name the file that `fit` wrote"
        ) from None
    if not isinstance(form, dict):
        raise ModelError(f"{path} is not a model; name the file that `fit` wrote")
    return form


def read_terms(form: Mapping[str, Any]) -> Terms:
    """Read the terms of a saved model, and raise a ValueError unless the model is one that was made on them."""
    terms = Terms.from_dict(form["terms"])
    agreed = {
        "plan_hash": terms.hash(),
        "schema": terms.schema,
        "definition": terms.definition,
        "method": terms.method,
        "version": terms.version,
        "epsilon": as_decimal(Fraction(terms.epsilon)),
        "delta": str(float(Fraction(terms.delta))) if terms.delta else "",
    }
    if any(form[key] != value for key, value in agreed.items()):
        raise ValueError("a model that was not made on its terms")
    return terms


def check_format(number: Any) -> None:
    """Raise a ModelError that says what to do, unless a model is of the format that this version reads."""
    if number == FORMAT:
        return
    older = (
        "models of format 2 hold types and orders that an earlier version took from the confidential table"
    )
    raise ModelError(
        f"this model is not of format {FORMAT}: draw from it with the version of Quantail that wrote it "
        "(`version` in the file), or fit again, which is charged again"
        + (f"; {older} (SECURITY.md), so do not publish it" if number == 2 else "")
    )


def _not_a_number(word: str) -> float:
    raise ValueError(f"{word} is not JSON")
