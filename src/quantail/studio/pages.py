"""Templates of pages: everything that is put into one is escaped, and what cannot be seen is spelled out."""

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from quantail._version import __version__
from quantail.visible import visible_text


def page_templates(**known: Any) -> Environment:
    """Open the templates; all of them know the version, and what is given."""
    environment = Environment(
        loader=PackageLoader("quantail.studio"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(known, version=__version__)
    environment.filters["zip_self"] = lambda names: [(name, name) for name in names]
    environment.filters["only"] = lambda names: names[0] if len(names) == 1 else ""
    return environment


def _shown(value: Any) -> Any:
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible_text(value)
