"""The optional packages of an evaluation: imported when needed, with a plain answer if they are not installed."""

from __future__ import annotations

import importlib
from typing import Any

from quantail.errors import OptionError


class MissingExtra(OptionError):
    """A package of the `evaluate` extra is not installed."""


def evaluate_extra(module: str, purpose: str) -> Any:
    """Import a module of an optional package, or raise an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        pass
    package = {"sklearn": "scikit-learn"}.get(module.partition(".")[0], module.partition(".")[0])
    raise MissingExtra(f'{purpose} needs the package {package}; install it: pip install "quantail[evaluate]"')
