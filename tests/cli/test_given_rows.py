"""Public columns and given rows on the command line: kept as they are, and the rest drawn."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

from quantail.cli import app

SCHEMA = """\
[table]
unit = "firm"

[[column]]
name = "size"
type = "integer"
lower = 0
upper = 1000
public = {public}

[[column]]
name = "pay"
type = "numeric"
lower = 0
upper = 1000000
grid = "log"
missing = true
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    size = rng.integers(1, 100, 400)
    pay = [None if k % 9 == 0 else 100.0 * s for k, s in enumerate(size)]
    pa.parquet.write_table(pa.table({"size": size, "pay": pay}), "real.parquet")
    return tmp_path


def run(line):
    done = CliRunner().invoke(app, line.split())
    return done.exit_code, done.output


def test_synth_keeps_public_columns(folder):
    (folder / "schema.toml").write_text(SCHEMA.format(public="true"))
    code, said = run(
        "synth real.parquet -s schema.toml -e 2 --simulate-noise --seed 1 -o out.simulated.parquet"
    )
    assert code == 0, said
    real, made = (pa.parquet.read_table(name) for name in ("real.parquet", "out.simulated.parquet"))
    assert made["size"].to_pylist() == sorted(real["size"].to_pylist())  # the order of rows is not public
    assert made["pay"].null_count > 0


def test_sample_completes_given_rows(folder):
    (folder / "schema.toml").write_text(SCHEMA.format(public="false"))
    code, said = run("fit real.parquet -s schema.toml -e 5 --simulate-noise --seed 1 -o model.json")
    assert code == 0, said
    pa.parquet.write_table(pa.table({"size": [7] * 30}), "given.parquet")
    code, said = run("sample model.json --given given.parquet -o out.parquet")
    assert code == 0, said
    assert pa.parquet.read_table("out.parquet")["size"].to_pylist() == [7] * 30
    code, said = run("sample model.json --given given.parquet -n 5 -o other.parquet")
    assert code == 2 and "leave out rows" in said


def test_sample_where(folder):
    (folder / "schema.toml").write_text(SCHEMA.format(public="false"))
    code, said = run("fit real.parquet -s schema.toml -e 5 --simulate-noise --seed 1 -o model.json")
    assert code == 0, said
    line = [
        "sample",
        "model.json",
        "-n",
        "50",
        "--where",
        "size > 60",
        "--seed",
        "1",
        "-o",
        "large.simulated.csv",
    ]
    done = CliRunner().invoke(app, line)
    assert done.exit_code == 0, done.output
    made = pa.csv.read_csv("large.simulated.csv")
    assert made.num_rows == 50
    assert min(made["size"].to_pylist()) > 60
    assert "rows where size" in (folder / "large.simulated.card.md").read_text()
    assert json.loads((folder / "large.simulated.card.json").read_text())["release"]["where"] == "size > 60"
