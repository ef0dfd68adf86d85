"""Firms protected as a whole, end to end: fits with and without a firm of none to three establishments in two groups.

The table is read, cut to the establishments that are used and fitted as in a release; answers do not depend on it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.auditing.findings import Finding
from quantail.auditing.pooled_fits import FULL, FULL_OTHERS, RECORDS, Scripted, compared
from quantail.panel import PanelSynthesizer, PeriodSynthesizer
from quantail.privacy.source import Source
from quantail.schema import Column, Panel, Schema

USED = 2
SCHEMA = replace(
    FULL,
    columns=(Column("trade", "category", categories=("mills", "shops")), *FULL.columns),
    by=("trade",),
    neighbours="add-remove",
    panel=Panel(
        "id", start=2000, end=2002, attributes=("region",), gaps=True, firm="firm", establishments=USED
    ),
)
Establishment = tuple[int, tuple[tuple[float, float], ...]]

# A firm of none, of one and two of any establishments, and some of three, of which the two largest are used.
FIRMS: tuple[tuple[Establishment, ...], ...] = (
    (),
    *((record,) for record in RECORDS),
    *combinations_with_replacement(RECORDS, USED),
    (RECORDS[0], *RECORDS[1:3]),
    (RECORDS[1],) * 3,
)


def firm_table(firm: Sequence[Establishment]) -> pa.Table:
    """Return a panel with a firm whose establishments are in turn mills and shops, beside others that stay."""
    everybody = [*FULL_OTHERS, *firm]
    values = np.array([history for _, history in everybody])
    others = len(FULL_OTHERS)
    stored = {
        f"{column.name}_{2000 + place}": pa.array(values[:, place, k], from_pandas=True)
        for k, column in enumerate(SCHEMA.histories)
        for place in range(values.shape[1])
    }
    facts = {
        "id": range(len(everybody)),
        "firm": [*(f"other {k}" for k in range(others)), *["this"] * len(firm)],
        "trade": [("mills", "shops")[k % 2] for k in range(len(everybody))],
        "region": [("north", "south")[region] for region, _ in everybody],
    }
    return pa.table(facts | stored)


def firm_fit(firm: Sequence[Establishment], schema: Schema = SCHEMA) -> tuple[list[Any], Any]:
    """Fit the panel of a firm; return what was asked of all groups, and all that is released."""
    noise: Any = Scripted()
    synthesizer = PanelSynthesizer(schema, 1)._drawing_from(Source(lambda group: noise, private=False))
    model = synthesizer.fit(firm_table(firm), ledger=False, progress=False)
    return noise.asked, model.to_dict()


def firm_period(firm: Sequence[Establishment], released: pa.Table) -> tuple[list[Any], Any]:
    """Append the last period to a released panel, as `firm_fit` does."""
    noise: Any = Scripted()
    synthesizer = PeriodSynthesizer(SCHEMA, 1, released)._drawing_from(
        Source(lambda group: noise, private=False)
    )
    made = synthesizer.fit(firm_table(firm), ledger=False, progress=False)
    return noise.asked, made.sample().to_pydict()


def firm_findings(firms: Sequence[Sequence[Establishment]] = FIRMS) -> Iterator[Finding]:
    """Yield the exact check of whole fits, and of appended periods, with and without a firm."""
    without, *others = [firm_fit(firm) for firm in firms]
    pairs = [(without, other) for other in others]
    yield compared(f"panel, firms of up to {USED} establishments, end to end", pairs, "add-remove")
    panel = SCHEMA.panel
    assert panel is not None
    before = replace(SCHEMA, panel=panel.until(panel.last - 1))
    shorter = firm_table(()).filter(pa.compute.field("id") < 2)
    released = (
        PanelSynthesizer(before, 1, noise="simulated", seed=1).fit(shorter, ledger=False).sample(seed=1)
    )
    without, *others = [firm_period(firm, released) for firm in firms]
    pairs = [(without, other) for other in others]
    yield compared(f"panel, firms of up to {USED} establishments, appended period", pairs, "add-remove")
