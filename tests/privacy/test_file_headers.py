"""The header of a statistical file, which programs make from its rows, stays behind: models do not depend on it."""

from pathlib import Path

import pyarrow as pa
import pytest

from quantail.io import read_table, write_table
from quantail.io.codebook import Codebook
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer

SCHEMA = Schema((Column("trade", "category", categories=("farm", "shop"), other=True),), "firm")


@pytest.mark.parametrize("suffix", [".dta", ".sav"])
def test_the_longest_label_of_a_row_does_not_show_in_the_model(suffix: str, tmp_path: Path) -> None:
    forms = []
    for last in ("mill", "maker of clocks"):  # neither is declared: both are "other"
        path = tmp_path / f"{last}{suffix}"
        write_table(pa.table({"trade": ["farm", "shop"] * 20 + [last]}), path)
        table = read_table(path, SCHEMA)
        assert Codebook.of(table).entry("trade").storage == "string"
        forms.append(TableSynthesizer(SCHEMA, 1, noise="simulated", seed=1).fit(table).to_dict())
    assert forms[0] == forms[1]
