"""Property tests try the same cases every time; `--hypothesis-profile default` goes exploring."""

import functools
import gc
import os

import typer.testing
from hypothesis import settings

from chromium import browser  # noqa: F401  (fixtures for tests of several rooms)
from postgres_server import postgres  # noqa: F401

os.environ.setdefault("QUANTAIL_CACHE", "off")  # what a test tries out is tried out
# Put together once: forty commands with their options take longer to describe than most of them to run.
typer.testing._get_command = functools.cache(typer.testing._get_command)
settings.register_profile("steady", derandomize=True)
settings.load_profile("steady")


gc.disable()  # while tests are imported and collected: what they make stays


def pytest_collection_finish():
    """What is imported and collected stays: looking through it for garbage again and again takes long."""
    gc.freeze()
    gc.enable()


def pytest_unconfigure():
    gc.unfreeze()
