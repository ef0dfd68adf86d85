"""Forward sampling: rows follow the law of cells, numbers follow the base law within them."""

import numpy as np
import pytest

from quantail.table.cells import label_cells
from quantail.table.law import Factor, FieldLaw, distinct_contexts, draw_cells


def test_distinct_contexts_tell_rows_apart_and_back():
    rng = np.random.default_rng(1)
    parts = {("a", 0): (rng.integers(0, 4, 500), 4), ("b", 1): (rng.integers(0, 3, 500), 3)}
    found = distinct_contexts(parts, 500)
    assert found.number == 12
    for name, (cell, _) in parts.items():
        np.testing.assert_array_equal(found.parts[name][found.of_rows], cell)
    assert found.shares.sum() == pytest.approx(1)


def test_contexts_beyond_any_whole_number_are_told_apart():
    rng = np.random.default_rng(1)
    parts = {(str(k), 0): (rng.integers(0, 3000, 200), 3000) for k in range(9)}
    found = distinct_contexts(parts, 200)
    assert found.number == 200
    np.testing.assert_array_equal(found.parts["8", 0][found.of_rows], parts["8", 0][0])


def test_cells_are_drawn_by_inversion():
    law = np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])
    u = (np.arange(1000) + 0.5) / 1000
    cell, within = draw_cells(law, np.zeros(1000, dtype=int), u)
    assert np.bincount(cell).tolist() == [200, 300, 500]
    np.testing.assert_allclose(within[:200], (np.arange(200) + 0.5) / 200)
    assert (draw_cells(law, np.ones(1000, dtype=int), u)[0] == 1).all()


@pytest.mark.parametrize("cells", [1, 2, 3, 8, 19, 1017])
def test_a_cell_is_the_first_whose_end_is_not_below_the_number(cells):
    rng = np.random.default_rng(cells)
    law = rng.multinomial(2**20, rng.dirichlet(np.full(cells, 0.3)), 20) / 2**20  # so that ends are exact
    ends, rows = np.cumsum(law, axis=1), rng.integers(20, size=500)
    u = np.where(rng.random(500) < 0.5, rng.random(500), ends[rows, rng.integers(cells, size=500)])
    drawn, _ = draw_cells(law, rows, u)
    wanted = [int(np.searchsorted(ends[row], max(level, 1e-300))) for row, level in zip(rows, u, strict=True)]
    assert drawn.tolist() == wanted and (law[rows, drawn] > 0).all()


def test_a_law_survives_json_and_a_damaged_one_is_refused():
    cells = label_cells(np.array([0.5, 0.5]))
    law = FieldLaw(cells, (0.0, 0.1), (Factor(("x",), (1,), 0, ((0.1, -0.1),), (0.3,)),))
    assert FieldLaw.from_dict(law.to_dict()) == law
    with pytest.raises(ValueError, match="fit together"):
        FieldLaw(cells, (0.0,))
    with pytest.raises(ValueError, match="fit together"):
        FieldLaw(cells, (0.0, 0.1), (Factor(("x",), (1,), 0, ((0.1, -0.1, 0.0),)),))
    with pytest.raises(ValueError, match="fit together"):
        FieldLaw(cells, (0.0, 0.1), (Factor(("x",), (1,), 0, ((0.1, -0.1),), (0.3, 0.4)),))
