"""A visit to a page: what was asked, and the studio that answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment
from starlette.responses import HTMLResponse, RedirectResponse, Response

from quantail.errors import OptionError
from quantail.studio.access import Access
from quantail.studio.folder import Folder
from quantail.studio.launch import Launcher
from quantail.studio.pages import page_templates
from quantail.studio.records import Records

CONTEXT = ("table", "schema", "ledger")
"""What a person is working on, carried from page to page in the address."""


@dataclass(frozen=True)
class Studio:
    """A folder, who may work in it, and the runs that were started there."""

    folder: Folder
    access: Access
    records: Records
    launcher: Launcher

    @classmethod
    def of(cls, folder: Folder, access: Access) -> "Studio":
        """Open the studio of a folder."""
        records = Records.of(folder)
        return cls(folder, access, records, Launcher(records))

    @cached_property
    def templates(self) -> Environment:
        """What its pages are made of."""
        token = self.access.form_token
        return page_templates(address=self.address, token=token, folder=self.folder.root.name)

    def address(self, path: str, **query: object) -> str:
        """Return the address of a page; values that are empty are left out."""
        given = {name: str(value) for name, value in query.items() if value not in (None, "")}
        asked = f"?{urlencode(given)}" if given else ""
        return f"/{self.access.prefix}{path}{asked}"


@dataclass(frozen=True)
class Visit:
    """One request."""

    studio: Studio
    query: Mapping[str, str]  # what the address asks, each name once
    # what a form sent; names may occur several times
    form: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def context(self) -> dict[str, str]:
        """What the person is working on."""
        sent = {**self.query, **{name: values[0] for name, values in self.form.items() if values}}
        return {name: sent[name] for name in CONTEXT if sent.get(name)}

    def sent(self, name: str, default: str = "") -> str:
        """Return a field of the form, or of the address, without blanks around it."""
        values = self.form.get(name)
        return (values[0] if values else self.query.get(name, default)).strip()

    def place(self, name: str, below: int) -> int:
        """Return a field that holds the place of something in a list."""
        text = self.sent(name)
        if not text.isdecimal() or int(text[:9]) >= below:
            raise OptionError("the page is out of date; load it again")
        return int(text)

    def page(self, template: str, status: int = 200, **content: Any) -> Response:
        """Write a page; every page knows what the person is working on."""
        content = {"context": self.context, "error": "", "notice": "", **content}
        return HTMLResponse(self.studio.templates.get_template(template).render(content), status)

    def go(self, path: str, **query: object) -> Response:
        """Send the browser, after a form, to a page about the same things."""
        return RedirectResponse(self.studio.address(path, **{**self.context, **query}), 303)

    def told(self, error: Exception) -> str:
        """Return the message of an error as pages show it: files of the folder by their names there."""
        return str(error).replace(f"{self.studio.folder.root}/", "")
