"""The panel methods by name: how each checks its options, plans its budget, fits a group, and draws it again.

    pooled                     this package's own: all periods at once, a latent model fitted to a few noisy tables
    kng, stepwise, sandwich    the paper's year-by-year procedure, made valid

A new method is a new entry here; nothing else needs to know its name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, get_args

import numpy as np

from quantail.errors import OptionError
from quantail.frames import PanelData
from quantail.orders.steps import Order
from quantail.orders.yearly.design import plan_yearly
from quantail.orders.yearly.fitting import fit_yearly
from quantail.orders.yearly.model import draw_yearly, read_yearly_model, write_yearly
from quantail.orders.yearly.settings import read_yearly
from quantail.panel.pooled import (
    draw_pooled,
    fit_pooled,
    no_settings,
    plan_pooled,
    read_pooled,
    write_pooled,
)
from quantail.panel.units import Drawn, PanelUnits
from quantail.privacy import Gate, Plan
from quantail.schema import Schema


@dataclass(frozen=True)
class PanelMethod:
    """What a panel synthesizer and a panel model need of a method."""

    # from options that were given (None for those that were not) to checked settings
    settings: Callable[[Mapping[str, Any]], Any]
    # from settings, schema, public number of units, cost and a name to the budget of one group
    plan: Callable[[Any, Schema, int, Fraction, str], Plan]
    # from settings, a gate on that budget, the panel of one group, the units of its release (synthetic, or the
    # same) and a callback to what is released: a frozen dataclass of plain values
    fit: Callable[[Any, Gate, PanelData, PanelUnits, Callable[[str], None]], Any]
    # write, read: between what is released and plain data for JSON
    write: Callable[[Any], dict[str, Any]]
    read: Callable[[Mapping[str, Any]], Any]
    # from what is released, the units of a group and a generator to what is drawn
    draw: Callable[[Any, PanelUnits, np.random.Generator], Drawn]
    full: bool = False  # whether the method can make lives of units synthetic too


def panel_method_of(name: str) -> PanelMethod:
    """Return a method by its name."""
    if name not in PANEL_METHODS:
        raise OptionError(f"method {name!r} is not known; use one of: {', '.join(PANEL_METHODS)}")
    return PANEL_METHODS[name]


PANEL_METHODS: dict[str, PanelMethod] = {
    "pooled": PanelMethod(
        no_settings, plan_pooled, fit_pooled, write_pooled, read_pooled, draw_pooled, full=True
    ),
    **{
        order: PanelMethod(
            partial(read_yearly, order),
            plan_yearly,
            lambda settings, gate, data, units, tell: fit_yearly(settings, gate, data, tell),
            write_yearly,
            read_yearly_model,
            lambda model, units, rng: Drawn(draw_yearly(model, units, rng)),
        )
        for order in get_args(Order)
    },
}
