"""The studio in a real browser: from a folder with one table to a released copy of it, by keyboard and mouse."""

import http.server
import os
import re
import signal
import subprocess
import sys
import threading

import pytest

from chromium import DESKTOP, NEEDED, PHONE, barriers, kept, watched
from quantail.examples import payroll_example
from quantail.io import write_table
from quantail.privacy.ledger import Ledger

SECONDS = 60_000  # patience of the browser, in its milliseconds: the machine may be busy

pytestmark = NEEDED


@pytest.fixture
def served(tmp_path):
    """A studio in a process of its own: its folder, and the address that it prints."""
    folder = tmp_path / "payroll 2024"
    folder.mkdir()
    write_table(payroll_example(400), folder / "payroll.csv")
    command = [
        sys.executable,
        "-c",
        "from quantail.cli import main; main()",
        "studio",
        str(folder),
        "--no-browser",
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )
    lines = [process.stdout.readline() for _ in range(2)]
    yield folder, lines[1].strip()
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=60)
    assert said == "" and "Traceback" not in errors


class Reader:
    """A person at a browser; what pages say on the console and ask of any network is kept."""

    def __init__(self, browser, address):
        # Colours that are still changing would be judged half way on a slow machine.
        self.context = browser.new_context(viewport=DESKTOP, reduced_motion="reduce")
        self.context.set_default_timeout(SECONDS)
        self.page = watched(self.context.new_page())
        self.page.goto(address)
        self.page.wait_for_selector("h1")
        self.origin = re.match(r"http://[^/]+", address)[0]

    def press(self, name):
        self.page.get_by_role("button", name=name).click()

    def follow(self, name):
        self.page.get_by_role("link", name=name, exact=True).first.click()

    def fill(self, **fields):
        for name, value in fields.items():
            self.page.locator(f"[name={name}]").first.fill(value)

    def look(self, name, closely=False):
        """Judge the page by what a machine can see of it, and keep its picture; closely: in the dark as well."""
        for kind in ("light", "dark", "phone") if closely else ("light", "phone"):
            self.page.emulate_media(color_scheme="dark" if kind == "dark" else "light")
            size = PHONE if kind == "phone" else DESKTOP
            self.page.set_viewport_size(size)
            self.page.wait_for_load_state()  # a form that was just sent may still be on its way
            kept(self.page, f"studio-{name}-{kind}")
            assert self.page.evaluate("document.documentElement.scrollWidth") <= size["width"], (name, kind)
            if kind != "phone":
                assert barriers(self.page) == [], name
        self.page.set_viewport_size(DESKTOP)


def describe_columns(reader):
    """Fill in the blanks of a draft, column by column."""
    page = reader.page
    reader.follow("Fill in the next blank")
    page.locator("#type").select_option("category")
    page.locator("#lower").wait_for(state="hidden")  # the script of the page may come after the choice
    assert page.locator("#categories").is_visible()
    reader.fill(categories="construction\nmanufacturing\nretail\nservices", source="the register's code book")
    reader.press("Save and next")
    page.locator("#type").select_option("integer")
    assert page.locator("#lower").input_value() == "" and page.locator("#upper").input_value() == ""
    reader.fill(lower="1", upper="50 000", source="licences")
    page.get_by_label("log").check()
    reader.press("Save and next")
    page.locator("#type").select_option("numeric")
    reader.fill(lower="0", decimals="2", source="programme rules")
    page.get_by_label("log").check()
    page.get_by_role("button", name="Save", exact=True).click()
    assert "upper" in page.locator(".message.care").inner_text()
    reader.look("column", closely=True)
    reader.fill(upper="10 000 000 000")
    reader.press("Save and finish")
    reader.fill(name="payroll", unit="establishment")
    page.locator("form[action$='/schema/facts'] button").click()
    page.get_by_text("The schema is complete.").wait_for()


