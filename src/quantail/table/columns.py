"""Released columns with the law of their field: what stage one released, and what stage two added.

A number and its status are one field; the law is with the number. What stage one released is the base of the law.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from quantail.arrays import Floats
from quantail.table.base_law import BaseLaw
from quantail.table.heaps import Heap, chosen_heaps, fine_digits, heaps_from, rounded
from quantail.table.law import FieldLaw
from quantail.table.stage_one.column import CategoryModel, ColumnModel, NumericModel, column_from_dict
from quantail.table.values import Figures, ValueCuts


@dataclass(frozen=True)
class NumberColumn(NumericModel):
    """A number with the law of its cells given earlier fields."""

    law: FieldLaw | None = None
    heaps: tuple[Heap, ...] = ()
    figures: Figures | None = None  # which round figures numbers become, where each was counted
    cuts: ValueCuts | None = None  # of few values: which of them a number becomes

    @classmethod
    def of(cls, model: NumericModel, law: FieldLaw) -> "NumberColumn":
        """Add a law to what stage one released."""
        return cls(**{part.name: getattr(model, part.name) for part in fields(NumericModel)}, law=law)

    @cached_property
    def base(self) -> BaseLaw:
        """The law of the number where it is there, without slopes."""
        return BaseLaw.of(self.curve)

    def following(self, predictor: NumericModel) -> "NumberColumn":
        """Return this column with slopes that act as far as a predictor reaches, now that its top is set right."""
        if self.law is None or (predictor.top is None and predictor.bottom is None):
            return self
        reach = tuple(
            _moved(predictor, ends) if slope.on == predictor.name else ends
            for slope, ends in zip(self.slopes, self.law.reach, strict=True)
        )
        return replace(self, law=replace(self.law, reach=reach))

    def settled(self, values: Floats, u: Floats) -> Floats:
        """Return drawn values on the modelling scale, as counted values and round figures; u is what drew them."""
        scale = self.scale
        if self.cuts is not None:
            values = scale.forward(self.cuts.settled(values))
        if not self.heaps:
            return values
        numbers = scale.unfolded(values)
        found = rounded(numbers, chosen_heaps(numbers, u, self.heaps), self.heaps, scale.lower, scale.upper)
        if self.figures is not None and self.law is not None:
            counted = numbers <= self.figures.which.values[-1]
            share = np.asarray(self.figures.shares)[np.searchsorted(self.law.cells.edges, values)]
            figure = fine_digits(u) < share
            settled = np.where(figure, self.figures.which.settled(values), numbers)
            found = np.where(counted, settled, found)
        return scale.forward(found)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        heaps = {"heaps": [vars(heap) for heap in self.heaps]} if self.heaps else {}
        parts = {"figures": self.figures, "cuts": self.cuts}
        counted = {name: part.to_dict() for name, part in parts.items() if part is not None}
        return super().to_dict() | {"law": None if self.law is None else self.law.to_dict()} | heaps | counted


def _moved(predictor: NumericModel, ends: tuple[float, float]) -> tuple[float, float]:
    """Return where a predictor's innovations end once its values are moved; of an explained one, at the farthest."""
    if not predictor.explained:
        low, high = predictor.topped(np.array(ends)).tolist()
        return low, high
    low, high = (
        0.0 if part is None else max(0.0, *np.subtract(part.values, part.knots).tolist())
        for part in (predictor.bottom, predictor.top)
    )
    return ends[0] - low, ends[1] + high


@dataclass(frozen=True)
class LabelColumn(CategoryModel):
    """A category with the law of its labels given earlier fields; a status has none, its number has."""

    law: FieldLaw | None = None

    @classmethod
    def of(cls, model: CategoryModel, law: FieldLaw | None) -> "LabelColumn":
        """Add a law to what stage one released."""
        return cls(model.name, model.shares, law)

    def to_dict(self) -> dict[str, Any]:
        """Return a form that JSON can hold."""
        return super().to_dict() | {"law": None if self.law is None else self.law.to_dict()}


TableColumn = NumberColumn | LabelColumn


def table_column_from_dict(form: Mapping[str, Any]) -> TableColumn:
    """Rebuild either kind of column."""
    law = None if form["law"] is None else FieldLaw.from_dict(form["law"])
    column = column_from_dict(form)
    if isinstance(column, CategoryModel):
        return LabelColumn.of(column, law)
    if law is None:
        raise ValueError("a number without a law")
    figures = Figures.from_dict(form["figures"]) if "figures" in form else None
    cuts = ValueCuts.from_dict(form["cuts"]) if "cuts" in form else None
    heaps = heaps_from(form.get("heaps", ()))
    return replace(NumberColumn.of(column, law), heaps=heaps, figures=figures, cuts=cuts)


@dataclass(frozen=True)
class Field:
    """A field: the column that has its law, and its status, if it is a number that may be absent."""

    column: ColumnModel
    status: CategoryModel | None = None

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.column.name

    @property
    def is_number(self) -> bool:
        """Whether it is a number."""
        return isinstance(self.column, NumericModel)


def fields_of(columns: Sequence[ColumnModel]) -> Iterator[Field]:
    """Yield the fields of columns in synthesis order; a status stands right before its number."""
    statuses = {column.status for column in columns if isinstance(column, NumericModel) and column.status}
    by_name = {column.name: column for column in columns}
    for column in columns:
        if column.name in statuses:
            continue
        status = by_name[column.status] if isinstance(column, NumericModel) and column.status else None
        assert status is None or isinstance(status, CategoryModel)
        yield Field(column, status)
