"""Compilation of the samplers by numba, which only this package needs; importing this file without it is an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

from quantail.errors import OptionError

try:
    import numba
except ImportError as missing:
    raise OptionError(
        "the published mechanisms are compiled by numba, which is not installed; install what the studies need: "
        "pip install --group studies (from the clone, pip 25.1 or newer), or pip install numba"
    ) from missing

_Args = ParamSpec("_Args")
_Result = TypeVar("_Result")


def compiled(function: Callable[_Args, _Result]) -> Callable[_Args, _Result]:
    """Compile a function of arrays, once per machine; sums may be taken in any order, nothing else is relaxed."""
    return cast(Callable[_Args, _Result], numba.njit(cache=True, fastmath={"reassoc", "contract"})(function))
