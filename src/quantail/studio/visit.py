"""A visit to a page: what was asked, and the studio that answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from quantail.errors import OptionError
from quantail.studio.access import Access
from quantail.studio.folder import Folder
from quantail.studio.launch import Launcher
from quantail.studio.pages import Pages, context_of
from quantail.studio.records import Records


@dataclass(frozen=True)
class Studio:
    """A folder, who may work in it, and the runs that were started there."""

    folder: Folder
    access: Access
    pages: Pages
    records: Records
    launcher: Launcher

    @classmethod
    def of(cls, folder: Folder, access: Access) -> "Studio":
        """Open the studio of a folder."""
        records = Records.of(folder)
        return cls(folder, access, Pages(access, folder.root.name), records, Launcher(records))


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
        sent = {name: values[0] for name, values in self.form.items() if values}
        return context_of({**self.query, **sent})

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
        return self.studio.pages.page(template, status, **{"context": self.context, **content})

    def go(self, path: str, **query: object) -> Response:
        """Send the browser to a page about the same things."""
        return self.studio.pages.go(path, **{**self.context, **query})

    def told(self, error: Exception) -> str:
        """Return the message of an error as pages show it: files of the folder by their names there."""
        return str(error).replace(f"{self.studio.folder.root}/", "")
