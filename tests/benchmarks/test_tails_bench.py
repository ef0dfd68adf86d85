"""The bench of tails: its tables fit their schemas, its measures are right, a miniature run prints every method."""

import numpy as np
import pyarrow as pa
import pytest

from benchmarks import tails_bench
from benchmarks.claims import HEAVY_SHAPES
from quantail.frames import confidential_columns


@pytest.mark.parametrize("name", HEAVY_SHAPES)
def test_tables_fit_their_schemas_and_are_heavy(name: str) -> None:
    shape = HEAVY_SHAPES[name]
    table = shape.frame(2000, np.random.default_rng(1))
    confidential_columns(table, shape.schema)
    assert set(shape.heavy) <= set(table.column_names)
    if name != "identity":
        top = max(
            tails_bench.tail_facts(table.column(c).drop_null().to_numpy())["top 1%"] for c in shape.heavy
        )
        assert top > 0.08


def test_measures_of_a_pareto_sample_find_its_index_and_total() -> None:
    values = (1 - (np.arange(100_000) + 0.5) / 100_000) ** (-1 / 2.0)
    facts = tails_bench.tail_facts(values)
    assert facts["Hill"] == pytest.approx(2.0, rel=0.05)
    assert facts["total"] == pytest.approx(values.sum())
    assert facts["q99"] == pytest.approx(10.0, rel=0.01)
    assert facts["top 1%"] == pytest.approx(0.1, rel=0.05)


def test_errors_are_ratios_and_shares_differ_by_points() -> None:
    real = pa.table({"x": np.append(np.ones(99), 101.0)})
    made = pa.table({"x": np.append(2 * np.ones(99), 202.0)})
    found = tails_bench.errors(real, made, "x")
    assert found["total"] == pytest.approx(1.0)
    assert found["top 1%"] == pytest.approx(0.0)


def test_a_miniature_run_prints_every_method_beside_a_fresh_sample(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--methods", "tables", "--shapes", "count", "--rows", "800", "--seeds", "1"]
    assert tails_bench.main(options) == 0
    printed = capsys.readouterr().out
    for method in ("tables", "fresh"):
        assert f"count amount {method}" in printed


def test_what_the_largest_rows_hold_is_told_without_a_fit(capsys) -> None:
    assert tails_bench.main(["--shapes", "count", "--rows", "200", "--seeds", "1", "--largest"]) == 0
    for line in capsys.readouterr().out.splitlines()[1:]:
        one, three, ten, _ = map(float, line.split(":")[1].split())
        assert 0 < one <= three <= ten <= 100
