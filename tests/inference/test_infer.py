"""`infer` from end to end: reruns repeat the mechanism that made the model, however and wherever they run."""

import json
from dataclasses import replace

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import quantail
from quantail import Column, ModelError, OptionError, Schema, TableModel, TableSynthesizer, infer
from quantail.examples import industry_schema
from quantail.inference import Estimand
from quantail.inference import evidence as evidence_room
from quantail.inference.evidence import gather
from quantail.inference.repeating import synthesizer_of
from quantail.inference.rerun import Rerun, analysed
from quantail.inference.statistic import Statistic
from quantail.inference.subset import Subset
from quantail.schema import Key

N = 150
FIGURES = ["mean(y)", "quantile(y, 0.9)", "top(y, 0.1)", "gini(y)"]
QUESTIONS = [*FIGURES, "y ~ x + g", "quantile(0.5): y ~ x", "logistic: g ~ x"]


def small_schema(**options):
    columns = (
        Column("g", "category", categories=("a", "b"), source="made up"),
        Column("x", "numeric", 0, 100, source="made up"),
        Column("y", "numeric", 0, 500, missing=True, missing_codes=(-8,), source="made up"),
    )
    return Schema(columns, unit="row", name="small", **options)


def small_table(n=N):
    rng = np.random.default_rng(8)
    x = rng.uniform(0, 50, n)
    y = np.round(10 + 2 * x + rng.exponential(10, n), 2)
    y[:10] = -8.0
    labels = np.where(x + rng.normal(0, 20, n) > 25, "b", "a")
    return pa.table({"g": labels, "x": x, "y": pa.array(y, mask=np.arange(n) >= n - 10)})


@pytest.fixture(scope="module")
def model():
    return TableSynthesizer(small_schema(), 3, noise="simulated", seed=1).fit(small_table())


@pytest.fixture(scope="module")
def evidence(model):
    """Every kind of question, from the same reruns."""
    return gather(model, model.sample(seed=2), QUESTIONS, 10, seed=3)


def test_every_kind_of_question_has_an_honest_answer(evidence, model):
    synth = model.sample(seed=2)
    y = np.array([value for value in synth["y"].to_pylist() if value is not None and value != -8.0])
    answers = {found.question: found for found in evidence.results(0.95)}
    assert list(answers) == QUESTIONS
    mean = answers["mean(y)"]["mean(y)"]
    assert mean.naive == pytest.approx(y.mean())  # codes of missing values are no numbers
    assert [row.term for row in answers["y ~ x + g"]] == ["Intercept", "x", "g[b]"]
    for found in answers.values():
        for row in found:
            assert row.low < row.estimate < row.high and row.error > 0
            assert row.estimate == pytest.approx(row.naive - row.bias)
            assert row.naive_low < row.naive < row.naive_high
    slope = answers["y ~ x + g"]["x"]
    assert slope.low < 2 < slope.high


def test_the_model_stands_for_the_population_of_the_reruns(evidence):
    # At this budget the mechanism changes little: reruns lie around the model's own value, not around zero.
    spread = evidence.reruns.std(axis=0)
    assert (np.abs(np.median(evidence.reruns, axis=0) - evidence.truth) < 3 * spread).all()
    assert (spread > 0).all()


def test_the_same_seed_gives_the_same_answer_in_any_number_of_processes(model, evidence):
    told = []
    again = gather(
        model,
        model.sample(seed=2),
        QUESTIONS,
        10,
        seed=3,
        workers=2,
        progress=lambda *step: told.append(step),
    )
    np.testing.assert_array_equal(again.reruns, evidence.reruns)
    np.testing.assert_array_equal(again.truth, evidence.truth)
    assert told[-1] == ("rerun 14 of 14", 1.0)


def test_questions_that_share_reruns_have_the_answers_they_would_have_alone(evidence, model):
    together = {found.question: found for found in evidence.results(0.95)}
    assert infer(model, model.sample(seed=2), "mean(y)", effort=10, seed=3) == together["mean(y)"]


