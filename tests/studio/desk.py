"""A studio in a folder with one table, spoken to as a browser would that holds its cookie."""

import re
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx

from payroll_files import CANARY, payroll_text
from quantail.studio.access import COOKIE, Access
from quantail.studio.app import studio_app
from quantail.studio.folder import Folder
from quantail.studio.records import Records

ASKED = {
    "table": "payroll.csv",
    "schema": "schema.toml",
    "ledger": "payroll.ledger",
    "epsilon": "1",
    "output": "out.csv",
}
PANEL_FORM = {
    "layout": "long",
    "unit": "firm",
    "time": "year",
    "entry": "first",
    "exit": "last",
    "source": "law",
}


def rows(count: int = 200) -> str:
    """Return a payroll table with a value that must never show up on any page but the internal report."""
    return payroll_text(count, f"12,{CANARY}")


class Desk:
    """A browser at the studio."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.access = Access(8765)
        self.app = studio_app(Folder.of(folder), self.access)
        self.headers = {"cookie": f"{COOKIE}={self.access.session}", "origin": self.access.origin}
        self.records = Records.of(Folder.of(folder))

    def url(self, path: str) -> str:
        return f"/{self.access.prefix}{path}"

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, **options: object):
        """Send a request as it is; headers that are given replace those of a browser at the studio."""

        async def asked():
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(transport=transport, base_url=self.access.origin) as client:
                return await client.request(method, path, headers=self.headers | (headers or {}), **options)

        return anyio.run(asked)

    def get(self, path: str, **query: object):
        return self.ask("GET", self.url(path), params=query)

    def post(self, path: str, **form: object):
        sent = {"form_token": self.access.form_token(path), **form}
        return self.ask("POST", self.url(path), data=sent)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def hidden(self, answer, name: str) -> str:
        """Return what a hidden field of a page holds."""
        return re.findall(rf'name="{name}" value="([^"]*)"', answer.text)[0]

    def run_of(self, answer) -> str:
        """Return the run that an answer leads to."""
        assert answer.status_code == 303, answer.text
        return parse_qs(urlsplit(answer.headers["location"]).query)["id"][0]

    def wait(self, run: str, seconds: float = 60):
        """Wait until a run has ended, and return how."""
        end = time.monotonic() + seconds
        while (found := self.records.read(run)).state == "running":
            assert time.monotonic() < end, found
            time.sleep(0.05)
        return found


def reviewed(desk, **changes):
    """Open the review of a release, and return its form."""
    asked = ASKED | changes
    page = desk.get("/release/review", **asked)
    assert page.status_code == 200, page.text
    return asked | {"run": desk.hidden(page, "run")}
