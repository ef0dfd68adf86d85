"""Tables made to do harm: only the product's own errors, and never a value of the table in what is said or logged."""

import csv
import io
import logging
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from effort import TIMES, examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from quantail.cli import app
from quantail.errors import QuantailError
from quantail.frames import check_table, confidential_columns
from quantail.io import read_header, read_table
from quantail.schema import Column, Schema

CANARIES = ("canary", "73917391")  # in every planted value, and in nothing else
STEADY = settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
SCHEMA = Schema(
    (
        Column("region", "category", categories=("north", "south")),
        Column("jobs", "integer", 0, 500),
        Column("pay", "numeric", 0, 1e6, decimals=2),
    ),
    "firm",
)
CELLS = st.one_of(
    st.sampled_from(["north", "south", "1", "2.5", "", "nan", "inf", "-inf", "1e999", "NULL", "#N/A", "0x1"]),
    st.sampled_from(["canary", "73917391", "73917391.25", "7391739100000000000000000", "-73917391e300"]),
    st.sampled_from(
        ['"canary', "canary\n", 'a"canary"', "=canary()", "\0canary", "\ufeffcanary", "canary\r"]
    ),
    st.text(max_size=5),
)
NAMES = st.sampled_from(["region", "jobs", "pay", "pay", "canary", "73917391", "", " pay", "region\n"])


def silent(text: str) -> None:
    assert not any(canary in text for canary in CANARIES), text


def admit(path: Path) -> None:
    """Take a file all the way to the mechanisms; whatever is said on the way holds nothing of the table."""
    for step in (lambda: read_table(path), lambda: read_header(path), lambda: read_table(path, SCHEMA)):
        try:
            table = step()
        except QuantailError as error:
            silent(f"{error} {error.__cause__} {error.__context__}")
    try:
        table = read_table(path, SCHEMA)
        for problem in check_table(table, SCHEMA, internal=True):
            silent(str(problem))
        confidential_columns(table, SCHEMA)
    except QuantailError as error:
        silent(f"{error} {error.__cause__} {error.__context__}")


@pytest.fixture(autouse=True)
def quiet_logs(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    yield
    silent(caplog.text)


@STEADY
@given(
    st.lists(NAMES, min_size=1, max_size=5),
    st.lists(st.lists(CELLS, max_size=5), max_size=6),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-16", "latin-1"]),
)
def test_any_cells(tmp_path: Path, names: list[str], rows: list[list[str]], quoting, encoding: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, quoting=quoting)
    writer.writerows([names, *rows])
    path = tmp_path / "table.csv"
    path.write_bytes(text.getvalue().encode(encoding, "replace"))
    admit(path)


@STEADY
@given(st.binary(max_size=200), st.integers(0, 60), st.integers(0, 20))
def test_any_bytes(tmp_path: Path, noise: bytes, place: int, cut: int) -> None:
    whole = b"region,jobs,pay\nnorth,73917391,73917391.25\nsouth,2,canary\n"
    path = tmp_path / "table.csv"
    path.write_bytes(whole[:place] + noise + whole[place + cut :])
    admit(path)


COLUMNS = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-(2**62), 2**62), st.just(73917391)), min_size=3, max_size=3),
    st.lists(st.one_of(st.none(), st.floats(), st.just(73917391.25)), min_size=3, max_size=3),
    st.lists(st.one_of(st.none(), st.sampled_from(["north", "south", "canary", ""])), min_size=3, max_size=3),
    st.lists(st.binary(max_size=4), min_size=3, max_size=3),
    st.lists(st.lists(st.just(73917391), max_size=2), min_size=3, max_size=3),
    st.lists(st.dates(), min_size=3, max_size=3),
    st.lists(st.decimals(-(10**9), 10**9, places=3), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
    st.lists(st.just({"canary": 73917391}), min_size=3, max_size=3),
)


@STEADY
@given(COLUMNS, COLUMNS, COLUMNS, st.booleans())
def test_any_stored_type(tmp_path: Path, region, jobs, pay, coded: bool) -> None:
    arrays = {name: pa.array(values) for name, values in (("region", region), ("jobs", jobs), ("pay", pay))}
    if coded and pa.types.is_string(arrays["region"].type):
        arrays["region"] = arrays["region"].dictionary_encode()
    path = tmp_path / "table.parquet"
    pa.parquet.write_table(pa.table(arrays), path)
    admit(path)