def test_a_file_is_read(model, tmp_path):
    synth = model.sample(seed=2)
    quantail.write_table(synth, tmp_path / "synthetic.parquet")
    found = gather(model, tmp_path / "synthetic.parquet", ["mean(x)"], 10, seed=3)
    assert found.released[0] == pytest.approx(np.mean(synth["x"].to_numpy()))


def test_frames_of_any_kind_give_the_same_answer(model):
    synth = model.sample(seed=2)
    question = Estimand.parse("y ~ x + g")
    found = []
    for frame in (synth, nw.from_native(synth).to_pandas(), nw.from_native(synth).to_polars()):
        table = analysed(frame, model.schema, [question])
        found.append(question.on(table).estimates(table))
    np.testing.assert_allclose(found[1], found[0])
    np.testing.assert_allclose(found[2], found[0])


def test_replicates_are_averaged_and_reruns_draw_as_many(model):
    several = model.sample(replicates=3, seed=5, draw="independent")
    evidence = gather(model, several, ["mean(x)"], 10, "independent", seed=3)
    assert evidence.released[0] == pytest.approx(np.mean([np.mean(t["x"].to_numpy()) for t in several]))
    one = Rerun(model, evidence.estimands, N, 1, "independent")
    three = Rerun(model, evidence.estimands, N, 3, "independent")
    assert one(1) != three(1) and one(1) != one(2) and one(1) == one(1)


@pytest.mark.parametrize(
    "options",
    [
        {"definition": "zcdp", "delta": 1e-6},
        {
            "method": "stepwise",
            "slopes": "varying",
            "taus": [0.25, 0.5, 0.75],
            "shares": {"columns": [2, "1/3"]},
        },
        {"method": "kng", "taus": [0.25, 0.5, 0.75], "draw": "interpolate"},
    ],
)
def test_the_rerun_is_the_mechanism_that_made_the_model(options, tmp_path):
    numbers = Schema(
        tuple(replace(column, missing=False, missing_codes=()) for column in small_schema().columns[1:]),
        unit="row",
    )
    table = small_table().select(["x", "y"]).slice(10, N - 20)
    TableSynthesizer(numbers, "7/3", noise="simulated", seed=1, **options).fit(table).save(
        tmp_path / "m.json"
    )
    model = TableModel.load(tmp_path / "m.json")
    again = synthesizer_of(model, 1).fit(table)
    assert again == model


def test_models_without_their_options_are_refused():
    numbers = Schema((Column("x", "numeric", 0, 100),), unit="row")
    maker = TableSynthesizer(numbers, 1, method="kng", taus=[0.5], noise="simulated", seed=1)
    old = replace(maker.fit(small_table().select(["x"])), options={})
    with pytest.raises(ModelError, match="options"):
        infer(old, old.sample(seed=1), "mean(x)", effort=10)


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_groups(neighbours):
    schema = small_schema(by=("g",), neighbours=neighbours)
    model = TableSynthesizer(schema, 3, noise="simulated", seed=1).fit(small_table())
    found = infer(model, model.sample(seed=1), "x ~ g", effort=10, seed=1)
    assert found["g[b]"].low < 15 < found["g[b]"].high


def test_public_columns_are_kept_in_every_simulated_table():
    first, *others = small_schema().columns
    schema = replace(small_schema(), columns=(replace(first, public=True), *others))
    table = small_table()
    model = TableSynthesizer(schema, 3, noise="simulated", seed=1).fit(table)
    synth = model.sample(seed=1, given=table.select(["g"]))
    found = gather(model, synth, ["x ~ g", "logistic: g ~ 1"], 10, seed=1)
    assert found.reruns[:, 1].std() > 0
    # The share of a public label is the same everywhere.
    np.testing.assert_allclose(found.reruns[:, 2], found.released[2])
    np.testing.assert_allclose(found.truth[2], found.released[2])


def test_what_cannot_be_inferred_is_refused(model):
    synth = model.sample(seed=1)
    for wrong in ({"level": 1.0}, {"effort": 5}, {"effort": "slow"}, {"workers": 0}):
        with pytest.raises(OptionError):
            infer(model, synth, "mean(x)", **wrong)
    with pytest.raises(OptionError, match="question"):
        infer(model, synth, [])
    with pytest.raises(OptionError, match="needs a model"):
        infer("model", synth, "mean(x)")
    with pytest.raises(quantail.DataError, match="nothing"):
        infer(model, synth, "mean(nothing)")


