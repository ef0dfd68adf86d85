"""With the same answers, a run of an engine on neighbours looks the same: bytes, times, order of work and of files.

Answers of the first run are repeated in the second (`auditing/replay.py`). Sizes are such that the unit by which the
tables differ would change which group is the largest, and which are too large for a worker.
"""

import os
import time
from functools import partial

import pyarrow as pa
import pytest
from panels import industry, schema_of, write_panel
from partitioned import schema_of as table_schema_of
from partitioned import table_of, write_partitioned

from quantail.auditing.replay import Replayed
from quantail.engines import LocalEngine, panels, synthesize_panel, synthesize_table, tables
from quantail.engines.output import group_seed
from quantail.panel import PanelSynthesizer
from quantail.release.facts import Facts
from quantail.table import TableSynthesizer

SIZES = (300, 300, 301)


@pytest.fixture(autouse=True)
def drawn_alike(monkeypatch):
    """Draw the same rows from the same models, at the same time."""
    for room in (tables, panels):
        monkeypatch.setattr(room, "group_seed", lambda seed, *place: group_seed(1, *place))
    monkeypatch.setattr(time, "time_ns", lambda: 10**18)


class Watched(LocalEngine):
    """Notes which groups are handed out, in which order."""

    def __init__(self):
        self.work = []

    def each(self, work, items):
        if work in (tables.release_pool, tables.write_block):
            self.work += [(work.__name__, item.pool) for item in items]
        yield from super().each(work, items)


def seen_of(run, maker, folder, noise, monkeypatch):
    """Return all that can be seen of a run."""
    engine, told, files, link = Watched(), [], [], os.link
    output = folder.with_name(f"{folder.name}-out")

    def noting(draft, path):
        files.append((path.parent.name, path.name))
        link(draft, path)

    with monkeypatch.context() as patch:
        patch.setattr("quantail.engines.store.os.link", noting)
        drawing = maker._drawing_from(noise.source())
        released = run(folder, output, drawing, engine, progress=lambda *parts: told.append(parts))
    paths = sorted(output.rglob("*"))
    return {
        "released": released if isinstance(released, Facts) else released.facts(),
        "bytes": {str(path.relative_to(output)): path.read_bytes() for path in paths if path.is_file()},
        "times": [(str(path.relative_to(output)), path.stat().st_mtime_ns) for path in paths],
        "files in order": files,
        "work in order": engine.work,
        "progress": told,
        "questions": noise.costs,
    }


def assert_alike(run, maker, first, second, removed, monkeypatch):
    one = Replayed(3)
    seen = seen_of(run, maker, first, one, monkeypatch)
    assert len(seen["questions"]) > 5 and len(seen["bytes"]) >= 4
    again = seen_of(run, maker, second, Replayed(3, one, removed), monkeypatch)
    for what in seen:
        assert seen[what] == again[what], what


@pytest.mark.parametrize("large", [10**6, 299, 300])
@pytest.mark.parametrize("lost", [0, 250])
def test_a_removed_row_shows_in_nothing_but_answers(tmp_path, monkeypatch, large, lost):
    table = table_of(sizes=SIZES)
    less = pa.concat_tables(
        [table.slice(0, 600 + lost), table.slice(600 + lost + 1)]
    )  # the largest is so no more
    first = write_partitioned(table, tmp_path / "one", files=1)
    second = write_partitioned(less, tmp_path / "two", files=1)
    maker, run = TableSynthesizer(table_schema_of("add-remove"), 1), partial(synthesize_table, large=large)
    assert_alike(run, maker, first, second, lost, monkeypatch)


def test_a_group_that_loses_its_only_row_and_its_file_shows_in_nothing_but_answers(tmp_path, monkeypatch):
    sizes = (200, 1, 200)
    first = write_partitioned(table_of(sizes=sizes), tmp_path / "one", files=1)
    second = write_partitioned(table_of(sizes=sizes), tmp_path / "two", files=1)
    (second / "region=south%2Feast" / "part-0.parquet").unlink()
    maker = TableSynthesizer(table_schema_of("add-remove"), 1)
    assert_alike(synthesize_table, maker, first, second, 0, monkeypatch)


def test_another_history_in_a_partitioned_panel_shows_in_nothing_but_answers(tmp_path, monkeypatch):
    other = industry(range(30, 70), 2).to_pydict()
    for name in ("emp_2000", "emp_2001", "emp_2002", "emp_2003"):
        other[name][11] = 500 - other[name][11]
    first = write_panel({"178": industry(range(30)), "239": industry(range(30, 70), 2)}, tmp_path / "one")
    shuffled = pa.table(other).take(pa.array([*range(39, -1, -1)]))
    second = write_panel({"178": industry(range(30)), "239": shuffled}, tmp_path / "two")
    assert_alike(synthesize_panel, PanelSynthesizer(schema_of(), 1), first, second, None, monkeypatch)
