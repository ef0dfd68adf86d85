"""Optional packages: imported when something needs them, with a plain answer if they are not installed."""

import importlib
from typing import Any, Literal

from quantail.errors import DataError, OptionError, QuantailError

_PACKAGES = {"sklearn": "scikit-learn", "distributed": "dask"}  # where a module is called otherwise


class MissingExtra(OptionError):
    """A measure, or a formula, needs a package that is not installed."""


def optional(
    module: str,
    extra: Literal["files", "databases", "evaluate", "scale"],
    purpose: str,
    error: type[QuantailError] = DataError,
) -> Any:
    """Import a module of an optional package, or raise an error that says how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        pass
    name = module.partition(".")[0]
    package = _PACKAGES.get(name, name)
    raise error(f'{purpose} needs the package {package}; install it: pip install "quantail[{extra}]"')
