"""A released model, of a table or of a panel: its facts, how it is saved and read, and who checks that it is whole.

Everything in it is released or public: it can be published, and any number of tables can be drawn from it free of
charge. Saved as readable JSON; floats survive the round trip bit for bit.
"""

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from quantail.errors import ModelError, OptionError
from quantail.io import Kind
from quantail.notebook import counted, short, shown
from quantail.privacy import Plan, Terms, as_decimal, check_seed
from quantail.release import NOT_PRIVATE
from quantail.release.facts import Facts, OnTerms
from quantail.release.fields import check_fields
from quantail.release.saved import FORMAT, NOTICE, check_format, read_model, read_terms
from quantail.schema import Schema
from quantail.schema.notebook import column_rows

MOST_CHUNKED = 10**15  # rows or replicates that can be asked for at all


@dataclass(frozen=True)
class ReleasedModel(OnTerms, ABC):
    """What every released model holds."""

    kind: ClassVar[str] = ""  # as it stands in the file; a table's stands for itself

    schema: Schema  # what is public about the table or panel
    plan: Plan  # how the budget was spent
    # what was agreed on before the fit; `terms.hash()` is the plan hash of the ledger and the card
    terms: Terms
    private: bool  # whether the noise was secure
    # the library of the table that was fitted, and of those that are drawn; types follow from the schema
    library: Kind

    @property
    @abstractmethod
    def size(self) -> int:
        """Rows of the table, or units of the panel; public, or released under add/remove."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """Rows of a synthetic table, unless another number is asked for."""

    @property
    def epsilon(self) -> Fraction:
        """The budget of the fit, exactly."""
        return Fraction(self.terms.epsilon)

    @property
    def delta(self) -> Fraction | None:
        """Delta, exactly; None under pure epsilon-DP."""
        return Fraction(self.terms.delta) if self.terms.delta else None

    def __repr__(self) -> str:
        """Say in a line what was released."""
        name = f" {short(self.schema.name)}" if self.schema.name else ""
        columns = counted(len(self.schema.columns), "column")
        price = self._price() + ("" if self.private else ", NOT PRIVATE")
        return f"<{type(self).__name__}{name}: {columns}, {self._counted()}, {price}, method {self.method}>"

    def _repr_html_(self) -> str:
        schema = self.schema
        facts = [
            ("privacy", f"{self._price()} for every {schema.unit}, {schema.neighbours}"),
            ("size", self._counted()),
            ("method", self.method),
            ("plan hash", self.terms.hash()[:16] + "…"),
            ("made by", f"quantail {self.version}"),
        ]
        remarks = ["model.sample() draws a synthetic copy, free of charge, as often as you like."]
        title = f"{type(self).__name__} of {schema.name or 'a table'}"
        head = ("column", "type", "values", "besides", "source")
        return shown(title, facts, head, column_rows(schema), remarks, "" if self.private else NOT_PRIVATE)

    def _counted(self) -> str:
        return counted(self.size, "row" if self.schema.panel is None else "unit")

    def _price(self) -> str:
        delta = "" if self.delta is None else f", delta {float(self.delta):g}"
        return f"epsilon {as_decimal(self.epsilon)}{delta}"

    def facts(self) -> Facts:
        """Return the public facts of the release."""
        return Facts(self.schema, self.plan, self.terms, self.epsilon, self.delta, self.private, self.size)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON values."""
        kind = {"kind": self.kind} if self.kind else {}
        notice = {} if self.private else {"notice": NOTICE}
        return {"format": FORMAT, **kind, **notice, **self.facts().to_dict(), **self._own_form()}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Self:
        """Rebuild a model from `to_dict`."""
        check_format(form.get("format"))
        if form.get("kind", "") != cls.kind:
            raise ModelError(
                f"this model is not one for {cls.__name__}; load it with quantail.load_model, which tells tables "
                "from panels"
            )
        terms = read_terms(form)
        shared = {
            "schema": Schema.from_toml(terms.schema),
            "plan": Plan.from_dict(form["plan"]),
            "terms": terms,
            "private": form["private"],
            "library": form["library"],
        }
        model = cls._read(form, shared)
        check_fields(model, ReleasedModel)
        model._try_out()
        return model

    def save(self, path: str | Path) -> None:
        """Write the model as JSON.

        Raises
        ------
        ModelError
            If the file cannot be written; the model is as it was, and can be saved elsewhere.
        """
        text = json.dumps(self.to_dict(), indent=1) + "\n"
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise ModelError(f"the model cannot be written to {path}: {error.strerror}") from None

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a model that `save` wrote.

        Raises
        ------
        ModelError
            If the file cannot be read or is not a model of this kind.
        """
        return read_model(path, cls.from_dict)

    @abstractmethod
    def _own_form(self) -> dict[str, Any]:
        """Return what only this kind of model holds, as plain JSON values."""

    @classmethod
    @abstractmethod
    def _read(cls, form: Mapping[str, Any], shared: Mapping[str, Any]) -> Self:
        """Read what `_own_form` wrote, and make a model with what all of them share."""

    @abstractmethod
    def _try_out(self) -> None:
        """Raise an error unless something can be drawn from every group."""


def drawing_generator(seed: int | None) -> np.random.Generator:
    """Return the generator of synthetic rows: a new one each time, unless it is seeded."""
    check_seed(seed)
    return np.random.default_rng(secrets.randbits(128) if seed is None else seed)


def check_numbers(**numbers: int | None) -> None:
    """Raise an OptionError unless numbers of rows and replicates are whole and not beyond all bounds."""
    for word, number in numbers.items():
        if number is not None and check_size(number, word) > MOST_CHUNKED:
            raise OptionError(f"{word} must be at most {MOST_CHUNKED}")


def check_size(number: Any, what: str) -> int:
    """Return a number of rows or units, or raise an OptionError unless it is whole and at least 1."""
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise OptionError(f"{what} must be a whole number of at least 1")
    return number
