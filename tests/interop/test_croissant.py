"""Croissant metadata of a release, checked and read by MLCommons' own program where it is installed."""

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import pytest

from quantail.errors import OptionError
from quantail.examples import payroll_example, payroll_schema
from quantail.interop import croissant
from quantail.io import write_table
from quantail.report import release_card
from quantail.schema import CsvFormat
from quantail.table import TableSynthesizer

needs_mlcroissant = pytest.mark.skipif(
    find_spec("mlcroissant") is None, reason="mlcroissant is not installed"
)


@pytest.fixture(scope="module")
def payroll(tmp_path_factory):
    model = TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(payroll_example(200))
    table, folder = model.sample(50, seed=1), tmp_path_factory.mktemp("croissant")
    return release_card(model, rows=50), table, folder


def test_metadata_name_the_file_by_its_content(payroll):
    card, table, folder = payroll
    path = folder / "synthetic.csv"
    write_table(table, path)
    found = croissant(card, path, curator="Office", license="CC-BY-4.0")
    (file,) = found["distribution"]
    assert file["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert file["contentUrl"] == "synthetic.csv" and file["contentSize"] == f"{path.stat().st_size} B"
    assert [field["name"] for field in found["recordSet"][0]["field"]] == table.column_names
    assert "NOT PRIVATE" in found["description"]
    assert "url" not in found and found["creator"]["name"] == "Office"


def test_what_croissant_cannot_load_is_refused(payroll):
    card, _, folder = payroll
    with pytest.raises(OptionError, match="CSV and Parquet"):
        croissant(card, folder / "synthetic.dta")


@needs_mlcroissant
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_mlcroissant_validates_and_loads_what_was_written(payroll, ending):
    card, table, folder = payroll
    path, metadata = folder / f"table.{ending}", folder / f"{ending}.croissant.json"
    write_table(table, path)
    metadata.write_text(json.dumps(croissant(card, path)), encoding="utf-8")
    program = (
        "import json, sys, mlcroissant as mlc\n"
        "data = mlc.Dataset(jsonld=sys.argv[1])\n"
        "assert not data.metadata.ctx.issues.errors\n"
        "print(json.dumps(list(data.records('rows')), default=lambda value: value.decode()))\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", program, str(metadata)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    rows = [
        {name.removeprefix("rows/"): value for name, value in row.items()} for row in json.loads(done.stdout)
    ]
    assert rows == table.to_pylist()


def test_a_csv_file_of_another_form_is_refused(tmp_path) -> None:
    schema = replace(payroll_schema(), csv=CsvFormat(";", ","))
    model = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(payroll_example(60))
    with pytest.raises(OptionError, match="Parquet"):
        croissant(release_card(model, rows=60), tmp_path / "made.csv")
