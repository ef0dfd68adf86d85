"""`evaluate` with the schema of a panel: dynamics by column, and unit-periods as rows."""

import numpy as np
import pyarrow as pa
import pytest

from quantail.evaluation import evaluate, flows
from quantail.evaluation.panel import jd_mae
from quantail.schema import Column, Panel, Schema
from studies.lbd.panel_measures import evaluate_panel

SCHEMA = Schema(
    (Column("emp", "integer", 0, 5000, grid="log"), Column("pay", "numeric", 0, 1e6, grid="log")),
    unit="establishment",
    panel=Panel("id", "first", "last", 2000, 2003),
)


def firms(seed, n=60):
    rng = np.random.default_rng(seed)
    first, last = rng.integers(2000, 2002, n), rng.integers(2002, 2004, n)
    years = np.arange(2000, 2004)
    active = (years >= first[:, None]) & (years <= last[:, None])
    emp = np.rint(rng.lognormal(2, 1, (n, 1)) * rng.lognormal(0, 0.2, (n, 4)))
    table = {"id": np.arange(n), "first": first, "last": last}
    for place, year in enumerate(years):
        known = ~active[:, place]
        table[f"emp_{year}"] = pa.array(emp[:, place].astype(int), mask=known)
        table[f"pay_{year}"] = pa.array(emp[:, place] * 30, mask=known)
    return pa.table(table), np.where(active, emp, np.nan)


def test_dynamics_are_those_of_the_histories_and_rows_are_active_periods():
    (real, emp), (synth, made) = firms(1), firms(2)
    result = evaluate(real, synth, schema=SCHEMA, measures=["panels", "ks", "missing_difference"])
    study = evaluate_panel(emp, made)
    expected = {
        "panel_total_error": study["gross_mape"],
        "panel_job_creation": study["jc_mae"],
        "panel_job_destruction": jd_mae(emp, made),
        "panel_growth": study["growth_tv"],
        "panel_size_classes": study["size_class_max"],
        "panel_persistence": study["transition_tv"],
        "panel_k_marginal": study["km"],
    }
    assert {row.name for row in result if row.family == "panels"} == set(expected)
    for name, value in expected.items():
        assert result.value(name, ("emp",)) == pytest.approx(value), name
    known = [np.sort(values[~np.isnan(values)]) for values in (emp, made)]
    points = np.concatenate(known)
    shares = [np.searchsorted(values, points, side="right") / values.size for values in known]
    assert result.value("ks", ("emp",)) == pytest.approx(np.abs(shares[0] - shares[1]).max())
    assert {row.columns for row in result} == {("emp",), ("pay",)}  # a period without activity is not missing


def test_the_classifier_takes_whole_units_for_rows():
    (real, _), (synth, _) = firms(4, 120), firms(5, 120)
    row = evaluate(real, synth, schema=SCHEMA, measures=["auc"]).measures[0]
    # Tried on periods of firms that it has seen in training, it would recognise them by their size.
    assert row.value < 0.65 and row.null == pytest.approx(0.5 + np.sqrt(4 / np.pi * 241 / (12 * 120 * 120)))


def test_few_units_have_no_null():
    (real, _), (synth, _) = firms(6, 30), firms(7, 30)
    assert {row.null for row in evaluate(real, synth, schema=SCHEMA, measures=["panels"])} == {None}


def test_a_panel_is_as_close_to_itself_as_can_be():
    real, _ = firms(3)
    result = evaluate(real, real, schema=SCHEMA)
    assert {"panels", "columns", "tails"} <= {row.family for row in result}
    for row in result:
        if row.name not in ("auc",):
            assert row.badness == pytest.approx(0, abs=1e-9), row.name


def test_what_is_missing_in_one_column_is_still_a_row_of_the_others():
    """Rows were dropped column by column: values side by side were of different firms, if there were as many."""
    schema = Schema(
        (
            Column("trade", "category", categories=("a", "b")),
            Column("emp", "integer", 0, 5000),
            Column("pay", "numeric", 0, 1e6, missing=True),
        ),
        unit="firm",
        panel=Panel("id", start=2000, end=2003, layout="long", time="year", attributes=("trade",)),
    )

    def long(seed):
        rng = np.random.default_rng(seed)
        emp = rng.integers(1, 500, 400)
        columns = {"id": np.repeat(np.arange(100), 4), "year": np.tile(np.arange(2000, 2004), 100)}
        trade = np.repeat(np.where(rng.random(100) < 0.5, "a", "b"), 4)
        pay = pa.array(emp * 30.0, mask=rng.random(400) < 0.1 * (seed + 1))
        return pa.table({**columns, "trade": trade, "emp": emp, "pay": pay})

    result = evaluate(long(0), long(1), schema=schema)
    # Pay is thirty times employment in both.
    assert result.value("rank_correlation_difference") == pytest.approx(0, abs=0.01)
    assert result.value("missing_difference", ("pay",)) == pytest.approx(0.1, abs=0.05)
    by_default = flows(long(0), schema=schema)
    assert by_default["emp"].to_pylist() == flows(long(0), "emp", schema=schema)["emp"].to_pylist()
