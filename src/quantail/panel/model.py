"""A fitted panel: what was released of every group, with its units.

Everything in it is released or public: it can be published, and any number of panels can be drawn from it free of
charge. Saved as readable JSON, except for the list of units (`units.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from quantail.errors import OptionError
from quantail.frames import PanelData, release_panel
from quantail.frames.panel import panel_of
from quantail.panel.methods import panel_method_of
from quantail.panel.units import Drawn, PanelUnits
from quantail.release.fields import check_fields
from quantail.release.model import ReleasedModel, check_numbers, drawing_generator


@dataclass(frozen=True)
class PanelGroup:
    """What was released of one group of units: its place among the schema's groups, and the method's own part."""

    group: int
    released: Any


@dataclass(frozen=True, repr=False)
class PanelModel(ReleasedModel):
    """A released model of a panel.

    Attributes
    ----------
    units : PanelUnits
        Who the units are, from when to when, and their public columns: synthetic, or kept as they are.
    groups : tuple of PanelGroup
        What was released of every group of units.

    Examples
    --------
    >>> from quantail.examples import industry_example, industry_schema
    >>> from quantail.panel import PanelSynthesizer
    >>> table = industry_example(300)
    >>> model = PanelSynthesizer(industry_schema(), 1, noise="simulated", seed=1).fit(table)
    >>> model.sample(seed=1).num_rows
    300
    """

    kind: ClassVar[str] = "panel"

    units: PanelUnits
    groups: tuple[PanelGroup, ...]

    @property
    def size(self) -> int:
        """Units of the panel: public, or released under add/remove."""
        return len(self.units)

    @property
    def rows(self) -> int:
        """Rows of a synthetic panel, at most: one for every unit if it is wide, for every period of a life if long."""
        if panel_of(self.schema).layout == "wide":
            return len(self.units)
        return int((self.units.exit - self.units.entry + 1).sum())

    def sample(self, rows: None = None, replicates: int = 1, seed: int | None = None) -> Any:
        """Draw synthetic panels; free of charge, because the model is already released.

        Parameters
        ----------
        rows : None
            A synthetic panel has as many units as its skeleton: no other number can be asked for.
        replicates : int
            Number of panels; a list is returned if it is above 1.
        seed : int, optional
            For the same panels again; by default they are different each time.

        Returns
        -------
        frame or list of frames
            Of the library that was fitted, in the layout and types that the schema says, sorted by unit; missing
            where a unit is not active. What is public under partial synthesis is as it was, all else synthetic.
        """
        if rows is not None:
            raise OptionError(
                "a synthetic panel has as many units as its skeleton, so rows cannot be chosen; leave rows out, or "
                "draw several panels with replicates="
            )
        check_numbers(replicates=replicates)
        rng = drawing_generator(seed)
        frames = [release_panel(self.draw(rng), self.library) for _ in range(replicates)]
        return frames[0] if replicates == 1 else frames

    def draw(self, rng: np.random.Generator) -> PanelData:
        """Draw one synthetic panel as arrays."""
        whole = Drawn.empty(self.schema, len(self.units))
        for places, drawn in self._drawn(rng):
            whole.put(places, drawn)
        return self.units.filled(whole)

    def _drawn(self, rng: np.random.Generator) -> Iterator[tuple[Any, Drawn]]:
        method = panel_method_of(self.method)
        for group in self.groups:
            places = np.flatnonzero(self.units.group == group.group)
            yield places, method.draw(group.released, self.units.take(places), rng)

    def _own_form(self) -> dict[str, Any]:
        write = panel_method_of(self.method).write
        groups = [{"group": group.group, "released": write(group.released)} for group in self.groups]
        return {"library": self.library, "groups": groups, "list": self.units.to_text()}

    @classmethod
    def _read(cls, form: Mapping[str, Any], shared: Mapping[str, Any]) -> "PanelModel":
        read = panel_method_of(form["method"]).read
        groups = tuple(PanelGroup(item["group"], read(item["released"])) for item in form["groups"])
        for group in groups:
            check_fields(group.released)
        return cls(**shared, units=PanelUnits.from_text(form["list"], shared["schema"]), groups=groups)

    def _try_out(self) -> None:
        """Raise an error unless every unit belongs to a group that can be drawn from."""
        known = {group.group for group in self.groups}
        if len(known) < len(self.groups) or not set(np.unique(self.units.group).tolist()) <= known:
            raise ValueError("units and groups do not match")
        method, rng = panel_method_of(self.method), np.random.default_rng(0)
        for group in self.groups:
            few = self.units.take(np.flatnonzero(self.units.group == group.group)[:5])
            few.filled(method.draw(group.released, few, rng))
