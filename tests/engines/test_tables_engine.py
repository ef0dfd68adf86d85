"""Partitioned tables in this process: the model of the whole table, paid for once, decided once."""

import json
from dataclasses import replace

import numpy as np
import panels
import pyarrow.parquet as pq
import pytest
from partitioned import REGIONS, SIZES, maker_of, outcome, schema_of, table_of, write_partitioned

from quantail.engines import (
    LocalEngine,
    Partitions,
    engine_of,
    synthesize_panel,
    synthesize_table,
    tables,
)
from quantail.engines.output import MODELS
from quantail.errors import BudgetError, DataError, OptionError
from quantail.panel import PanelModel, PanelSynthesizer
from quantail.privacy import Ledger
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer
from studies.lbd.standin import lbd_industry

RELATIONS = ("replace-one", "add-remove")


def models_in_the_making(folder):
    """Return the models that are decided in a run that has not ended."""
    (work,) = folder.glob(".out.*")
    return {path.name: path.read_text() for path in (work / "release" / MODELS).iterdir()}


class Twice(LocalEngine):
    """Does all work twice, as if every worker had been lost after it was done."""

    def each(self, work, items):
        yield from [*super().each(work, items), *super().each(work, items)][: len(items)]


@pytest.fixture
def folder(tmp_path):
    return write_partitioned(table_of(), tmp_path / "table")


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("large", [10**6, 400])  # all groups by workers, or two of three from many parts
def test_the_model_is_that_of_the_whole_table(tmp_path, folder, relation, large):
    schema = schema_of(relation)
    model = synthesize_table(folder, tmp_path / "out", maker_of(schema), large=large)
    whole = maker_of(schema).fit(table_of())
    assert model.to_dict()["groups"] == whole.to_dict()["groups"]
    assert model.plan == whole.plan


def test_a_table_without_groups_may_lie_in_many_files(tmp_path):
    folder = write_partitioned(table_of(), tmp_path / "table", files=5, by=False)
    schema = schema_of(by=())
    whole = maker_of(schema).fit(table_of())
    for large in (10**6, 10):
        model = synthesize_table(folder, tmp_path / f"out-{large}", maker_of(schema), large=large)
        assert model.to_dict()["groups"] == whole.to_dict()["groups"]


def test_rows_are_written_where_their_group_is(tmp_path, folder, monkeypatch):
    monkeypatch.setattr(tables, "BLOCK", 400)
    model = synthesize_table(folder, tmp_path / "out", maker_of(schema_of()))
    back = Partitions(tmp_path / "out", schema_of())
    assert back.sizes() == {(k,): size for k, size in enumerate(SIZES)}
    written = sorted(path.name for path in (tmp_path / "out" / "region=south%2Feast").iterdir())
    assert written == ["part-0.parquet", "part-1.parquet", "part-2.parquet"]
    read = back.source(((1,),)).read()
    assert read["region"].unique().to_pylist() == [REGIONS[1]]
    drawn = model.sample(1).schema
    assert {field.name: field.type for field in read.schema} == {field.name: field.type for field in drawn}
    assert b"NOT PRIVATE" in pq.read_schema(tmp_path / "out/region=west/part-0.parquet").metadata[b"quantail"]
    assert np.abs(np.median(read["jobs"]) - np.median(table_of()["jobs"])) < 3


def test_work_done_twice_changes_nothing(tmp_path, folder):
    for name, engine in (("once", LocalEngine()), ("twice", Twice())):
        synthesize_table(folder, tmp_path / name, maker_of(schema_of()), engine, large=400)
    assert outcome(tmp_path / "once") == outcome(tmp_path / "twice")