def test_results_as_text_frames_and_json(evidence):
    *_, linear = [found for found in evidence.results(0.9) if found.question == "y ~ x + g"]
    assert "90% interval" in str(linear) and "10 reruns" in str(linear)
    assert linear.to_pandas()["term"].tolist() == linear.to_polars()["term"].to_list()
    form = json.loads(json.dumps(linear.to_dict(), allow_nan=False))
    assert [row["term"] for row in form["estimates"]] == ["Intercept", "x", "g[b]"]
    with pytest.raises(KeyError, match="Intercept"):
        linear["nothing"]


def test_remarks_tell_of_stray_and_failed_reruns(evidence):
    reruns = evidence.reruns.copy()
    reruns[0, 0], reruns[:4, 1] = 1e9, np.nan
    first, second, *_ = replace(evidence, reruns=reruns).results(0.95)
    assert first.rows[0].outlying == 1 and "1 of 10 reruns were outlying" in str(first)
    assert second.rows[0].failed == 4 and "too many for an interval" in str(second)
    assert second.to_dicts()[0]["low"] is None


def test_a_mean_of_values_too_few_for_a_tail_is_answered_without_a_remark(model):
    evidence = gather(model, model.sample(rows=12, seed=2), ["mean(y)"], 10, seed=3)
    (answer,) = evidence.results(0.95)
    assert np.isfinite(answer["mean(y)"].estimate) and not any("Pareto" in note for note in answer.remarks)


def spread(frame):
    values = frame["y"].to_numpy(zero_copy_only=False)
    return {"spread": np.nanmax(values) - np.nanmin(values), "rows": frame.num_rows}


def test_rows_of_a_condition_and_own_statistics_are_those_of_the_synthetic_table(model):
    synth = model.sample(seed=2)
    part = synth.filter(pc.and_(pc.greater(synth["x"], 20), pc.equal(synth["g"], "b")))
    y = pc.if_else(pc.equal(part["y"], -8), None, part["y"]).drop_null().to_numpy()
    where = "x > 20 and g = b"
    own, mean = infer(model, synth, [spread, "mean(y)"], where=where, effort=10, seed=3)
    assert (
        own["rows"].naive == part.num_rows
    )  # codes of missing values are no numbers, but their rows are rows
    assert own["spread"].naive == pytest.approx(y.max() - y.min())
    assert mean["mean(y)"].naive == pytest.approx(y.mean())
    assert mean["mean(y)"].low < mean["mean(y)"].estimate < mean["mean(y)"].high
    wide = infer(model, synth, "mean(y)", effort=10, seed=3)["mean(y)"]
    assert mean["mean(y)"].error > wide.error  # fewer rows tell less


def test_shares_are_of_the_rows_in_which_a_condition_holds(model):
    synth = model.sample(seed=2)
    whole, coded, gone, either = infer(
        model,
        synth,
        ["share(g = b)", "share(y = -8)", "share(y is missing)", "share(x > 20 and g = b)"],
        effort=10,
        seed=3,
    )
    found = {name: synth[name].to_numpy(zero_copy_only=False) for name in synth.column_names}
    for answer, holds in (
        (whole, found["g"] == "b"),
        (coded, found["y"] == -8),  # codes of missing values are what a condition says they are
        (gone, np.isnan(found["y"]) | (found["y"] == -8)),
        (either, (found["x"] > 20) & (found["g"] == "b")),
    ):
        (row,) = answer
        assert row.naive == pytest.approx(holds.mean())
        assert 0 < row.low < row.estimate < row.high < 1
    (part,) = infer(model, synth, "share(g = b)", where="x > 20", effort=10, seed=3)
    assert part.naive == pytest.approx((found["g"] == "b")[found["x"] > 20].mean())
    with pytest.raises(OptionError, match="'z'"):
        infer(model, synth, "share(z = 1)", effort=10)


def test_a_median_is_a_quantile(model):
    synth = model.sample(seed=2)
    median, quantile = infer(model, synth, ["median(x)", "quantile(x, 0.5)"], effort=10, seed=3)
    assert median["median(x)"].estimate == quantile["quantile(x, 0.5)"].estimate


