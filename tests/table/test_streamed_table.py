"""Tables larger than memory: a source gives the model of its rows in memory, within the memory of a chunk."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from quantail.auditing.boundaries import quick
from quantail.auditing.whole_tables import ROWS, frame_of, schema_of
from quantail.errors import BudgetError, DataError
from quantail.examples import paper_schema, simulate_paper
from quantail.io import open_source
from quantail.io.source import Source
from quantail.privacy import Ledger
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer, model


@pytest.fixture
def small_chunks(monkeypatch):
    """Make chunks of 30 rows."""
    honest = Source.chunks
    monkeypatch.setattr(Source, "chunks", lambda self, batch_rows=30: honest(self, batch_rows))


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("method", "by"), [("tables", ()), ("tables", ("region",)), ("sandwich", ())])
def test_a_source_gives_the_model_of_its_rows(tmp_path, small_chunks, relation, method, by):
    schema = schema_of(relation, by, numbers_only=method != "tables")
    frame = frame_of(4)
    table = pa.table({name: frame[name] for name in schema.names})
    pq.write_table(table, tmp_path / "table.parquet", row_group_size=70)
    maker = TableSynthesizer(schema, 60, method=method, noise="simulated", seed=4)
    if method == "tables":
        maker = maker._drawing_from(maker._source, quick())
    streamed = maker.fit(open_source(tmp_path / "table.parquet"))
    assert streamed.to_dict() == maker.fit(table).to_dict()


def test_rich_columns_stream_too(tmp_path, small_chunks):
    rng = np.random.default_rng(3)
    jobs = rng.integers(0, 90, 400)
    pay = np.where(rng.random(400) < 0.2, np.nan, np.rint(jobs * rng.lognormal(3, 0.5, 400)))
    day = np.datetime64("2020-01-01") + rng.integers(0, 300, 400)
    table = pa.table({"jobs": jobs, "pay": pa.array(pay, from_pandas=True), "day": day, "open": jobs > 30})
    columns = (
        Column("jobs", "integer", 0, 100, grid="log", atoms=(0,)),
        Column("pay", "numeric", 0, 1e5, grid="log", missing=True),
        Column("day", "date", "2020-01-01", "2020-12-31"),
        Column("open", "boolean"),
    )
    pq.write_table(table, tmp_path / "table.parquet")
    maker = TableSynthesizer(Schema(columns, "firm"), 20, noise="simulated", seed=4)
    streamed = maker.fit(open_source(tmp_path / "table.parquet"))
    assert streamed.to_dict() == maker.fit(table).to_dict()


def test_trouble_in_a_late_chunk_shows_before_the_charge(tmp_path, small_chunks):
    table = pa.table({"X1": [*range(100), None], "X2": list(range(101)), "X3": list(range(101))})
    pq.write_table(table, tmp_path / "table.parquet")
    ledger = Ledger.create(tmp_path / "ledger", "paper-simulation", 1)
    with pytest.raises(DataError, match="'X1' holds missing values"):
        TableSynthesizer(paper_schema(), 1).fit(open_source(tmp_path / "table.parquet"), ledger=ledger)
    assert ledger.spent == 0


@pytest.mark.parametrize("rows", [150, 250])
def test_a_file_that_changes_during_the_fit_is_refused(tmp_path, small_chunks, rows):
    def write(rows):
        pq.write_table(pa.table(simulate_paper(rows, np.random.default_rng(1))), tmp_path / "table.parquet")

    write(200)
    with pytest.raises(DataError, match="changed while it was read"):
        TableSynthesizer(paper_schema(), 1).fit(
            open_source(tmp_path / "table.parquet"), progress=lambda name, share: write(rows)
        )


@pytest.mark.parametrize("by", [(), ("region",)])
def test_a_source_without_rows_is_fitted_where_their_number_is_private(tmp_path, by):
    schema = schema_of("add-remove", by)
    table = pa.table(frame_of(4)).slice(0, 0)
    pq.write_table(table, tmp_path / "table.parquet")
    maker = TableSynthesizer(schema, 1, noise="simulated", seed=4)
    streamed = maker.fit(open_source(tmp_path / "table.parquet"))
    assert streamed.to_dict() == maker.fit(table).to_dict()


def test_a_source_is_charged_for_once(tmp_path, small_chunks):
    pq.write_table(pa.table(simulate_paper(200, np.random.default_rng(1))), tmp_path / "table.parquet")
    ledger = Ledger.create(tmp_path / "ledger", "paper-simulation", 1)
    source, maker = open_source(tmp_path / "table.parquet"), TableSynthesizer(paper_schema(), 1)
    assert maker.fit(source, ledger=ledger).private
    assert ledger.spent == 1
    with pytest.raises(BudgetError):
        maker.fit(source, ledger=ledger)


@pytest.mark.parametrize("draw", ["balanced", "independent"])
def test_chunks_hold_the_rows_of_a_sample(monkeypatch, draw):
    monkeypatch.setattr(model, "BLOCK", 16)
    schema = schema_of("replace-one", ("region",))
    fitted = TableSynthesizer(schema, 30, noise="simulated", seed=1).fit(pa.table(frame_of(4)))
    for n in (None, 45):
        chunks = list(fitted.chunks(n, seed=3, draw=draw))
        assert max(chunk.num_rows for chunk in chunks) == 16
        whole = fitted.sample(n, seed=3, draw=draw)
        assert whole.num_rows == (n or ROWS)
        assert pa.concat_tables(chunks).equals(whole)  # in whatever chunks


ONE_HEAP = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "MALLOC_TRIM_THRESHOLD_": "65536",
}
STREAM = """
    import json, resource, sys
    import pyarrow as pa
    from quantail.examples import paper_schema
    from quantail.io import open_source
    from quantail.schema import Schema
    from quantail.table import TableSynthesizer

    schema = Schema(paper_schema().columns[:2], unit="row", neighbours="add-remove")
    maker = TableSynthesizer(schema, 40, noise="simulated", seed=1)
    peaks = []
    for path in sys.argv[1:]:
        source = open_source(path)
        model = maker.fit(source)
        with pa.OSFile(path + ".out", "wb") as file, pa.ipc.new_file(file, source.types) as out:
            for chunk in model.chunks(200_000, seed=2):
                out.write_table(chunk)
        peaks.append(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    print(json.dumps({"grown": peaks[1] - peaks[0], "groups": model.to_dict()["groups"]}))
"""


@pytest.mark.slow
def test_a_file_five_times_larger_than_memory_gives_the_same_model(tmp_path):
    # A first, small file shows what chunks, secret parts and answers need whatever the size; the second may use no
    # more than a fifth of itself beyond that. (One heap that gives memory back at once, so that this can be seen.)
    schema = paper_schema()
    big = pa.table(simulate_paper(1_000_000, np.random.default_rng(1))).select(["X1", "X2"])
    pq.write_table(big.slice(0, 140_000), tmp_path / "small.parquet")
    pq.write_table(big, tmp_path / "big.parquet", row_group_size=100_000)
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(STREAM), tmp_path / "small.parquet", tmp_path / "big.parquet"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **ONE_HEAP},
    )
    found = json.loads(run.stdout)
    assert found["grown"] < big.nbytes / 5
    maker = TableSynthesizer(
        type(schema)(schema.columns[:2], unit="row", neighbours="add-remove"), 40, noise="simulated", seed=1
    )
    assert maker.fit(big).to_dict()["groups"] == found["groups"]
