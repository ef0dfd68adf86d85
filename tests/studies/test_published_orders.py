"""Orders, budget shares and sensitivities of the paper's methods."""

import numpy as np
import pytest

from quantail.errors import OptionError
from quantail.orders.levels import PAPER_TAUS
from studies.published import (
    COLUMN_SHARES,
    MAIN_TAUS,
    METHODS,
    PUBLISHED,
    Density,
    row_weights,
    sensitivity,
    visits,
)


@pytest.mark.parametrize("method", METHODS)
def test_every_quantile_is_drawn_once_and_shares_add_up_to_epsilon(method):
    spent = 0.0
    for column, share in COLUMN_SHARES.items():
        draws = visits(method, column, PAPER_TAUS)
        assert sorted(visit.tau for visit in draws) == sorted(PAPER_TAUS)
        spent += share * sum(visit.share for visit in draws)
    assert spent == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("method", METHODS[1:])
@pytest.mark.parametrize("column", COLUMN_SHARES)
def test_a_draw_is_held_by_its_nearest_drawn_neighbours(method, column):
    drawn = []
    for visit in visits(method, column, PAPER_TAUS):
        below = max((tau for tau in drawn if tau < visit.tau), default=None)
        above = min((tau for tau in drawn if tau > visit.tau), default=None)
        assert (visit.below, visit.above) == (below, above)
        assert visit.start == (None if visit.tau == 0.5 else above if visit.tau < 0.5 else below)
        drawn.append(visit.tau)


def test_the_median_gets_the_share_the_authors_gave_it():
    first = {m: [visits(m, c, PAPER_TAUS)[0] for c in ("X1", "X2", "X3")] for m in METHODS[1:]}
    shares = {method: [round(visit.share, 4) for visit in draws] for method, draws in first.items()}
    assert shares == {
        "stepwise-fixed": [0.25, 0.6, 0.6],
        "stepwise-varying": [0.25, 0.8, 0.8],
        "sandwich-fixed": [0.15, 0.42, 0.42],
        "sandwich-varying": [0.15, 0.64, 0.64],
    }
    draws = visits("sandwich-fixed", "X2", PAPER_TAUS)
    assert {visit.tau for visit in draws if visit.role != "inner"} == set(MAIN_TAUS)


@pytest.mark.parametrize(("tau", "ratio"), [(0.25, 2 / 3), (0.5, 1), (0.75, 2), (0.95, 10), (0.99, 50)])
def test_the_published_sensitivity_is_too_small_above_the_median(tau, ratio):
    cap = 46.0
    # What replacing one row can really do: the largest move over a grid of rows, both sides of the line.
    rows = [np.array([1.0, x]) * (side - tau) for x in np.linspace(0, cap, 24) for side in (0.0, 1.0)]
    real = max(np.abs(a - b).max() for a in rows for b in rows)
    assert real == pytest.approx(sensitivity(Density(sensitivity="valid"), tau, cap))
    assert real / sensitivity(PUBLISHED, tau, cap) == pytest.approx(ratio)


def test_rows_pick_levels_with_the_authors_chances():
    weights = row_weights(PAPER_TAUS)
    assert weights == pytest.approx([0.01, *[0.02] * 23, 0.03, 0.03, *[0.02] * 22, 0.03])


def test_unknown_methods_and_lists_without_a_median_are_refused():
    with pytest.raises(OptionError, match="stepwise-fixed"):
        visits("stepwise", "X1", PAPER_TAUS)
    with pytest.raises(OptionError, match="median"):
        visits("stepwise-fixed", "X1", [0.25, 0.75])
