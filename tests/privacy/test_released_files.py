"""Whole runs of the command line: with the same answers, tables of the same public facts make the same files.

Every kind of input and output, on tables stored as differently as their kind allows.
"""

import datetime as clock
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from scripted import answering
from typer.testing import CliRunner

from quantail.cli import app
from quantail.io import statistical_writing, write_table
from quantail.release import model
from quantail.report import card
from quantail.schema import Column, CsvFormat, Schema

SCHEMA = Schema(
    (
        Column("firm", "integer", 0, 1000, public=True),
        Column("region", "category", categories=("north", "far south"), other=True),
        Column("jobs", "integer", 0, 500, missing=True, missing_codes=(-8,), label="Jobs in March"),
        Column("pay", "numeric", 0, 1000, decimals=2),
        Column("open", "boolean"),
        Column("hired", "date", "2020-01-01", "2020-12-31"),
        Column("seen", "datetime", "2020-01-01", "2020-12-31"),
    ),
    "firm",
    name="firms",
)
OUTPUTS = ("csv", "parquet", "feather", "arrow", "dta", "sav", "xpt", "xlsx", "sqlite")
ROWS = 30


class Noon(clock.datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: clock.tzinfo | None = None) -> "Noon":
        return cls(2024, 5, 1, 12, tzinfo=tz)


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card, "datetime", Noon)
    monkeypatch.setattr(model.secrets, "randbits", lambda bits: 12345)


def rows_of(seed: int) -> dict[str, list[Any]]:
    """Return firms in the order of their pay; in the second table pay, order, gaps and lengths of texts differ."""
    rng = np.random.default_rng(seed)
    order = np.argsort(rng.normal(size=ROWS))
    days = [clock.date(2020, 3, 1) + clock.timedelta(days=int(d)) for d in rng.integers(0, 90, ROWS)]
    return {
        "firm": [int(place) * 3 for place in order],
        "region": [
            "north" if seed else "far south",
            *["north"] * (ROWS - 2),
            "a region of one row" if seed else "west",
        ],
        "jobs": [
            None if seed and k % 3 == 0 else int(rng.integers(0, 400 if seed else 90)) for k in range(ROWS)
        ],
        "pay": np.sort(np.round(rng.exponential(100, ROWS), 2 if seed else 0)).tolist(),
        "open": (rng.random(ROWS) < 0.5).tolist(),
        "hired": days,
        "seen": [clock.datetime(2020, 3, 1, k % 24) for k in range(ROWS)],
    }


def stored(kind: str, seed: int, folder: Path) -> Any:
    """Write a table as an input of a kind, the second one in the types that a program would make of its rows."""
    rows, path = rows_of(seed), folder / f"table.{kind}"
    table = pa.table(rows)
    if kind in ("dta", "sav"):
        frame = pd.DataFrame(rows).assign(open=[str(value).lower() for value in rows["open"]])
        frame["firm"] = frame["firm"].astype("int16" if seed else "int8")  # as `compress` would
        labels = {"pay": f"made of {seed}"}
        getattr(pyreadstat, f"write_{kind}")(frame, path, column_labels=labels)
        return path
    if kind == "csv":
        firms = [f"{firm}.0" if seed else firm for firm in rows["firm"]]
        pd.DataFrame(rows | {"firm": firms}).astype({"jobs": "Int64"}).to_csv(path, index=False)
        return path
    if kind in ("parquet", "feather"):
        change = (lambda a: a.dictionary_encode()) if seed else (lambda a: a)
        table = table.set_column(1, "region", change(table["region"].combine_chunks()))
        table = table.set_column(0, "firm", table["firm"].cast("double" if seed else "int16"))
    where = f"sqlite:///{path}#firms" if kind == "sqlite" else path
    write_table(table, where)
    return where


