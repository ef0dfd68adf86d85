"""Numerical libraries on one thread: matrices of a fit are small, and threads mostly wait for one another.

On two cores a fit of 30,000 rows of nine columns took 2.4 times the processor time with threads of BLAS, and no less
time; measures of such a table, with those of OpenMP, seven times on a busy machine.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS and OpenMP, as far as they are loaded, to one thread while the block runs; then as before."""
    with _libraries(len(sys.modules)).limit(limits=1):
        yield


@lru_cache(maxsize=1)  # to look for them takes milliseconds; further ones come with modules that are imported
def _libraries(modules: int) -> "ThreadpoolController":
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
