"""A panel partitioned by groups (industries), synthesized by an engine: one worker for each group, as for tables."""

import json
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantail._version import __version__
from quantail.engines.engine import Engine, LocalEngine
from quantail.engines.output import MODELS, check_empty, group_folder, group_name, group_seed, write_rows
from quantail.engines.partitions import Partitions, StretchSource
from quantail.engines.store import Store
from quantail.engines.tables import Progress
from quantail.privacy import Ledger, Plan, as_decimal
from quantail.synthesis import PanelModel, PanelSynthesizer
from quantail.synthesis.table_rows import GroupKey


@dataclass(frozen=True)
class PanelTask:
    """A group of units, fitted by one worker."""

    maker: PanelSynthesizer
    key: GroupKey
    source: StretchSource
    output: Path


@dataclass(frozen=True)
class PanelRelease:
    """What a run released; the models are in the output folder, one for every group."""

    maker: PanelSynthesizer
    plan: Plan
    units: int

    def facts(self) -> dict[str, Any]:
        """Return the public facts of the release, as plain JSON values."""
        schema = self.maker.schema
        return {
            "epsilon": as_decimal(self.maker.epsilon),
            "delta": "",
            "definition": "pure",
            "neighbours": schema.neighbours,
            "unit": schema.unit,
            "schema": schema.to_toml(),
            "plan": self.plan.to_dict(),
            "method": self.maker.method,
            "version": __version__,
            "private": self.maker.noise == "secure",
            "units": self.units,
        }


def synthesize_panel(
    folder: str | Path,
    output: str | Path,
    maker: PanelSynthesizer,
    engine: Engine | None = None,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
) -> PanelRelease:
    """Make a synthetic copy of a partitioned panel; parameters are those of `synthesize_table`."""
    engine, parts, output = engine or LocalEngine(), Partitions(Path(folder), maker.schema), Path(output)
    check_empty(output)
    keys = list(parts.files)
    tasks = [
        PanelTask(maker, key, source, output) for key in keys if (source := parts.source((key,))) is not None
    ]
    tasks.sort(key=lambda task: -(task.source.rows or 0))
    maker.pay(ledger)
    units = dict[int, int]()
    for place, number in engine.each(release_panel, tasks):
        units[keys.index(tasks[place].key)] = number
        if progress is not None:
            progress("groups", len(units) / len(tasks))
    return PanelRelease(maker, maker.plan(dict(sorted(units.items()))), sum(units.values()))


def release_panel(task: PanelTask) -> int:
    """Fit a group, unless that is decided already, write units drawn from its model, and return their number."""
    name, store = group_name((task.key,)), Store(task.output / MODELS)
    if store.find(name) is None:
        maker = copy(task.maker)
        maker.seed = group_seed(task.maker.seed, name)
        store.decide(name, json.dumps(maker.fit(task.source.read()).to_dict()))
    model = PanelModel.load(task.output / MODELS / f"{name}.json")
    drawn = model.sample(seed=group_seed(task.maker.seed, name, "rows"))
    place = task.output / group_folder(task.key, model.schema) / "part-0.parquet"
    write_rows(drawn, place, model.schema, model.private)
    return len(model.units)
