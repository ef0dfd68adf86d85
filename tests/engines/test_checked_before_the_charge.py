"""Whatever `quantail check` would say about any row of any partition is said before the charge."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from panels import industry, maker_of, write_panel
from panels import schema_of as panel_schema_of
from partitioned import maker_of as table_maker_of
from partitioned import outcome, schema_of, table_of, write_partitioned

from quantail.engines import Partitions, engine_of, synthesize_panel, synthesize_table
from quantail.errors import DataError
from quantail.io.source import BATCH_ROWS
from quantail.privacy import Ledger
from quantail.schema import Column

LAST = "region=west"


@pytest.fixture
def ledger(tmp_path):
    return Ledger.create(tmp_path / "ledger", "firms", 4)


def rewrite(folder, change):
    """Change the last file of the last group."""
    path = folder / LAST / "part-1.parquet"
    pq.write_table(change(pq.read_table(path, partitioning=None)), path, row_group_size=100)


def last_value(name, value):
    def change(table):
        values = [*table[name].to_pylist()[:-1], value]
        return table.set_column(table.column_names.index(name), name, pa.array(values))

    return change


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (last_value("jobs", None), "'jobs' holds missing values"),
        (last_value("jobs", 2.5), "'jobs' holds values that are not whole"),
        (last_value("pay", np.inf), "'pay' holds infinite values"),
        (lambda table: table.drop_columns(["pay"]), "'pay' is missing"),
        (lambda table: table.set_column(1, "pay", pa.array(["much"] * table.num_rows)), "nothing in common"),
    ],
)
@pytest.mark.parametrize("large", [10**6, 400])
def test_one_wrong_value_in_the_last_row_of_a_table(tmp_path, ledger, relation, change, words, large):
    folder = write_partitioned(table_of(), tmp_path / "table")
    rewrite(folder, change)
    maker = table_maker_of(schema_of(relation, name="firms"))
    with pytest.raises(DataError, match=words):
        synthesize_table(folder, tmp_path / "out", maker, ledger=ledger, large=large)
    assert ledger.spent == 0 and not (tmp_path / "out").exists()


def test_every_chunk_is_checked(tmp_path, ledger):
    jobs = np.ones(BATCH_ROWS + 1)
    jobs[-1] = 0.5
    (tmp_path / "table").mkdir()
    pq.write_table(pa.table({"jobs": jobs, "pay": np.ones(jobs.size)}), tmp_path / "table" / "part-0.parquet")
    maker = table_maker_of(schema_of(by=(), name="firms"))
    with pytest.raises(DataError, match="'jobs' holds values that are not whole"):
        synthesize_table(tmp_path / "table", tmp_path / "out", maker, ledger=ledger)
    assert ledger.spent == 0


def test_labels_are_checked_too(tmp_path, ledger):
    rows = table_of().append_column("kind", pa.array(["a"] * 1699 + ["moon"]))
    columns = (*schema_of().columns, Column("kind", "category", categories=("a", "b")))
    folder = write_partitioned(rows, tmp_path / "table")
    maker = table_maker_of(replace(schema_of(name="firms"), columns=columns))
    with pytest.raises(DataError, match="region=west: column 'kind' holds a value that is not among"):
        synthesize_table(folder, tmp_path / "out", maker, ledger=ledger)
    assert ledger.spent == 0


def panel_with(change):
    table = industry(range(30, 70), 2)
    return {"178": industry(range(30)), "239": change(table)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (last_value("emp_2003", None), "sic=239: column 'last' is not the last period"),
        (last_value("emp_2003", 1.5), "sic=239: column 'emp_2003' holds values that are not whole"),
        (last_value("last", 2001), "sic=239: column 'last' is not the last period"),
        (last_value("first", 1990), "sic=239: column 'first' holds periods outside"),
        (last_value("id", None), "sic=239: column 'id' holds missing values"),
        (last_value("id", 31), "sic=239: column 'id' holds the same unit more than once"),
        (lambda table: table.drop_columns(["emp_2003"]), "'emp_2003' is missing"),
    ],
)
def test_one_wrong_value_in_the_last_row_of_a_panel(tmp_path, change, words):
    ledger = Ledger.create(tmp_path / "ledger", "industries", 1)
    folder = write_panel(panel_with(change), tmp_path / "panel")
    with pytest.raises(DataError, match=words):
        synthesize_panel(folder, tmp_path / "out", maker_of(), ledger=ledger)
    assert ledger.spent == 0 and not (tmp_path / "out").exists()


def test_groups_of_a_panel_without_units_are_left_out_and_a_panel_without_any_is_refused(tmp_path):
    parts = {"178": industry(range(30)), "239": industry([]).cast(industry([1]).schema)}
    folder = write_panel(parts, tmp_path / "panel")
    ledger = Ledger.create(tmp_path / "ledger", "industries", 1)
    assert synthesize_panel(folder, tmp_path / "out", maker_of(), ledger=ledger).size == 30
    (folder / "sic=178" / "part-0.parquet").unlink()
    with pytest.raises(DataError, match="holds no units"):
        synthesize_panel(folder, tmp_path / "again", maker_of(), ledger=ledger)
    assert ledger.spent == 1


def test_all_groups_are_named_and_long_lists_are_cut(tmp_path):
    labels = tuple(str(place) for place in range(30))
    broken = last_value("emp_2003", None)
    parts = {label: broken(industry(range(9 * k, 9 * k + 9))) for k, label in enumerate(labels)}
    folder = write_panel(parts, tmp_path / "panel")
    with pytest.raises(DataError) as caught:
        synthesize_panel(folder, tmp_path / "out", maker_of(panel_schema_of(labels)))
    lines = str(caught.value).split("\n")
    assert "nothing was charged" in lines[0] and len(lines) == 22 and lines[-1] == "- ..."


def test_workers_in_processes_check_too(tmp_path, ledger):
    pytest.importorskip("joblib")
    folder = write_partitioned(table_of(), tmp_path / "table")
    rewrite(folder, last_value("jobs", None))
    with engine_of("processes", workers=2) as engine, pytest.raises(DataError, match="region=west"):
        synthesize_table(
            folder, tmp_path / "out", table_maker_of(schema_of(name="firms")), engine, ledger=ledger
        )
    assert ledger.spent == 0


@pytest.mark.parametrize("least", [0, 600])  # groups by themselves, or two of them fitted together
def test_groups_may_be_stored_as_different_types(tmp_path, least):
    schema = schema_of(merge_below=least)
    write_partitioned(table_of(), tmp_path / "plain")
    folder = write_partitioned(table_of(), tmp_path / "table")
    rewrite(folder, lambda table: table.cast(pa.schema([("jobs", pa.int16()), ("pay", pa.float32())])))
    for name in ("plain", "table"):
        synthesize_table(tmp_path / name, tmp_path / f"{name}-out", table_maker_of(schema))
    assert outcome(tmp_path / "plain-out") == outcome(tmp_path / "table-out")


def test_dictionaries_and_plain_text_are_read_as_text_and_other_columns_are_left_out(tmp_path):
    rows = table_of().append_column("kind", pa.array(["a", "b"] * 850))
    columns = (*schema_of().columns, Column("kind", "category", categories=("a", "b")))
    folder = write_partitioned(rows, tmp_path / "table")

    def change(table):
        kinds = table["kind"].combine_chunks().dictionary_encode()
        return table.set_column(2, "kind", kinds).append_column("extra", pa.nulls(table.num_rows))

    rewrite(folder, change)
    parts = Partitions(folder, replace(schema_of(), columns=columns))
    assert (
        parts.types.names == ["jobs", "pay", "kind", "region"]
        and parts.types.field("kind").type == pa.string()
    )
    assert parts.source(((2,),)).read()["kind"].unique().to_pylist() == ["a", "b"]
