import numpy as np
import pyarrow as pa
import pytest

import quantail.table
from benchmarks.generators import SHAPES
from benchmarks.methods import METHODS, QUANTREG_TAUS, Job

SHAPE = SHAPES["firms"]


def job(**changes: object) -> Job:
    train = SHAPE.frame(300, np.random.default_rng(1))
    return Job(**{"schema": SHAPE.schema(), "train": train, "epsilon": 1.0, "rows": 120, "seed": 5} | changes)


@pytest.mark.parametrize("method", ["baseline", "quantreg", "fresh"])
def test_a_method_gives_the_rows_asked_for_and_is_decided_by_the_seed(method: str) -> None:
    first, again, other = (METHODS[method](job(seed=seed, fresh=SHAPE.frame)) for seed in (5, 5, 6))
    assert first.num_rows == 120
    assert first.schema.equals(job().train.schema)
    assert first.equals(again)
    assert not first.equals(other)


def test_the_default_method_runs_on_simulated_noise_with_the_jobs_budget_and_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: dict[str, object] = {}

    class Recorder:
        def __init__(self, schema: object, epsilon: float, **options: object) -> None:
            asked.update(options, epsilon=epsilon)

        def fit(self, frame: pa.Table) -> "Recorder":
            asked["fitted"] = frame.num_rows
            return self

        def sample(self, n: int, **options: object) -> pa.Table:
            return job().train.slice(0, n)

    monkeypatch.setattr(quantail.table, "TableSynthesizer", Recorder, raising=False)
    assert METHODS["tables"](job()).num_rows == 120
    assert asked == {"epsilon": 1.0, "noise": "simulated", "seed": 5, "fitted": 300}


def test_quantile_regression_does_not_depend_on_the_order_of_the_file() -> None:
    train = SHAPE.frame(20_000, np.random.default_rng(2)).sort_by("employees")
    made = METHODS["quantreg"](job(train=train, rows=5000))
    real, synthetic = (np.median(frame.column("employees").to_numpy()) for frame in (train, made))
    assert abs(real - synthetic) <= 1


def test_quantreg_levels_are_nineteen_and_symmetric() -> None:
    assert len(QUANTREG_TAUS) == 19
    assert np.allclose(np.add(QUANTREG_TAUS, QUANTREG_TAUS[::-1]), 1)


def test_what_a_method_needs_is_asked_for() -> None:
    with pytest.raises(ValueError, match="epsilon"):
        METHODS["baseline"](job(epsilon=None))
    with pytest.raises(ValueError, match="law is known"):
        METHODS["fresh"](job())
