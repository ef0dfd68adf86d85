"""The paper's year-by-year procedure for panels as a function of a small panel and a source of noise.

As in `order_mechanisms.py`: production code from the gate to the released lines, with two or three candidates
everywhere.
"""

from collections.abc import Hashable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa

from quantail.auditing.enumeration import Branching, Mechanism, Table
from quantail.auditing.order_mechanisms import shortest_lists
from quantail.frames import PanelData
from quantail.orders.steps import Order
from quantail.orders.yearly.design import plan_yearly
from quantail.orders.yearly.fitting import fit_yearly
from quantail.orders.yearly.settings import read_yearly
from quantail.privacy import Gate
from quantail.schema import Column, Panel, Schema

SCHEMA = Schema(
    (Column("emp", "numeric", 0, 4, resolution=1.0),),
    "establishment",
    panel=Panel("id", "first", "last", 2000, 2001, synthesis="partial"),
)
HISTORIES = ((0.0, 0.0), (0.0, 4.0), (4.0, 1.0), (4.0, 4.0))


def yearly_mechanism(order: Order, slopes: str, units: int, *, budget: int = 1) -> Mechanism:
    """Return a panel of two periods; a row is a unit, with its value in each of them."""
    settings = read_yearly(order, {"taus": [0.5, 0.8], "slopes": slopes})
    settings = replace(settings, lines=replace(settings.lines, rules=shortest_lists(order)))
    plan = plan_yearly(settings, SCHEMA, units, Fraction(budget), "panel")
    first, last = (np.full(units, period) for period in (2000, 2001))

    def mechanism(table: Table, noise: Branching) -> Hashable:
        noise.given = 0.5  # no dither: what holds for every dither holds for its mixture (proofs/dither.md)
        values = {"emp": np.array(table, dtype=np.float64)}
        data = PanelData(SCHEMA, pa.array(range(units)), first, last, np.zeros(units, np.int64), {}, values)
        return fit_yearly(settings, Gate(plan, noise, "replace-one", noise.watch), data, lambda name: None)

    return mechanism
