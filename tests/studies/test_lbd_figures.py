"""The facts of a panel worked out by hand on three establishments."""

import numpy as np
import pyarrow as pa
import pytest

from studies.lbd.standin.figures import measure_industry, pooled_rates
from studies.lbd.standin.targets import YEARS


@pytest.fixture
def facts():
    # One that stays (10, then 15 from 1994 on), one of 1994 alone (0 employees), one born in 1994 (6, 3, ...).
    histories = [
        {year: 10 if year < 1994 else 15 for year in YEARS},
        {1994: 0},
        {year: 6 if year == 1994 else 3 for year in YEARS if year >= 1994},
    ]
    columns = {
        "firstyear": [min(history) for history in histories],
        "lastyear": [max(history) for history in histories],
    }
    for year in YEARS:
        columns[f"emp_{year}"] = pa.array([history.get(year) for history in histories], pa.int64())
    return measure_industry(pa.table(columns))


def test_levels_and_rates(facts):
    assert facts.gross[YEARS.index(1994)] == 21 and facts.gross[0] == 10
    assert facts.sizes.tolist() == [15, 0, 6] and facts.zero == 0.0
    assert facts.entry == pytest.approx(2 / 3 / 24)
    assert facts.exit == pytest.approx(1 / 3 / 24)


def test_births_and_exits_do_not_count_as_creation(facts):
    created, net = pooled_rates({1: facts, 2: facts})
    t = YEARS[1:].index(1994)
    assert created[t] == net[t] == pytest.approx(100 * 5 / 12.5)
    assert created[t + 1] == 0 and net[t + 1] == pytest.approx(-100 * 3 / 19.5)
    assert np.count_nonzero(net) == 2


def test_growth_is_of_those_that_stay_positive(facts):
    assert len(facts.growth) == 24 + 6
    assert facts.growth.max() == pytest.approx(np.log(1.5)) and facts.growth.min() == pytest.approx(
        np.log(0.5)
    )
