import numpy as np
import pytest

from quantail.errors import OptionError
from quantail.examples import PAPER_COLUMNS, paper_schema, paper_split, simulate_paper


def test_each_column_is_its_line_plus_an_exponential_of_mean_ten() -> None:
    t = simulate_paper(200_000, np.random.default_rng(4))
    parts = (t["X1"], t["X2"] - 4 - 3 * t["X1"], t["X3"] - 3 - 2 * t["X1"] - t["X2"])
    for noise in parts:
        assert noise.min() >= -1e-9
        assert noise.mean() == pytest.approx(10, rel=0.02)
        assert noise.std() == pytest.approx(10, rel=0.02)
        assert np.median(noise) == pytest.approx(10 * np.log(2), rel=0.02)
    assert np.abs(np.corrcoef(parts) - np.eye(3)).max() < 0.01


def test_split_is_disjoint_halves_of_one_draw_and_repeatable() -> None:
    train, test = paper_split(7)
    assert tuple(train) == tuple(test) == PAPER_COLUMNS
    assert {v.size for v in (*train.values(), *test.values())} == {5000}
    assert not set(train["X1"]) & set(test["X1"])
    again, _ = paper_split(7)
    np.testing.assert_array_equal(train["X3"], again["X3"])
    assert paper_split(8)[0]["X1"][0] != train["X1"][0]


def test_rows_stay_together_when_split() -> None:
    train, _ = paper_split(1)
    assert (train["X2"] >= 4 + 3 * train["X1"]).all()


def test_schema_states_the_papers_bounds_with_sources() -> None:
    schema = paper_schema()
    assert [(c.name, c.lower, c.upper, c.grid) for c in schema.columns] == [
        ("X1", 0, 1000, "linear"),
        ("X2", 0, 1000, "linear"),
        ("X3", 0, 2000, "linear"),
    ]
    assert all(c.source for c in schema.columns)
    assert schema.neighbours == "replace-one"


def test_negative_size_is_refused() -> None:
    with pytest.raises(OptionError, match="negative"):
        simulate_paper(-1, np.random.default_rng(0))
