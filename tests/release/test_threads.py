"""A fit and measures keep numerical libraries to one thread, and leave them as they found them."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from quantail.errors import DataError
from quantail.evaluation import evaluate
from quantail.examples import payroll_example, payroll_schema
from quantail.release.threads import one_thread
from quantail.table import TableSynthesizer


def threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info()}


def test_a_fit_has_one_thread_and_others_have_theirs_back():
    seen = []
    with threadpool_limits(2):
        synthesizer = TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1)
        synthesizer.fit(payroll_example(150), progress=lambda name, share: seen.append(threads()))
        assert threads() == {2}
    assert seen and all(found == {1} for found in seen)


def test_measures_have_one_thread_also_in_libraries_that_they_load(monkeypatch):
    selection = pytest.importorskip("sklearn.model_selection")
    seen = []

    def scored(*_, **__):
        seen.append(threads())
        return np.zeros(5)

    monkeypatch.setattr(selection, "cross_val_score", scored)
    rows = payroll_example(150)
    with threadpool_limits(2):
        evaluate(rows, rows, measures=["auc"])
    assert seen == [{1}]


def test_threads_come_back_after_an_error():
    with threadpool_limits(2):
        with pytest.raises(DataError), one_thread():
            raise DataError("wrong")
        assert threads() == {2}
