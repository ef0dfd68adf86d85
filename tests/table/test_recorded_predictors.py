"""Later columns follow what is recorded of an earlier one (no grant, three rooms), not where its dither put it.

The negative control spreads predictors over their lattice cells, as was done once, and must fail.
"""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from payroll_case import simulate
from quantail.curves import Scale, fit_curve
from quantail.curves.rows import gathered
from quantail.schema import Column, Schema
from quantail.table.cells import FieldCells
from quantail.table.columns import Field
from quantail.table.forward import DrawnRows, FieldSampler
from quantail.table.law import FieldLaw
from quantail.table.stage_one import fitting
from quantail.table.stage_one.column import NumericModel
from quantail.table.stage_one.fit_state import Fit
from quantail.table.tuning import LEVELS

ROWS = 5000
AMPLE = 20
GRANTS = Schema(
    (Column("grant", "integer", 0, 10**6, grid="log"), Column("cost", "numeric", 0, 1000, decimals=1)),
    unit="firm",
)
HOMES = Schema((Column("rooms", "integer", 0, 5), Column("rent", "numeric", 0, 100, decimals=2)), unit="home")


@pytest.fixture
def spread(monkeypatch):
    """Let predictors be what they were spread to."""
    monkeypatch.setattr(Scale, "recorded", lambda self, values: values)


def grants(seed):
    """Return firms of which 40% have no grant, and cost 300; the others cost 200."""
    rng = np.random.default_rng(seed)
    grant = np.where(rng.random(ROWS) < 0.4, 0, np.rint(300 * rng.lognormal(0, 1, ROWS))).astype(np.int64)
    cost = np.where(grant == 0, 300, 200) + rng.normal(0, 10, ROWS)
    return pa.table({"grant": grant, "cost": np.round(cost, 1)})


def homes(seed, shares=(0.1, 0.2, 0.3, 0.2, 0.1, 0.1)):
    """Return homes whose rent is 20 and 10 for each room, give or take 1."""
    rng = np.random.default_rng(seed)
    rooms = rng.choice(len(shares), ROWS, p=shares)
    return pa.table({"rooms": rooms, "rent": np.round(20 + 10 * rooms + rng.normal(0, 1, ROWS), 1)})


def arrays(table):
    return (column.to_numpy() for column in table.columns)


def cost_without_grant(seed):
    """Return mean and deviation of synthetic costs without a grant, and the mean with a small one."""
    grant, cost = arrays(simulate(GRANTS, grants(seed), AMPLE, seed).sample(seed=1))
    none, small = cost[grant == 0], cost[(grant > 0) & (grant < 60)]
    return none.mean(), none.std(), small.mean()


@pytest.mark.parametrize("seed", [0, 1])
def test_what_many_rows_have_has_a_level_of_its_own(seed):
    mean, _, beside = cost_without_grant(seed)
    assert mean == pytest.approx(300, abs=2)
    assert beside == pytest.approx(200, abs=6)


@pytest.mark.xfail(
    reason="a shift of a law of two modes widens what lies in one: 14 for 10, 12.5 wanted", strict=False
)
@pytest.mark.parametrize("seed", [0, 1])
def test_what_many_rows_have_is_as_narrow_as_it_was(seed):
    _, deviation, _ = cost_without_grant(seed)
    assert deviation == pytest.approx(10, rel=0.25)  # numbers are drawn within cells


def rent_of_three_rooms(seed):
    """Return the deviation of synthetic rents of three rooms, drawn and given."""
    model = simulate(HOMES, homes(seed), AMPLE, seed)
    rooms, rent = arrays(model.sample(seed=1))
    completed = model.sample(given=pa.table({"rooms": [3] * 400}), seed=2)["rent"].to_numpy()
    return rent[rooms == 3].std(), completed.std()


@pytest.mark.parametrize("seed", [0, 2])
def test_rows_with_the_same_small_number_differ_as_much_as_real_ones(seed):
    drawn, completed = rent_of_three_rooms(seed)
    assert drawn == pytest.approx(1, rel=0.15)
    assert completed == pytest.approx(1, rel=0.15)


def test_spread_over_a_cell_they_differ_by_the_dither(spread):
    assert min(rent_of_three_rooms(0)) > 1.3


