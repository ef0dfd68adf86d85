"""Keys of synthetic tables: fresh, distinct, the same whatever the original held, in every way of drawing."""

import pandas as pd
import pyarrow as pa
import pytest

from quantail import Column, Schema, TableSynthesizer
from quantail.errors import OptionError
from quantail.schema import Key
from quantail.table import model as table_model

COLUMNS = (Column("region", "category", categories=("n", "s")), Column("pay", "numeric", 0, 100))
KEYED = Schema(COLUMNS, "person", keys=(Key("id"), Key("case", 2, "string")))
TABLE = pa.table(
    {"region": ["n", "s"] * 40, "pay": [float(n) for n in range(80)], "id": list(range(900, 980))}
)


def fitted(schema, table=TABLE):
    return TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(table)


def test_rows_are_numbered_anew_and_all_else_is_as_without_keys():
    plain, keyed = fitted(Schema(COLUMNS, "person")).sample(seed=3), fitted(KEYED).sample(seed=3)
    assert keyed.column_names == ["id", "region", "case", "pay"]
    assert keyed["id"].to_pylist() == list(range(1, 81))
    assert keyed["case"].to_pylist() == [str(n) for n in range(1, 81)]
    assert keyed.select(["region", "pay"]).to_pydict() == plain.to_pydict()


def test_nothing_of_the_original_key_is_looked_at():
    others = TABLE.set_column(2, "id", pa.array([None] * 80, pa.string())), TABLE.drop_columns(["id"])
    whole = fitted(KEYED).sample(seed=3)
    for other in others:
        assert fitted(KEYED, other).sample(seed=3).equals(whole)


def test_keys_count_on_from_block_to_block(monkeypatch):
    monkeypatch.setattr(table_model, "BLOCK", 7)
    model = fitted(KEYED)
    assert model.sample(seed=1)["id"].to_pylist() == list(range(1, 81))
    assert [n for part in model.chunks(seed=1) for n in part["id"].to_pylist()] == list(range(1, 81))
    replicates = model.sample(rows=5, replicates=2, seed=1)
    assert [table["id"].to_pylist() for table in replicates] == [[1, 2, 3, 4, 5]] * 2


def test_keys_come_in_the_library_that_was_fitted_and_survive_saving(tmp_path):
    model = fitted(KEYED, TABLE.to_pandas())
    model.save(tmp_path / "m.json")
    for drawn in (model.sample(seed=1), type(model).load(tmp_path / "m.json").sample(seed=1)):
        assert isinstance(drawn, pd.DataFrame) and drawn["id"].tolist() == list(range(1, 81))


def test_partitions_refuse_keys_by_name(tmp_path):
    from quantail.engines import synthesize_table

    schema = Schema(COLUMNS, "person", by=("region",), keys=(Key("id"),))
    for label in ("n", "s"):
        (tmp_path / "real" / f"region={label}").mkdir(parents=True)
        pa.parquet.write_table(pa.table({"pay": [1.0]}), tmp_path / "real" / f"region={label}" / "a.parquet")
    with pytest.raises(OptionError, match="'id'"):
        synthesize_table(tmp_path / "real", tmp_path / "made", TableSynthesizer(schema, 1))
