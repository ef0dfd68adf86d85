"""Questions: what is understood, what is refused, and that every figure and its naive error are right."""

import numpy as np
import polars as pl
import pytest

from quantail import Column, DataError, OptionError, Schema
from quantail.inference import Estimand
from quantail.inference.statistic import Statistic
from quantail.inference.subset import WHERE

rng = np.random.default_rng(5)
TABLE = {
    "x": rng.normal(size=500),
    "pay": rng.lognormal(3, 0.5, size=500),
    "region": np.array(["a", "b"] * 250),
}
TABLE["y"] = 2 + 3 * TABLE["x"] + rng.normal(size=500)
TABLE["union"] = np.where(TABLE["x"] + rng.logistic(size=500) > 0, "yes", "no")


def estimates(question, table=TABLE):
    return Estimand.parse(question).on(table).estimates(table)


def test_figures_by_hand():
    table = {"x": np.array([1.0, 2.0, 3.0, 4.0, 10.0, np.nan])}
    assert estimates("mean(x)", table) == 4.0
    assert estimates("quantile(x, 0.5)", table) == 3.0
    assert estimates("top(x, 0.2)", table) == 0.5
    # Mean absolute difference over twice the mean: 80 / (2 * 25 * 4).
    assert estimates("gini(x)", table) == pytest.approx(80 / 200)


@pytest.mark.parametrize(
    "figure", ["mean(pay)", "quantile(pay, 0.5)", "quantile(pay, 0.9)", "top(pay, 0.1)", "gini(pay)"]
)
def test_naive_errors_are_those_of_fresh_samples(figure):
    draws = np.random.default_rng(6).lognormal(3, 0.5, size=(400, 500))
    question = Estimand.parse(figure)
    found = np.array([question.estimates({"pay": draw})[0] for draw in draws])
    stated = np.mean([question.answer({"pay": draw}).naive_errors[0] for draw in draws[:40]])
    assert stated == pytest.approx(found.std(), rel=0.15)


def test_regressions_of_three_kinds():
    linear = Estimand.parse("y ~ x + region").on(TABLE)
    assert linear.terms == ("Intercept", "x", "region[b]")
    np.testing.assert_allclose(linear.estimates(TABLE), [2, 3, 0], atol=0.3)
    np.testing.assert_allclose(estimates("quantile(0.9): y ~ x"), [2 + 1.28, 3], atol=0.3)
    np.testing.assert_allclose(estimates("logistic: union ~ x"), [0, 1], atol=0.4)


def test_labels_unknown_to_the_first_table_are_left_out():
    question = Estimand.parse("y ~ region").on(TABLE)
    other = {"y": np.append(TABLE["y"], 1e9), "region": np.append(TABLE["region"], "c")}
    np.testing.assert_array_equal(question.estimates(other), question.estimates(TABLE))


def test_labels_that_a_table_lacks_have_no_estimate():
    question = Estimand.parse("y ~ x + region").on(TABLE)
    part = {name: values[::2] for name, values in TABLE.items()}  # region a only
    found = question.estimates(part)
    assert np.isnan(found[2]) and np.isfinite(found[:2]).all()


@pytest.mark.parametrize(
    "text",
    [
        "pay",
        "median(pay, 0.5)",
        "share()",
        "quantile(pay)",
        "mean(pay, 0.5)",
        "top(pay, 2)",
        "quantile(pay, 0..5)",
        "y ~",
        "",
    ],
)
def test_what_is_not_understood_is_refused(text):
    with pytest.raises(OptionError):
        Estimand.parse(text)


def test_what_a_table_cannot_tell_is_a_data_error():
    for question in ("mean(region)", "mean(nothing)", "y ~ nothing"):
        with pytest.raises(DataError):
            estimates(question)
    with pytest.raises(DataError):
        estimates("mean(x)", {"x": np.array([np.nan, np.nan])})


def test_names_in_backticks():
    assert estimates("mean(`gross pay`)", {"gross pay": np.array([1.0, 3.0])}) == 2.0


def test_figures_of_some_rows_are_those_of_a_table_of_them():
    holds = TABLE["region"] == "a"
    part = {name: values[holds] for name, values in TABLE.items()}
    for text in ("mean(pay)", "gini(pay)", "y ~ x", "quantile(0.5): y ~ x"):
        question = Estimand.parse(text)
        of_part, of_some = (
            question.on(part).answer(part),
            question.on(TABLE | {WHERE: holds}).answer(TABLE | {WHERE: holds}),
        )
        np.testing.assert_allclose(of_some.estimates, of_part.estimates)
        np.testing.assert_allclose(of_some.naive_errors, of_part.naive_errors)


def test_a_total_of_some_rows_is_scaled_as_that_of_all():
    holds = TABLE["region"] == "a"
    question = Estimand.parse("total(pay)").of_rows(5000)
    found = question.answer(TABLE | {WHERE: holds})
    assert found.estimates[0] == pytest.approx(10 * TABLE["pay"][holds].sum())
    filled = np.where(holds, TABLE["pay"], 0.0)
    assert found.naive_errors[0] == pytest.approx(10 * filled.std() * np.sqrt(500))


def test_a_condition_that_no_row_meets_is_refused():
    for text in ("mean(pay)", "y ~ x"):
        with pytest.raises(DataError, match="no row"):
            Estimand.parse(text).on(TABLE | {WHERE: np.ones(500, bool)}).estimates(
                TABLE | {WHERE: np.zeros(500, bool)}
            )


def test_an_own_statistic_gives_what_its_function_gives_of_a_frame():
    def pay_by_union(frame):
        return frame.group_by("union").agg(pl.col("pay").mean()).sort("union")["pay"].to_list()[0]

    table = {name: TABLE[name] for name in ("pay", "union")}
    question = Estimand("pay_by_union", Statistic(pay_by_union, "polars")).on(table)
    assert question.terms == ("pay_by_union",)
    no = table["pay"][table["union"] == "no"]
    answer = question.answer(table)
    assert answer.estimates[0] == pytest.approx(no.mean())
    assert answer.naive_errors[0] == pytest.approx(no.std() / np.sqrt(no.size), rel=0.25)


def test_an_own_statistic_that_is_no_number_is_refused():
    with pytest.raises(OptionError, match="gave no number"):
        Estimand("all", Statistic(lambda frame: frame, "pyarrow")).on({"pay": TABLE["pay"]})


def test_amounts_that_may_be_negative_and_dates_have_errors_on_their_own_scale():
    """On the log scale the interval of a mean birth date hung on how far it lay from 1970."""
    schema = Schema(
        (
            Column("pay", "numeric", 0, 9),
            Column("profit", "numeric", -9, 9),
            Column("born", "date", "1920-01-01", "2020-01-01"),
        ),
        "person",
    )
    for text, link in (
        ("mean(pay)", "log"),
        ("mean(profit)", "identity"),
        ("total(profit)", "identity"),
        ("quantile(profit, 0.99)", "log"),
        ("median(born)", "identity"),
        ("mean(born)", "identity"),
        ("share(profit < 0)", "logit"),
    ):
        assert Estimand.parse(text).of(schema).link == link, text
