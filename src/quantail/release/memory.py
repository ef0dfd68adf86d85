"""Freed memory is kept for the next array: fits and draws make and drop arrays of some megabytes all the time.

The allocator of Linux gives every such array back to the system and asks for it again, page by page, until it has
once seen a large block freed; from then on it keeps up to twice its size. A draw takes a third less time so. Other
systems do nothing here.
"""

from functools import cache

import numpy as np

_LARGEST = 2**25 - 2**16  # bytes of the largest block that teaches it so, with room for its own notes


@cache
def keep_freed_memory() -> None:
    """Free one large block, once in a process; none of its pages is ever touched."""
    np.empty(_LARGEST, dtype=np.uint8)
