"""PeriodSynthesizer: from a released panel and a confidential new period to the panel with one period more.

The new period is charged alone: a unit's record in the last two periods enters a handful of counts and bounded sums
(proofs/period.md), and everything else comes from the released panel.
"""

import hashlib
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from quantail.errors import DataError, SchemaError
from quantail.frames import PanelData, confidential_panel, release_panel
from quantail.frames.panel import panel_of
from quantail.panel.appended import AppendedPanel
from quantail.panel.extended import extended
from quantail.panel.period import ask_period, plan_period
from quantail.panel.synthesizer import HeldPanel, held_panel, opened, panel_plan
from quantail.panel.units import group_names
from quantail.privacy import Noise, Plan, Terms
from quantail.release.progress import Progress, group_progress
from quantail.release.synthesizer import Amount, Synthesizer
from quantail.schema import Schema


def schema_before(schema: Schema) -> Schema:
    """Return the schema of a panel without its last period, or say why there is none."""
    panel = schema.panel
    if panel is None:
        raise SchemaError("the schema has no [panel] section; a period can be appended to a panel only")
    if not panel.is_full:
        raise SchemaError(
            'a period is appended to panels of full synthesis; with synthesis = "partial" units that enter would be '
            "copied: release the whole panel again"
        )
    if len(panel.periods) < 3:
        raise SchemaError(
            "how units move is taken over from the released panel, so that has at least two periods; raise end in "
            "[panel] to the new period"
        )
    return replace(schema, panel=panel.until(panel.last - 1))


class PeriodSynthesizer(Synthesizer[HeldPanel, Plan, AppendedPanel]):
    """Appends a period to a panel that was released before; earlier periods of synthetic units stay as they were.

    Of a long table the rows of the last two periods are enough for a fit; a wide one has its columns of all periods.

    Parameters
    ----------
    schema : Schema
        As for the release, with `end` raised to the new period.
    epsilon : int, float, str or Fraction
        The privacy budget of the new period, for each group of units. It adds to what was spent before.
    released : pandas, polars or pyarrow table, or path
        The synthetic panel as it was published, up to the period before.
    noise : {"secure", "simulated"}
        "simulated" is seeded, has the same law, and is NOT PRIVATE: for experiments.
    seed : int, optional
        With "simulated" only.

    Examples
    --------
    >>> from quantail.examples import industry_example
    >>> from quantail.panel import PanelSynthesizer
    >>> from quantail.schema import Column, Panel
    >>> table, staff = industry_example(300), (Column("staff", "integer", 0, 5000),)
    >>> first, second = (Schema(staff, "workplace", panel=Panel("site", start=2001, end=end)) for end in (2002, 2003))
    >>> before = table.filter(table["opened"].to_numpy() <= 2002)
    >>> released = PanelSynthesizer(first, 1, noise="simulated", seed=1).fit(before).sample(seed=1)
    >>> present = table.filter(table["opened"].to_numpy() <= 2003)
    >>> made = PeriodSynthesizer(second, "1/10", released, noise="simulated", seed=2).fit(present).sample()
    >>> made.select(["site", "staff_2001", "staff_2002"]).slice(0, len(released)).equals(released)
    True
    """

    def __init__(
        self,
        schema: Schema,
        epsilon: Amount,
        released: Any,
        *,
        noise: Literal["secure", "simulated"] = "secure",
        seed: int | None = None,
    ) -> None:
        before = schema_before(schema)
        self._set_up(schema, epsilon, "append", noise, seed)
        table = opened(released, before)
        self._released = confidential_panel(table, before)
        if not len(self._released):
            raise DataError("the released panel has no units; give the synthetic panel as it was published")
        if not pa.types.is_integer(self._released.units.type):
            raise DataError(
                f"{panel_of(schema).unit}: units of a released panel are whole numbers; give the synthetic panel as it "
                "was published"
            )
        # The panel that is continued is part of the terms.
        digest = hashlib.sha256(_bytes_of(release_panel(self._released))).hexdigest()
        self._settings = {"released": digest}
        self._groups = np.unique(self._released.group).tolist()

    def plan(self, fits: int = 1) -> Plan:
        """Return the budget plan, touching no confidential data."""
        names = group_names(self.schema)
        plans = [plan_period(self.schema, self.epsilon, names[group]) for group in self._groups]
        return panel_plan(self.schema, plans, fits)

    def terms(self, size: int, fits: int = 1) -> Terms:
        """Return the terms of a release; the number of units would tell how many entered, and is no part of them."""
        return replace(super().terms(size, fits), size=None)

    def _admit(self, frame: Any) -> HeldPanel:
        held = held_panel(frame, self.schema)
        if not np.isin(held.data.group, self._groups).all():
            raise DataError(
                f"{', '.join(self.schema.by)}: the panel has units in a group that was not released; release such a "
                "group by itself first, or leave its units out"
            )
        return held

    def _prepare(self, data: HeldPanel) -> Plan:
        return self.plan()

    def _release(
        self,
        data: HeldPanel,
        design: Plan,
        terms: Terms,
        progress: Progress | None,
        noise: Noise | None = None,
    ) -> AppendedPanel:
        noise = self._source.noise(()) if noise is None else noise
        parts = design.children if self.schema.by else (design,)
        made = []
        for done, (group, part) in enumerate(zip(self._groups, parts, strict=True)):
            rows_held = panel_of(self.schema).units_protected
            gate = self._source.gate(part, noise, self.schema.neighbours, rows_held)
            group_progress(progress, done, len(parts), 1, part.name)(str(panel_of(self.schema).end))
            before = self._released.of_group(group)
            answers = ask_period(gate, data.data.of_group(group), before)
            made.append(extended(before, self.schema, group, answers, noise.generator()))
        return AppendedPanel(
            self.schema, design, terms, self._source.private, data.library, PanelData.together(made)
        )


def _bytes_of(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())
