"""Rows in which a condition holds: those of the model, no others, none changed."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from quantail.errors import ModelError, OptionError
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer, conditional


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(1)
    region = rng.integers(0, 2, 3000)
    staff = np.floor(np.exp(rng.normal(2 + region, 1, 3000)))
    pay = np.round(staff * np.exp(rng.normal(6, 0.5, 3000)), 2)
    table = pd.DataFrame(
        {
            "region": np.array(["north", "south"])[region],
            "staff": staff,
            "pay": np.where(rng.random(3000) < 0.2, np.nan, pay),
        }
    )
    schema = Schema(
        (
            Column("region", "category", categories=("north", "south")),
            Column("staff", "integer", 0, 10_000, grid="log"),
            Column("pay", "numeric", 0, 1e7, grid="log", decimals=2, missing=True),
        ),
        unit="firm",
        by=("region",),
    )
    return TableSynthesizer(schema, 3, method="tables", noise="simulated", seed=1).fit(table)


@pytest.mark.parametrize("where", ["staff > 20", "pay <= 5000 and region = south", "pay is missing"])
def test_rows_have_the_law_of_the_model_given_the_condition(model, where):
    """Against the rows of a large table in which the condition holds, column by column, and groups by shares."""
    whole = model.sample(60_000, seed=3)
    holds = whole.query(
        where.replace("pay is missing", "pay.isna()").replace("region = south", "region == 'south'"),
        engine="python",
    )
    some = model.sample(4000, seed=4, where=where, draw="independent")
    assert len(some) == 4000
    for name in ("staff", "pay"):
        real, made = (frame[name].dropna() for frame in (holds, some))
        assert len(real) == 0 == len(made) or stats.ks_2samp(real, made).pvalue > 0.001
    assert abs((holds["region"] == "south").mean() - (some["region"] == "south").mean()) < 0.03
    assert abs(holds["pay"].isna().mean() - some["pay"].isna().mean()) < 0.03


def test_every_row_meets_it_as_it_is_released(model):
    some = model.sample(2000, seed=1, where="staff >= 7 and staff < 9 and pay > 3000.5")
    assert set(some["staff"]) == {7, 8}
    assert some["pay"].min() > 3000.5


def test_without_a_number_those_of_a_whole_table(model):
    whole = model.sample(seed=7)
    some = model.sample(seed=7, where="staff > 20")
    pd.testing.assert_frame_equal(some, whole[whole["staff"] > 20].reset_index(drop=True))


def test_given_rows_are_completed_so_that_it_holds(model):
    given = pd.DataFrame({"region": ["north"] * 500 + ["south"] * 500, "staff": [3.0, 40.0] * 500})
    some = model.sample(given=given, where="pay > 4000", seed=1)
    assert some["pay"].min() > 4000
    counts = some.groupby(["region", "staff"]).size()
    assert counts.to_list() == [250, 250, 250, 250]
    free = model.sample(given=given, seed=1, draw="independent")
    held = free[(free["pay"] > 4000) & (free["staff"] == 40)]["pay"]
    assert stats.ks_2samp(held, some[some["staff"] == 40]["pay"]).pvalue > 0.001


def test_what_no_row_meets_is_refused(model, monkeypatch):
    monkeypatch.setattr(conditional, "MOST_TRIED", 5000)
    with pytest.raises(ModelError, match="hardly any rows"):
        model.sample(10, where="staff > 9998 and pay < 1")
    given = pd.DataFrame({"region": ["north"], "staff": [3.0]})
    with pytest.raises(ModelError, match="hardly any rows"):
        model.sample(given=given, where="staff > 5")


@pytest.mark.parametrize("where", ["", "wage > 3", "region > north", "staff > many", "staff"])
def test_what_is_no_condition_is_refused(model, where):
    with pytest.raises(OptionError, match="where"):
        model.sample(10, where=where)


def test_a_long_search_says_how_far_it_is(model):
    """Fractions never fall and end at all rows that were asked for; what was drawn in vain counts as well."""
    told: list[tuple[str, float]] = []
    condition = conditional.RowCondition.of("staff > 20", model.schema)

    def draw(size):
        return model._whole(size, np.random.default_rng(len(told)), False)

    conditional.kept_rows(condition, draw, 5000, np.random.default_rng(1), lambda *said: told.append(said))
    fractions = [fraction for _, fraction in told]
    assert fractions == sorted(fractions) and fractions[-1] >= 1
    assert told[-1][0].startswith("5,000 of 5,000 rows, ")
