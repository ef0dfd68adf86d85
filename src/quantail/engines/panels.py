"""A panel partitioned by groups (industries), synthesized by an engine: one worker for each group, as for tables."""

import json
from dataclasses import dataclass
from pathlib import Path

from quantail.engines.checking import Part, check_units, units_of
from quantail.engines.engine import Engine, LocalEngine
from quantail.engines.output import group_name, group_seed, model_file, rows_file, write_rows
from quantail.engines.partitions import Partitions
from quantail.engines.publication import Finish, Publication
from quantail.engines.store import Store
from quantail.errors import DataError, OptionError
from quantail.panel import PanelModel, PanelSynthesizer
from quantail.panel.unit_ids import UnitIds, new_key
from quantail.privacy import Ledger, Terms
from quantail.release.facts import Facts
from quantail.release.progress import Progress
from quantail.table.rows import GroupKey


@dataclass(frozen=True)
class PanelTask:
    """A group of units, fitted by one worker."""

    synthesizer: PanelSynthesizer
    key: GroupKey
    part: Part
    # digest, secret: what tells whether the units are still those that were paid for
    digest: bytes
    secret: bytes
    store: Store
    terms: Terms


def synthesize_panel(
    folder: str | Path,
    output: str | Path,
    synthesizer: PanelSynthesizer,
    engine: Engine | None = None,
    *,
    ledger: Ledger | None = None,
    progress: Progress | None = None,
    finish: Finish | None = None,
) -> Facts:
    """Make a synthetic copy of a partitioned panel; parameters are those of `synthesize_table`.

    Before the charge all groups are read and checked, each by one worker, and no unit may be in two of them.

    Returns
    -------
    Facts
        What is public about the release; the models are in the output folder, one for every group.
    """
    if synthesizer.schema.neighbours == "add-remove":
        raise OptionError(
            "[table] neighbours: add-remove protects which groups of a panel have units, and how many, and a folder of "
            'groups shows both; release the panel as one table, or write neighbours = "replace-one"'
        )
    engine, parts = engine or LocalEngine(), Partitions(Path(folder), synthesizer.schema)
    publication = Publication(Path(output), parts.folder)
    with publication as store:
        secret = new_key()
        found = check_units(parts, engine, secret)
        terms = synthesizer.pay(list(found.values()), ledger)
        tasks = _tasks(parts, synthesizer, store, found, secret, terms)
        store.prepare(name for task in tasks for name in _files(task))
        for done, _ in enumerate(engine.each(release_panel, tasks), start=1):
            if progress is not None:
                progress("groups", done / len(tasks))
        units = {place: number for ids in found.values() for place, number in ids.groups.items()}
        released = synthesizer.facts(units, terms)
        publication.publish(released, finish, ledger)
    return released


def _tasks(
    parts: Partitions,
    synthesizer: PanelSynthesizer,
    store: Store,
    found: dict[GroupKey, UnitIds],
    secret: bytes,
    terms: Terms,
) -> list[PanelTask]:
    """Return the work, the largest groups first; their sizes are public."""
    tasks = []
    for key, ids in found.items():
        part = Part(ids.name, next(iter(ids.groups)), parts.source((key,)))
        tasks.append(PanelTask(synthesizer, key, part, ids.digest, secret, store, terms))
    return sorted(tasks, key=lambda task: -(task.part.source.rows or 0))


def release_panel(task: PanelTask) -> None:
    """Fit a group, unless that is decided already, and write units drawn from its model."""
    model_name, rows_name = _files(task)
    task.store.decide(
        model_name, lambda draft: draft.write_text(json.dumps(_fit(task).to_dict()), encoding="utf-8")
    )
    model = PanelModel.load(task.store.path(model_name))
    seed = group_seed(task.synthesizer.seed, group_name((task.key,)), "rows")
    task.store.decide(
        rows_name, lambda draft: write_rows(model.sample(seed=seed), draft, model.schema, model.private)
    )


def _fit(task: PanelTask) -> PanelModel:
    table = task.part.source.read()
    if units_of(table, task.synthesizer.schema, task.part, task.secret).digest != task.digest:
        raise DataError(
            f"{task.part.name} changed after it was checked; give a folder that nothing else writes to"
        )
    return task.synthesizer.fit_paid(table, task.terms, task.key)


def _files(task: PanelTask) -> tuple[Path, Path]:
    return model_file((task.key,)), rows_file(task.key, task.synthesizer.schema)
