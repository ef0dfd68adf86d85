"""What docs/how-to/r-and-stata.md says of .dta files: labels, storage and missing codes as the dictionary has them."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from quantail import Column, Schema, TableSynthesizer, write_table
from quantail.interop.dictionary import data_dictionary

pyreadstat = pytest.importorskip("pyreadstat")


def test_labels_and_missing_codes_of_a_dta_file_are_those_of_its_dictionary(tmp_path: Path) -> None:
    columns = (
        Column("pay", "numeric", 0, 900, decimals=1, missing_codes=(-8, -9), label="monthly pay"),
        Column("jobs", "integer", 0, 50, label="number of jobs"),
    )
    schema, rng = Schema(columns, "person"), np.random.default_rng(1)
    pay = np.where(rng.random(300) < 0.3, -8.0, np.round(rng.random(300) * 800, 1))
    table = pa.table({"pay": pay, "jobs": rng.integers(0, 9, 300)})
    model = TableSynthesizer(schema, 20, noise="simulated", seed=1).fit(table)
    write_table(model.sample(seed=1), tmp_path / "out.dta")
    frame, meta = pyreadstat.read_dta(str(tmp_path / "out.dta"))
    entries = {entry["name"]: entry for entry in data_dictionary(schema)["columns"]}
    assert meta.column_names_to_labels == {name: entry["label"] for name, entry in entries.items()}
    refused = (frame["pay"] == entries["pay"]["missing_codes"][0]).mean()
    assert 0.2 < refused < 0.4  # the code is a number in the file: mvdecode makes it .a
