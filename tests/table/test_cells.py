"""Cells: nested, a function of the row's own value, equal values in one cell."""

import numpy as np
import pytest

from quantail.curves import Scale
from quantail.schema import Column
from quantail.table.cells import FieldCells, label_cells, number_cells
from quantail.table.tuning import LEVELS, NUMBER_LEVEL, TAIL_LEVELS


def heavy_cells(statuses=0):
    scale = Scale.of(Column("pay", "numeric", 0, 1e6, grid="log", decimals=2))
    values = scale.forward(np.exp(np.random.default_rng(1).normal(5, 1, 20_000)))
    return number_cells(values, scale, statuses), values, scale


def test_cells_of_a_number_hold_even_parts_of_what_is_implied_and_finer_tails():
    cells, values, _ = heavy_cells()
    shares = np.bincount(cells.of_number(values), minlength=cells.number) / values.size
    cuts = sorted({k / NUMBER_LEVEL for k in range(1, NUMBER_LEVEL)} | set(TAIL_LEVELS))
    np.testing.assert_allclose(shares, np.diff([0.0, *cuts, 1.0]), atol=0.002)


def test_coarsenings_are_nested():
    long_list = np.random.default_rng(3).dirichlet(np.full(1500, 0.2))
    in_order = label_cells(long_list, ordered=1499)
    few = np.array([0.3, 0.25, 0.2, 0.1, 0.05, 0.04, 0.03, 0.03])
    for cells in (heavy_cells(2)[0], label_cells(few), label_cells(long_list), in_order):
        for coarse, fine in zip(cells.coarse, cells.coarse[1:], strict=False):
            assert len(set(zip(fine, coarse, strict=True))) == len(set(fine))


def test_rare_labels_of_a_long_list_share_cells_with_their_neighbours_alone():
    finest = label_cells(np.full(2000, 1 / 2000)).coarse
    assert len(set(finest[LEVELS.index(16)])) == 1  # none is frequent
    for level in (64, 256):
        cells = np.array(finest[LEVELS.index(level)])
        assert len(set(cells)) == level and np.all(np.diff(cells) >= 0)


def test_equal_values_share_a_cell_whatever_their_dither():
    scale = Scale.of(Column("visits", "integer", 0, 50))
    rng = np.random.default_rng(2)
    visits = rng.poisson(2.0, 5000).astype(float)
    cells = number_cells(scale.dithered(visits, rng), scale, 0)
    first, second = (cells.of_number(scale.dithered(visits, np.random.default_rng(k))) for k in (3, 4))
    np.testing.assert_array_equal(first, second)
    assert 4 <= cells.number <= 9


def test_statuses_have_cells_of_their_own_in_every_coarsening():
    cells, values, _ = heavy_cells(statuses=2)
    status = np.array([0, 1, 2])
    found = cells.of_number(np.array([values.min(), np.nan, np.nan]), status)
    assert found.tolist() == [0, cells.number - 2, cells.number - 1]
    for level in cells.coarse:
        assert level[-1] == max(level) and level.count(level[-1]) == 1 == level.count(level[-2])


def test_labels_in_an_order_are_merged_with_their_neighbours():
    shares = np.array([0.1] * 9 + [0.1])  # nine in order, then "missing"
    halves = label_cells(shares, ordered=9).coarse[0]
    assert list(halves) == sorted(halves) and max(halves) == 2 and halves.count(2) == 1


def test_cells_survive_json_and_damaged_ones_are_refused():
    cells, *_ = heavy_cells(1)
    form = cells.to_dict()
    assert FieldCells.from_dict(form) == cells
    form["coarse"]["2"] = form["coarse"]["2"][:-1]
    with pytest.raises(ValueError, match="fit together"):
        FieldCells.from_dict(form)


def test_a_column_of_one_value_has_one_cell():
    scale = Scale.of(Column("same", "integer", 0, 10))
    values = scale.dithered(np.full(1000, 4.0), np.random.default_rng(0))
    assert number_cells(values, scale, 0).number == 1
