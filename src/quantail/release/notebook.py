"""What a notebook shows of a released model: what was released at what price, and how to draw from it."""

from typing import TYPE_CHECKING

from quantail.notebook import counted, short, shown
from quantail.privacy import as_decimal
from quantail.schema.notebook import column_rows

if TYPE_CHECKING:
    from quantail.release.model import ReleasedModel

_NOT_PRIVATE = "NOT PRIVATE: made with simulated, seeded noise, for tests and experiments; do not release."


def model_line(model: "ReleasedModel") -> str:
    """Return a model as one line."""
    name = f" {short(model.schema.name)}" if model.schema.name else ""
    size = counted(model.size, "row" if model.schema.panel is None else "unit")
    columns = counted(len(model.schema.columns), "column")
    price = _price(model) + ("" if model.private else ", NOT PRIVATE")
    return f"<{type(model).__name__}{name}: {columns}, {size}, {price}, method {model.method}>"


def model_html(model: "ReleasedModel") -> str:
    """Return a model as HTML; everything in it is public."""
    schema = model.schema
    facts = [
        ("privacy", f"{_price(model)} for every {schema.unit}, {schema.neighbours}"),
        ("size", counted(model.size, "row" if schema.panel is None else "unit")),
        ("method", model.method),
        ("plan hash", model.terms.hash()[:16] + "…"),
        ("made by", f"quantail {model.version}"),
    ]
    remarks = ["model.sample() draws a synthetic copy, free of charge, as often as you like."]
    title = f"{type(model).__name__} of {schema.name or 'a table'}"
    head = ("column", "type", "values", "besides", "source")
    return shown(title, facts, head, column_rows(schema), remarks, "" if model.private else _NOT_PRIVATE)


def _price(model: "ReleasedModel") -> str:
    delta = "" if model.delta is None else f", delta {float(model.delta):g}"
    return f"epsilon {as_decimal(model.epsilon)}{delta}"
