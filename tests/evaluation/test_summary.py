"""`evaluate` on any two tables: one tidy table, every measure that applies, the others with their reason."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import ks_2samp

from quantail.errors import DataError, OptionError
from quantail.evaluation import (
    FAMILIES,
    MEASURES,
    Evaluation,
    evaluate,
    k_marginal,
    k_marginals,
    pmse_null_mean,
)
from quantail.examples import paper_schema, paper_split, payroll_example, payroll_schema, simulate_paper
from studies.paper_measures import evaluate_paper


def mixed(n, seed, missing=0.1):
    rng = np.random.default_rng(seed)
    pay = rng.lognormal(3, 1, n)
    frame = pd.DataFrame(
        {
            "pay": np.where(rng.random(n) < missing, np.nan, pay),
            "age": rng.integers(18, 65, n),
            "sector": rng.choice(["a", "b", None], n),
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "member": rng.random(n) < 0.3,
        }
    )
    frame.loc[0, "since"] = pd.NaT
    return frame


def test_agrees_with_the_papers_measures_on_its_table() -> None:
    train, test = paper_split(1)
    synth = simulate_paper(5000, np.random.default_rng(2))
    wanted = ["pmse_ratio", "pmse_ratio_interactions", "k_marginal", "regressions"]
    formulas = ["X2 ~ X1", "X3 ~ X1 + X2"]
    general = evaluate(train, synth, test, paper_schema(), formulas=formulas, measures=wanted)
    paper = evaluate_paper(train, synth, test)
    assert general.value("k_marginal") == pytest.approx(paper["km"])
    for name, key, terms in (("pmse_ratio", "pmse_woi", 3), ("pmse_ratio_interactions", "pmse_wi", 6)):
        null = pmse_null_mean(terms, len(train["X1"]), 5000, independent=True)
        assert general.value(name) == pytest.approx(paper[key] / null)
    for term, key in (("Intercept", "int_diff"), ("X1", "slope_diff")):
        found = general.value("coefficient_difference", ("X2", term))
        assert found == pytest.approx(paper[key], rel=1e-9)
    assert general.value("prediction_error", ("X3", "X1", "X2")) == pytest.approx(paper["nrmse_x3"])
    assert not general.skipped


def test_two_samples_of_one_population_are_near_every_null() -> None:
    rng = np.random.default_rng(21)
    tables = [simulate_paper(2000, rng) for _ in range(3)]
    result = evaluate(*tables)
    assert {row.family for row in result} == set(FAMILIES) - {"panels"}
    for row in result.overview():
        nulls = [r.null for r in result if r.name == row.measure.name and r.null]
        if row.measure.direction == "lower" and nulls and row.measure.best == 0:
            assert row.mean < 3.5 * np.mean(nulls), row.measure.name
    counts = next(row for row in result if row.name == "k_marginal")
    assert counts.value == pytest.approx(counts.null, abs=12)
    assert result.value("auc") == pytest.approx(0.5, abs=0.03)


def test_a_poor_synthesis_is_far_from_every_null() -> None:
    rng = np.random.default_rng(22)
    real = simulate_paper(1500, rng)
    poor = {name: rng.permutation(values) * 1.5 for name, values in simulate_paper(1500, rng).items()}
    result = evaluate(real, poor)
    for name in ("pmse_ratio", "pmse_ratio_interactions"):
        assert result.value(name) > 3
    assert result.value("auc") > 0.7 and result.value("k_marginal") < 800
    overview = {row.measure.name: row for row in result.overview()}
    for name in (
        "ks",
        "wasserstein_ratio",
        "total_error",
        "rank_correlation_difference",
        "coefficient_difference",
    ):
        rows = [row for row in result if row.name == name]
        assert overview[name].mean > 3 * np.mean([row.null for row in rows])
        assert overview[name].worst.value == max(row.value for row in rows)


def test_result_is_tidy_fits_json_and_every_frame() -> None:
    rng = np.random.default_rng(3)
    result = evaluate(simulate_paper(60, rng), simulate_paper(50, rng))
    rows = result.to_dicts()
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    keys = [(row["name"], tuple(row["columns"]), row["note"]) for row in rows]
    assert len(keys) == len(set(keys))
    assert "prediction_error" not in {row["name"] for row in rows}  # no holdout was given
    for row in result:
        low, high = row.measure.range
        assert low <= row.value <= high, row.name
    frames = result.to_arrow(), result.to_pandas(), result.to_polars()
    assert isinstance(frames[0], pa.Table) and isinstance(frames[2], pl.DataFrame)
    assert all(list(frame["value"].to_numpy()) == [row.value for row in result] for frame in frames)
    assert frames[1].loc[0, "columns"] == "X1, X2, X3"
    assert str(result).splitlines()[1].startswith("Propensity score ratio") and repr(result).count("\n") == 0


def test_mixed_types_and_missing_values_without_a_schema() -> None:
    real, synth, holdout = mixed(400, 1), mixed(300, 2, missing=0.3), mixed(200, 3)
    result = evaluate(real, synth, holdout, formulas=["log(pay) ~ age + sector", "logistic: member ~ age"])
    share = [frame["pay"].isna().mean() for frame in (real, synth)]
    assert result.value("missing_difference", ("pay",)) == pytest.approx(share[1] - share[0])
    # Values are compared where they are known.
    known = [frame["pay"].dropna().to_numpy() for frame in (real, synth)]
    assert result.value("ks", ("pay",)) == pytest.approx(ks_2samp(*known).statistic)
    assert result.value("ks", ("since",)) < 0.2  # dates are numbers
    assert {row.columns for row in result if row.name == "total_variation"} == {("sector",), ("member",)}
    # That pay is missing three times as often gives the synthesis away.
    assert result.value("pmse_ratio") > 3
    assert result.value("coefficient_difference", ("log(pay)", "sector[b]")) < 5
    assert result.value("coefficient_difference", ("member", "age")) < 5
    for other in (pl.from_pandas, lambda frame: pa.Table.from_pandas(frame, preserve_index=False)):
        again = evaluate(other(real), other(synth), measures=["k_marginal", "pmse_ratio", "columns"])
        for row in again:
            assert row.value == pytest.approx(result.value(row.name, row.columns), rel=1e-6), row.name


def test_labels_are_compared_by_total_variation_in_every_frame_kind() -> None:
    real, synth = payroll_example(300, seed=1), payroll_example(200, seed=2)
    wanted = ["total_variation", "k_marginal"]
    results = [
        evaluate(real, synth, schema=payroll_schema(), measures=wanted),
        evaluate(real.to_pandas(), synth.to_pandas(), measures=wanted),
        evaluate(pl.from_arrow(real), pl.from_arrow(synth), measures=wanted),
    ]
    share = [pd.Series(t["sector"].to_pylist()).value_counts(normalize=True) for t in (real, synth)]
    expected = share[0].sub(share[1], fill_value=0).abs().sum() / 2
    for result in results:
        assert result.value("total_variation") == pytest.approx(expected)
        assert result.value("k_marginal") == results[0].value("k_marginal")


def test_labels_only() -> None:
    result = evaluate({"s": ["a", "b"]}, {"s": ["a", "a"]}, measures=["columns", "k_marginal"])
    assert [(row.name, row.value) for row in result] == [("total_variation", 0.5), ("k_marginal", 500.0)]


def test_km_of_many_columns_is_the_mean_over_triples() -> None:
    rng = np.random.default_rng(4)
    real, synth = ({c: rng.exponential(size=80) for c in "abcd"} for _ in range(2))
    triples = [("a", "b", "c"), ("a", "b", "d"), ("a", "c", "d"), ("b", "c", "d")]
    result = evaluate(real, synth, measures=["counts"])
    assert result.value("k_marginal") == pytest.approx(np.mean([k_marginal(real, synth, t) for t in triples]))
    assert result.value("k_marginal") == pytest.approx(k_marginals(real, synth))


def test_too_many_predictors_leave_out_interactions_with_a_reason() -> None:
    rng = np.random.default_rng(5)
    real, synth = ({f"c{i}": rng.normal(size=60) for i in range(26)} for _ in range(2))
    result = evaluate(real, synth, measures=["pmse_ratio_interactions", "pmse_ratio"])
    assert [row.name for row in result] == ["pmse_ratio"]
    skipped = [(s.name, "more than 25" in s.reason) for s in result.skipped]
    assert skipped == [("pmse_ratio_interactions", True)]


def test_constant_and_collinear_columns_are_skipped_with_a_reason() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=60)
    real = {"x": x, "one": np.ones(60), "twin": 2 * x, "y": x + rng.normal(size=60)}
    result = evaluate(real, real, holdout=real)
    assert result.value("k_marginal") == 1000
    reasons = {(s.name, s.columns): s.reason for s in result.skipped}
    assert (
        "collinear" in reasons["coefficient_difference", ("y", "x", "twin")]
    )  # the constant spoils no regression
    assert "does not vary" in reasons["rank_correlation_difference", ("x", "one")]
    assert result.value("wasserstein_ratio", ("one",)) == 0
    assert result.value("prediction_error", ("y", "x", "twin")) < 1
    unseen = {**real, "y": np.ones(60)}
    again = evaluate(real, real, unseen, measures=["prediction_error"]).skipped
    assert "does not vary in the holdout" in {s.columns: s.reason for s in again}["y", "x", "twin"]
    constant = {"one": np.ones(60)}
    assert "pmse_ratio" in {s.name for s in evaluate(constant, constant, constant).skipped}


def test_one_row_each() -> None:
    result = evaluate({"x": [1.0], "y": [2.0]}, {"x": [1.0], "y": [3.0]})
    assert result.value("ks", ("y",)) == 1.0
    assert {"rank_correlation_difference", "auc", "hill_error"} <= {
        skipped.name for skipped in result.skipped
    }


def test_results_are_the_same_each_time_and_progress_runs_from_start_to_end() -> None:
    rng = np.random.default_rng(8)
    real, synth = simulate_paper(120, rng), simulate_paper(100, rng)
    seen: list[tuple[str, float]] = []
    first = evaluate(real, synth, progress=lambda step, share: seen.append((step, share)))
    assert first == evaluate(real, synth)
    shares = [share for _, share in seen]
    assert shares[0] == 0 and shares == sorted(shares) and shares[-1] < 1 and len(set(seen)) == len(seen)
    # A measure does not depend on which others are asked for.
    alone = evaluate(real, synth, measures=["auc", "ks"])
    assert all(row in first.measures for row in alone)


def test_without_the_extra_its_measures_are_left_out_and_the_error_says_what_to_install(monkeypatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("quantail.io.extras.importlib.import_module", missing)
    rng = np.random.default_rng(9)
    real, synth = simulate_paper(120, rng), simulate_paper(100, rng)
    result = evaluate(real, synth)
    left_out = {s.name: s.reason for s in result.skipped}
    assert set(left_out) == {"auc", "coefficient_difference", "prediction_error"}
    assert all('pip install "quantail[evaluate]"' in reason for reason in left_out.values())
    assert "scikit-learn" in left_out["auc"] and "formulaic" in left_out["coefficient_difference"]
    for options in ({"measures": ["auc"]}, {"formulas": "X2 ~ X1"}):
        with pytest.raises(OptionError, match=r"quantail\[evaluate\]"):
            evaluate(real, synth, **options)


def test_formulas_give_every_coefficient_a_row() -> None:
    rng = np.random.default_rng(9)
    real, synth = simulate_paper(300, rng), simulate_paper(300, rng)
    formulas = ["X3 ~ X1 + X2", "X3 ~ X1", "quantile(0.9): X2 ~ X1"]
    result = evaluate(real, synth, formulas=formulas, measures=["coefficient_difference"])
    notes = [row.note for row in result]
    assert [notes.count(text) for text in formulas] == [3, 2, 2]
    assert evaluate(real, synth, formulas=formulas * 2, measures=["coefficient_difference"]) == result
    with pytest.raises(
        DataError, match="lacks the column"
    ):  # a mistyped name is an error, not a skipped measure
        evaluate(real, synth, formulas="X3 ~ X9")
    slope = result.value("coefficient_difference", ("X3", "X1"), "X3 ~ X1")
    assert slope != result.value("coefficient_difference", ("X3", "X1"), "X3 ~ X1 + X2")


def test_only_the_measures_asked_for() -> None:
    table = simulate_paper(50, np.random.default_rng(1))
    assert {row.name for row in evaluate(table, table, measures=["k_marginal", "tails"])} == {
        "k_marginal",
        *(name for name, measure in MEASURES.items() if measure.family == "tails"),
    }
    with pytest.raises(OptionError, match="neither a measure nor a family"):
        evaluate(table, table, measures=["marginal"])
    with pytest.raises(OptionError, match="list of names"):
        evaluate(table, table, measures="k_marginal")


def test_schema_picks_and_orders_the_columns() -> None:
    rng = np.random.default_rng(7)
    real = {"junk": np.arange(30.0), **dict(reversed(simulate_paper(30, rng).items()))}
    result = evaluate(real, simulate_paper(30, rng), schema=paper_schema(), measures=["k_marginal"])
    assert result.measures[0].columns == ("X1", "X2", "X3")


def test_tables_that_do_not_match_are_refused() -> None:
    good = {"x": [1.0, 2.0]}
    with pytest.raises(DataError, match=r"same columns.*only in the synthetic table: y"):
        evaluate(good, {"x": [1.0], "y": [1.0]})
    with pytest.raises(DataError, match="numeric in one table"):
        evaluate(good, {"x": ["a", "b"]})
    with pytest.raises(DataError, match="holdout table lacks"):
        evaluate(good, good, holdout={"y": [1.0]})
    with pytest.raises(DataError, match="lacks the column"):
        evaluate(good, good, schema=paper_schema())
    with pytest.raises(DataError, match="infinite values"):
        evaluate({"x": [1.0, np.inf]}, good)


def test_looking_up_an_absent_or_ambiguous_measure_says_so() -> None:
    table = {"x": [1.0, 2.0], "y": [2.0, 3.0]}
    result = evaluate(table, table, measures=["ks", "k_marginal"])
    with pytest.raises(DataError, match="not among"):
        result.value("nothing")
    with pytest.raises(DataError, match="more than once"):
        result.value("ks")
    assert isinstance(result, Evaluation) and len(result) == len(list(result))


def test_columns_of_every_storage_type_are_read() -> None:
    whole = pa.array([1, None, 3, 4, 5, 6])
    text = pa.array(["a", "b", None, "a", "b", "a"])
    table = pa.table(
        {
            "int": whole,
            "decimal": whole.cast(pa.decimal128(25, 2)),
            "date": whole.cast(pa.int32()).cast(pa.date32()),
            "text": text,
            "coded": text.dictionary_encode(),
            "flag": pa.array([True, None, False, True, True, False]),
            "nothing": pa.nulls(6),
        }
    )
    frames = (table, pl.from_arrow(table), table.to_pandas(), table.to_pandas().convert_dtypes())
    results = [evaluate(frame, frame, measures=["columns", "k_marginal"]) for frame in frames]
    for result in results:
        assert {row.columns[0] for row in result if row.name == "ks"} == {"int", "decimal", "date"}
        labels = {row.columns[0] for row in result if row.name == "total_variation"}
        assert labels == {"text", "coded", "flag"}
        assert all(row.badness == 0 for row in result)
    filled = table.set_column(6, "nothing", pa.array(["x"] * 6))
    found = evaluate(table, filled, measures=["total_variation"])
    assert found.value("total_variation", ("nothing",)) == 1.0


def test_columns_of_lists_are_compared_as_labels() -> None:
    table = pd.DataFrame({"x": [1.0, 2.0], "many": [np.array([1, 2]), np.array([3])]})
    assert evaluate(table, table, measures=["total_variation"]).value("total_variation", ("many",)) == 0
