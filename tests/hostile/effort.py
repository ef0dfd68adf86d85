"""How hard to try: QUANTAIL_FUZZ=20 tries twenty times as many, --hypothesis-profile default ever new ones."""

import os

TIMES = int(os.environ.get("QUANTAIL_FUZZ", "1"))


def examples(number: int) -> int:
    """Return how many inputs to try."""
    return number * TIMES