def test_reruns_choose_their_own_rows(model):
    subset = Subset.of("g = b", model.schema)
    rows = Rerun(model, (Estimand("rows", Statistic(spread, "pyarrow"), ("rows",)),), N, where=subset)
    found = {float(rows(seed)[0]) for seed in range(4)}
    assert len(found) > 1 and all(0 < number < N for number in found)


def test_conditions_and_functions_that_cannot_be_used_are_refused(model):
    synth = model.sample(seed=2)
    for where, words in (("x >", "no condition"), ("z > 1", "'z'"), ("g > a", "no order")):
        with pytest.raises(OptionError, match=words):
            infer(model, synth, "mean(y)", where=where, effort=10)
    with pytest.raises(OptionError, match="workers=1"):
        infer(model, synth, lambda frame: 1.0, effort=10, workers=2)
    with pytest.raises(OptionError, match="function of a frame"):
        infer(model, synth, [3], effort=10)
    with pytest.raises(OptionError, match="'nothing'"):
        Subset.of("nothing > 3", industry_schema())


def test_an_answer_that_rests_on_a_lost_relation_says_so(monkeypatch):
    """The interval of its coefficient is short and around zero, whatever the population has."""
    monkeypatch.setattr(evidence_room, "FEWEST_RERUNS", 3)  # what was asked about is known without them
    rng = np.random.default_rng(5)
    group = rng.integers(0, 2, 300)
    table = pa.table({"group": np.array(["a", "b"])[group], "pay": rng.lognormal(8 + group, 0.3, 300)})
    columns = Column("group", "category", categories=("a", "b")), Column("pay", "numeric", 0, 1e6, grid="log")
    fits = {
        epsilon: TableSynthesizer(Schema(columns, "person"), epsilon, noise="simulated", seed=1).fit(table)
        for epsilon in ("1/2", 40)
    }
    assert fits["1/2"].lost_relations() == {frozenset(("group", "pay"))} and not fits[40].lost_relations()
    for epsilon, is_lost in (("1/2", True), (40, False)):
        drawn = fits[epsilon].sample(seed=1)
        for question, where, rests in (
            ("log(pay) ~ C(group)", None, True),
            ("mean(pay)", "group = b", True),
            ("mean(pay)", None, False),
        ):
            found = infer(fits[epsilon], drawn, question, where=where, effort=3, seed=1)
            told = any("not asked about and is lost" in note for note in found.notes)
            assert told is (is_lost and rests), (epsilon, question, where)
            assert not told or "not asked about and is lost" in str(found)


def test_figures_of_dates_say_their_unit():
    days = np.datetime64("2020-01-01") + np.arange(300)
    schema = Schema((Column("day", "date", "2020-01-01", "2021-12-31"),), "person")
    model = TableSynthesizer(schema, 5, noise="simulated", seed=1).fit(
        pa.table({"day": days.astype("M8[D]")})
    )
    found = infer(model, model.sample(seed=1), "quantile(day, 0.5)", effort=10, seed=1)
    assert "seconds since 1970-01-01" in str(found)
    columns = (*schema.columns, Column("x", "numeric", 0, 9))
    table = pa.table({"day": days.astype("M8[D]"), "x": np.arange(300) % 9 + 0.5})
    model = TableSynthesizer(Schema(columns, "person"), 5, noise="simulated", seed=1).fit(table)
    assert "seconds since 1970-01-01" in str(infer(model, model.sample(seed=1), "x ~ day", effort=10, seed=1))


def test_a_key_is_refused():
    """Its mean was that of the row numbers of whatever table was drawn."""
    schema = Schema((Column("x", "numeric", 0, 9),), "person", keys=(Key("case"),))
    table = pa.table({"case": np.arange(300), "x": np.arange(300) % 9 + 0.5})
    model = TableSynthesizer(schema, 5, noise="simulated", seed=1).fit(table)
    for question in ("mean(case)", "x ~ case"):
        with pytest.raises(OptionError, match="is a key"):
            infer(model, model.sample(seed=1), question, effort=10, seed=1)
