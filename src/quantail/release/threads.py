"""Numerical libraries on one thread: matrices of a fit are small, and threads mostly wait for one another.

On two cores a fit of 30,000 rows of nine columns took 2.4 times the processor time with threads of BLAS, and no less
time; measures of such a table, with those of OpenMP, seven times on a busy machine.
"""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS and OpenMP, as far as they are loaded, to one thread while the block runs; then as before."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
