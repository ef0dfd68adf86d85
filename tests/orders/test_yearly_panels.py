"""The paper's year-by-year procedure: its budget, what a history can do to it, and what it releases."""

import json
from collections import defaultdict
from fractions import Fraction as F
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from quantail.errors import OptionError
from quantail.frames import confidential_panel
from quantail.orders.yearly import fitting as yearly_fitting
from quantail.orders.yearly.design import plan_yearly
from quantail.orders.yearly.fitting import fit_yearly
from quantail.orders.yearly.model import (
    PeriodModel,
    YearlyModel,
    draw_yearly,
    read_yearly_model,
    write_yearly,
)
from quantail.orders.yearly.settings import YEARLY_TAUS, read_yearly
from quantail.panel import PanelModel, PanelSynthesizer
from quantail.privacy import Gate
from quantail.release.fields import check_fields
from quantail.schema import Column, Panel, Schema

METHODS = [("kng", "fixed"), ("stepwise", "fixed"), ("stepwise", "varying"), ("sandwich", "fixed")]
METHODS += [("sandwich", "varying")]
PERIODS = 4


def schema_of(grid="linear", pay=False):
    columns = [Column("emp", "integer", 0, 200, grid=grid)]
    if pay:
        columns.append(Column("pay", "integer", 0, 9000, grid="log"))
    return Schema(
        tuple(columns),
        "plant",
        panel=Panel("id", "first", "last", 2000, 2000 + PERIODS - 1, synthesis="partial"),
    )


