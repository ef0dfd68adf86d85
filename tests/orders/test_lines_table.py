"""The paper's orders in TableSynthesizer: budgets, options, relations, groups, files and truth."""

import json
from fractions import Fraction as F

import numpy as np
import pyarrow as pa
import pytest

from payroll_case import payroll, payroll_schema, simulate
from quantail.errors import ModelError, OptionError
from quantail.examples import paper_schema, paper_split
from quantail.orders.levels import PAPER_TAUS
from quantail.privacy import SimulatedNoise, Source
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer, plan

ORDERS = ("kng", "stepwise", "sandwich")
PAIR = (Column("x", "numeric", 0, 1000), Column("y", "numeric", 0, 1000))


def pair(n=4000, seed=0, spread=0.0):
    rng = np.random.default_rng(seed)
    x = np.minimum(rng.exponential(20, n), 200)
    return pa.table({"x": x, "y": np.clip(100 + 2 * x + rng.normal(0, 10 + spread * x), 0, 1000)})


class TestPlan:
    """Exact budgets with the paper's shares."""

    @pytest.mark.parametrize("slopes", ["fixed", "varying"])
    @pytest.mark.parametrize("order", ORDERS)
    def test_the_whole_budget_is_planned_for_49_quantiles_of_each_column(self, order, slopes):
        tree = plan(paper_schema(), 5000, "1/3", method=order, slopes=slopes)
        assert tree.cost == F(1, 3) == sum(leaf.cost for leaf in tree.leaves())
        for name, share in (("X1", F(1, 2)), ("X2", F(1, 4)), ("X3", F(1, 4))):
            column = tree.find(name)
            assert column.cost == share / 3
            levels = [
                leaf.name for part in column.children if part.name != "median" for leaf in part.children
            ]
            assert sorted(map(float, levels)) == [tau for tau in PAPER_TAUS if tau != 0.5]

    def test_the_papers_shares(self):
        for order, slopes, shares in [
            ("stepwise", "fixed", {"X1/median": F(1, 8), "X2/median": F(3, 20), "X2/outward": F(1, 10)}),
            ("stepwise", "varying", {"X3/median": F(1, 5)}),
            ("sandwich", "fixed", {"X1/median": F(3, 40), "X1/main": F(9, 40), "X1/inner": F(1, 5)}),
            ("sandwich", "varying", {"X2/median": F(4, 25), "X2/main": F(1, 25), "X2/inner": F(1, 20)}),
            ("kng", "fixed", {"X1/median": F(1, 98), "X2/levels/0.99": F(1, 196)}),
        ]:
            tree = plan(paper_schema(), 5000, 1, method=order, slopes=slopes)
            assert {path: tree.find(path).cost for path in shares} == shares

    def test_the_first_column_counts_double_however_many_there_are(self):
        columns = tuple(Column(name, "numeric", 0, 1) for name in "abcd")
        tree = plan(Schema(columns, unit="row"), 1000, 1, method="stepwise")
        assert [part.cost for part in tree.children] == [F(2, 5), F(1, 5), F(1, 5), F(1, 5)]

    def test_shares_levels_and_main_quantiles_are_options(self):
        tree = plan(
            paper_schema(),
            5000,
            1,
            method="sandwich",
            taus=[0.1, 0.3, 0.5, 0.7, 0.9],
            main=[0.1, 0.5, 0.9],
            shares={"columns": [0.2, 0.4, 0.4], "main": 0.5, "median": (0.5, 0.75)},
        )
        assert tree.find("X1/median").cost == F(1, 20)
        assert tree.find("X2/median").cost == F(3, 20)
        assert [leaf.name for leaf in tree.find("X3/main").leaves()] == ["0.9", "0.1"]
        assert {leaf.name for leaf in tree.find("X3/inner").leaves()} == {"0.3", "0.7"}

    def test_only_the_median(self):
        tree = plan(Schema(PAIR, unit="row"), 1000, 1, method="sandwich", taus=[0.5])
        assert tree.cost == 1 and [part.name for part in tree.find("x").children] == ["median"]

    def test_more_predictors_than_the_budget_carries_are_left_out(self):
        columns = tuple(Column(f"c{k}", "numeric", 0, 1) for k in range(8))

        def asked(rows):
            tree = plan(Schema(columns, unit="row"), rows, 1, method="sandwich")
            return len(tree.find("c7/median").children) - 1

        assert 1 <= asked(500) < asked(50_000) == 7


