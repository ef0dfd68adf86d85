"""Released models of single columns: frozen, JSON in and out, able to turn uniform noise into values.

A numeric column is built up from its innovation e (one draw from its curve):

    r = e,  then bends along earlier innovations,  then shifts by category,  then + slope * (x - a released point of x),

and last a monotone map onto the calibrated marginal distribution, where one was released.

The innovation, not the value, explains later columns: innovations are close to independent, so that slopes can be
chosen one at a time. Of a column that nothing explains it is the value as it is recorded.

A number may be absent: a category, its status, says so. An absent value is NaN, and what explains later columns is
then the middle of the column's innovations, which moves nothing (the status itself may).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantail.curves import AnyCurve, AtomCurve, Bend, Remap, Scale, curve_from_dict
from quantail.curves.balanced import balanced_uniform
from quantail.curves.slope import Slope
from quantail.curves.top import Top

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


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
    shifts: tuple[tuple[str, Bend], ...]
    slopes: tuple[Slope, ...]
    bends: tuple[tuple[str, Bend], ...]
    curve: AnyCurve
    remap: Remap | None = None
    status: str = ""
    top: Top | None = None
    bottom: Top | None = None

    @property
    def explained(self) -> bool:
        """Whether earlier columns say anything about this one."""
        return bool(self.shifts or self.slopes or self.bends)

    @property
    def apart(self) -> bool:
        """Whether an atom stands apart from the other rows: they explain later columns, rows in it as if absent."""
        return isinstance(self.curve, AtomCurve) and self.curve.apart

    def innovation(self, u: Floats) -> Floats:
        """Return innovations from uniform draws; a column of its own is calibrated here."""
        e = self.curve(u)
        return e if self.remap is None or self.explained else self.remap(e)

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
        return self.innovation(u)

    def explaining_of(self, values: Floats, earlier: Mapping[str, NDArray[Any]]) -> Floats:
        """Return what explains later columns, from values on the modelling scale: see `explaining`."""
        found = self.flatten(values, earlier) if self.explained else self.scale.recorded(values)
        return self.centred(found, values)

    def centred(self, innovations: Floats, values: Floats) -> Floats:
        """Return innovations, those of rows in an atom that stands apart in the middle, where they move nothing."""
        if isinstance(self.curve, AtomCurve) and self.apart:
            return np.where(values <= self.curve.high, self.centre, innovations)
        return innovations

    @property
    def centre(self) -> float:
        """The innovation that stands for a number that is absent."""
        return float(self.beyond_atom(np.array([0.5]))[0])

    def build(self, innovation: Floats, earlier: Mapping[str, NDArray[Any]]) -> Floats:
        """Return values on the modelling scale, from innovations and those of earlier columns; see `finish`."""
        r = innovation
        for name, bend in reversed(self.bends):
            r = bend.restore(r, earlier[name])
        for name, shift in reversed(self.shifts):
            r = shift.restore(r, earlier[name])
        for slope in self.slopes:
            r = r + slope.at(earlier[slope.on])
        return r

    def flatten(self, values: Floats, earlier: Mapping[str, NDArray[Any]]) -> Floats:
        """Return the innovations of values on the modelling scale (the inverse of `build`)."""
        r = values
        for slope in self.slopes:
            r = slope.flatten(r, earlier[slope.on])
        for name, shift in self.shifts:
            r = shift.flatten(r, earlier[name])
        for name, bend in self.bends:
            r = bend.flatten(r, earlier[name])
        return r

    def calibrate(self, built: Floats) -> Floats:
        """Return built values set right by the calibration of an explained column."""
        return self.remap(built) if self.remap is not None and self.explained else built

    def topped(self, values: Floats) -> Floats:
        """Return drawn values with the tails that were released for the column as a whole; ranks stay."""
        if self.top is not None:
            values = self.top(values)
        return values if self.bottom is None else -self.bottom(-values)

    def following(self, predictor: "NumericModel") -> "NumericModel":
        """Return this column as it follows a predictor whose top was set right: slopes know no limits here."""
        return self

    def finish(self, calibrated: Floats) -> Floats:
        """Return values clipped to the public bounds."""
        low, high = self.scale.ends
        return np.clip(calibrated, low, high)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        status = {"status": self.status} if self.status else {}
        ends = {"top": self.top, "bottom": self.bottom} if self.scale.log else {}
        tails = {name: None if end is None else end.to_dict() for name, end in ends.items()}
        return {
            "name": self.name,
            "kind": "numeric",
            "scale": vars(self.scale),
            "shifts": [{"on": name, **bend.to_dict()} for name, bend in self.shifts],
            "slopes": [vars(slope) for slope in self.slopes],
            "bends": [{"on": name, **bend.to_dict()} for name, bend in self.bends],
            "curve": self.curve.to_dict(),
            "remap": None if self.remap is None else self.remap.to_dict(),
            **status,
            **tails,
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "NumericModel":
        """Rebuild a column from `to_dict`."""
        return cls(
            form["name"],
            Scale(**form["scale"]),
            _bends(form["shifts"]),
            tuple(Slope(**slope) for slope in form["slopes"]),
            _bends(form["bends"]),
            curve_from_dict(form["curve"]),
            None if form["remap"] is None else Remap.from_dict(form["remap"]),
            form.get("status", ""),
            *(_top(form[name]) if form["scale"]["log"] else None for name in ("top", "bottom")),
        )


@dataclass(frozen=True)
class CategoryModel:
    """Released shares of categories, in each cell of a context (one cell if there is none).

    Attributes
    ----------
    cuts : tuple of float
        Cut points of a numeric context on its modelling scale, or between groups of ordered labels; empty for a
        category context whose labels are told apart.
    shares : tuple of tuple of float
        One row per cell of the context (rows whose context is absent have the last cell to themselves), one share
        per category.
    """

    name: str
    context: str
    cuts: tuple[float, ...]
    shares: tuple[tuple[float, ...], ...]

    def cell(self, context: NDArray[Any]) -> Codes:
        """Return the cell of the context that each row falls in."""
        return context_cell(context, self.cuts)

    def build(self, u: Floats, context: NDArray[Any] | None) -> Codes:
        """Return category codes from uniform draws."""
        ends = np.cumsum(np.asarray(self.shares), axis=1)
        ends /= ends[:, -1:]
        rows = np.zeros(u.size, dtype=np.int64) if context is None else self.cell(context)
        codes = (u[:, None] > ends[rows]).sum(axis=1)
        return np.asarray(np.minimum(codes, ends.shape[1] - 1), dtype=np.int64)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        shares = [list(row) for row in self.shares]
        return {
            "name": self.name,
            "kind": "category",
            "context": self.context,
            "cuts": list(self.cuts),
            "shares": shares,
        }

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> "CategoryModel":
        """Rebuild a column from `to_dict`."""
        return cls(
            form["name"], form["context"], tuple(form["cuts"]), tuple(tuple(row) for row in form["shares"])
        )


ColumnModel = NumericModel | CategoryModel


def context_cell(context: NDArray[Any], cuts: tuple[float, ...]) -> Codes:
    """Return the cell of each row: its code, or the interval between cut points; the last cell if it is absent."""
    if not cuts:
        return context.astype(np.int64)
    cell = np.searchsorted(np.asarray(cuts), context, side="left")
    return np.where(np.isnan(context), len(cuts) + 1, cell).astype(np.int64)


@dataclass(frozen=True)
class Draw:
    """Synthetic rows: what explains later columns, what was built from it, and what is handed out."""

    innovations: dict[str, NDArray[Any]]
    built: dict[str, NDArray[Any]]
    values: dict[str, NDArray[Any]]
    whole: dict[str, NDArray[Any]] = field(default_factory=dict)


def draw_rows(
    columns: tuple[ColumnModel, ...],
    n: int,
    rng: np.random.Generator,
    balanced: bool = False,
    given: Mapping[str, NDArray[Any]] | None = None,
) -> Draw:
    """Draw n synthetic rows from released columns: post-processing, free of charge.

    Balanced rows come from a scrambled Sobol sequence in place of independent uniforms: each row has the same law,
    and together they represent the model with far less sampling error. Columns that are `given` (codes, or values on
    the modelling scale) are kept, and the others drawn in the light of them.
    """
    known = given or {}
    free = [column.name for column in columns if column.name not in known]
    uniform = balanced_uniform(len(free), n, rng) if balanced else rng.random((len(free), n))
    drawn = dict(zip(free, uniform, strict=True))
    rows = Draw({}, {}, {})
    for column in columns:
        draw_column(rows, column, drawn.get(column.name, np.empty(0)), known)
    return rows


def draw_column(rows: Draw, column: ColumnModel, u: Floats, known: Mapping[str, NDArray[Any]]) -> None:
    """Add a column to synthetic rows: drawn from uniform numbers u, or as it is known."""
    if isinstance(column, CategoryModel):
        context = rows.values[column.context] if column.context else None
        codes = known[column.name] if column.name in known else column.build(u, context)
        rows.innovations[column.name] = rows.values[column.name] = codes
    elif column.name in known:
        values = rows.built[column.name] = rows.values[column.name] = known[column.name]
        middle = column.build(np.full(values.size, column.centre), rows.innovations)
        rows.whole[column.name] = np.where(np.isnan(values), middle, values)
        innovation = column.explaining_of(values, rows.innovations)
        rows.innovations[column.name] = np.where(np.isnan(values), column.centre, innovation)
    else:
        _draw_number(rows, column, u)


def _draw_number(rows: Draw, column: NumericModel, u: Floats) -> None:
    innovation = column.innovation(u)
    built = column.build(innovation, rows.innovations)
    calibrated = column.topped(column.calibrate(built))
    # Later columns follow what is handed out: a calibration that moves a value moves them along.
    if calibrated is not built or not column.explained:
        innovation = column.explaining_of(calibrated, rows.innovations)
    values = rows.whole[column.name] = column.finish(calibrated)
    if column.status:
        absent = rows.values[column.status] != 0
        innovation = np.where(absent, column.centre, innovation)
        built, values = (np.where(absent, np.nan, part) for part in (built, values))
    rows.innovations[column.name], rows.built[column.name] = innovation, built
    rows.values[column.name] = values


def column_from_dict(form: Mapping[str, Any]) -> ColumnModel:
    """Rebuild either kind of column."""
    return CategoryModel.from_dict(form) if form["kind"] == "category" else NumericModel.from_dict(form)


def _bends(forms: list[dict[str, Any]]) -> tuple[tuple[str, Bend], ...]:
    return tuple((form["on"], Bend.from_dict({k: v for k, v in form.items() if k != "on"})) for form in forms)


def _top(form: Mapping[str, Any] | None) -> Top | None:
    return None if form is None else Top.from_dict(form)
