"""Optional packages: imported when a format needs them, with a plain answer if they are not installed."""

import importlib
from typing import Any, Literal

from quantail.errors import DataError


def optional(package: str, extra: Literal["files", "databases"], purpose: str) -> Any:
    """Import an optional package, or raise a DataError that says how to install it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        pass
    raise DataError(f'{purpose} needs the package {package}; install it: pip install "quantail[{extra}]"')
