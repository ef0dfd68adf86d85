"""A partitioned table, synthesized by an engine.

The driver looks at names and footers, has workers check all rows, pays, and hands out groups, the largest first (by
released sizes, where sizes are private). A worker reads a group, fits it, has its model decided (`store`), and only
then draws rows and writes them. A group too large for a worker is fitted by the driver from the answers of many workers
(`partitioned_rows`), and drawn in blocks by all of them. When all is done the output folder appears (`publication`).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from quantail.curves import Rows
from quantail.engines.checking import check_rows
from quantail.engines.engine import Engine, LocalEngine
from quantail.engines.output import group_name, group_seed, model_file, rows_file, write_rows
from quantail.engines.partitioned_rows import PartitionedRows
from quantail.engines.partitions import Partitions, StretchSource
from quantail.engines.publication import Finish, Publication
from quantail.engines.store import Store
from quantail.errors import OptionError
from quantail.frames.rules import require_columns
from quantail.io import Kind
from quantail.privacy import Ledger, Terms
from quantail.release.progress import Progress
from quantail.release.threads import one_thread
from quantail.table import TableModel, TableSynthesizer
from quantail.table.conditional import BLOCK
from quantail.table.grouped_design import GroupedDesign, Pool
from quantail.table.methods import method_of
from quantail.table.rows import GroupKey, HeldTable

LARGE = 20_000_000  # rows of a group that are not read into the memory of one worker


@dataclass(frozen=True)
class PoolTask:
    """Groups that are fitted together, by one worker."""

    synthesizer: TableSynthesizer
    pool: Pool
    design: GroupedDesign  # what is asked of them
    source: StretchSource
    store: Store
    terms: Terms

    @property
    def sizes(self) -> Mapping[GroupKey, int]:
        """Public or released numbers of rows: as many are drawn."""
        return self.design.sizes


@dataclass(frozen=True)
class BlockTask:
    """Some rows of a released group, drawn by one worker."""

    store: Store
    pool: Pool
    group: int
    block: int
    rows: int
    seed: int | None


def synthesize_table(
    folder: str | Path,
    output: str | Path,
    synthesizer: TableSynthesizer,
    engine: Engine | None = None,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    finish: Finish | None = None,
    large: int = LARGE,
) -> TableModel:
    """Make a synthetic copy of a partitioned table.

    Parameters
    ----------
    folder : path
        Parquet files, in a folder for every group (region=north/...) if the schema has groups.
    output : path
        A new folder for the synthetic table, laid out alike, with models in its `_models`. It appears when all is
        complete, or not at all.
    synthesizer : TableSynthesizer
        With simulated noise it makes the same tables whatever the engine.
    engine : Engine, optional
        This process by default.
    ledger : Ledger, optional
        Charged once, when all rows were found to fit the schema, before any value takes part in a question.
    progress : callable, optional
        Called with a label and the share of work done.
    finish : callable, optional
        Called with the public facts and the folder in the making: to put a card in, say. If it raises an
        error, nothing appears.
    large : int
        Groups of more rows are never gathered in one place.

    Returns
    -------
    TableModel
        The released model of all groups.
    """
    engine, parts = engine or LocalEngine(), Partitions(Path(folder), synthesizer.schema)
    if any(column.public for column in synthesizer.schema.columns):
        raise OptionError(
            "public columns are kept with the rows that hold them, which partitions cannot do; fit the table whole, or "
            "take public = true out of the schema"
        )
    if synthesizer.schema.keys:
        raise OptionError(
            f"key {synthesizer.schema.keys[0].name!r} numbers the rows of one table, and partitions are drawn apart; "
            "take it out of the schema, and number the rows afterwards"
        )
    require_columns(parts.types.names, synthesizer.schema)
    publication = Publication(Path(output), parts.folder)
    with publication as store:
        check_rows(parts, engine)
        true = parts.sizes()
        terms = synthesizer.terms(sum(true.values()))
        design = synthesizer.begin(true, terms, ledger)
        tasks = _tasks(parts, synthesizer, store, design, terms)
        _release(tasks, engine, large, progress)
        model = synthesizer.assemble("pyarrow", design, _fitted(list(design.designs), store), terms)
        publication.publish(model.facts(), finish, ledger)
    return model


def _tasks(
    parts: Partitions, synthesizer: TableSynthesizer, store: Store, design: GroupedDesign, terms: Terms
) -> list[PoolTask]:
    """Return the work, the largest groups first: by sizes that are public or released, as files tell the order."""
    pools = sorted(design.designs, key=lambda pool: -sum(design.sizes[key] for key in pool))
    return [
        PoolTask(synthesizer, pool, design.only(pool), parts.source(pool), store, terms) for pool in pools
    ]


def _release(tasks: Sequence[PoolTask], engine: Engine, large: int, progress: Progress | None) -> None:
    """Release all groups; which of them are large is told by public or released sizes, too."""
    for task in tasks:
        task.store.prepare(
            [model_file(task.pool), *(rows_file(key, task.synthesizer.schema) for key in task.pool)]
        )
    is_large = [
        method_of(task.synthesizer.method).streams and sum(task.sizes.values()) > large for task in tasks
    ]
    far = [task for task, above in zip(tasks, is_large, strict=True) if above]
    near = [task for task, above in zip(tasks, is_large, strict=True) if not above]
    for task in far:
        _release_large(task, engine)
    for done, _ in enumerate(engine.each(release_pool, near), start=1):
        if progress is not None:
            progress("groups", (len(far) + done) / len(tasks))


def release_pool(task: PoolTask) -> None:
    """Fit groups, unless that is decided already, and write rows drawn from their model."""

    def held() -> tuple[Rows, Kind]:
        table = HeldTable(task.source.read(), task.synthesizer.schema)
        return table.rows(task.pool), table.library

    _decide_model(task, held)
    for block in _blocks(task):
        write_block(block)


def _release_large(task: PoolTask, engine: Engine) -> None:
    rows = PartitionedRows(engine, task.source, task.synthesizer.schema)
    _decide_model(task, lambda: (rows, "pyarrow"))
    for _ in engine.each(write_block, _blocks(task)):
        pass


def _decide_model(task: PoolTask, read: Callable[[], tuple[Rows, Kind]]) -> None:
    """Fit groups, unless that is decided already; only then are their rows read, in their library."""

    def fit(draft: Path) -> None:
        rows, library = read()
        with one_thread():
            columns = task.synthesizer.fit_pool(task.pool, task.design, rows)
        fitted = dict.fromkeys(task.pool, columns)
        model = task.synthesizer.assemble(library, task.design, fitted, task.terms)
        draft.write_text(json.dumps(model.to_dict()), encoding="utf-8")

    task.store.decide(model_file(task.pool), fit)


def _blocks(task: PoolTask) -> list[BlockTask]:
    return [
        BlockTask(
            task.store, task.pool, group, block, min(BLOCK, size - block * BLOCK), task.synthesizer.seed
        )
        for group, size in enumerate(task.sizes.values())
        for block in range(-(-size // BLOCK))
    ]


def write_block(task: BlockTask) -> None:
    """Draw rows from a decided model, and write them."""
    model = _decided(task.store, task.pool)
    group = model.groups[task.group]
    seed = group_seed(task.seed, group_name(task.pool), task.group, task.block)

    def draw(draft: Path) -> None:
        rows = replace(model, groups=(group,)).sample(task.rows, seed=seed)
        write_rows(rows, draft, model.schema, model.private)

    task.store.decide(rows_file(group.codes, model.schema, task.block), draw)


def _decided(store: Store, pool: Pool) -> TableModel:
    return TableModel.load(store.path(model_file(pool)))


def _fitted(pools: Sequence[Pool], store: Store) -> dict[GroupKey, Any]:
    models = (_decided(store, pool) for pool in pools)
    return {group.codes: group.columns for model in models for group in model.groups}
