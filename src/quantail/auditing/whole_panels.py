"""End to end for panels: whole fits, replayed on a panel in which the whole history of one unit is another."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from quantail.auditing.findings import Finding
from quantail.auditing.replay import Replay, replay, replays_finding
from quantail.orders.steps import Order
from quantail.panel import PanelSynthesizer
from quantail.schema import Column, Panel, Schema

UNITS, PERIODS = 40, 4
EXTREME = {"emp": (2000.0, 1.0, 2000.0, 1.0), "pay": (0.0, 5000.0, 0.0, 5000.0)}
EPSILON = 1

SCHEMA = Schema(
    (Column("emp", "integer", 0, 2000), Column("pay", "numeric", 0, 5000, grid="log", decimals=1)),
    "establishment",
    panel=Panel("id", "first", "last", 2000, 2000 + PERIODS - 1, synthesis="partial"),
)


FULL = replace(
    SCHEMA,
    columns=(*SCHEMA.columns, Column("region", "category", categories=("north", "south"))),
    panel=Panel("id", start=2000, end=2000 + PERIODS - 1, attributes=("region",), gaps=True),
)
GROUPS = replace(
    FULL, columns=(*FULL.columns, Column("trade", "category", categories=("mills", "shops"))), by=("trade",)
)
CHANGING = replace(
    FULL,
    panel=Panel("id", start=2000, end=2000 + PERIODS - 1, changing=("region",), gaps=True),
)
FITS: dict[str, tuple[Schema, str, dict[str, Any]]] = {
    "pooled": (SCHEMA, "pooled", {}),
    "pooled, full": (FULL, "pooled", {}),
    "pooled, groups that borrow": (GROUPS, "pooled", {}),
    "pooled, changing categories": (CHANGING, "pooled", {}),
} | {
    f"{order}, {slopes} slopes": (SCHEMA, order, {"slopes": slopes, "taus": [0.5, 0.6, 0.95]})
    for order, slopes in product(get_args(Order), ("fixed", "varying"))
}


def panel_of(seed: int, extreme: int | None = None, schema: Schema = SCHEMA) -> pa.Table:
    """Return a made-up panel; the history of unit `extreme` jumps between the public bounds.

    Under full synthesis it lives for other periods than before, and has another region.
    """
    rng = np.random.default_rng(seed)
    emp = np.floor(np.exp(rng.normal(2, 1, (UNITS, PERIODS))))
    pay = np.round(emp * rng.normal(20, 3, emp.shape), 1)
    if extreme is not None:
        emp[extreme], pay[extreme] = EXTREME["emp"], EXTREME["pay"]
    facts: dict[str, Any] = {
        "id": np.arange(UNITS),
        "first": np.full(UNITS, 2000),
        "last": np.full(UNITS, 2000 + PERIODS - 1),
    }
    if schema is not SCHEMA:
        lives = (np.arange(PERIODS) >= rng.integers(0, 2, UNITS)[:, None]) & (rng.random(emp.shape) > 0.1)
        lives[:, 1] = True
        regions = rng.integers(0, 2, UNITS)
        if extreme is not None:
            lives[extreme], regions[extreme] = (False, False, False, True), 1 - regions[extreme]
        emp, pay = np.where(lives, emp, np.nan), np.where(lives, pay, np.nan)
        trades = np.array(["mills", "shops"])[np.arange(UNITS) % 2]
        facts = {"id": facts["id"]}
        facts |= _regions(regions, lives, schema)
        facts |= {"trade": trades} if schema.by else {}
    values = {
        f"{name}_{2000 + k}": column[:, k]
        for name, column in (("emp", emp), ("pay", pay))
        for k in range(PERIODS)
    }
    return pa.table(facts | values)


def _regions(regions: Any, lives: Any, schema: Schema) -> dict[str, Any]:
    """Return regions of units; if they may change, units move there and back from period to period."""
    labels = np.array(["north", "south"])
    if schema.panel is None or not schema.panel.changing:
        return {"region": labels[regions]}
    return {
        f"region_{2000 + k}": pa.array(labels[regions * (k % 2)], mask=~lives[:, k]) for k in range(PERIODS)
    }


def panel_findings(repeats: int) -> Iterator[Finding]:
    """Yield the end-to-end check of every panel method."""
    for name, (schema, method, options) in FITS.items():
        synthesizer = PanelSynthesizer(schema, EPSILON, method=method, **options)
        replays = (_replay(synthesizer, schema, repeat) for repeat in range(repeats))
        yield replays_finding(f"whole panel, {name}", "replace-one", replays, float(EPSILON))


def _replay(synthesizer: PanelSynthesizer, schema: Schema, repeat: int) -> Replay:
    unit = 7 * repeat % UNITS
    return replay(synthesizer, panel_of(repeat, None, schema), panel_of(repeat, unit, schema), repeat)
