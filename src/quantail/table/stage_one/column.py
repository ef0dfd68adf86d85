"""What stage one releases of single columns: frozen, JSON in and out.

A number is what its slopes add up to, plus its *innovation* (one draw from its curve). The innovation, not the value,
explains later columns: innovations are close to independent, so that slopes can be chosen one at a time. Of a column
that nothing explains it is the value as it is recorded.

A number may be absent: a category, its status, says so. What explains later columns is then the middle of the column's
innovations, which moves nothing (the status itself may).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves import AnyCurve, AtomCurve, Scale, curve_from_dict
from quantail.curves.slope import Slope
from quantail.curves.top import Top

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class NumericModel:
    """The released model of a numeric or integer column.

    Attributes
    ----------
    status : str
        The category that says whether the number is there (code 0); empty if it always is.
    top, bottom : Top, optional
        Maps of its highest, and with the sign changed of its lowest, values.
    """

    name: str
    scale: Scale
    slopes: tuple[Slope, ...]
    curve: AnyCurve
    status: str = ""
    top: Top | None = None
    bottom: Top | None = None

    @property
    def explained(self) -> bool:
        """Whether earlier columns say anything about this one."""
        return bool(self.slopes)

    @property
    def apart(self) -> bool:
        """Whether an atom stands apart from the other rows: they explain later columns, rows in it as if absent."""
        return isinstance(self.curve, AtomCurve) and self.curve.apart

    def explaining(self, u: Floats) -> Floats:
        """Return what explains later columns, from uniform draws: innovations, if something explains this one, too.

        If nothing does, they follow its recorded value: one employee, not a number between a half and one and a half.
        """
        innovation = self.beyond_atom(u)
        return innovation if self.explained else self.scale.recorded(innovation)

    def beyond_atom(self, u: Floats) -> Floats:
        """Return innovations of rows that are not in an atom that stands apart; of an explained column, in none."""
        if isinstance(self.curve, AtomCurve) and (self.apart or self.explained):
            return self.curve.rest(u)
        return self.curve(u)

    def centred(self, innovations: Floats, values: Floats) -> Floats:
        """Return innovations, those of rows in an atom that stands apart in the middle, where they move nothing."""
        if isinstance(self.curve, AtomCurve) and self.apart:
            return np.where(values <= self.curve.high, self.centre, innovations)
        return innovations

    @property
    def centre(self) -> float:
        """The innovation that stands for a number that is absent."""
        return float(self.beyond_atom(np.array([0.5]))[0])

    def topped(self, values: Floats) -> Floats:
        """Return drawn values with the tails that were released for the column as a whole; ranks stay."""
        if self.top is not None:
            values = self.top(values)
        return values if self.bottom is None else -self.bottom(-values)

    def finish(self, values: Floats) -> Floats:
        """Return values clipped to the public bounds."""
        low, high = self.scale.ends
        return np.clip(values, low, high)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        status = {"status": self.status} if self.status else {}
        ends = {"top": self.top, "bottom": self.bottom} if self.scale.log else {}
        tails = {name: None if end is None else end.to_dict() for name, end in ends.items()}
        return {
            "name": self.name,
            "kind": "numeric",
            "scale": vars(self.scale),
            "slopes": [vars(slope) for slope in self.slopes],
            "curve": self.curve.to_dict(),
            **status,
            **tails,
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "NumericModel":
        """Rebuild a column from `to_dict`."""
        return cls(
            form["name"],
            Scale(**form["scale"]),
            tuple(Slope(**slope) for slope in form["slopes"]),
            curve_from_dict(form["curve"]),
            form.get("status", ""),
            *(_top(form[name]) if form["scale"]["log"] else None for name in ("top", "bottom")),
        )


@dataclass(frozen=True)
class CategoryModel:
    """Released shares of categories."""

    name: str
    shares: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return {"name": self.name, "kind": "category", "shares": list(self.shares)}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "CategoryModel":
        """Rebuild a column from `to_dict`."""
        return cls(form["name"], tuple(form["shares"]))


ColumnModel = NumericModel | CategoryModel


def column_from_dict(form: Mapping[str, Any]) -> ColumnModel:
    """Rebuild either kind of column."""
    return CategoryModel.from_dict(form) if form["kind"] == "category" else NumericModel.from_dict(form)


def _top(form: Mapping[str, Any] | None) -> Top | None:
    return None if form is None else Top.from_dict(form)
