import numpy as np
import pytest

from benchmarks.generators import SHAPES, Shape

EVERY_SHAPE = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())


@EVERY_SHAPE
def test_rows_are_finite_and_lie_on_the_public_lattice(shape: Shape) -> None:
    arrays = shape.draw(200, np.random.default_rng(1))
    assert list(arrays) == [column.name for column in shape.schema().columns]
    for column in shape.columns:
        values = arrays[column.name]
        assert values.shape == (200,)
        assert np.isfinite(values).all()
        assert values.min() >= column.lower and values.max() <= column.upper
        if column.type == "integer":
            assert values.dtype == np.int64


@EVERY_SHAPE
def test_bounds_are_generous_so_that_clipping_is_rare(shape: Shape) -> None:
    raw = shape.law(20_000, np.random.default_rng(2))
    for column in shape.columns:
        outside = (raw[column.name] < column.lower) | (raw[column.name] > column.upper)
        assert outside.mean() < 0.002
        if shape.name != "bounded" and column.name != "education":
            assert column.upper > 2 * np.quantile(raw[column.name], 0.95)


@EVERY_SHAPE
def test_the_seed_decides_the_rows_and_columns_vary(shape: Shape) -> None:
    first, again, other = (shape.draw(300, np.random.default_rng(seed)) for seed in (3, 3, 4))
    for name, values in first.items():
        assert np.array_equal(values, again[name])
        assert not np.array_equal(values, other[name])


def test_the_bench_covers_the_kinds_of_table_it_promises() -> None:
    assert len(SHAPES) >= 14
    assert {2, 3, 6} <= {len(shape.columns) for shape in SHAPES.values()}
    kinds = {(column.type, column.grid) for shape in SHAPES.values() for column in shape.columns}
    assert kinds == {("numeric", "linear"), ("numeric", "log"), ("integer", "linear"), ("integer", "log")}


def test_shapes_have_the_dependence_they_are_named_for() -> None:
    rng = np.random.default_rng(5)

    def rank_correlation(name: str, x: str, y: str) -> float:
        arrays = SHAPES[name].draw(4000, rng)
        ranks = [arrays[column].argsort().argsort() for column in (x, y)]
        return float(np.corrcoef(ranks)[0, 1])

    assert rank_correlation("negative", "price", "quantity") < -0.5
    assert rank_correlation("power_law", "size", "output") > 0.9
    assert abs(rank_correlation("independent", "claim", "score")) < 0.1
    assert abs(rank_correlation("u_shaped", "x", "y")) < 0.1
    assert abs(np.mean(SHAPES["spike"].draw(4000, rng)["benefit"] == 0) - 0.35) < 0.05