def panel(units=60, seed=0, pay=False):
    """Return a wide panel with births in every period and histories of every length."""
    rng = np.random.default_rng(seed)
    first = np.where(np.arange(units) % 2 == 0, 0, np.arange(units) // 2 % PERIODS)
    last = np.minimum(first + rng.integers(0, PERIODS, units), PERIODS - 1)
    level = rng.lognormal(2.0, 0.8, units)
    columns = {"id": np.arange(units), "first": 2000 + first, "last": 2000 + last}
    emp = {}
    for t in range(PERIODS):
        absent = (t < first) | (t > last)
        emp[t] = np.minimum(np.rint(level * rng.lognormal(0, 0.2, units)), 200).astype(int)
        columns[f"emp_{2000 + t}"] = pa.array(emp[t], mask=absent)
        if pay:
            columns[f"pay_{2000 + t}"] = pa.array(emp[t] * 30, mask=absent)
    return pa.table(columns)


def fitted(method, slopes, epsilon=1, table=None, schema=None, **options):
    maker = PanelSynthesizer(
        schema or schema_of(), epsilon, method=method, slopes=slopes, noise="simulated", seed=3, **options
    )
    return maker.fit(panel() if table is None else table)


# ---- the budget


@pytest.mark.parametrize(("method", "slopes"), METHODS)
def test_periods_share_the_budget_and_it_is_used_up_exactly(method, slopes):
    plan = plan_yearly(read_yearly(method, {"slopes": slopes}), schema_of(), 100, F(1), "panel")
    assert sum(leaf.cost for leaf in plan.leaves()) == plan.cost == 1
    assert [child.cost for child in plan.children] == [F(1, PERIODS)] * PERIODS
    assert [part.name for part in plan.children[0].children] == ["births"]
    for later in plan.children[1:]:
        assert later.find("births").cost == later.cost / 4
        assert later.find("continuers").cost == 3 * later.cost / 4
    assert len(plan.find("2001/births/emp").leaves()) == len(YEARLY_TAUS)
    assert len(plan.find("2001/continuers/emp").leaves()) == len(YEARLY_TAUS) + 1


@pytest.mark.parametrize(
    ("slopes", "median", "main"), [("fixed", F(6, 10), F(7, 10)), ("varying", F(8, 10), F(8, 10))]
)
def test_models_spend_the_shares_of_the_papers_application(slopes, median, main):
    stepwise, sandwich = (
        plan_yearly(read_yearly(order, {"slopes": slopes}), schema_of(), 100, F(1), "panel")
        for order in ("stepwise", "sandwich")
    )
    for part in ("births", "continuers"):
        whole = stepwise.find(f"2001/{part}/emp")
        assert whole.find("median").cost == median * whole.cost
        whole = sandwich.find(f"2001/{part}/emp")
        assert whole.find("median").cost == main * median * whole.cost
        assert whole.find("inner").cost == (1 - main) * whole.cost


# ---- what one history can do


class Script:
    """Noise that gives scripted answers (or the best candidate) and writes down what it was asked."""

    private = False

    def __init__(self, answers=None):
        self.answers, self.asked, self.given = answers, [], []
        self._dither = np.random.default_rng(5)

    def noisy_max(self, scores, scale, definition):
        answer = int(np.argmax(scores)) if self.answers is None else self.answers[len(self.given)]
        self.asked.append((np.array(scores), scale))
        self.given.append(answer)
        return answer

    def random(self, size):
        return self._dither.random(size)

    def generator(self):
        return np.random.default_rng(8)


def answered(table, settings, schema, answers=None):
    """Fit with scripted answers; return the release, the leaves in order of use, and the noise."""
    data = confidential_panel(table, schema)
    plan = plan_yearly(settings, schema, len(data), F(1), "panel")
    paths = {id(leaf): path for path, leaf in leaf_paths(plan)}
    noise, used = Script(answers), []
    gate = Gate(plan, noise, "replace-one")
    use = gate._use

    def noted(leaf, *rest):
        used.append((paths[id(leaf)], leaf.cost))
        use(leaf, *rest)

    gate._use = noted
    return fit_yearly(settings, gate, data, lambda name: None), used, noise


def leaf_paths(plan, path=""):
    for child in plan.children:
        here = f"{path}/{child.name}".lstrip("/")
        yield from leaf_paths(child, here) if child.children else [(here, child)]


def losses(settings, schema, table, other):
    """Say whether the same answers give the same release and no leaf loses more than its cost; return their losses."""
    model, used, first = answered(table, settings, schema)
    twin, again, second = answered(other, settings, schema, first.given)
    found = defaultdict(float)
    same = model == twin and used == again
    for (path, cost), (a, scale), (b, _) in zip(used, first.asked, second.asked, strict=False):
        if a.shape != b.shape:
            return False, {}
        found[path] = float(2 * np.abs(a - b).max() / scale)
        same &= found[path] <= float(cost) * (1 + 1e-9)
    return same, found


def changed(table, unit):
    """Return the panel with another history of one unit, in all of its periods."""
    columns = {name: table[name].to_pylist() for name in table.column_names}
    for name, values in columns.items():
        if name.startswith(("emp", "pay")) and values[unit] is not None:
            values[unit] = 150 if values[unit] < 50 else 1
    return pa.table({name: pa.array(values, table[name].type) for name, values in columns.items()})


@pytest.mark.parametrize("grid", ["linear", "log"])
@pytest.mark.parametrize(("method", "slopes"), METHODS)
def test_a_history_moves_its_own_models_only_and_costs_no_more_than_epsilon(method, slopes, grid):
    settings, schema, table = read_yearly(method, {"slopes": slopes}), schema_of(grid), panel()
    unit = next(
        k for k in range(60) if table["first"][k].as_py() == 2001 and table["last"][k].as_py() == 2003
    )
    same, found = losses(settings, schema, table, changed(table, unit))
    assert same
    moved = {path.rsplit("/emp", 1)[0] for path, loss in found.items() if loss > 0}
    assert moved == {"2001/births", "2002/continuers", "2003/continuers"}
    assert 0.05 < sum(found.values()) <= 1


def test_disjoint_parts_may_each_use_a_whole_period():
    settings = read_yearly("stepwise", {"sharing": "disjoint"})
    plan = plan_yearly(settings, schema_of(), 100, F(1), "panel")
    assert plan.cost == 1
    assert plan.find("2001/births").cost == plan.find("2001/continuers").cost == F(1, PERIODS)
    table = panel()
    for unit in range(4):
        same, found = losses(settings, schema_of(), table, changed(table, unit))
        assert same and sum(found.values()) <= 1
        years = [path.split("/")[:2] for path, loss in found.items() if loss > 0]
        assert len({year for year, _ in years}) == len({tuple(part) for part in years})  # one part a period


def test_a_predictor_measured_on_confidential_rows_is_caught(monkeypatch):
    honest = yearly_fitting._fit_slope
    monkeypatch.setattr(
        yearly_fitting,
        "_fit_slope",
        lambda gate, design, name, real, released: honest(gate, design, name, real, real[name]),
    )
    table = panel()
    unit = next(
        k for k in range(60) if table["first"][k].as_py() == 2000 and table["last"][k].as_py() == 2003
    )
    same, _ = losses(read_yearly("stepwise", {}), schema_of(), table, changed(table, unit))
    assert not same


# ---- what is released


@pytest.mark.parametrize(("method", "slopes"), METHODS)
def test_output_is_whole_bounded_and_only_where_units_are_active(method, slopes):
    table = panel()
    made = fitted(method, slopes).sample(seed=1)
    assert made["id"].to_pylist() == table["id"].to_pylist()
    assert made["first"].to_pylist() == table["first"].to_pylist()
    for year in range(2000, 2000 + PERIODS):
        values = made[f"emp_{year}"]
        assert pa.types.is_integer(values.type)
        assert values.is_null().to_pylist() == table[f"emp_{year}"].is_null().to_pylist()
        assert all(0 <= value <= 200 for value in values.drop_null().to_pylist())


@pytest.mark.parametrize(("method", "slopes"), METHODS[1:])
def test_lines_of_a_model_never_cross(method, slopes):
    (group,) = fitted(method, slopes).groups
    x = np.linspace(-0.5, 200.5, 41)
    for period in group.released.periods:
        for lines in (*period.births, *period.continuers):
            at = lines.lines({"emp before": x}, x.size)
            assert (np.diff(at, axis=0) >= 0).all()


def test_with_ample_budget_births_and_continuers_come_back():
    table = panel(4000, seed=1)
    made = fitted("sandwich", "varying", 20_000, table, draw="interpolate").sample(seed=2)
    for year in range(2000, 2000 + PERIODS):
        real, synth = (t[f"emp_{year}"].drop_null().to_numpy() for t in (table, made))
        for level in (0.25, 0.5, 0.75):
            assert np.quantile(synth, level) == pytest.approx(np.quantile(real, level), rel=0.12, abs=1)
    both = table["emp_2000"].is_valid().to_numpy() & table["emp_2001"].is_valid().to_numpy()
    pairs = [(t["emp_2000"].to_numpy()[both], t["emp_2001"].to_numpy()[both]) for t in (table, made)]
    real, synth = (np.corrcoef(*np.log1p(pair))[0, 1] for pair in pairs)
    assert synth == pytest.approx(real, abs=0.08)


def test_levels_are_picked_equally_often_unless_told_otherwise():
    table = panel(4000, seed=1)
    model = fitted("stepwise", "fixed", 20_000, table)
    (lines,) = model.groups[0].released.periods[0].births
    highest = round(float(lines.scale.backward(lines.lines({}, 1)[-1])[0]))
    share = np.mean(model.sample(seed=1)["emp_2000"].drop_null().to_numpy() >= highest)
    assert share == pytest.approx(1 / len(YEARLY_TAUS), abs=0.02)  # .99 stands for 5%, not for 3%


def test_later_columns_follow():
    table = panel(4000, seed=1, pay=True)
    made = fitted("sandwich", "varying", 20_000, table, schema_of("log", pay=True)).sample(seed=1)
    emp, pay = (made[f"{name}_2000"].drop_null().to_numpy() for name in ("emp", "pay"))
    assert np.corrcoef(np.log1p(emp), np.log1p(pay))[0, 1] > 0.9
    both = made["pay_2000"].is_valid().to_numpy() & made["pay_2001"].is_valid().to_numpy()
    earlier, later = (np.log1p(made[f"pay_{year}"].to_numpy()[both]) for year in (2000, 2001))
    assert np.corrcoef(earlier, later)[0, 1] > 0.8


def test_what_was_released_survives_a_file():
    model = fitted("sandwich", "varying")
    (group,) = model.groups
    again = read_yearly_model(json.loads(json.dumps(write_yearly(group.released), allow_nan=False)))
    check_fields(again)
    assert again == group.released
    first, second = (draw_yearly(r, model.units, np.random.default_rng(4)) for r in (group.released, again))
    assert np.array_equal(first["emp"], second["emp"], equal_nan=True)


def test_a_saved_model_draws_the_same_panel_and_keeps_its_mark(tmp_path):
    model = fitted("sandwich", "varying")
    model.save(tmp_path / "model.json")
    assert PanelModel.load(tmp_path / "model.json").sample(seed=4).equals(model.sample(seed=4))
    assert "NOT PRIVATE" in json.loads((tmp_path / "model.json").read_text())["notice"]


def test_units_in_a_period_that_was_not_modelled_are_refused():
    model = fitted("stepwise", "fixed")
    periods = list(model.groups[0].released.periods)
    periods[2] = PeriodModel((), periods[2].continuers)
    with pytest.raises(ValueError, match="not modelled"):
        draw_yearly(YearlyModel("uniform", tuple(periods)), model.units, np.random.default_rng(0))


@pytest.mark.parametrize("units", [1, 2, 20])
def test_small_panels_and_periods_without_births_are_sound(units):
    columns = {"id": range(units), "first": [2000] * units, "last": [2003] * units}
    columns |= {f"emp_{2000 + t}": [5] * units for t in range(PERIODS)}
    made = fitted("stepwise", "varying", table=pa.table(columns)).sample(seed=1)
    assert made.num_rows == units and made["emp_2003"].null_count == 0


def test_levels_rise_and_the_list_is_the_papers():
    assert len(YEARLY_TAUS) == 20 and YEARLY_TAUS[0] == 0.05 and YEARLY_TAUS[-2:] == (0.95, 0.99)
    assert all(a < b for a, b in pairwise(YEARLY_TAUS))


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"slopes": "bent"}, "slopes"),
        ({"draw": "all"}, "draw"),
        ({"sharing": "none"}, "sharing"),
        ({"rungs": 7}, "rungs"),
        ({"shares": {"main": 0.5}}, "shares"),
        ({"taus": [0.25, 0.75]}, "taus"),
    ],
)
def test_wrong_options_are_named(options, word):
    with pytest.raises(OptionError, match=word):
        PanelSynthesizer(schema_of(), 1, method="stepwise", **options)
