"""Real workers, in processes and on a Dask cluster: the result of one process, even if one of them is killed."""

import pickle
import sys

import cloudpickle
import partitioned
import pytest
from partitioned import DyingSynthesizer, die_once, maker_of, outcome, schema_of, table_of, write_partitioned

from quantail.engines import engine_of, synthesize_table
from quantail.errors import DataError, EngineError

pytest.importorskip("joblib")
distributed = pytest.importorskip("distributed")
for tests in (partitioned, sys.modules[__name__]):
    cloudpickle.register_pickle_by_value(tests)  # workers cannot import them


@pytest.fixture(scope="module")
def cluster():
    """Start a scheduler and two worker processes on the loopback interface."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as made:
        yield made


@pytest.fixture
def engine(cluster):
    with engine_of("dask", cluster.scheduler_address) as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_partitioned(table_of(), tmp_path_factory.mktemp("data") / "table")


@pytest.fixture(scope="module")
def expected(folder, tmp_path_factory):
    """What one process makes of it."""
    output = tmp_path_factory.mktemp("expected") / "out"
    return synthesize_table(folder, output, maker_of(schema_of())).to_dict(), outcome(output)


@pytest.mark.parametrize("large", [10**6, 600])  # the largest group in one place, or in parts
def test_workers_make_what_one_process_makes(tmp_path, folder, expected, engine, large):
    model = synthesize_table(folder, tmp_path / "out", maker_of(schema_of()), engine, large=large)
    assert (model.to_dict(), outcome(tmp_path / "out")) == expected


def test_a_worker_killed_in_the_middle_changes_nothing(tmp_path, folder, expected, engine):
    maker = DyingSynthesizer(schema_of(), 4, noise="simulated", seed=5)
    maker.mark = tmp_path / "died"
    model = synthesize_table(folder, tmp_path / "out", maker, engine)
    assert maker.mark.exists()  # else nothing was tried
    assert (model.to_dict(), outcome(tmp_path / "out")) == expected


@pytest.mark.slow
def test_processes_make_the_same_and_one_may_be_killed(tmp_path, folder, expected):
    maker = DyingSynthesizer(schema_of(), 4, noise="simulated", seed=5)
    maker.mark = tmp_path / "died"
    with engine_of("processes", workers=2) as engine:
        model = synthesize_table(folder, tmp_path / "out", maker, engine, large=600)
        with pytest.raises(DataError, match="is refused"):
            list(engine.each(refuse, range(3)))
    assert maker.mark.exists()
    assert (model.to_dict(), outcome(tmp_path / "out")) == expected


def refuse(number):
    raise DataError(f"item {number} is refused; give another")


def test_a_worker_killed_while_it_counts_changes_nothing(tmp_path, engine):
    mark = tmp_path / "died"

    def count(number):
        if number == 2:
            die_once(mark)
        return number * number

    assert dict(engine.each(count, range(4))) == {0: 0, 1: 1, 2: 4, 3: 9}
    assert mark.exists()


def test_an_error_of_the_work_reaches_the_driver(engine):
    with pytest.raises(DataError, match="is refused"):
        list(engine.each(refuse, range(3)))
    assert sorted(engine.each(abs, [-1, 2])) == [(0, 1), (1, 2)]  # and the engine can go on


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setattr("quantail.engines.cluster.CONNECT_SECONDS", 0.5)
    with pytest.raises(EngineError, match="no Dask scheduler answers"):
        engine_of("dask", "tcp://127.0.0.1:9")


def test_vectors_travel_without_the_engine(folder):
    from quantail.engines import LocalEngine, Partitions
    from quantail.engines.partitioned_rows import PartitionedRows

    rows = PartitionedRows(LocalEngine(), Partitions(folder, schema_of()).source(((1,),)), schema_of())
    assert vars(pickle.loads(pickle.dumps(rows))) == {"size": 900}
