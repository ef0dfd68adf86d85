"""The terms of a release: everything public that decides how it is made, and one hash over all of it.

They are complete before any row takes part in a question, so they can be agreed on beforehand. `quantail plan` prints
their hash; the entry in the ledger, the model and the release card carry the same one: what was agreed on is what was
run. Nothing confidential is among them: under add/remove the number of rows is protected, so it is left out.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from fractions import Fraction
from typing import Any

from quantail._version import __version__
from quantail.privacy.noise import Definition

FIXED = {"fixed": True}
"""Metadata of a setting that no user can change: the version of the software stands for it."""


@dataclass(frozen=True)
class Terms:
    """What is public about a release before it is made.

    Examples
    --------
    >>> few, many = (Terms("[table]", rows, "1", "", "pure", "tables") for rows in (500, 501))
    >>> len(few.hash()), few.hash() == many.hash()
    (64, False)
    """

    # the schema as canonical TOML: bounds, categories, unit, neighbours, groups, sources, everything
    schema: str
    size: int | None  # rows of the table, or units of the panel; None where that is protected (add/remove)
    # epsilon, delta: budget of one fit, exactly, such as "1/3"; delta is empty under pure epsilon-DP
    epsilon: str
    delta: str
    definition: Definition  # which differential privacy
    method: str  # how columns are modelled
    # settings of the method, defaults included
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    fits: int = 1  # how many fits are paid for together
    version: str = __version__  # of the software

    def to_dict(self) -> dict[str, Any]:
        """Give the terms as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Terms":
        """Read terms that `to_dict` wrote."""
        return cls(**values)

    def hash(self) -> str:
        """Give the SHA-256 of the canonical JSON of all terms, in hexadecimal."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


def stated_options(settings: Any) -> dict[str, Any]:
    """Return the settings of a method as plain JSON values; numbers that must stay exact become text."""
    stated: dict[str, Any] = {} if settings is None else _plain(settings)
    return stated


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return {
            part.name: _plain(getattr(value, part.name))
            for part in fields(value)
            if not part.metadata.get("fixed")
        }
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value) if isinstance(value, Fraction) else value
