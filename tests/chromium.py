"""A real browser for the tests of pages, and what they look at in it; the tests are skipped where there is none.

With QUANTAIL_PICTURES set, pictures of pages stay in tests/artefacts (not in git), to be looked at.
"""

import os
import shutil
from pathlib import Path

import pytest

ARTEFACTS = Path(__file__).parent / "artefacts"
CHROMIUM = shutil.which("chromium")
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
NEEDED = pytest.mark.skipif(CHROMIUM is None, reason="no browser: install chromium to run these tests")


@pytest.fixture(scope="module")  # no longer: while it is open, a test cannot run an event loop of its own
def browser():
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


def watched(page):
    """Keep what a page says, on the console and in dialogs, and what it asks of any network."""
    page.said, page.asked = [], []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.on("dialog", lambda dialog: (page.said.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: page.asked.append(request.url))
    return page


def kept(page, name):
    """Keep a picture of a page, where one wants to look at it."""
    if "QUANTAIL_PICTURES" not in os.environ:
        return
    ARTEFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTEFACTS / f"{name}.png", full_page=True)


def barriers(page, impacts=("serious", "critical")):
    """List what people with other eyes or hands would stumble over: rule, element."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    faults = axe.Axe().run(page).response["violations"]
    grave = [fault for fault in faults if fault["impact"] in impacts]
    # Some versions of axe leave to people what follows from one name for two fields: a label of the wrong one.
    named = page.evaluate("Array.from(document.querySelectorAll('[id]'), held => held.id)")
    twice = [("one id twice", name) for name in sorted({name for name in named if named.count(name) > 1})]
    return [(fault["id"], fault["nodes"][0]["html"]) for fault in grave] + twice