def test_secure_noise_is_decided_once(tmp_path, folder):
    # The second worker that comes to a group finds it released, whatever its own answers would have been.
    seen = []

    class Watching(LocalEngine):
        def each(self, work, items):
            if work is not tables.release_pool:
                yield from super().each(work, items)
                return
            for place, _ in super().each(work, items):
                seen.append(models_in_the_making(tmp_path))
                yield place, None
            for item in items:
                work(item)
            assert models_in_the_making(tmp_path) == seen[-1]

    model = synthesize_table(folder, tmp_path / "out", TableSynthesizer(schema_of(), 4), Watching())
    assert model.private and len(seen) == 3
    decided = [json.loads(text)["groups"][0] for text in seen[-1].values()]
    assert sorted(map(str, decided)) == sorted(map(str, model.to_dict()["groups"]))


def test_the_ledger_is_charged_once_and_before_any_row_is_read(tmp_path, folder, monkeypatch):
    ledger = Ledger.create(tmp_path / "ledger", "firms", 4)
    read = tables.HeldTable
    spent = []
    monkeypatch.setattr(tables, "HeldTable", lambda *parts: (spent.append(ledger.spent), read(*parts))[1])
    schema = schema_of(name="firms")
    synthesize_table(folder, tmp_path / "out", TableSynthesizer(schema, 4), ledger=ledger)
    assert spent == [4, 4, 4] and ledger.spent == 4
    with pytest.raises(BudgetError):
        synthesize_table(folder, tmp_path / "again", TableSynthesizer(schema, 4), ledger=ledger)
    assert spent == [4, 4, 4]  # refused before anything was read


def test_groups_without_files_are_released_like_others_under_add_remove(tmp_path):
    table = table_of(sizes=(300, 0, 500))
    folder = write_partitioned(table, tmp_path / "table")
    (folder / "region=south%2Feast" / "part-0.parquet").unlink()
    (folder / "region=south%2Feast" / "part-1.parquet").unlink()
    schema = schema_of("add-remove")
    model = synthesize_table(folder, tmp_path / "out", maker_of(schema))
    assert model.to_dict()["groups"] == maker_of(schema).fit(table).to_dict()["groups"]
    assert len(model.groups) == 3
    schema = schema_of("replace-one")
    assert len(synthesize_table(folder, tmp_path / "public", maker_of(schema)).groups) == 2


def test_files_without_a_single_row_are_released_like_others_under_add_remove(tmp_path):
    write_partitioned(table_of(), tmp_path / "full")
    for path in (tmp_path / "full").rglob("*.parquet"):
        place = tmp_path / "table" / path.relative_to(tmp_path / "full")
        place.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pq.read_table(path, partitioning=None).slice(0, 0), place)
    maker = maker_of(schema_of("add-remove"))
    model = synthesize_table(tmp_path / "table", tmp_path / "out", maker)
    assert model.to_dict()["groups"] == maker.fit(table_of().slice(0, 0)).to_dict()["groups"]


def test_small_groups_are_fitted_together(tmp_path, folder):
    schema = schema_of(merge_below=600)
    model = synthesize_table(folder, tmp_path / "out", maker_of(schema))
    assert model.to_dict()["groups"] == maker_of(schema).fit(table_of()).to_dict()["groups"]
    assert {path.name for path in (tmp_path / "out" / MODELS).iterdir()} == {"group-0.json", "group-1.json"}


def test_what_is_wrong_with_the_folder_shows_before_the_charge(tmp_path, folder):
    ledger = Ledger.create(tmp_path / "ledger", "firms", 4)
    maker = TableSynthesizer(schema_of(name="firms"), 4)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    (tmp_path / "void").mkdir()
    flat = write_partitioned(table_of(), tmp_path / "flat", by=False)
    other = write_partitioned(table_of(), tmp_path / "other")
    (other / "region=west").rename(other / "region=moon")
    torn = write_partitioned(table_of(), tmp_path / "torn")
    (torn / "region=west" / "part-0.parquet").write_bytes(b"PAR1")
    narrow = tmp_path / "narrow"
    write_partitioned(table_of().drop_columns(["pay"]), narrow)
    for place, out, words in (
        (folder, "full", "not an empty folder"),
        (tmp_path / "void", "out", "no Parquet files"),
        (flat, "out", "in no folder region="),
        (other, "out", "does not list"),
        (torn, "out", "must be complete"),
        (narrow, "out", "'pay' is missing"),
    ):
        with pytest.raises(DataError, match=words):
            synthesize_table(place, tmp_path / out, maker, ledger=ledger)
    assert ledger.spent == 0


