"""Linear algebra of a fit on one thread: its matrices are small, and threads of BLAS mostly wait for one another.

On two cores a fit of 30,000 rows of nine columns took 2.4 times the processor time with them, and no less time.
"""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS to one thread while the block runs, and then as it was before."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield
