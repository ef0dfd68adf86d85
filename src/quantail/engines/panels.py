"""A panel partitioned by groups (industries), synthesized by an engine: one worker for each group, as for tables."""

import json
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quantail.engines.engine import Engine, LocalEngine
from quantail.engines.output import MODELS, check_empty, group_folder, group_name, group_seed, write_rows
from quantail.engines.partitions import Partitions, StretchSource
from quantail.engines.store import Store
from quantail.engines.tables import Progress
from quantail.errors import DataError
from quantail.privacy import Ledger, Plan, Terms, as_decimal
from quantail.schema import Schema
from quantail.synthesis import PanelModel, PanelSynthesizer
from quantail.synthesis.table_rows import GroupKey


@dataclass(frozen=True)
class PanelTask:
    """A group of units, fitted by one worker."""

    maker: PanelSynthesizer
    key: GroupKey
    source: StretchSource
    output: Path
    terms: Terms


@dataclass(frozen=True)
class PanelRelease:
    """What a run released; the models are in the output folder, one for every group."""

    maker: PanelSynthesizer
    plan: Plan
    units: int
    terms: Terms

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
            "terms": self.terms.to_dict(),
            "plan_hash": self.terms.hash(),
            "method": self.maker.method,
            "version": self.terms.version,
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
    sources = {key: source for key in keys if (source := parts.source((key,))) is not None}
    terms = maker.terms(sum(_units_of(source, maker.schema) for source in sources.values()))
    tasks = [PanelTask(maker, key, source, output, terms) for key, source in sources.items()]
    tasks.sort(key=lambda task: -(task.source.rows or 0))
    maker.pay(terms, ledger)
    units = dict[int, int]()
    for place, number in engine.each(release_panel, tasks):
        units[keys.index(tasks[place].key)] = number
        if progress is not None:
            progress("groups", len(units) / len(tasks))
    if ledger is not None:
        ledger.confirm()
    return PanelRelease(maker, maker.plan(dict(sorted(units.items()))), sum(units.values()), terms)


def _units_of(source: StretchSource, schema: Schema) -> int:
    """Count the units of a group by their public ids: its rows, or in a long panel the ids that are distinct."""
    assert schema.panel is not None
    if schema.panel.layout == "wide":
        return source.rows or 0
    if schema.panel.unit not in source.names:
        raise DataError(f"column {schema.panel.unit!r} is missing; it tells which rows belong to one unit")
    ids = set[object]()
    for chunk in source.chunks():
        ids.update(chunk[schema.panel.unit].unique().to_pylist())
    return len(ids)


def release_panel(task: PanelTask) -> int:
    """Fit a group, unless that is decided already, write units drawn from its model, and return their number."""
    name, store = group_name((task.key,)), Store(task.output / MODELS)
    if store.find(name) is None:
        maker = copy(task.maker)
        maker.seed = group_seed(task.maker.seed, name)
        store.decide(name, json.dumps(maker.fit_paid(task.source.read(), task.terms).to_dict()))
    model = PanelModel.load(task.output / MODELS / f"{name}.json")
    drawn = model.sample(seed=group_seed(task.maker.seed, name, "rows"))
    place = task.output / group_folder(task.key, model.schema) / "part-0.parquet"
    write_rows(drawn, place, model.schema, model.private)
    return len(model.units)
