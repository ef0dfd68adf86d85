"""The output folder appears whole or not at all; the first decided attempt stays, and nothing of another one."""

import json
import os
import time

import pyarrow.parquet as pq
import pytest
from panels import industry, maker_of, write_panel
from partitioned import maker_of as table_maker_of
from partitioned import outcome, schema_of, table_of, write_partitioned

from quantail.engines import LocalEngine, Store, engine_of, panels, synthesize_panel, synthesize_table, tables
from quantail.engines.output import MODELS
from quantail.engines.publication import Publication
from quantail.errors import DataError, EngineError, LostChargeError
from quantail.panel import PanelSynthesizer
from quantail.privacy import Ledger
from quantail.table import TableSynthesizer


@pytest.fixture
def table(tmp_path):
    return write_partitioned(table_of(), tmp_path / "table")


@pytest.fixture
def panel(tmp_path):
    return write_panel({"178": industry(range(30)), "239": industry(range(30, 70), 2)}, tmp_path / "panel")


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "work")
    made.prepare([f"{MODELS}/group.json"])
    return made


def test_the_first_attempt_stays_and_nothing_of_a_later_one(store):
    name = f"{MODELS}/group.json"

    def late(draft):
        store.decide(name, lambda other: other.write_text("first"))  # another worker is faster meanwhile
        draft.write_text("second")

    store.decide(name, late)
    store.decide(name, lambda draft: draft.write_text("third"))
    assert store.path(name).read_text() == "first"
    assert [path.name for path in store.folder.rglob("*") if path.is_file()] == ["group.json"]


def test_what_is_decided_is_not_worked_on_again(store):
    # A second attempt would have answers of its own, which nobody paid for, even if they were thrown away.
    begun = []
    for word in ("first", "second"):
        store.decide(
            f"{MODELS}/group.json", lambda draft, word=word: (begun.append(word), draft.write_text(word))
        )
    assert begun == ["first"]


def test_an_attempt_that_fails_leaves_nothing(store):
    def torn(draft):
        draft.write_text("half")
        raise DataError("the table does not fit; correct it")

    with pytest.raises(DataError):
        store.decide(f"{MODELS}/group.json", torn)
    assert not [path for path in store.folder.rglob("*") if path.is_file()]


class RacingTable(TableSynthesizer):
    """While it fits a group for the first time, another worker fits the same group and is done before."""

    def fit_pool(self, pool, *rest):
        task = self.racing.pop(pool, None)
        released = super().fit_pool(pool, *rest)
        if task is not None:
            tables.release_pool(task)
        return released


class RacingPanel(PanelSynthesizer):
    """As above; tasks are known by what they read."""

    def fit_paid(self, frame, *rest):
        task = self.racing.pop(frame.num_rows, None)
        model = super().fit_paid(frame, *rest)
        if task is not None:
            panels.release_panel(task)
        return model


class Watching(LocalEngine):
    """Gives a racing synthesizer its tasks, and keeps what is decided as soon as it is."""

    def __init__(self, place_of):
        self.place_of, self.decided = place_of, {}

    def each(self, work, items):
        if work in (tables.release_pool, panels.release_panel):
            items[0].synthesizer.racing = {self.place_of(item): item for item in items}
            self.store = items[0].store
        yield from super().each(work, items)


def keep_what_is_decided(monkeypatch, decided):
    link = os.link

    def keeping(draft, path):
        link(draft, path)
        decided[path.name, path.parent.name] = path.read_bytes()

    monkeypatch.setattr("quantail.engines.store.os.link", keeping)


