"""Pages from templates: everything that is put into one is escaped, and what cannot be seen is spelled out."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, RedirectResponse, Response

from quantail._version import __version__
from quantail.studio.access import Access
from quantail.visible import visible_text

CONTEXT = ("table", "schema", "ledger")
"""What a person is working on, carried from page to page in the address."""


@dataclass(frozen=True)
class Pages:
    """Writes pages of one studio."""

    access: Access
    folder_name: str

    def address(self, path: str, **query: object) -> str:
        """Return the address of a page; values that are empty are left out."""
        given = {name: str(value) for name, value in query.items() if value not in (None, "")}
        asked = f"?{urlencode(given)}" if given else ""
        return f"/{self.access.prefix}{path}{asked}"

    def page(self, template: str, status: int = 200, **content: Any) -> Response:
        """Write a page."""
        content = {"context": {}, "error": "", "notice": "", **content}
        text = self._environment.get_template(template).render(content)
        return HTMLResponse(text, status)

    def go(self, path: str, **query: object) -> Response:
        """Send the browser to a page, after a form."""
        return RedirectResponse(self.address(path, **query), 303)

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            loader=PackageLoader("quantail.studio"),
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_shown,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.globals.update(
            address=self.address, token=self._token, folder=self.folder_name, version=__version__
        )
        environment.filters["zip_self"] = lambda names: [(name, name) for name in names]
        environment.filters["only"] = lambda names: names[0] if len(names) == 1 else ""
        return environment

    def _token(self, action: str) -> str:
        return self.access.form_token(action)


def _shown(value: Any) -> Any:
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return visible_text(value)


def context_of(query: Mapping[str, str]) -> dict[str, str]:
    """Take what a person is working on from an address."""
    return {name: query[name] for name in CONTEXT if query.get(name)}
