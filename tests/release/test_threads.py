"""A fit keeps linear algebra to one thread, and leaves it as it found it."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from quantail.errors import DataError
from quantail.examples import payroll_example, payroll_schema
from quantail.release.threads import one_thread
from quantail.table import TableSynthesizer


def threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_a_fit_has_one_thread_and_others_have_theirs_back():
    seen = []
    with threadpool_limits(2, user_api="blas"):
        synthesizer = TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1)
        synthesizer.fit(payroll_example(150), progress=lambda name, share: seen.append(threads()))
        assert threads() == {2}
    assert seen and all(found == {1} for found in seen)


def test_threads_come_back_after_an_error():
    with threadpool_limits(2, user_api="blas"):
        with pytest.raises(DataError), one_thread():
            raise DataError("wrong")
        assert threads() == {2}