@pytest.mark.parametrize("kind", ["table", "panel"])
def test_a_second_attempt_with_other_noise_does_not_replace_the_first(request, tmp_path, monkeypatch, kind):
    folder = request.getfixturevalue(kind)
    decided = {}
    keep_what_is_decided(monkeypatch, decided)
    if kind == "table":
        maker, engine = RacingTable(schema_of(), 4), Watching(lambda task: task.pool)
        synthesize_table(folder, tmp_path / "out", maker, engine)
    else:
        maker = RacingPanel(maker_of().schema, 1)
        engine = Watching(lambda task: task.part.source.rows)
        synthesize_panel(folder, tmp_path / "out", maker, engine)
    assert maker.racing == {}  # every group was fitted twice
    decided.pop(("dry-run", "release"))
    published = {(path.name, path.parent.name): path.read_bytes() for path in (tmp_path / "out").rglob("*.*")}
    assert {place: text for place, text in published.items() if place in decided} == decided
    assert {name for name, _ in decided} == {path.name for path in (tmp_path / "out").rglob("*.*")}


class FailingTable(TableSynthesizer):
    """Fails on one group, whoever fits it."""

    def fit_pool(self, pool, *rest):
        if pool[0] == (0,):
            raise EngineError("no memory is left; use a larger machine")
        return super().fit_pool(pool, *rest)


class FailingPanel(PanelSynthesizer):
    def fit_paid(self, frame, *rest):
        if frame.num_rows == 30:  # the smaller group, which comes last
            raise EngineError("no memory is left; use a larger machine")
        return super().fit_paid(frame, *rest)


def test_a_worker_that_fails_after_others_are_done_leaves_nothing(tmp_path, table, panel):
    ledger = Ledger.create(tmp_path / "ledger", "firms", 9)
    maker = FailingTable(schema_of(name="firms"), 4)
    with pytest.raises(EngineError, match="no memory"):
        synthesize_table(table, tmp_path / "out", maker, ledger=ledger)
    assert ledger.spent == 4  # the charge stands
    with pytest.raises(EngineError, match="no memory"):
        synthesize_panel(panel, tmp_path / "out", FailingPanel(maker_of().schema, 1))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger", "panel", "table"]


def test_a_draft_that_a_killed_worker_left_is_not_published(tmp_path, table, panel):
    class Killed(LocalEngine):
        def each(self, work, items):
            for place, done in super().each(work, items):
                if work in (tables.release_pool, panels.release_panel):
                    (items[place].store.drafts / f"killed-{place}").write_text("answers that did not count")
                yield place, done

    synthesize_table(table, tmp_path / "out", table_maker_of(schema_of()), Killed())
    synthesize_panel(panel, tmp_path / "panel-out", maker_of(), Killed())
    assert not list(tmp_path.rglob("killed-*"))


def test_a_card_that_fails_leaves_nothing(tmp_path, table, panel):
    def finish(model, folder):
        assert (folder / MODELS).is_dir() and not (tmp_path / "out").exists()
        raise DataError("no card can be written; choose another folder")

    with pytest.raises(DataError, match="no card"):
        synthesize_table(table, tmp_path / "out", table_maker_of(schema_of()), finish=finish)
    with pytest.raises(DataError, match="no card"):
        synthesize_panel(panel, tmp_path / "out", maker_of(), finish=finish)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["panel", "table"]


def test_a_charge_that_is_not_found_again_leaves_nothing(tmp_path, table, panel):
    class Forgetful:
        def charge(self, *parts, **named):
            pass

        def confirm(self):
            assert not (tmp_path / "out").exists()
            raise LostChargeError("the charge is gone; nothing may be published")

    for run, folder, maker in (
        (synthesize_table, table, table_maker_of(schema_of())),
        (synthesize_panel, panel, maker_of()),
    ):
        with pytest.raises(LostChargeError):
            run(folder, tmp_path / "out", maker, ledger=Forgetful())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["panel", "table"]


def test_a_worker_that_comes_late_can_write_nothing(tmp_path, table):
    class Keeping(LocalEngine):
        def each(self, work, items):
            self.last = work, items[-1]
            yield from super().each(work, items)

    engine = Keeping()
    synthesize_table(table, tmp_path / "out", table_maker_of(schema_of()), engine)
    before = outcome(tmp_path / "out")
    work, item = engine.last
    with pytest.raises(EngineError):
        work(item)
    assert outcome(tmp_path / "out") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "table"]