@pytest.mark.parametrize("share", [0.08, 0.9])
@pytest.mark.parametrize("seed", [0, 1])
def test_two_values_are_told_apart_whatever_their_shares(share, seed):
    """Cut within the cell of a value, the instrument of a slope would have no rows on one side."""
    rooms, rent = arrays(simulate(HOMES, homes(seed, (1 - share, share)), 1, seed).sample(seed=1))
    assert np.median(rent[rooms == 1]) - np.median(rent[rooms == 0]) == pytest.approx(10, abs=0.8)


class Watched(Fit):
    """A fit that can be looked at afterwards."""

    seen: "list[Watched]"

    def release(self, model):
        self.seen.append(self)
        super().release(model)


@pytest.mark.parametrize("public", [False, True])
def test_confidential_and_simulated_rows_explain_by_the_same_numbers(monkeypatch, public):
    Watched.seen = []
    monkeypatch.setattr(fitting, "Fit", Watched)
    schema = Schema((Column("rooms", "integer", 0, 5, public=public), HOMES.columns[1]), unit="home")
    table = homes(3)
    simulate(schema, table, 1)
    fit = Watched.seen[-1]
    rooms = np.sort(table["rooms"].to_numpy()) if public else table["rooms"].to_numpy()
    rows, spread = gathered(fit.innovations["rooms"], fit.values["rooms"])
    np.testing.assert_array_equal(rows, rooms)
    assert np.abs(spread - rooms).std() > 0.1  # its own curve is still asked of spread values
    assert set(fit.predictor("rooms").explaining(np.linspace(0.001, 0.999, 500))) == set(rooms.astype(float))


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["linear", "log"]),
    st.sampled_from([(0, 50), (-30, 30), (1, 10**5)]),
    st.integers(0, 10**6),
)
def test_a_row_handed_out_and_given_back_explains_the_same(grid, bounds, seed):
    scale = Scale.of(Column("x", "integer", *bounds, grid=grid))
    low, high = scale.ends
    quantiles = low + (high - low) * np.array([0.05, 0.1, 0.3, 0.7, 0.95])
    curve = fit_curve(np.array([0.1, 0.25, 0.5, 0.75, 0.9]), quantiles, 10**6, 1.0, scale.least, scale.log)
    column = NumericModel("x", scale, (), curve)
    rng = np.random.default_rng(seed)
    sampler = sampler_of(column)
    drawn, again = DrawnRows(50), DrawnRows(50)
    sampler.draw(drawn, rng.random(50))
    handed_out = np.rint(scale.backward(drawn.values["x"]))
    sampler.accept(again, {"x": scale.dithered(handed_out, rng)})
    np.testing.assert_array_equal(again.innovations["x"], drawn.innovations["x"])
    np.testing.assert_array_equal(scale.forward(handed_out), drawn.innovations["x"])


def sampler_of(column):
    """Return what draws a column that others have slopes on."""
    cells = FieldCells((), 1, ((0,),) * len(LEVELS))
    return FieldSampler.of(Field(column), FieldLaw(cells, (0.0,)), {}, explains=True)


def test_a_column_of_one_value_explains_nothing_and_breaks_nothing():
    """With slopes, and in tables of counts: for every budget."""
    rng = np.random.default_rng(0)
    rows = 1500
    names = [f"x{k}" for k in range(5)]
    data = {"same": np.full(rows, 7), **{name: rng.integers(0, 3, rows) for name in names}}
    table = pa.table({**data, "kind": rng.choice(["a", "b"], rows)})
    columns = (
        Column("same", "integer", 0, 100),
        *(Column(name, "integer", 0, 9, grid="log") for name in names),
        Column("kind", "category", categories=("a", "b")),
    )
    for few, epsilon in ((2, 1), (2, AMPLE), (2, 200), (6, AMPLE)):
        schema = Schema((*columns[:few], columns[-1]), unit="row")
        made = simulate(schema, table.select([*table.column_names[:few], "kind"]), epsilon).sample(seed=1)
        assert np.mean(made["same"].to_numpy() == 7) > 0.6
        assert made["x0"].to_numpy().mean() == pytest.approx(1, abs=0.25)
