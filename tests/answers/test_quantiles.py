"""Quantiles of a column: values, bands, what is drawn and what is read off, payment, and what is refused."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import quantail
from quantail.answers import answer_card, card_markdown
from quantail.answers.levels import drawn_levels, rank_bands, read_off
from quantail.errors import BudgetError, DataError, NoLedgerWarning, OptionError, SchemaError
from quantail.examples import payroll_example, payroll_schema
from quantail.schema.csv_format import CsvFormat

SIMULATED = {"noise": "simulated"}


def lognormal(rows: int, seed: int = 0) -> np.ndarray:
    return np.exp(np.random.default_rng(seed).normal(10, 1.5, rows))


def rank_error(values: np.ndarray, level: float, found: float) -> float:
    return abs(float((values <= found).sum()) - level * values.size)


def asked(values: np.ndarray, levels, epsilon, seed=1, **options):
    bounds = {"lower": 0, "upper": 1e9, "grid": "log"} | options
    return quantail.quantiles(pa.table({"x": values}), "x", levels, epsilon, seed=seed, **SIMULATED, **bounds)


def test_errors_in_rows_are_those_of_the_joint_law_and_have_no_floor() -> None:
    values = np.sort(lognormal(200_000))
    for epsilon, most in ((10, 4), (1, 40)):
        found = asked(values, [0.25, 0.5, 0.75], epsilon)
        assert max(rank_error(values, row.level, row.value) for row in found) <= most


def test_crowded_levels_are_read_off_with_small_errors() -> None:
    # All 63 drawn together: an error of 50 rows on average.
    values, levels = lognormal(1000), np.arange(1, 64) / 64
    errors = []
    for seed in range(4):
        found = asked(values, levels, 1, seed)
        assert 8 <= sum(row.drawn for row in found) <= 20
        errors += [rank_error(values, row.level, row.value) for row in found]
    assert np.mean(errors) < 20


def test_bands_hold_about_as_often_as_they_say() -> None:
    values, held, all_of_them = lognormal(3000), 0, 0
    for seed in range(60):
        for row in asked(values, [0.1, 0.5, 0.9, 0.95], 0.5, seed):
            share = float((values <= row.value).mean())
            held += row.low <= share + 1 / 3000 and share - 1 / 3000 <= row.high
            all_of_them += 1
    assert 0.88 <= held / all_of_them <= 0.995


def test_a_single_quantile_has_the_band_of_its_law() -> None:
    # One quantile: density proportional to exp(-2 rate |s|), so 95% lie within log(20) / (2 rate).
    (band,) = rank_bands(2, 0.25, 0.95)
    assert 0 <= band - np.log(20) / 0.5 <= 0.25  # rounded up


def test_values_rise_and_stay_within_bounds_and_decimals() -> None:
    found = asked(lognormal(400), np.linspace(0.01, 0.99, 99), 0.2, decimals=1, upper=50_000)
    values = [row.value for row in found]
    assert values == sorted(values) and values[0] >= 0 and values[-1] <= 50_000
    assert all(abs(value * 10 - round(value * 10)) < 1e-6 for value in values)


def test_a_heap_is_found() -> None:
    values = np.where(np.arange(3000) < 1200, 0.0, lognormal(3000))
    found = asked(values, [0.1, 0.2, 0.3, 0.7], 2, decimals=2)
    assert [found[level] for level in (0.1, 0.2, 0.3)] == [0, 0, 0] and found[0.7] > 1000


def test_missing_values_are_left_out_and_paid_for() -> None:
    column = quantail.Column("x", "numeric", 0, 1e9, grid="log", missing=True)
    schema = quantail.Schema((column,), "person", name="survey")
    values = lognormal(4000)
    table = pa.table({"x": [None if place % 2 else value for place, value in enumerate(values.tolist())]})
    found = quantail.quantiles(table, "x", [0.5], 2, schema=schema, seed=1, **SIMULATED)
    assert rank_error(values[::2], 0.5, found[0.5]) < 60
    assert [leaf.name for leaf in found.facts().plan.leaves()] == ["rows with a value", "quantiles"]
    assert found.facts().plan.cost == 2


def test_few_levels_are_always_drawn_and_the_quartiles_at_any_budget() -> None:
    assert drawn_levels(np.array([0.5, 0.99, 0.999]), 100, 0.01).all()
    even = np.arange(1, 20) / 20
    assert even[drawn_levels(even, 100, 1e-6)].tolist() == [0.25, 0.5, 0.75]
    assert drawn_levels(np.arange(1, 1000) / 1000, 10**7, 1.0).sum() <= 300


def test_what_is_read_off_goes_on_as_an_exponential_tail() -> None:
    levels = np.array([0.05, 0.5, 0.9, 0.99])
    odds = np.log(levels / (1 - levels))
    drawn = np.array([False, True, True, False])
    found = read_off(levels, drawn, 3.0 + 2.0 * odds[1:3], (-50.0, 50.0))
    assert np.allclose(found, 3.0 + 2.0 * odds)
    assert read_off(levels, drawn, np.array([0.0, 40.0]), (-50.0, 50.0)).max() == 50.0


def test_it_is_paid_for_and_refused_where_the_budget_ends(tmp_path: Path) -> None:
    schema, table = payroll_schema(), payroll_example(200)
    ledger = quantail.Ledger.create(tmp_path / "payroll.ledger", schema.name, 1)
    found = quantail.quantiles(table, "payroll", [0.5], 1, schema=schema, ledger=ledger.path)
    assert ledger.spent == 1 and found.entry is not None and found.entry.plan_hash == found.facts().plan_hash
    card = answer_card(found)
    assert card["ledger"]["record"] == found.entry.number and card["promise"]["epsilon"] == "1"
    assert card["private"] and "| 0.5 |" in card_markdown(card)
    with pytest.raises(BudgetError):
        quantail.quantiles(table, "payroll", [0.5], 1, schema=schema, ledger=ledger)


def test_without_a_ledger_it_warns() -> None:
    with pytest.warns(NoLedgerWarning) as caught:
        quantail.quantiles(payroll_example(60), "payroll", [0.5], 1, schema=payroll_schema())
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quantail.quantiles(payroll_example(60), "payroll", [0.5], 1, schema=payroll_schema(), ledger=False)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"levels": []}, OptionError, "levels"),
        ({"levels": [0.0, 0.5]}, OptionError, "levels"),
        ({"levels": "half"}, OptionError, "levels"),
        ({"lower": None}, OptionError, "never from the data"),
        ({"lower": 9, "upper": 3}, SchemaError, "lower"),
        ({"seed": None, "noise": "loud"}, OptionError, "noise"),
        ({"noise": "secure"}, OptionError, "seed"),
        ({"epsilon": 0}, BudgetError, "epsilon"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_read(options, error, words) -> None:
    given = {"levels": [0.5], "epsilon": 1, "lower": 0, "upper": 9, "seed": 1, **SIMULATED} | options
    with pytest.raises(error, match=words):
        quantail.quantiles(object(), "x", **given)


def test_panels_labels_and_too_few_rows_are_refused() -> None:
    from quantail.examples import industry_example, industry_schema

    panel, schema = industry_example(50), industry_schema()
    for period in (None, 1999):
        with pytest.raises(OptionError, match="from 2001 to 2015"):
            quantail.quantiles(panel, "staff", [0.5], 1, schema=schema, period=period)
    with pytest.raises(OptionError, match="add-remove"):
        added = replace(schema, neighbours="add-remove")
        quantail.quantiles(panel, "staff", [0.5], 1, schema=added, period=2010)
    with pytest.raises(OptionError, match="leave it out"):
        quantail.quantiles(panel, "staff", [0.5], 1, lower=0, upper=9, period=2010)
    labels = quantail.Schema((quantail.Column("x", "category", categories=("a", "b")),), "person")
    with pytest.raises(OptionError, match="numbers"):
        quantail.quantiles(pa.table({"x": ["a"] * 30}), "x", [0.5], 1, schema=labels)
    with pytest.raises(DataError, match="fewer than 20"):
        asked(lognormal(5), [0.5], 1)


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_panel_is_asked_about_one_period(layout) -> None:
    """Units that are not there in the period have no value; the count of those that are is paid for."""
    from quantail.examples import industry_example, industry_schema
    from quantail.frames import confidential_panel

    panel, schema = industry_example(2000, layout=layout), industry_schema(layout=layout)
    given = {"schema": schema, "period": 2010, "seed": 1, **SIMULATED}
    found = quantail.quantiles(panel, "staff", [0.25, 0.5, 0.9], 5, **given)
    values = confidential_panel(panel, schema).values["staff"][:, 2010 - schema.panel.start]
    there = values[~np.isnan(values)]
    assert 0 < there.size < values.size
    for row in found.rows:
        level = np.mean(there <= row.value)
        assert np.mean(there < row.value) - 0.01 <= row.level <= level + 0.01
    assert [leaf.name for leaf in found.facts().plan.leaves()] == ["rows with a value", "quantiles"]
    assert found.column == "staff 2010" and found.facts().plan.cost == 5


def test_one_unit_moves_one_value_of_a_period() -> None:
    """What replacing a unit's whole history changes of what is asked: one entry, as the proof has it."""
    from quantail.answers.asking import _of_period
    from quantail.examples import industry_example, industry_schema

    schema = industry_schema()
    panel = industry_example(60).sort_by("site")
    other = industry_example(61).sort_by("site").slice(60, 1)
    replaced = pa.concat_tables([panel.slice(0, 59), other])
    one, two = (_of_period(frame, schema, "staff", 2010) for frame in (panel, replaced))
    assert one.size == two.size and np.sum(~((one == two) | (np.isnan(one) & np.isnan(two)))) <= 1


