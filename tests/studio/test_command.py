"""`quantail studio`: where it listens, what it says, and that a killed server loses nothing."""

import queue
import re
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from desk import ASKED, Desk, rows
from typer.testing import CliRunner

from quantail.cli import app
from quantail.errors import OptionError
from quantail.privacy.ledger import Ledger
from quantail.studio import server

WITHOUT = """
import sys
import threading
from pathlib import Path
sys.modules["starlette"] = None  # as if it were not installed
from quantail.cli import main
main()
"""


def test_without_its_extra_it_says_what_to_install(tmp_path):
    command = [sys.executable, "-c", WITHOUT, "studio", str(tmp_path), "--no-browser"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == OptionError.exit_code
    assert "pip install 'quantail[studio]'" in done.stderr and list(tmp_path.iterdir()) == []


def test_a_folder_that_is_none_and_a_port_that_is_taken_are_refused(tmp_path):
    done = CliRunner().invoke(app, ["studio", str(tmp_path / "nowhere"), "--no-browser"])
    assert done.exit_code == 4 and "no folder" in done.output
    with server.listening(0) as opened:
        host, port = opened.getsockname()
        assert host == "127.0.0.1"
        with pytest.raises(OptionError, match="cannot be used"), server.listening(port):
            pass


def test_the_browser_is_shown_a_file_that_only_this_user_can_read(monkeypatch):
    seen, told = queue.Queue(), threading.Event()
    monkeypatch.setattr(server.webbrowser, "open", lambda url: seen.put(url))
    with server.browser_at("http://127.0.0.1:1/open/secret", told.set):
        url = seen.get(timeout=60)
        path = Path(url.removeprefix("file://"))
        assert "secret" not in url and told.wait(60)  # it found no browser, and says so
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert "/open/secret" in path.read_text()
    assert not path.exists()


def test_a_server_that_is_killed_loses_nothing(ready):
    ready.write("payroll.csv", rows(5000))
    command = [sys.executable, "-m", "quantail", "studio", str(ready.folder), "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    address = process.stdout.readline().strip()
    origin = address.partition("/open")[0]
    with httpx.Client(base_url=origin, headers={"origin": origin}, timeout=60, trust_env=False) as client:
        opened = client.get(address)
        home = re.search(r'href="(/[^"]+)"', opened.text.replace('href="data:,"', ""))[1]
        cookie = opened.headers["set-cookie"].partition(";")[0]
        page = client.get(f"{home}release/review", params=ASKED, headers={"cookie": cookie})
        hidden = {name: ready.hidden(page, name) for name in ("run", "form_token")}
        sent = client.post(f"{home}release/review", data=ASKED | hidden, headers={"cookie": cookie})
        assert sent.status_code == 303
    process.send_signal(signal.SIGKILL)
    said = process.communicate(timeout=60)
    assert "Traceback" not in said[1]
    later = Desk(ready.folder)  # a studio that is started afterwards
    assert later.wait(hidden["run"], 120).state == "done"
    assert "Released." in later.get("/run", id=hidden["run"]).text
    assert Ledger.open(ready.folder / "payroll.ledger").spent == 1
    assert len((ready.folder / "out.csv").read_text().splitlines()) == 5002
