"""Inference from synthetic panels: unit-periods and flows by hand, and honest intervals from reruns."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from quantail import OptionError, infer, synthesizer_for
from quantail.errors import DataError
from quantail.evaluation import flows, read_histories
from quantail.examples import industry_example, industry_schema
from quantail.frames import check_table
from quantail.inference import Estimand, rerun
from quantail.inference.evidence import gather
from quantail.inference.resampling import resampled_units
from quantail.inference.subset import Subset
from quantail.inference.unit_periods import unit_periods
from quantail.schema import Column, Panel, Schema

PANEL = Panel("firm", "first", "last", 2001, 2003, "long", "year", "register", synthesis="partial")
SCHEMA = Schema(
    (
        Column("region", "category", categories=("n", "s"), public=True, source="register"),
        Column("emp", "integer", 0, 100),
    ),
    "firm",
    panel=PANEL,
)
FIRMS = {
    "firm": [1, 1, 1, 2, 3, 3],
    "year": [2001, 2002, 2003, 2001, 2002, 2003],
    "first": [2001, 2001, 2001, 2001, 2002, 2002],
    "last": [2003, 2003, 2003, 2001, 2003, 2003],
    "region": ["n", "n", "n", "s", "s", "s"],
    "emp": [10, 30, 30, 6, 2, 0],
}
SHARE = "share(size > 20 and period > 2001)"
QUESTIONS = [
    "flows(staff)",
    "flows(staff, exit_rate)",
    "growth ~ log(size)",
    SHARE,
    "mean(staff)",
    "mean(pay)",
]


def test_unit_periods_by_hand():
    rows = unit_periods(FIRMS, SCHEMA)
    found = {(int(u), int(p)): k for k, (u, p) in enumerate(zip(rows["(unit)"], rows["period"], strict=True))}
    assert set(found) == {(0, 2001), (0, 2002), (0, 2003), (1, 2001), (1, 2002), (2, 2002), (2, 2003)}
    grown, born, gone, idle = (found[key] for key in ((0, 2002), (2, 2002), (1, 2002), (2, 2003)))
    assert (rows["size"][grown], rows["growth"][grown]) == (10, 1.0)  # 2 (30 - 10) / 40
    assert np.isnan(rows["size"][born]) and np.isnan(rows["growth"][born]) and rows["age"][born] == 0
    assert np.isnan(rows["emp"][gone]) and rows["region"][gone] is None and rows["emp (before)"][gone] == 6
    assert rows["emp"][idle] == 0 and np.isnan(rows["growth"][idle]) and rows["age"][idle] == 1
    assert np.isnan(rows["age"][grown])  # there from the start


def test_flows_as_a_question_are_those_of_the_panel():
    rows, table = unit_periods(FIRMS, SCHEMA), flows(FIRMS, schema=SCHEMA)
    mean = Estimand.parse("flows(emp)").on(rows)
    expected = [np.mean(table[term].to_numpy()) for term in mean.terms]
    np.testing.assert_allclose(mean.estimates(rows), expected)
    yearly = Estimand.parse("flows(emp, exit_rate)").on(rows)
    assert yearly.terms == ("exit_rate 2002", "exit_rate 2003")
    np.testing.assert_allclose(yearly.estimates(rows), table["exit_rate"].to_numpy())
    assert (yearly.answer(rows).naive_errors >= 0).all()


def test_a_flow_that_is_none_is_refused_with_those_that_are():
    with pytest.raises(OptionError, match="job_creation_rate"):
        Estimand.parse("flows(emp, churn)")
    with pytest.raises(DataError, match="column of a panel"):
        Estimand.parse("flows(pay)").on({"pay": np.ones(3)})


@pytest.mark.parametrize(
    ("where", "mean"),
    [("region = n", 70 / 3), ("region = s and period = 2001", 6), ("size >= 10", 30), ("age = 0", 2)],
)
def test_where_chooses_units_in_periods(where, mean):
    question = Estimand.parse("mean(emp)")
    table = rerun.analysed(FIRMS, SCHEMA, [question], Subset.of(where, SCHEMA))
    assert question.estimates(table) == pytest.approx([mean])


@pytest.fixture(scope="module")
def model():
    """Return a model of six years; reruns of all fifteen take longer and show no more."""
    schema, table = industry_schema(), industry_example(150)
    panel = replace(schema.panel, entry="", exit="", end=2006)
    short = synthesizer_for(replace(schema, panel=panel), 30, noise="simulated", seed=1)
    return short.fit(table.filter(table["opened"].to_numpy() <= 2006))


@pytest.fixture(scope="module")
def gathered(model):
    """Return the evidence of ten reruns, and which synthesis each of them drew its units anew for."""
    with pytest.MonkeyPatch.context() as patch:
        drawn = noted_draws(patch)
        return gather(model, model.sample(seed=2), QUESTIONS, 10, seed=3), drawn


@pytest.fixture(scope="module")
def evidence(gathered):
    return gathered[0]


@pytest.fixture(scope="module")
def found(evidence):
    return evidence.results(0.95)


def test_a_panel_has_honest_answers(model, found):
    synth = model.sample(seed=2)
    assert [answer.question for answer in found] == QUESTIONS
    for answer in found:
        for row in answer:
            assert row.low <= row.estimate <= row.high and row.error >= 0
            assert row.estimate == pytest.approx(row.naive - row.bias)
    creation = found[0]["job_creation_rate"]
    assert creation.error > 0 and creation.naive_low < creation.naive < creation.naive_high
    assert creation.naive == pytest.approx(
        np.mean(flows(synth, schema=model.schema)["job_creation_rate"].to_numpy())
    )


def test_the_model_itself_is_the_truth_of_the_reruns(model, evidence):
    """A panel drawn from the model, released again, must be judged against what the model says on average."""
    drawn = [unit_periods(model.sample(seed=100 + k), model.schema) for k in range(20)]
    for place, name in ((-2, "staff"), (-1, "pay")):  # the last two questions have one term each
        means = [np.nanmean(rows[name]) for rows in drawn]
        assert abs(evidence.truth[place] - np.mean(means)) < 6 * np.std(means) / np.sqrt(10) + 1e-9
        assert (evidence.reruns[:, place] != evidence.truth[place]).all()


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_units_are_drawn_anew_with_their_whole_histories(layout):
    schema, table = industry_schema(layout), industry_example(40, layout=layout)
    again = resampled_units(table, schema, np.random.default_rng(1))
    before, after = (read_histories(part, "staff", schema=schema).values for part in (table, again))
    assert after.shape == before.shape
    known = {tuple(np.nan_to_num(row, nan=-1)) for row in before}
    drawn = [tuple(np.nan_to_num(row, nan=-1)) for row in after]
    assert set(drawn) < known and check_table(again, schema) == []


def test_units_are_drawn_within_public_groups():
    column = Column("region", "category", categories=("n", "s"), source="register")
    schema = Schema(
        (column, Column("emp", "integer", 0, 100)),
        "firm",
        by=("region",),
        panel=Panel("firm", start=2001, end=2002),
    )
    table = pa.table(
        {"firm": ["a", "b", "c"], "region": ["n", "n", "s"], "emp_2001": [1, 2, 3], "emp_2002": [1, 2, 3]}
    )
    for seed in range(9):
        again = resampled_units(table, schema, np.random.default_rng(seed))
        assert sorted(again["region"].to_pylist()) == ["n", "n", "s"] and again["firm"].to_pylist() == [
            1,
            2,
            3,
        ]


def noted_draws(patch):
    """Return a list that grows by the synthesis of every panel whose units are drawn anew."""
    drawn = []

    def resampled(frame, schema, rng):
        drawn.append(schema.panel.synthesis)
        return resampled_units(frame, schema, rng)

    patch.setattr(rerun, "resampled_units", resampled)
    return drawn


def test_reruns_draw_units_anew_unless_they_are_public(gathered, monkeypatch):
    assert gathered[1] == ["full"] * 10
    drawn = noted_draws(monkeypatch)
    partial = synthesizer_for(SCHEMA, 9, noise="simulated", seed=1).fit(pa.table(FIRMS))
    gather(partial, partial.sample(seed=1), ["mean(emp)"], 10, seed=1)
    assert drawn == []


def test_methods_that_cannot_be_rerun_are_refused_by_name():
    schema = Schema((Column("emp", "integer", 0, 100),), "firm", panel=PANEL)
    panel = {name: values for name, values in FIRMS.items() if name != "region"}
    model = synthesizer_for(schema, 5, method="kng", noise="simulated", seed=1).fit(pa.table(panel))
    with pytest.raises(OptionError, match="'kng'"):
        infer(model, model.sample(seed=1), "mean(emp)", effort=10)


def test_where_of_a_panel_goes_through_the_reruns_and_flows_refuse_it(model, found):
    synth = model.sample(seed=2)
    every, large = (
        infer(model, synth, "mean(staff)", where=w, effort=10, seed=3) for w in (None, "size > 20")
    )
    assert next(iter(large)).estimate > 1.5 * next(iter(every)).estimate
    answers = {answer.question: answer for answer in found}
    assert list(every) == list(answers["mean(staff)"])  # asked alone, or among others
    (share,) = answers[SHARE]
    rows = unit_periods(synth, model.schema)
    assert share.naive == pytest.approx(((rows["size"] > 20) & (rows["period"] > 2001)).mean())
    with pytest.raises(OptionError, match="entries and exits"):
        infer(model, synth, "flows(staff)", where="size > 20", effort=10)
    with pytest.raises(OptionError, match="'shoe'"):
        infer(model, synth, "mean(staff)", where="shoe > 20", effort=10)