def test_a_column_under_a_rule_is_asked_about_by_itself():
    """Its rule names columns that the question knows nothing of; that was an error about its atoms."""
    schema = quantail.Schema(
        (
            quantail.Column("claims", "integer", 0, 9),
            quantail.Column("paid", "numeric", 0, 1000, atoms=(0,), universe="claims >= 1", outside=0),
            quantail.Column("day", "integer", 0, 365, missing=True, universe="claims >= 1"),
            quantail.Column("late", "integer", 0, 365, missing=True, missing_with="day"),
        ),
        unit="policy",
    )
    claims = np.arange(600) % 2
    day = pa.array(claims * 100, mask=claims == 0)
    table = pa.table({"claims": claims, "paid": claims * 500.0, "day": day, "late": day})
    for column, expected in (("paid", 500), ("day", 100), ("late", 100)):
        found = quantail.quantiles(table, column, [0.9], 2, schema=schema, noise="simulated", seed=1)
        assert found[0.9] == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("missing", [False, True])
def test_a_protected_number_of_rows_is_released_and_stated_nowhere_else(missing) -> None:
    rng = np.random.default_rng(3)
    values = pa.array(rng.lognormal(5, 1, 7_123), mask=rng.random(7_123) < 0.2 if missing else None)
    column = quantail.Column("x", "numeric", 0, 1e6, grid="log", missing=missing, source="s")
    schema = quantail.Schema((column,), "person", name="t", neighbours="add-remove")
    asked = {"schema": schema, "noise": "simulated", "seed": 4}
    found = quantail.quantiles(pa.table({"x": values}), "x", [0.5, 0.9], 1, **asked)
    present = np.sort(values.drop_null().to_numpy())
    for row in found:
        level = np.searchsorted(present, row.value) / present.size
        assert abs(level - row.level) < 0.02 and row.low < level < row.high
    card = answer_card(found)
    assert found.facts().size == card["public_inputs"]["rows"] != present.size
    assert abs(found.facts().size - present.size) < 200
    assert card["promise"]["neighbours"] == "add-remove" and card["terms"]["size"] is None
    assert "rows with a value, as released" in card_markdown(card)
    assert "7,123" not in card_markdown(card) and "7123" not in str(card)


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_a_small_table_with_a_protected_number_of_rows_is_answered_like_any_other(rows) -> None:
    column = quantail.Column("x", "numeric", 0, 10, source="s")
    schema = quantail.Schema((column,), "person", name="t", neighbours="add-remove")
    table = pa.table({"x": pa.array(np.arange(rows, dtype=float))})
    found = quantail.quantiles(table, "x", [0.5], 1, schema=schema, noise="simulated", seed=1)
    assert 0 <= found[0.5] <= 10


def test_a_file_is_read_as_its_schema_says_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x;y\n" + "".join(f"{k},5;1\n" for k in range(100)), encoding="utf-8")
    column = quantail.Column("x", "numeric", 0, 100, source="s")
    schema = quantail.Schema((column,), "person", name="t", csv=CsvFormat(";", ","))
    found = quantail.quantiles(path, "x", [0.5], 20, schema=schema, noise="simulated", seed=1)
    assert abs(found[0.5] - 50) < 3
