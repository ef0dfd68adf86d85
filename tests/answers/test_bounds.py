"""A bound that is paid for: where it lies, whatever the column's unit, and what is refused."""

import numpy as np
import pyarrow as pa
import pytest

import quantail
from quantail.answers import answer_card, card_markdown
from quantail.answers.bounds import CANDIDATES, bound_plan
from quantail.errors import BudgetError, DataError, OptionError, SchemaError

ROWS = 10_000


def asked(values, seed=1, epsilon="0.05", **options):
    return quantail.bound(pa.table({"x": values}), "x", epsilon, noise="simulated", seed=seed, **options)


def drawn(shape: str, rng: np.random.Generator) -> np.ndarray:
    return {
        "lognormal": rng.lognormal(0, 1, ROWS),
        "pareto": rng.pareto(1.1, ROWS) + 1,
        "even": rng.uniform(0, 1, ROWS),
        "both signs": rng.standard_t(2, ROWS),
    }[shape]


@pytest.mark.parametrize("shape", ["lognormal", "pareto", "even", "both signs"])
@pytest.mark.parametrize("times", [1e-3, 1.0, 1e7])
def test_hardly_a_row_is_clipped_and_the_bound_is_of_the_columns_own_order(shape, times):
    for seed in range(5):
        values = times * drawn(shape, np.random.default_rng(seed))
        found = asked(values, seed)
        assert np.count_nonzero(np.abs(values) > found.upper) <= 3
        assert found.upper <= 1e4 * np.abs(values).max()


def test_a_row_more_does_not_move_the_bound():
    values = np.random.default_rng(1).lognormal(0, 1, ROWS)
    extreme = np.append(values[1:], 1e14)
    assert [asked(values, seed).upper for seed in range(20)] == [
        asked(extreme, seed).upper for seed in range(20)
    ]


def test_candidates_are_round_and_a_factor_of_at_most_two_and_a_half_apart():
    assert CANDIDATES[0] == 1e-6 and CANDIDATES[-1] == 1e15 and len(CANDIDATES) == 64
    steps = np.diff(np.log10(CANDIDATES))
    assert steps.min() > 0.3 and steps.max() < 0.4


def test_rows_without_a_number_are_left_out():
    values = np.random.default_rng(1).lognormal(0, 1, ROWS)
    gone = pa.array(values, mask=np.arange(ROWS) % 4 == 0)
    assert asked(gone).upper == asked(values[np.arange(ROWS) % 4 != 0]).upper


def test_too_few_rows_for_the_budget_and_labels_are_refused_and_cost_nothing(tmp_path):
    ledger = quantail.Ledger.create(tmp_path / "x.ledger", "shops", limit=1)
    few = pa.table({"x": np.ones(3999)})
    with pytest.raises(OptionError, match="too little"):
        quantail.bound(few, "x", "0.05", ledger=ledger, name="shops")
    with pytest.raises(DataError):
        quantail.bound(pa.table({"x": ["a"] * 5000}), "x", "0.05", ledger=ledger, name="shops")
    assert ledger.spent == 0


def test_the_bound_is_charged_and_its_card_and_source_say_so(tmp_path):
    table = pa.table({"x": np.random.default_rng(1).lognormal(0, 1, ROWS)})
    ledger = quantail.Ledger.create(tmp_path / "x.ledger", "shops", limit="0.05")
    found = quantail.bound(table, "x", "0.05", ledger=ledger, name="shops")
    card = answer_card(found)
    assert card["private"] and card["ledger"]["charged"] == "0.05" == card["promise"]["epsilon"]
    assert card["bound"] == {"upper": found.upper, "source": found.source}
    assert f"record {found.entry.number}" in found.source and found.source in card_markdown(card)
    assert card["plan"] == bound_plan("x", found.facts().plan.cost).to_dict()
    with pytest.raises(BudgetError):
        quantail.bound(table, "x", "0.05", ledger=ledger, name="shops")


def test_a_missing_bound_stays_an_error_and_the_answer_mends_it():
    with pytest.raises(SchemaError, match="upper"):
        quantail.Column("x", "numeric", 0, None, grid="log")
    found = asked(np.random.default_rng(1).lognormal(0, 1, ROWS))
    column = quantail.Column("x", "numeric", 0, found.upper, grid="log", source=found.source)
    assert column.upper == found.upper and "epsilon 0.05" in column.source


def test_a_column_of_zeros_but_for_few_rows_has_no_bound_rather_than_a_tiny_one():
    """A thousandth was the bound of benefits that one row in ten had: the lowest candidate, a thousand times."""
    values = np.where(np.arange(ROWS) % 50 == 0, 5000.0, 0.0)
    for seed in range(20):
        found = asked(values, seed)
        assert not found.is_found and "upper =" not in str(found) and "No bound was found" in str(found)
    assert asked(np.full(ROWS, 5000.0)).is_found