def test_file_times_tell_nothing_of_the_order_of_groups(tmp_path, table, panel):
    class Slow(LocalEngine):
        def each(self, work, items):
            for done in super().each(work, items):
                time.sleep(0.02)
                yield done

    began = time.time()
    synthesize_table(table, tmp_path / "table-out", table_maker_of(schema_of("add-remove")), Slow())
    synthesize_panel(panel, tmp_path / "panel-out", maker_of(), Slow())
    for name in ("table-out", "panel-out"):
        paths = [tmp_path / name, *(tmp_path / name).rglob("*")]
        times = {path.stat().st_mtime_ns for path in paths}
        assert len(paths) > 5 and len(times) == 1
        assert began - 1 < times.pop() / 1e9 < time.time()


@pytest.mark.parametrize("existing", [False, True])
def test_a_new_or_an_empty_folder_becomes_the_output(tmp_path, table, existing):
    if existing:
        (tmp_path / "empty").mkdir()
        (tmp_path / "out").symlink_to(tmp_path / "empty")
    synthesize_table(table, tmp_path / "out", table_maker_of(schema_of()))
    assert len(list((tmp_path / "out").rglob("*.parquet"))) == 3


def test_folders_that_cannot_be_published_are_refused_before_the_charge(tmp_path, table, monkeypatch):
    ledger = Ledger.create(tmp_path / "ledger", "firms", 4)
    maker = table_maker_of(schema_of(name="firms"))
    (tmp_path / "file").touch()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(os.path, "ismount", lambda path: path == tmp_path / "mounted")
    (tmp_path / "mounted").mkdir()
    for out, words in (
        (table / "out", "lie in each other"),
        (table, "lie in each other"),
        (tmp_path, "lie in each other"),
        (tmp_path / "file", "not an empty folder"),
        (tmp_path / "file" / "out", "cannot make a folder"),
        (tmp_path / "here", "choose a folder within it"),
        (tmp_path / "mounted", "choose a folder within it"),
    ):
        with pytest.raises(DataError, match=words):
            synthesize_table(table, out, maker, ledger=ledger)

    def unlinked(*paths):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("quantail.engines.store.os.link", unlinked)
    with pytest.raises(EngineError, match="without hard links"):
        synthesize_table(table, tmp_path / "out", maker, ledger=ledger)
    assert ledger.spent == 0
    assert not list(tmp_path.glob(".*"))


def test_a_folder_that_fills_up_meanwhile_is_left_alone(tmp_path, table):
    def finish(model, folder):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "file").touch()

    with pytest.raises(DataError, match="nothing was released"):
        synthesize_table(table, tmp_path / "out", table_maker_of(schema_of()), finish=finish)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["file"]
    assert not list(tmp_path.glob(".*"))


def test_models_and_rows_of_a_release_belong_together(tmp_path, panel):
    synthesize_panel(panel, tmp_path / "out", PanelSynthesizer(maker_of().schema, 1))
    for path in (tmp_path / "out" / MODELS).iterdir():
        place = json.loads(path.read_text())["groups"][0]["group"]
        rows = pq.read_table(tmp_path / "out" / f"sic={('178', '239')[place]}" / "part-0.parquet")
        assert rows.num_rows == (30, 40)[place]


@pytest.mark.slow
def test_a_killed_process_leaves_nothing_of_its_attempt(tmp_path, table):
    pytest.importorskip("joblib")
    from partitioned import DyingSynthesizer

    maker = DyingSynthesizer(schema_of(), 4)
    maker.mark = tmp_path / "died"
    with engine_of("processes", workers=2) as engine:
        synthesize_table(table, tmp_path / "out", maker, engine)
    assert maker.mark.exists()
    assert len(list((tmp_path / "out").rglob("*.*"))) == 6 and not list(tmp_path.glob(".*"))


def test_a_publication_that_is_not_published_leaves_nothing(tmp_path):
    with Publication(tmp_path / "out", tmp_path / "in") as made:
        (made.release / "file").touch()
    assert list(tmp_path.iterdir()) == []