def test_from_a_folder_with_one_table_to_a_released_copy(browser, served):
    folder, address = served
    reader = Reader(browser, address)
    page = reader.page
    assert "/open/" not in page.url
    reader.look("folder")
    reader.follow("payroll.csv")
    reader.look("table")
    reader.press("Draft a schema")
    reader.look("draft")
    describe_columns(reader)
    reader.look("schema", closely=True)
    reader.follow("Check the table against it")
    page.get_by_text("It fits.").wait_for()
    reader.follow("Ledger")
    reader.fill(output="payroll.ledger", limit="1.5")
    assert page.locator("[name=dataset]").input_value() == "payroll"
    reader.press("Start the ledger")
    reader.look("ledger")
    reader.follow("On to the release")
    reader.fill(epsilon="2")
    reader.press("Review")
    assert "does not cover this" in page.locator(".message.bad").inner_text()
    reader.fill(epsilon="1")
    reader.look("release")
    reader.press("Review")
    reader.look("review")
    reader.press("Charge 1 epsilon and release")
    page.get_by_text("before you publish it, together with its card.").wait_for()
    reader.look("run", closely=True)
    assert Ledger.open(folder / "payroll.ledger").spent == 1
    assert len((folder / "payroll-synthetic.csv").read_text().splitlines()) == 401
    reader.follow("To the results")
    reader.look("results", closely=True)
    with reader.context.expect_page() as opened:
        reader.follow("Read the card")
    opened.value.get_by_role("heading", name="Release card").wait_for()
    assert all(url.startswith((reader.origin, "data:")) for url in reader.page.asked)
    assert [said for said in reader.page.said if "422" not in said] == []  # the refused overspend
    reader.context.close()


def test_without_scripts_and_by_keyboard_alone(browser, served):
    folder, address = served
    context = browser.new_context(viewport=PHONE, java_script_enabled=False)
    context.set_default_timeout(SECONDS)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("h1")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.url.endswith("#content")
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.locator(":focus").inner_text() == "payroll.csv":
            break
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Draft a schema").press("Enter")
    page.get_by_role("link", name="Fill in the next blank").press("Enter")
    page.locator("#lower").wait_for()  # without scripts every field is there
    assert page.locator("#categories").is_visible()
    page.locator("#type").select_option("category")
    page.locator("#categories").fill("construction\nretail")
    page.get_by_role("button", name="Save and next").press("Enter")
    page.get_by_role("heading", name="employees").wait_for()
    assert 'categories = ["construction", "retail"]' in (folder / "payroll.schema.toml").read_text()
    context.close()


ATTACK = """<!doctype html><title>attack</title>
<iframe name="sink"></iframe><iframe src="{home}"></iframe>
<form id="charge" method="post" action="{home}ledger/create" target="sink">
<input name="form_token" value="{token}"><input name="output" value="stolen.ledger">
<input name="dataset" value="x"><input name="limit" value="1"></form>
<script>
document.getElementById("charge").submit();
fetch("{home}", {{credentials: "include"}}).then(a => a.text()).then(t => document.title = "read " + t.length,
  () => document.title = "refused");
</script>"""


class Attacker(http.server.BaseHTTPRequestHandler):
    """Another port of this machine, with a page that knows everything but the cookie."""

    page, cookies = "", []

    def do_GET(self):
        self.cookies.append(self.headers.get("cookie"))
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(self.page.encode())

    def log_message(self, *_):
        pass


def test_a_page_on_another_port_of_this_machine_gets_nothing(browser, served):
    folder, address = served
    reader = Reader(browser, address)
    home = reader.page.url
    reader.follow("Ledger")
    token = reader.page.locator("form[action$='/ledger/create'] [name=form_token]").get_attribute("value")
    Attacker.page, Attacker.cookies[:] = ATTACK.format(home=home, token=token), []
    with http.server.HTTPServer(("127.0.0.1", 0), Attacker) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        tab = reader.context.new_page()
        refused = []
        tab.on("response", lambda answer: refused.append(answer.status) if home in answer.url else None)
        tab.goto(f"http://127.0.0.1:{other.server_port}/")
        tab.wait_for_function("document.title != 'attack'")
        tab.wait_for_timeout(300)
        assert tab.title() == "refused" and set(refused) == {403} and len(refused) >= 2
        other.shutdown()
    assert not any(Attacker.cookies) and not (folder / "stolen.ledger").exists()
    reader.fill(output="own.ledger", dataset="x", limit="1")  # the same form from its own page
    reader.press("Start the ledger")
    reader.page.get_by_role("heading", name="Ledger of x").wait_for()
    reader.context.close()
