"""A partitioned table, synthesized by an engine.

The driver looks at names and footers, pays, and hands out groups, the largest first. A worker reads a group, fits it,
has its model decided (`store`), and only then draws rows and writes them. A group too large for a worker is fitted
by the driver from the answers of many workers (`partitioned_rows`), and drawn in blocks by all of them.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from quantail.engines.engine import Engine, LocalEngine
from quantail.engines.output import MODELS, check_empty, group_folder, group_name, group_seed, write_rows
from quantail.engines.partitioned_rows import PartitionedRows
from quantail.engines.partitions import Partitions, StretchSource
from quantail.engines.store import Store
from quantail.errors import OptionError
from quantail.frames.rules import require_columns
from quantail.privacy import Ledger, Terms
from quantail.synthesis import TableModel, TableSynthesizer
from quantail.synthesis.methods import method_of
from quantail.synthesis.model import BLOCK
from quantail.synthesis.table_rows import GroupKey, HeldTable

Progress = Callable[[str, float], None]
LARGE = 20_000_000  # rows of a group that are not read into the memory of one worker


@dataclass(frozen=True)
class PoolTask:
    """Groups that are fitted together, by one worker."""

    maker: TableSynthesizer
    pool: tuple[GroupKey, ...]
    sizes: dict[GroupKey, int]
    source: StretchSource | None
    empty: pa.Table
    output: Path
    terms: Terms


@dataclass(frozen=True)
class BlockTask:
    """Some rows of a released group, drawn by one worker."""

    output: Path
    name: str
    group: int
    block: int
    rows: int
    seed: int | None


def synthesize_table(
    folder: str | Path,
    output: str | Path,
    maker: TableSynthesizer,
    engine: Engine | None = None,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    large: int = LARGE,
) -> TableModel:
    """Make a synthetic copy of a partitioned table.

    Parameters
    ----------
    folder : path
        Parquet files, in a folder for every group (region=north/...) if the schema has groups.
    output : path
        A new folder for the synthetic table, laid out alike; models are kept in its `_models`.
    maker : TableSynthesizer
        With simulated noise it makes the same tables whatever the engine.
    engine : Engine, optional
        This process by default.
    ledger : Ledger, optional
        Charged once, before any row is read.
    progress : callable, optional
        Called with a label and the share of work done.
    large : int
        Groups of more rows are never gathered in one place.

    Returns
    -------
    TableModel
        The released model of all groups.
    """
    engine, parts, output = engine or LocalEngine(), Partitions(Path(folder), maker.schema), Path(output)
    if any(column.public for column in maker.schema.columns):
        raise OptionError(
            "public columns are kept with the rows that hold them, which partitions cannot do; fit the table whole, or "
            "take public = true out of the schema"
        )
    check_empty(output)
    empty = parts.empty()
    require_columns(empty.column_names, maker.schema)
    true = parts.sizes()
    terms = maker.terms(sum(true.values()))
    sizes = maker.begin(true, terms, ledger)
    pools = sorted(maker.pools(sizes), key=lambda pool: -sum(true[key] for key in pool))
    tasks = [
        PoolTask(maker, pool, {key: sizes[key] for key in pool}, parts.source(pool), empty, output, terms)
        for pool in pools
    ]
    streams = method_of(maker.method).streams
    is_large = [streams and sum(true[key] for key in task.pool) > large for task in tasks]
    for task in (task for task, far in zip(tasks, is_large, strict=True) if far):
        _release_large(task, engine)
    small = [task for task, far in zip(tasks, is_large, strict=True) if not far]
    for done, _ in enumerate(engine.each(release_pool, small), start=1):
        if progress is not None:
            progress("groups", done / len(small))
    if ledger is not None:
        ledger.confirm()
    return maker.assemble("pyarrow", sizes, _fitted(maker.pools(sizes), output), terms)


def release_pool(task: PoolTask) -> None:
    """Fit groups, unless that is decided already, and write rows drawn from their model."""
    name, store = group_name(task.pool), Store(task.output / MODELS)
    if store.find(name) is None:
        table = task.empty if task.source is None else task.source.read()
        held = HeldTable(table, task.maker.schema)
        columns = task.maker.fit_pool(task.pool, task.sizes, held.rows(task.pool))
        model = task.maker.assemble(held.library, task.sizes, dict.fromkeys(task.pool, columns), task.terms)
        store.decide(name, json.dumps(model.to_dict()))
    for block in _blocks(task):
        write_block(block)


def _release_large(task: PoolTask, engine: Engine) -> None:
    assert task.source is not None
    maker, rows = task.maker, PartitionedRows(engine, task.source, task.maker.schema)
    columns = maker.fit_pool(task.pool, task.sizes, rows)
    model = maker.assemble("pyarrow", task.sizes, dict.fromkeys(task.pool, columns), task.terms)
    Store(task.output / MODELS).decide(group_name(task.pool), json.dumps(model.to_dict()))
    for _ in engine.each(write_block, _blocks(task)):
        pass


def _blocks(task: PoolTask) -> list[BlockTask]:
    name = group_name(task.pool)
    return [
        BlockTask(task.output, name, group, block, min(BLOCK, size - block * BLOCK), task.maker.seed)
        for group, size in enumerate(task.sizes.values())
        for block in range(-(-size // BLOCK))
    ]


def write_block(task: BlockTask) -> None:
    """Draw rows from a decided model, and write them."""
    model = _decided(task.output, task.name)
    group = model.groups[task.group]
    seed = group_seed(task.seed, task.name, task.group, task.block)
    rows = replace(model, groups=(group,)).sample(task.rows, seed=seed)
    place = task.output / group_folder(group.codes, model.schema) / f"part-{task.block}.parquet"
    write_rows(rows, place, model.schema, model.private)


def _decided(output: Path, name: str) -> TableModel:
    return TableModel.load(output / MODELS / f"{name}.json")


def _fitted(pools: Sequence[tuple[GroupKey, ...]], output: Path) -> dict[GroupKey, Any]:
    models = (_decided(output, group_name(pool)) for pool in pools)
    return {group.codes: group.columns for model in models for group in model.groups}