def files_of(folder: Path, source: Any, outputs: tuple[str, ...]) -> dict[str, bytes]:
    """Run `synth` for every kind of output and return all files but inputs, by name."""
    SCHEMA.save(folder / "schema.toml")
    before = {path.name for path in folder.iterdir()}
    with pytest.MonkeyPatch.context() as patch, answering():
        patch.chdir(folder)
        for kind in outputs:
            out = f"{kind}:///out-{kind}.db#made" if kind in ("sqlite", "duckdb") else f"out-{kind}.{kind}"
            options = [
                "-s",
                "schema.toml",
                "-e",
                "5",
                "--no-ledger",
                "-o",
                out,
                "-q",
                "--model",
                f"{kind}.json",
            ]
            done = CliRunner().invoke(app, ["synth", str(source), *options])
            assert done.exit_code == 0, done.output
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in before}


def pair_of_runs(tmp_path: Path, kind: str, outputs: tuple[str, ...]) -> Iterator[dict[str, bytes]]:
    for seed in (0, 1):
        folder = tmp_path / str(seed)
        folder.mkdir()
        yield files_of(folder, stored(kind, seed, folder), outputs)


def test_every_kind_of_output_is_the_same_to_the_last_byte(tmp_path):
    first, second = pair_of_runs(tmp_path, "parquet", OUTPUTS)
    beside = (".card.", ".dictionary.")
    tables = [name for name in first if name.startswith("out-") and not any(part in name for part in beside)]
    assert len(tables) == len(OUTPUTS)
    assert sorted(first) == sorted(second)
    for name in first:
        assert first[name] == second[name], name


@pytest.mark.parametrize("kind", ["csv", "feather", "dta", "sav", "sqlite"])
def test_whatever_kind_of_input_the_bytes_are_the_same(kind, tmp_path):
    first, second = pair_of_runs(tmp_path, kind, ("parquet", "dta"))
    assert first == second


def test_a_csv_file_of_any_form_is_the_same_to_the_last_byte(tmp_path, monkeypatch):
    german = CsvFormat(";", ",", "", "windows-1252", "31.01.2020", ("k.A.",))
    monkeypatch.setitem(globals(), "SCHEMA", replace(SCHEMA, csv=german))
    first, second = pair_of_runs(tmp_path, "parquet", ("csv",))
    assert first == second
    assert first["out-csv.csv"].startswith(b"firm;region;") and b";k.A.;" in first["out-csv.csv"]


def test_a_duckdb_file_is_the_same_but_for_its_own_random_number(tmp_path):
    first, second = pair_of_runs(tmp_path, "parquet", ("duckdb",))
    assert {k: v for k, v in first.items() if ".db" not in k} == {
        k: v for k, v in second.items() if ".db" not in k
    }
    held = []
    for seed in ("0", "1"):
        with closing(duckdb.connect(str(tmp_path / seed / "out-duckdb.db"), read_only=True)) as connection:
            held.append((connection.sql("DESCRIBE made").fetchall(), connection.sql("FROM made").fetchall()))
    assert held[0] == held[1]


def test_files_hold_no_time_of_writing(tmp_path, monkeypatch):
    table = pa.table({"pay": [1.5, 2.0], "region": ["north", "south"]})
    kinds = [kind for kind in OUTPUTS if kind != "sqlite"]
    for turn in range(2):
        for kind in kinds:
            write_table(table, tmp_path / f"{turn}.{kind}")
        time.sleep(1.1 * (1 - turn))  # headers count seconds
    for kind in kinds:
        assert (tmp_path / f"0.{kind}").read_bytes() == (tmp_path / f"1.{kind}").read_bytes(), kind
    monkeypatch.setattr(statistical_writing, "still_spss", lambda path: None)  # else this could not fail
    write_table(table, tmp_path / "2.sav")
    assert (tmp_path / "2.sav").read_bytes() != (tmp_path / "1.sav").read_bytes()


def test_metadata_of_pandas_are_not_written(tmp_path):
    for number, index in enumerate(([0, 1], [7, 3])):
        frame = pd.DataFrame({"pay": [1.5, 2.0]}, index=pd.RangeIndex(index[0], index[0] + 2))
        write_table(frame, tmp_path / f"{number}.parquet")
    assert (tmp_path / "0.parquet").read_bytes() == (tmp_path / "1.parquet").read_bytes()
    assert b"pandas" not in (tmp_path / "0.parquet").read_bytes()
