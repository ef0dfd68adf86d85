"""A PostgreSQL server of our own, started for the tests that need one and stopped after them."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import quote

import pytest


def _programs():
    found = [Path(path).parent for path in [shutil.which("initdb")] if path]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in found if (folder / "pg_ctl").exists()), None)


def _run(command, owner):
    # The server refuses to run as root; it then runs as the account that its package created.
    identity = {} if owner is None else {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
    subprocess.run(command, check=True, capture_output=True, timeout=60, cwd="/", **identity)


@pytest.fixture(scope="session")
def postgres():
    """URL of a fresh database on a server that listens on a socket in a temporary folder only."""
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed")
    owner = None
    if os.geteuid() == 0:
        try:
            owner = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no account named postgres")
    folder = Path(tempfile.mkdtemp(prefix="quantail-pg-"))  # short: the path of a socket is limited
    if owner is not None:
        os.chown(folder, owner.pw_uid, owner.pw_gid)
    data = folder / "data"
    try:
        _run([programs / "initdb", "-D", data, "-A", "trust", "-U", "quantail", "-E", "UTF8", "-N"], owner)
        settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        start = [programs / "pg_ctl", "-D", data, "-o", settings, "-w", "-l", folder / "log", "start"]
        _run(start, owner)
        try:
            yield f"postgresql://quantail:geheim-7@{quote(str(folder), safe='')}/postgres"
        finally:
            _run([programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop"], owner)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