def test_public_columns_are_refused_before_the_charge(tmp_path, folder):
    ledger = Ledger.create(tmp_path / "ledger", "firms", 4)
    columns = (schema_of().columns[0], replace(schema_of().columns[1], public=True), schema_of().columns[2])
    maker = TableSynthesizer(Schema(columns, "firm", by=("region",), name="firms"), 4)
    with pytest.raises(OptionError, match="public columns"):
        synthesize_table(folder, tmp_path / "out", maker, ledger=ledger)
    assert ledger.spent == 0


def test_progress_is_told(tmp_path, folder):
    told = []
    synthesize_table(
        folder, tmp_path / "out", maker_of(schema_of()), progress=lambda *parts: told.append(parts)
    )
    assert [share for _, share in told] == pytest.approx([1 / 3, 2 / 3, 1.0])


def test_row_groups_make_stretches_of_bounded_size(tmp_path):
    folder = write_partitioned(table_of(), tmp_path / "table", files=1, row_group_size=100)
    parts = Partitions(folder, schema_of(), most=250)
    stretches = parts.source(((1,),)).stretches
    assert [stretch.rows for stretch in stretches] == [200, 200, 200, 200, 100]
    assert parts.source(((1,),)).read().num_rows == 900
    assert parts.types.names[-1] == "region"


def test_engines_are_known_by_name():
    assert isinstance(engine_of("local"), LocalEngine)
    for options in (
        ("spark",),
        ("dask",),
        ("local", "tcp://127.0.0.1:1"),
        ("local", None, 2),
        ("processes", None, 0),
    ):
        with pytest.raises(OptionError):
            engine_of(*options)


def test_groups_of_a_panel_have_simulated_noise_of_their_own(tmp_path):
    folder = panels.write_panel(
        {"178": panels.industry(range(30)), "239": panels.industry(range(30, 60))}, tmp_path / "panel"
    )  # the same histories of different units
    synthesize_panel(folder, tmp_path / "out", panels.maker_of())
    models = [PanelModel.load(path) for path in sorted((tmp_path / "out" / MODELS).iterdir())]
    assert models[0].groups[0].released != models[1].groups[0].released


def test_panels_come_in_partitions_too(tmp_path):
    columns = (
        Column("sic3", "category", categories=("178", "239", "542")),
        Column("emp", "integer", 0, 2000),
    )
    panel = Panel("lbdnum", "firstyear", "lastyear", 1976, 2000)
    schema = Schema(columns, "establishment", name="industries", panel=panel, by=("sic3",))
    folder = tmp_path / "panel"
    for code in ("178", "239"):
        part = lbd_industry(int(code)).slice(0, 150)
        (folder / f"sic3={code}").mkdir(parents=True)
        pq.write_table(part.drop_columns(["sic3"]), folder / f"sic3={code}" / "part-0.parquet")
    maker = PanelSynthesizer(schema, 1, noise="simulated", seed=3)
    ledger = Ledger.create(tmp_path / "ledger", schema.name, 1)
    release = synthesize_panel(folder, tmp_path / "out", maker, ledger=ledger)
    assert ledger.spent == 1 and release.size == 300 and not release.private
    synthesize_panel(folder, tmp_path / "again", maker, Twice())
    assert outcome(tmp_path / "out") == outcome(tmp_path / "again")
    models = [PanelModel.load(path) for path in sorted((tmp_path / "out" / MODELS).iterdir())]
    assert [len(model.units) for model in models] == [150, 150]
    assert models[0].groups[0].released != models[1].groups[0].released
