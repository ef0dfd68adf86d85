"""A period is appended to a released panel: earlier histories stay, the new one is near the real, and pays alone."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from quantail import Ledger, PanelSynthesizer, PeriodSynthesizer, infer, load_model
from quantail.errors import DataError, OptionError, SchemaError
from quantail.examples import industry_example
from quantail.frames import PanelData, confidential_panel
from quantail.panel import AppendedPanel
from quantail.panel.donors import above_cap
from quantail.panel.extended import expected_flows, extended
from quantail.panel.period import Answer, PeriodAnswers
from quantail.schema import Column, Panel, Schema

TRADE = Column("trade", "category", categories=("shops", "crafts"))
REGION = Column("region", "category", categories=("north", "south"))
STAFF = Column("staff", "integer", 0, 5000, grid="log")
PAY = Column("pay", "integer", 0, 1_000_000, grid="log")
LAST = 2013


def industry(units=900):
    """Return a long panel of two trades in two regions; some sites are away for a year."""
    table = industry_example(units, layout="long").select(["site", "year", "staff", "pay"])
    site, year = table["site"].to_numpy(), table["year"].to_numpy()
    away = (site % 19 == 0) & (year == 2010)
    table = table.append_column("trade", pa.array(np.where(site % 3 > 0, "shops", "crafts")))
    table = table.append_column("region", pa.array(np.where(site % 4 > 0, "north", "south")))
    return table.filter(pa.array(~away))


def schema_to(end, **changed):
    panel = Panel("site", start=2006, end=end, layout="long", time="year", attributes=("region",), gaps=True)
    schema = Schema((TRADE, REGION, STAFF, PAY), "workplace", name="industry", panel=panel, by=("trade",))
    return replace(schema, **changed)


def upto(table, end):
    return table.filter(pc.and_(pc.greater_equal(table["year"], 2006), pc.less_equal(table["year"], end)))


@pytest.fixture(scope="module")
def table():
    return industry()


@pytest.fixture(scope="module")
def released(table):
    """Return a synthetic panel up to the period before the last."""
    before = schema_to(LAST - 1)
    return PanelSynthesizer(before, 5, noise="simulated", seed=1).fit(upto(table, LAST - 1)).sample(seed=1)


def append(released, table, epsilon, end=LAST, seed=2, **changed):
    synthesizer = PeriodSynthesizer(
        schema_to(end, **changed), epsilon, released, noise="simulated", seed=seed
    )
    return synthesizer.fit(upto(table, end))


def values(table, end, name="staff"):
    data = confidential_panel(table, schema_to(end))
    return data, data.values[name]


def test_rates_that_were_rough_in_any_released_period_let_a_new_count_tell_more():
    units, periods = 6000, 14
    total = Answer(0.0, 1.0, 0.0, 1.0)

    def entering(rates):
        there = np.zeros((units, periods), dtype=bool)
        there[:2000, 0], used = True, 2000
        for t in range(1, periods):
            stay, new = np.flatnonzero(there[:, t - 1]), int(2000 * rates[t])
            there[stay[new:], t] = True
            there[used : used + new, t] = True
            used += new
        return expected_flows(there, PeriodAnswers((200.0, 1800.0, 400.0), 60.0, total, ()))[1]

    smooth, rough = np.full(periods, 0.1), np.full(periods, 0.1)
    rough[1:8] += 0.06 * np.resize([1, -1], 7)  # before the recent periods, whose mean is .1 all the same
    assert 200 <= entering(smooth) < 215 and entering(rough) > 280


def test_earlier_histories_stay_as_they_were_and_new_units_have_ids_of_their_own(released, table):
    made = append(released, table, 1).sample()
    assert upto(made, LAST - 1).equals(released)
    old, now = set(released["site"].to_pylist()), made.filter(pc.equal(made["year"], LAST))
    born = [site for site in now["site"].to_pylist() if site not in old]
    assert born and min(born) > 0 and len(set(now["site"].to_pylist())) == now.num_rows
    trades = dict(zip(made["site"].to_pylist(), made["trade"].to_pylist(), strict=True))
    assert all(
        trades[site] == ("shops", "crafts")[(site - 1) % 2] for site in born
    )  # ids of groups never meet
    assert min(born) > max(site for site in old if (site - born[0]) % 2 == 0)


def test_with_hardly_any_noise_the_new_period_is_that_of_the_real_panel(released, table):
    made = append(released, table, 10_000).sample()
    for trade in TRADE.categories:
        found = []
        for panel in (upto(table, LAST), made):
            own = panel.filter(pc.equal(panel["trade"], trade))
            _, staff = values(own, LAST)
            _, pay = values(own, LAST, "pay")
            there = ~np.isnan(staff[:, -2:])
            now = staff[there[:, 1], -1]
            working = np.nan_to_num(staff[:, -1]) > 0
            ratio = np.exp(np.mean(np.log(pay[working, -1] / staff[working, -1])))
            found.append((there[:, 1].sum(), (there[:, 1] & ~there[:, 0]).sum(), now.sum(), ratio))
        real, synthetic = np.array(found)
        np.testing.assert_allclose(synthetic[0], real[0], rtol=0.04)  # units
        np.testing.assert_allclose(synthetic[1], real[1], atol=2)  # births
        np.testing.assert_allclose(synthetic[2:], real[2:], rtol=0.08)  # staff, pay per head


def test_units_that_continue_grow_as_units_did_before(released, table):
    _, staff = values(append(released, table, 3).sample(), LAST)
    growth = np.log1p(staff[:, 1:]) - np.log1p(staff[:, :-1])
    known = [column[~np.isnan(column)] for column in growth.T]
    unchanged, spread = ([np.mean(one == 0) for one in known], [np.std(one) for one in known])
    assert min(unchanged[:-1]) - 0.05 < unchanged[-1] < max(unchanged[:-1]) + 0.05
    assert 0.7 * min(spread[:-1]) < spread[-1] < 1.3 * max(spread[:-1])


def test_periods_are_appended_one_after_another_and_each_pays_alone(released, table, tmp_path):
    ledger = Ledger.create(tmp_path / "industry.ledger", "industry", limit=2)
    ledger.charge(1, "the first release", "0" * 64)
    panel = released
    for end in (LAST, LAST + 1, LAST + 2):
        panel = PeriodSynthesizer(schema_to(end), "1/10", panel).fit(upto(table, end), ledger).sample()
    assert [str(entry.amount) for entry in ledger.entries() if entry.kind == "charge"] == ["1", *["1/10"] * 3]
    assert upto(panel, LAST - 1).equals(released)
    data, _ = values(panel, LAST + 2)
    assert data.exit.max() == LAST + 2


def test_rows_of_the_last_two_periods_are_enough(released, table):
    recent = table.filter(pc.is_in(table["year"], value_set=pa.array([LAST - 1, LAST])))
    assert append(released, recent, 1).sample().equals(append(released, table, 1).sample())


def test_a_trade_that_closes_is_asked_about_as_all_others_and_closes(table):
    before = schema_to(LAST - 1, neighbours="add-remove")
    panel = PanelSynthesizer(before, 5, noise="simulated", seed=1).fit(upto(table, LAST - 1)).sample(seed=1)
    closed = pc.and_(pc.equal(table["trade"], "crafts"), pc.equal(table["year"], LAST))
    made = append(panel, table.filter(pc.invert(closed)), 20, neighbours="add-remove")
    assert [plan.name for plan in made.plan.children] == ["shops", "crafts"]
    assert made.terms.size is None
    now = made.sample().filter(pc.equal(made.sample()["year"], LAST))
    assert np.mean(np.array(now["trade"]) == "crafts") < 0.05


def test_a_saved_release_is_read_again(released, table, tmp_path):
    made = append(released, table, 1)
    made.save(tmp_path / "made.json")
    again = AppendedPanel.load(tmp_path / "made.json")
    assert (
        again.sample().equals(made.sample())
        and again.terms == made.terms
        and again.rows == made.sample().num_rows
    )
    found = load_model(tmp_path / "made.json")
    assert isinstance(found, AppendedPanel) and found.sample(seed=3).equals(made.sample())
    with pytest.raises(OptionError, match="the panel that the first period was appended to"):
        infer(found, made.sample(), "mean(staff)")


def test_what_makes_no_sense_is_refused(released, table):
    with pytest.raises(SchemaError, match="full synthesis"):
        panel = Panel("site", "opened", "closed", 2006, LAST, synthesis="partial")
        PeriodSynthesizer(Schema((STAFF,), "workplace", panel=panel), 1, released)
    with pytest.raises(SchemaError, match="at least two periods"):
        PeriodSynthesizer(schema_to(2007), 1, released)
    with pytest.raises(DataError, match="outside start to end"):  # that period is in it already
        PeriodSynthesizer(schema_to(LAST - 1), 1, released)
    with pytest.raises(DataError, match="was not released"):
        shops = released.filter(pc.equal(released["trade"], "shops"))
        append(shops, table, 1)
    with pytest.raises(OptionError, match="replicates"):
        append(released, table, 1).sample(replicates=2)
    with pytest.raises(DataError, match="no rows"):
        PeriodSynthesizer(schema_to(LAST), 1, released.slice(0, 0))


def test_what_lies_above_the_cap_keeps_its_share_over_the_years():
    """A total is asked for up to a cap; beyond it a few units that happen to grow must not run away."""
    rng = np.random.default_rng(5)
    schema = Schema((STAFF,), "workplace", panel=Panel("site", start=1, end=6))
    size = 1.0 + rng.normal(0.0, 1.0, (800, 1)) + rng.laplace(0.0, 0.3, (800, 6))
    staff = np.ceil(np.exp(np.clip(size, 0.0, None)))
    ends = [np.full(800, year) for year in (1, 6)]
    data = PanelData(schema, pa.array(range(1, 801)), *ends, np.zeros(800, int), {}, {"staff": staff})
    cap = float(np.quantile(staff, 0.97))
    share, total = above_cap(staff, cap), float(np.minimum(staff / cap, 1.0).sum() / 6)
    for year in range(7, 15):
        after = replace(data.schema, panel=replace(data.schema.panel, end=year))
        answers = PeriodAnswers((0.0, 800.0, 0.0), 1.0, Answer(total, 1.0, 0.0, cap), ())
        data = extended(data, after, 0, answers, rng)
        now = data.values["staff"][:, -1]
        assert abs(above_cap(now, cap) / share - 1) < 0.25
        assert abs(np.nansum(np.minimum(now / cap, 1.0)) / total - 1) < 0.05


@pytest.mark.parametrize("periods", [2, 3, 9])
def test_any_answers_make_a_sound_panel(periods):
    """Noise may say anything, on panels in which nobody enters, leaves or has staff: the budget is spent by then."""
    rng = np.random.default_rng(periods)
    panel = Panel("site", start=1, end=periods)
    schema = Schema((STAFF, replace(PAY, missing=True)), "workplace", panel=panel)
    after = replace(schema, panel=replace(panel, end=periods + 1))
    for _ in range(60):
        units = int(rng.integers(1, 6))
        entry = rng.integers(1, periods + 1, units) if rng.random() < 0.6 else np.ones(units, np.int64)
        exit_ = np.maximum(entry, rng.integers(1, periods + 1, units) if rng.random() < 0.6 else periods)
        within = (np.arange(1, periods + 1) >= entry[:, None]) & (np.arange(1, periods + 1) <= exit_[:, None])
        staff = np.where(within, rng.choice([0.0, 0.0, 1.0, 5000.0], within.shape), np.nan)
        pay = np.where(
            within & (rng.random(within.shape) < 0.7), rng.choice([0.0, 9.0], within.shape), np.nan
        )
        sizes = {"staff": staff, "pay": pay}
        data = PanelData(schema, pa.array(range(1, units + 1)), entry, exit_, np.zeros(units, int), {}, sizes)
        noise = 10.0 ** rng.uniform(-2, 3, 5)
        flows = rng.normal(0.0, noise[0], 3)
        total = Answer(rng.normal(0.0, noise[1]), noise[2], 0.0, 10.0 ** rng.uniform(0, 3))
        ratio = Answer(rng.normal(0.0, noise[3]), noise[4], 3.0, 0.5)
        made = extended(data, after, 0, PeriodAnswers(tuple(flows), noise[0], total, (ratio,)), rng)
        for name, array in sizes.items():
            np.testing.assert_array_equal(made.values[name][:units, :-1], array)
        assert (made.exit[:units] == np.where(made.active[:units, -1], periods + 1, exit_)).all()
        assert len(set(made.units.to_pylist())) == len(made)
