"""A fitted panel: what was released of every group, with the public side of its units.

Everything in it is released or public: it can be published, and any number of panels can be drawn from it free of
charge. Saved as readable JSON, except for the list of units (`panel_units`).
"""

import json
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from quantail._version import __version__
from quantail.errors import ModelError, OptionError, QuantailError
from quantail.frames import PanelData, release_panel
from quantail.io import Kind
from quantail.panel.methods import panel_method_of
from quantail.panel.units import PanelUnits
from quantail.privacy import Plan, Terms, check_seed
from quantail.release.fields import check_fields
from quantail.schema import Schema
from quantail.table.model import FORMAT, NOT_PRIVATE, check_format, read_terms


@dataclass(frozen=True)
class PanelGroup:
    """What was released of one group of units: its place among the schema's groups, and the method's own part."""

    group: int
    released: Any


@dataclass(frozen=True)
class PanelModel:
    """A released model of a panel.

    Examples
    --------
    >>> from quantail.examples import industry_example, industry_schema
    >>> from quantail.panel import PanelSynthesizer
    >>> table = industry_example(300)
    >>> model = PanelSynthesizer(industry_schema(), 1, noise="simulated", seed=1).fit(table)
    >>> model.sample(seed=1).num_rows
    300
    """

    schema: Schema
    plan: Plan
    epsilon: str
    method: str
    private: bool
    library: Kind
    units: PanelUnits
    groups: tuple[PanelGroup, ...]
    terms: Terms
    version: str = __version__

    def sample(self, replicates: int = 1, seed: int | None = None) -> Any:
        """Draw synthetic panels; free of charge, because the model is already released.

        Parameters
        ----------
        replicates : int
            Number of panels; a list is returned if it is above 1.
        seed : int, optional
            For the same panels again; by default they are different each time.

        Returns
        -------
        frame or list of frames
            Of the library that was fitted, in the layout and types that the schema says, sorted by unit: public
            columns as they were, confidential ones synthetic, missing where a unit is not active.
        """
        if not isinstance(replicates, int) or isinstance(replicates, bool) or replicates < 1:
            raise OptionError("replicates must be a whole number of at least 1")
        check_seed(seed)
        rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
        frames = [release_panel(self.draw(rng), self.library) for _ in range(replicates)]
        return frames[0] if replicates == 1 else frames

    def draw(self, rng: np.random.Generator) -> PanelData:
        """Draw one synthetic panel as arrays."""
        periods = len(self.schema.panel.periods) if self.schema.panel else 0
        values = {c.name: np.full((len(self.units), periods), np.nan) for c in self.schema.confidential}
        for places, drawn in self._drawn(rng):
            for name, array in drawn.items():
                values[name][places] = array
        return self.units.filled(values)

    def _drawn(self, rng: np.random.Generator) -> Iterator[tuple[Any, dict[str, Any]]]:
        method = panel_method_of(self.method)
        for group in self.groups:
            places = np.flatnonzero(self.units.group == group.group)
            yield places, method.draw(group.released, self.units.take(places), rng)

    def facts(self) -> dict[str, Any]:
        """Return the public facts of the release, as plain JSON values."""
        return {
            "epsilon": self.epsilon,
            "delta": "",
            "definition": "pure",
            "neighbours": self.schema.neighbours,
            "unit": self.schema.unit,
            "schema": self.schema.to_toml(),
            "plan": self.plan.to_dict(),
            "terms": self.terms.to_dict(),
            "plan_hash": self.terms.hash(),
            "method": self.method,
            "version": self.version,
            "private": self.private,
            "units": len(self.units),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON values."""
        write = panel_method_of(self.method).write
        groups = [{"group": group.group, "released": write(group.released)} for group in self.groups]
        notice = {} if self.private else {"notice": NOT_PRIVATE}
        return {
            "format": FORMAT,
            "kind": "panel",
            **notice,
            **self.facts(),
            "library": self.library,
            "groups": groups,
            "list": self.units.to_text(),
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "PanelModel":
        """Rebuild a model from `to_dict`."""
        if form.get("kind") != "panel":
            raise ModelError("this is not a model of a panel; load it with TableModel")
        check_format(form.get("format"))
        schema = Schema.from_toml(form["schema"])
        read = panel_method_of(form["method"]).read
        model = cls(
            schema,
            Plan.from_dict(form["plan"]),
            form["epsilon"],
            form["method"],
            form["private"],
            form["library"],
            PanelUnits.from_text(form["list"], schema),
            tuple(PanelGroup(item["group"], read(item["released"])) for item in form["groups"]),
            read_terms(form),
            form["version"],
        )
        words = (model.epsilon, model.method, model.version)
        is_known = model.library in get_args(Kind) and isinstance(model.private, bool)
        if not all(isinstance(word, str) for word in words) or not is_known:
            raise ValueError("facts do not hold what they should")
        for group in model.groups:
            check_fields(group.released)
        model._try_out()
        return model

    def _try_out(self) -> None:
        """Raise an error unless every unit belongs to a group that can be drawn from."""
        known = {group.group for group in self.groups}
        if len(known) < len(self.groups) or not set(np.unique(self.units.group).tolist()) <= known:
            raise ValueError("units and groups do not match")
        method, rng = panel_method_of(self.method), np.random.default_rng(0)
        for group in self.groups:
            few = self.units.take(np.flatnonzero(self.units.group == group.group)[:5])
            few.filled(method.draw(group.released, few, rng))

    def save(self, path: str | Path) -> None:
        """Write the model as JSON."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "PanelModel":
        """Read a model that `save` wrote.

        Raises
        ------
        ModelError
            If the file cannot be read or is not a model of a panel.
        """
        try:
            form = json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_not_a_number)
        except OSError as error:
            raise ModelError(f"cannot read the model {path}: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise ModelError(f"{path} is not a model: it is not valid JSON; name the file of a fit") from None
        if not isinstance(form, dict):
            raise ModelError(f"{path} is not a model; name the file of a fit")
        try:
            return cls.from_dict(form)
        except ModelError:
            raise
        except (
            QuantailError,
            LookupError,
            TypeError,
            ValueError,
            AttributeError,
            ArithmeticError,
            RecursionError,
        ):
            raise ModelError(f"{path} is not a complete model; fit again, or get a fresh copy") from None


def _not_a_number(word: str) -> float:
    raise ValueError(f"{word} is not JSON")
