"""The methods by name: how each checks its options, draws up a design, fits it, and reads and draws its columns.

    tables                     this package's own: columns by themselves and slopes, then chosen tables of counts
    kng, stepwise, sandwich    the paper's orders of single quantiles, made valid

A new method is a new entry here; nothing else needs to know its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from quantail.curves import Rows
from quantail.errors import OptionError
from quantail.orders.design import LinesDesign, draw_lines_design
from quantail.orders.fitting import fit_lines
from quantail.orders.model import LinesModel, draw_lines
from quantail.orders.settings import read_settings
from quantail.orders.steps import Order
from quantail.privacy import Definition, Gate
from quantail.schema import Schema
from quantail.table.columns import TableColumn, table_column_from_dict
from quantail.table.design import TablesDesign, draw_tables_design
from quantail.table.fitting import fit_tables
from quantail.table.forward import draw_table
from quantail.table.stage_one.rules import TablesSettings

REPLACED = "ladder"
"""The first method of this package; its models can be drawn by the versions that fitted them."""

AnyColumn = LinesModel | TableColumn
AnyDesign = LinesDesign | TablesDesign


@dataclass(frozen=True)
class Method:
    """What a synthesizer and a model need of a method."""

    # from options that were given (None for those that were not) to checked settings
    settings: Callable[[Mapping[str, Any]], Any]
    # from settings, schema, rows, cost, definition and a name to a design
    design: Callable[[Any, Schema, int, Fraction, Definition, str], AnyDesign]
    # from a gate, a design, confidential rows and a callback to released columns
    fit: Callable[[Gate, Any, Rows, Callable[[str], None]], tuple[AnyColumn, ...]]
    read: Callable[[Mapping[str, Any]], AnyColumn]  # from the saved form of a column to the column
    # from columns, a number of rows, a generator, whether to balance them, columns that are given (or None) and the
    # schema, to values on the modelling scales
    draw: Callable[[Any, int, np.random.Generator, bool, Any, Schema], dict[str, NDArray[Any]]]
    streams: bool = False  # whether rows may be larger than memory, and given ones can be completed


def method_of(name: str) -> Method:
    """Return a method by its name."""
    if name == REPLACED:
        raise OptionError(f"method {name!r} was replaced by 'tables', which is the default; leave method out")
    if name not in METHODS:
        raise OptionError(f"method {name!r} is not known; use one of: {', '.join(METHODS)}")
    return METHODS[name]


def _no_settings(given: Mapping[str, Any]) -> TablesSettings:
    for option, value in given.items():
        if value is not None:
            raise OptionError(
                f"{option} belongs to the paper's methods (kng, stepwise, sandwich); leave it out with method 'tables'"
            )
    return TablesSettings()


def _lines_values(
    columns: tuple[LinesModel, ...],
    n: int,
    rng: np.random.Generator,
    balanced: bool,
    given: None,
    schema: Schema,
) -> dict[str, NDArray[Any]]:
    return draw_lines(columns, n, rng, balanced)


METHODS: dict[str, Method] = {
    "tables": Method(_no_settings, draw_tables_design, fit_tables, table_column_from_dict, draw_table, True),
    **{
        order: Method(
            partial(read_settings, order), draw_lines_design, fit_lines, LinesModel.from_dict, _lines_values
        )
        for order in get_args(Order)
    },
}
