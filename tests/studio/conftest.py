"""A desk in an empty folder, and one at which everything is ready for a release."""

from importlib.util import find_spec

import pytest

if find_spec("starlette") is None:
    collect_ignore_glob = ["test_*.py"]  # the extra quantail[studio] is not installed
else:
    from desk import Desk, rows

    from payroll_files import SCHEMA
    from quantail.privacy.ledger import Ledger


@pytest.fixture
def desk(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    found = Desk(folder)
    found.write("payroll.csv", rows())
    return found


@pytest.fixture
def ready(desk):
    """A desk with a schema and a ledger: everything that a release needs."""
    desk.write("schema.toml", SCHEMA)
    Ledger.create(desk.folder / "payroll.ledger", "payroll", 1)
    return desk
