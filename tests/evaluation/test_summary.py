import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from quantail.datasets import paper_schema, paper_split, payroll_example, payroll_schema, simulate_paper
from quantail.errors import DataError
from quantail.evaluation import Evaluation, evaluate, evaluate_paper, k_marginal
from quantail.evaluation.summary import MOST_TRIPLES, marginal_sets


def test_agrees_with_the_papers_measures_on_its_table() -> None:
    train, test = paper_split(1)
    synth = simulate_paper(5000, np.random.default_rng(2))
    general, paper = evaluate(train, synth, test, paper_schema()), evaluate_paper(train, synth, test)
    for name in ("pmse_woi", "pmse_wi", "wrt", "km"):
        assert general.value(name) == pytest.approx(paper[name])
    assert general.value("int_diff", ("X2", "X1")) == paper["int_diff"]
    assert general.value("slope_diff", ("X2", "X1")) == paper["slope_diff"]
    assert general.value("nrmse", ("X3", "X1", "X2")) == paper["nrmse_x3"]
    assert not general.skipped


def test_result_is_tidy_and_fits_json() -> None:
    rng = np.random.default_rng(3)
    rows = evaluate(simulate_paper(60, rng), simulate_paper(50, rng)).to_dicts()
    assert json.loads(json.dumps(rows, allow_nan=False)) == rows
    assert {row["direction"] for row in rows} == {"lower", "higher"}
    keys = [(row["name"], tuple(row["columns"])) for row in rows]
    assert len(keys) == len(set(keys))
    assert [row["best"] for row in rows if row["name"] == "km"] == [1000.0]
    names = {row["name"] for row in rows}
    assert {f"quantile_error_{q}" for q in (50, 90, 95, 99)} | {"ks"} < names
    assert "nrmse" not in names  # no holdout was given


def test_labels_are_compared_by_total_variation_in_every_frame_kind() -> None:
    real, synth = payroll_example(300, seed=1), payroll_example(200, seed=2)
    results = [
        evaluate(real, synth, schema=payroll_schema()),
        evaluate(real.to_pandas(), synth.to_pandas()),
        evaluate(pl.from_arrow(real), pl.from_arrow(synth)),
    ]
    share = [pd.Series(t["sector"].to_pylist()).value_counts(normalize=True) for t in (real, synth)]
    expected = share[0].sub(share[1], fill_value=0).abs().sum() / 2
    for result in results:
        assert result.value("total_variation") == pytest.approx(expected)
        assert result.value("km") == results[0].value("km")


def test_labels_only() -> None:
    result = evaluate({"s": ["a", "b"]}, {"s": ["a", "a"]})
    assert [(m.name, m.value) for m in result] == [("total_variation", 0.5)]


def test_km_of_many_columns_is_the_mean_over_triples() -> None:
    rng = np.random.default_rng(4)
    real, synth = ({c: rng.exponential(size=80) for c in "abcd"} for _ in range(2))
    triples = [("a", "b", "c"), ("a", "b", "d"), ("a", "c", "d"), ("b", "c", "d")]
    expected = np.mean([k_marginal(real, synth, t) for t in triples])
    assert evaluate(real, synth).value("km") == pytest.approx(expected)


def test_triples_are_capped_and_depend_on_names_only() -> None:
    names = tuple(f"c{i}" for i in range(30))
    sets = marginal_sets(names)
    assert len(sets) == len(set(sets)) == MOST_TRIPLES
    assert {name for s in sets for name in s} == set(names)
    assert marginal_sets(names[:2]) == [names[:2]]


def test_many_columns_leave_out_interactions() -> None:
    rng = np.random.default_rng(5)
    real, synth = ({f"c{i}": rng.normal(size=60) for i in range(11)} for _ in range(2))
    assert "pmse_wi" not in {m.name for m in evaluate(real, synth)}


def test_constant_and_collinear_columns_are_skipped_with_a_reason() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=40)
    real = {"x": x, "one": np.ones(40), "y": x + rng.normal(size=40)}
    result = evaluate(real, real, holdout=real)
    assert result.value("km") == 1000
    reasons = {(s.name, s.columns): s.reason for s in result.skipped}
    assert "collinear" in reasons["coefficient_difference", ("y", "x", "one")]
    assert "does not vary" in reasons["nrmse", ("one", "x")]
    assert result.value("nrmse", ("y", "x", "one")) < 1


def test_one_row_each() -> None:
    result = evaluate({"x": [1.0], "y": [2.0]}, {"x": [1.0], "y": [3.0]})
    assert result.value("ks", ("y",)) == 1.0
    assert [s.name for s in result.skipped] == ["coefficient_difference"]


def test_schema_picks_and_orders_the_columns() -> None:
    rng = np.random.default_rng(7)
    real = {"junk": np.arange(30.0), **dict(reversed(simulate_paper(30, rng).items()))}
    result = evaluate(real, simulate_paper(30, rng), schema=paper_schema())
    assert result.measures[0].columns == ("X1", "X2", "X3")


def test_tables_that_do_not_match_are_refused() -> None:
    good = {"x": [1.0, 2.0]}
    with pytest.raises(DataError, match="same columns"):
        evaluate(good, {"x": [1.0], "y": [1.0]})
    with pytest.raises(DataError, match="numeric in one table"):
        evaluate(good, {"x": ["a", "b"]})
    with pytest.raises(DataError, match="holdout table lacks"):
        evaluate(good, good, holdout={"y": [1.0]})
    with pytest.raises(DataError, match="lacks the column"):
        evaluate(good, good, schema=paper_schema())
    with pytest.raises(DataError, match="missing or infinite"):
        evaluate({"x": [1.0, np.inf]}, good)


def test_looking_up_an_absent_or_ambiguous_measure_says_so() -> None:
    result = evaluate({"x": [1.0, 2.0], "y": [2.0, 3.0]}, {"x": [1.0, 2.0], "y": [2.0, 3.0]})
    with pytest.raises(DataError, match="not among"):
        result.value("nothing")
    with pytest.raises(DataError, match="more than once"):
        result.value("ks")
    assert isinstance(result, Evaluation) and len(result) == len(list(result))
