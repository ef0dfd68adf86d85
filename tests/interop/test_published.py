"""A published table is read in the types of its card: nothing is guessed from how values look."""

import json

import pyarrow as pa
import pytest

import quantail
from quantail import Column, Schema, TableSynthesizer, write_table
from quantail.errors import DataError
from quantail.report import release_card
from quantail.schema import CsvFormat

COLUMNS = (
    Column("town", "category", categories=("007", "010", "99")),
    Column("size", "ordinal", categories=("small", "large")),
    Column("staff", "integer", 0, 900, missing_codes=(-8,)),
    Column("pay", "numeric", 0, 90, decimals=1, missing=True),
    Column("born", "date", "1990-01-01", "2020-12-31"),
)


def published(folder, csv=None, kind="csv", name="out"):
    """Publish a table of these columns with its card, and return it as it was drawn."""
    rows = 40
    table = {
        "town": ["007", "010"] * (rows // 2),
        "size": ["large", "small"] * (rows // 2),
        "staff": [-8, 3] * (rows // 2),
        "pay": [None, 1.5] * (rows // 2),
        "born": ["2000-02-03"] * rows,
    }
    schema = Schema(COLUMNS, "firm", csv=csv)
    model = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(pa.table(table))
    drawn = model.sample(seed=1)
    write_table(drawn, folder / f"{name}.{kind}", schema=schema)
    (folder / "out.card.json").write_text(json.dumps(release_card(model, rows=rows)), encoding="utf-8")
    return drawn


@pytest.mark.parametrize("csv", [None, CsvFormat(";", ",", "", "windows-1252", "31.01.2020", ("k.A.",))])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_every_column_comes_in_its_type(tmp_path, csv, kind):
    drawn = published(tmp_path, csv, kind)
    found = quantail.read_synthetic(tmp_path / f"out.{kind}")
    assert found["town"].type.value_type == pa.string() and found["size"].type.ordered
    assert found["town"].chunk(0).dictionary.to_pylist() == ["007", "010", "99"]
    assert found["town"].to_pylist() == drawn["town"].to_pylist()
    assert found["staff"].type == pa.int64() if kind == "csv" else pa.types.is_integer(found["staff"].type)
    told = [None if value == -8 else value for value in drawn["staff"].to_pylist()]
    assert found["staff"].to_pylist() == told and None in told
    assert found["pay"].to_pylist() == pytest.approx(drawn["pay"].to_pylist())
    assert found["born"].type == pa.date32()


def test_replicates_share_a_card(tmp_path):
    published(tmp_path, name="out-2")
    assert quantail.read_synthetic(tmp_path / "out-2.csv").num_rows == 40


def test_a_table_without_its_card_or_with_another_is_refused(tmp_path):
    published(tmp_path)
    (tmp_path / "alone.csv").write_text("town\n007\n")
    with pytest.raises(DataError, match=r"no card beside it \(alone.card.json\)"):
        quantail.read_synthetic(tmp_path / "alone.csv")
    text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    (tmp_path / "out.csv").write_text(text.replace("007", "008"), encoding="utf-8")
    with pytest.raises(DataError, match=r"column 'town' of .* does not hold what its card says"):
        quantail.read_synthetic(tmp_path / "out.csv")
    (tmp_path / "out.card.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataError, match="is not the card of a release"):
        quantail.read_synthetic(tmp_path / "out.csv")