# A reader in C++ may crash instead of raising, so damaged files are read in a process of their own, with a limit on
# memory: lengths in a damaged header must not be believed.
DAMAGED = """
import random, resource, sys
from pathlib import Path
from quantail.errors import QuantailError
from quantail.frames import check_table
from quantail.io import read_header, read_table
from quantail.schema import Schema

folder, trials = Path(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30, 6 * 2**30))
schema, whole = Schema.load(folder / "schema.toml"), (folder / "whole.parquet").read_bytes()
chance, refused = random.Random(11), 0
path = folder / "damaged.parquet"
for trial in range(trials):
    content = bytearray(whole)
    for _ in range(chance.choice([1, 1, 2, 8])):
        place = chance.randrange(len(content))
        # Half of the damage goes to the end, where the lengths and types stand.
        place = place if chance.random() < 0.5 else len(content) - 1 - place % 600
        content[place] = chance.choice([0, 255, content[place] ^ (1 << chance.randrange(8))])
    if chance.random() < 0.2:
        content = content[: chance.randrange(len(content))]
    path.write_bytes(bytes(content))
    try:
        read_header(path)
        check_table(read_table(path, schema), schema)
    except QuantailError as error:
        refused += 1
        if "73917391" in str(error) or "canary" in str(error):
            sys.exit(f"trial {trial}: a value was quoted")
print(refused)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX limits")
def test_damaged_parquet_files(tmp_path: Path) -> None:
    SCHEMA.save(tmp_path / "schema.toml")
    rows = {"region": ["north", "canary"] * 50, "jobs": [73917391] * 100, "pay": [73917391.25] * 100}
    pa.parquet.write_table(pa.table(rows), tmp_path / "whole.parquet")
    trials = 150 * TIMES
    done = subprocess.run(
        [sys.executable, "-c", DAMAGED, str(tmp_path), str(trials)],
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert not any(canary in done.stdout + done.stderr for canary in CANARIES)
    assert trials // 4 < int(done.stdout) < trials


def test_labels_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    labels = pa.array([b"north", b"canary\xff"] * 20).view(pa.string())
    table = pa.table({"region": labels, "jobs": [1] * 40, "pay": [2.5] * 40})
    pa.parquet.write_table(table, path)
    (problem,) = check_table(read_table(path, SCHEMA), SCHEMA)
    assert problem.what == "holds text that is not UTF-8"
    admit(path)


# whole commands


def run(*arguments: object):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    silent(done.output)
    assert "Traceback" not in done.output
    assert done.exit_code != 70, done.output  # 70: an error that nobody foresaw
    return done


BAD_TABLES = {
    "text among numbers": "region,jobs,pay\nnorth,1,canary\n",
    "not a whole number": "region,jobs,pay\nnorth,73917391.25,1\n",
    "unknown label": "region,jobs,pay\ncanary,1,1\n",
    "no header": "canary,73917391,73917391.25\nsouth,2,3\n",
    "twice the same value in a missing header": "73917391,73917391,canary\n1,2,3\n",
    "open quote": 'region,jobs,pay\n"canary,73917391,1\n',
    "ragged": "region,jobs,pay\ncanary,73917391\n",
    "not UTF-8": b"region,jobs,pay\ncanary\xff,73917391,1\n",
    "zeros": b"\0" * 5000,
    "one line": "canary" * 10_000,
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_commands_quote_nothing_of_a_bad_table(case: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    content = BAD_TABLES[case]
    (tmp_path / "t.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    SCHEMA.save(tmp_path / "s.toml")
    assert run("check", "t.csv", "-s", "s.toml").exit_code == 4
    assert run("synth", "t.csv", "-s", "s.toml", "-e", "1", "-l", "l", "-o", "o.csv").exit_code == 4
    assert run("fit", "t.csv", "-s", "s.toml", "-e", "1", "-l", "l", "-o", "m.json").exit_code == 4
    run("evaluate", "t.csv", "t.csv", "-s", "s.toml")
    assert not (tmp_path / "l").exists() and not (tmp_path / "o.csv").exists()
