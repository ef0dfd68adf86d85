"""A password in an address is never shown: not in an error, a note, a card, a repr, wherever it stands."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from quantail.cli import app
from quantail.errors import QuantailError
from quantail.io import Place, open_source, read_header, read_table, write_table
from quantail.schema import Column, Schema
from quantail.table import TableModel
from quantail.visible import without_credentials

SECRET = "geheim-7"
# Right addresses of a server that does not answer, and every way to get one wrong.
ADDRESSES = [
    f"postgresql://ann:{SECRET}@127.0.0.1:1/db#pay",
    f"postgresql://{SECRET}@127.0.0.1:1/db#pay",
    f"postgresql://ann@127.0.0.1:1/db?password={SECRET}#pay",
    f"postgresql://ann@127.0.0.1:1/db?sslpassword={SECRET}&x=1#pay",
    f"postgres://ann:{SECRET}@127.0.0.1:1,127.0.0.1:2/db#pay",
    f"postgresql:/ann:{SECRET}@host/db#pay",
    f"postgresql:ann:{SECRET}@host/db#pay",
    f"postgresql//ann:{SECRET}@host/db#pay",
    f"postgresql;//ann:{SECRET}@host/db#pay",
    f" postgresql://ann:{SECRET}@host/db#pay",
    f"postgresq://ann:{SECRET}@host/db#pay",
    f"mysql://ann:{SECRET}@host/db#pay",
    f"ann:{SECRET}@host/db#pay",
    f"//ann:{SECRET}@host/db#pay",
    f"postgresql://ann:{SECRET}@host/db",
    f"postgresql://ann:{SECRET}@host",
    f"postgresql://ann:{SECRET}/db#pay",
    f"postgresql://ann:/{SECRET}?@host/db#pay",
    f"postgresql://ann:x/{SECRET}@host/db#pay",
    f"postgresql://ann:x#{SECRET}@host/db#pay",
    f"postgresql://ann:x?{SECRET}@host/db#pay",
    f"postgresql://ann:x {SECRET}@host/db#pay",
    f"postgresql://ann:{SECRET}@@host/db#pay",
    f"sqlite:///gone.db?password={SECRET}#pay",
    f"sqlite:/ann:{SECRET}@gone.db#pay",
    f"duckdb:///gone.db?token={SECRET}#pay",
    f"sqlite://ann:{SECRET}@host/gone.db#pay",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_function_shows_a_password(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = pa.table({"pay": [1.0]})
    for attempt in (
        lambda: open_source(address).read(),
        lambda: read_table(address),
        lambda: read_table(Path(address)),
        lambda: read_header(address),
        lambda: write_table(table, address),
        lambda: Schema.load(address),
        lambda: TableModel.load(address),
    ):
        try:
            attempt()
        except QuantailError as error:
            assert SECRET not in str(error) and SECRET not in f"{error}", str(error)
    try:
        place = Place.of(address)
    except QuantailError as error:
        assert SECRET not in str(error)
    else:
        assert SECRET not in str(place) and SECRET not in repr(place)


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_command_shows_a_password(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Schema((Column("pay", "numeric", 0, 9),), unit="firm", name="firms").save("s.toml")
    pq.write_table(pa.table({"pay": np.arange(40) % 8 + 0.5}), "t.parquet")
    paid = ("-e", "1", "--no-ledger", "-q")
    for words in (
        ("init", address, "-o", "d.toml"),
        ("init", "t.parquet", "-o", address),
        ("check", address, "-s", "s.toml"),
        ("check", "t.parquet", "-s", address),
        ("synth", address, "-s", "s.toml", *paid, "-o", "o.parquet"),
        ("synth", "t.parquet", "-s", "s.toml", *paid, "-o", address),
        ("synth", "t.parquet", "-s", "s.toml", "-e", "1", "-l", address, "-o", "o.parquet"),
        ("fit", "t.parquet", "-s", "s.toml", *paid, "-o", address),
        ("sample", address, "-o", "o.parquet"),
        ("evaluate", address, "t.parquet", "-s", "s.toml"),
        ("ledger", "show", address),
        ("check", "t.parquet", f"--{address}"),
        (address,),
    ):
        done = CliRunner().invoke(app, list(words), env={"COLUMNS": "500"})
        assert done.exit_code != 70 and SECRET not in done.output, (words, done.output)
    for path in tmp_path.rglob("*.card.json"):  # some addresses are names that a file may have
        assert SECRET not in json.dumps(json.loads(path.read_text()))


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["postgresql://", "postgres:/", "PostgreSQL:", "", "sqlite:///", "x://"]),
    st.text("ab1:/@#?%& .", max_size=6),
    st.text("ab1:/@#?%&.", max_size=6),
)
def test_a_password_is_not_shown_whatever_stands_around_it(scheme, before, after):
    address = f"{scheme}ann:{before}{SECRET}{after}@host/db#pay"
    assert SECRET not in without_credentials(f"cannot read {address}; check it") or " " in before
    try:
        place = Place.of(address)
    except QuantailError as error:
        assert SECRET not in str(error)
    else:
        assert SECRET not in str(place) + repr(place)


@pytest.mark.parametrize(
    "text",
    ["pay.parquet", "column 'pay': lower is blank; write lower = 0", "C:/data/pay.csv", "at 10:30, see docs"],
)
def test_ordinary_messages_are_left_as_they_are(text):
    assert without_credentials(text) == text


def test_a_file_whose_name_looks_like_an_address_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"pay": [1.0]}), "at 10:30@home.parquet")
    assert read_table("at 10:30@home.parquet").num_rows == 1