class TestOptions:
    """What cannot be is refused with a reason."""

    @pytest.mark.parametrize(
        "options",
        [
            {"slopes": "bent"},
            {"draw": "balanced"},
            {"taus": [0.25, 0.75]},
            {"taus": "0.5"},
            {"main": [0.5, 0.123]},
            {"shares": {"columns": [1, 1]}},
            {"shares": {"median": 1}},
            {"shares": {"median": (0.1, 0.2, 0.3)}},
            {"shares": {"middle": 0.2}},
            {"shares": [0.2]},
            {"shares": {"columns": [0, 1, 1]}},
        ],
    )
    def test_bad_options(self, options):
        with pytest.raises(OptionError) as caught:
            TableSynthesizer(paper_schema(), 1, method="sandwich", **options).plan(100)
        assert any(name in str(caught.value) for name in options)

    @pytest.mark.parametrize("option", ["slopes", "draw", "taus", "main", "shares"])
    def test_they_do_not_belong_to_the_default_method(self, option):
        with pytest.raises(OptionError, match=option):
            TableSynthesizer(paper_schema(), 1, **{option: "fixed"})

    def test_stepwise_and_kng_have_no_main_share(self):
        for order in ("kng", "stepwise"):
            with pytest.raises(OptionError, match="shares"):
                TableSynthesizer(paper_schema(), 1, method=order, shares={"main": 0.5})

    def test_categories_are_named_with_the_way_out(self):
        with pytest.raises(OptionError, match=r"region.*tables.*by"):
            TableSynthesizer(payroll_schema(), 1, method="sandwich").plan(100)

    def test_unknown_methods(self):
        with pytest.raises(OptionError, match="tables, kng, stepwise, sandwich"):
            TableSynthesizer(paper_schema(), 1, method="laddder")


class TestTruth:
    """With a budget without end the lines are the quantiles."""

    @pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
    @pytest.mark.parametrize("order", ORDERS)
    def test_quantiles_at_a_huge_budget(self, order, neighbours):
        frame = pair()
        schema = Schema(PAIR, unit="row", neighbours=neighbours)
        made = simulate(schema, frame, 10**5, method=order, draw="interpolate").sample(20_000, seed=1)
        for name in ("x", "y"):
            real, copy = (
                np.quantile(part[name].to_numpy(), [0.05, 0.25, 0.5, 0.75, 0.95]) for part in (frame, made)
            )
            np.testing.assert_allclose(copy, real, atol=0.06 * (real[3] - real[1]))
        real, copy = (np.corrcoef(part["x"], part["y"])[0, 1] for part in (frame, made))
        assert copy == pytest.approx(real, abs=0.01)

    def test_varying_slopes_follow_a_growing_spread_and_fixed_ones_cannot(self):
        frame = pair(20_000, spread=1.0)
        ratio = {}
        for slopes in ("fixed", "varying"):
            made = simulate(Schema(PAIR, unit="row"), frame, 10**4, method="sandwich", slopes=slopes).sample(
                seed=1
            )
            x, y = made["x"].to_numpy(), made["y"].to_numpy()
            left = y - 100 - 2 * x
            ratio[slopes] = left[x > 30].std() / left[x < 5].std()
        assert ratio["fixed"] < 1.3 and ratio["varying"] > 3

    @pytest.mark.parametrize("value", [0.0, 7.0, 1000.0])
    def test_the_median_of_a_constant_column_is_found(self, value):
        schema = Schema((PAIR[0],), unit="row")
        made = simulate(schema, pa.table({"x": np.full(2000, value)}), 50, method="sandwich").sample(seed=1)
        assert np.median(made["x"]) == pytest.approx(value, abs=4)

    def test_zcdp(self):
        options = {"method": "sandwich", "definition": "zcdp", "delta": "1e-6"}
        model = simulate(Schema(PAIR, unit="row"), pair(), 5, **options)
        assert model.plan.unit == "rho"
        assert np.median(model.sample(seed=1)["y"]) == pytest.approx(np.median(pair()["y"]), rel=0.1)

    def test_more_budget_is_better(self):
        frame, errors = pair(2000), []
        levels = [0.1, 0.25, 0.5, 0.75, 0.9]
        for epsilon in ("0.1", "1", "100"):
            apart = []
            for seed in range(4):
                made = simulate(Schema(PAIR, unit="row"), frame, epsilon, seed, method="sandwich").sample(
                    4000, seed=1
                )
                apart.append(np.abs(np.quantile(made["y"], levels) - np.quantile(frame["y"], levels)).mean())
            errors.append(np.mean(apart))
        assert errors[0] > errors[1] > errors[2]

    @pytest.mark.slow
    @pytest.mark.parametrize("slopes", ["fixed", "varying"])
    def test_the_papers_table_at_epsilon_1(self, slopes):
        """Medians and quartiles of the simulation study come out, within what noise of this size does."""
        train, _ = paper_split(1)
        for seed in range(3):
            made = simulate(
                paper_schema(), pa.table(train), 1, seed, method="sandwich", slopes=slopes
            ).sample(seed=1)
            for name in train:
                real, copy = (np.quantile(part[name], [0.25, 0.5, 0.75]) for part in (train, made))
                np.testing.assert_allclose(copy, real, atol=0.5 * (real[2] - real[0]))


class TestRelease:
    """Groups, types, files."""

    def test_groups_are_fitted_apart(self):
        rng = np.random.default_rng(0)
        columns = (Column("region", "category", categories=("n", "s")), Column("x", "integer", 0, 100))
        schema = Schema(columns, unit="row", by=("region",))
        level = np.repeat([20, 70], [900, 600])
        frame = pa.table(
            {"region": np.repeat(["n", "s"], [900, 600]), "x": level + rng.integers(-5, 6, 1500)}
        )
        model = simulate(schema, frame, 10, method="stepwise")
        made = model.sample(seed=1).to_pandas()
        assert made.groupby("region").size().to_dict() == {"n": 900, "s": 600}
        assert made["x"].dtype == np.int64
        np.testing.assert_allclose(made.groupby("region")["x"].median()[["n", "s"]], [20, 70], atol=3)

    @pytest.mark.parametrize("order", ORDERS)
    @pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
    def test_a_model_comes_back_bit_for_bit(self, order, neighbours, tmp_path):
        schema = Schema(PAIR, unit="row", neighbours=neighbours)
        model = simulate(schema, pair(400), 1, method=order, slopes="varying", taus=[0.1, 0.5, 0.9])
        model.save(tmp_path / "model.json")
        again = TableModel.load(tmp_path / "model.json")
        assert again == model
        assert again.method == order
        assert again.sample(200, seed=3).equals(model.sample(200, seed=3))

    def test_a_damaged_model_is_refused(self, tmp_path):
        form = simulate(
            Schema(PAIR, unit="row"), pair(400), 1, method="sandwich", taus=[0.1, 0.5, 0.9]
        ).to_dict()
        path = tmp_path / "model.json"
        for place, key, wrong in [
            (0, "base", "text"),
            (0, "base", None),
            (1, "at_low", [1, 2]),
            (1, "at_high", [0, None, 1]),
            (0, "taus", [0.9, 0.5, 0.1]),
            (0, "draw", "sometimes"),
            (1, "slopes", [{"on": "z", "slope": 1, "centre": 0}]),
            (0, "kind", "numeric"),
            (1, "low", 1e9),
            (0, "name", "other"),
            (0, "scale", {}),
        ]:
            broken = json.loads(json.dumps(form))
            broken["groups"][0]["columns"][place][key] = wrong
            path.write_text(json.dumps(broken))
            with pytest.raises(ModelError):
                TableModel.load(path)
        for method in ("tables", "unknown", ["kng"]):
            path.write_text(json.dumps({**form, "method": method}))
            with pytest.raises(ModelError):
                TableModel.load(path)

    def test_every_leaf_is_used_once_and_the_rows_do_not_choose_the_questions(self):
        one, two = [], []
        for frame, calls in ((pair(300, 1), one), (pair(300, 2), two)):
            source = Source(lambda group: SimulatedNoise(0, group), private=False, watch=calls.append)
            maker = TableSynthesizer(Schema(PAIR, unit="row"), 1, method="sandwich", slopes="varying")
            model = maker._drawing_from(source).fit(frame)
            assert len(calls) == len(model.plan.leaves())
        assert [(c.kind, c.leaf, c.cost) for c in one] == [(c.kind, c.leaf, c.cost) for c in two]

    def test_the_default_method_reads_its_own_files(self, tmp_path):
        model = simulate(payroll_schema(), payroll(500), 1)
        model.save(tmp_path / "tables.json")
        assert TableModel.load(tmp_path / "tables.json") == model
