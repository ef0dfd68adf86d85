import numpy as np
import pandas as pd
import pytest

from quantail.evaluation import k_marginal
from quantail.examples import PAPER_COLUMNS, paper_split, simulate_paper
from studies.paper_measures import PAPER_MEASURES, coefficient_difference, evaluate_paper, nrmse, pmse


def test_a_fresh_sample_scores_as_the_reference_study_found() -> None:
    rows = []
    for seed in range(4):
        train, test = paper_split(seed)
        rows.append(evaluate_paper(train, simulate_paper(5000, np.random.default_rng(seed + 50)), test))
    mean = {name: np.mean([row[name] for row in rows]) for name in rows[0]}
    assert tuple(mean) == PAPER_MEASURES
    assert mean["pmse_woi"] < 0.0002 and mean["pmse_wi"] < 0.0004
    assert 0.4 < mean["wrt"] < 2.0
    assert 960 < mean["km"] < 978
    assert mean["int_diff"] < 3 and mean["slope_diff"] < 3
    assert mean["nrmse_x2"] == pytest.approx(0.316, abs=0.01)
    assert mean["nrmse_x3"] == pytest.approx(0.193, abs=0.01)


def test_each_key_is_its_own_measure_on_the_right_tables() -> None:
    rng = np.random.default_rng(1)
    train, synth, test = (simulate_paper(n, rng) for n in (300, 200, 250))
    extra = pd.DataFrame(train).assign(note=1.0)[
        ["X3", "note", "X1", "X2"]
    ]  # order and other columns are ignored
    result = evaluate_paper(extra, synth, test)
    assert result["pmse_woi"] == pytest.approx(pmse(train, synth))
    assert result["pmse_wi"] == pytest.approx(pmse(train, synth, interactions=True))
    assert result["km"] == k_marginal(train, synth, PAPER_COLUMNS)
    difference = coefficient_difference(train, synth, "X2", ["X1"])
    assert (result["int_diff"], result["slope_diff"]) == (difference.intercept, difference.slopes["X1"])
    assert result["nrmse_x2"] == nrmse(synth, test, "X2", ["X1"])
    assert result["nrmse_x3"] == nrmse(synth, test, "X3", ["X1", "X2"])


def test_the_table_itself_is_perfect() -> None:
    train, test = paper_split(2)
    result = evaluate_paper(train, train, test)
    assert result["pmse_wi"] < 1e-15 and result["wrt"] == 0 and result["km"] == 1000
    assert result["int_diff"] == 0 and result["slope_diff"] == 0


def test_values_are_those_that_the_stored_results_were_computed_with() -> None:
    # Computed by version 0.1.0 on the same rows, by code of its own for every step.
    rng = np.random.default_rng(3)

    def table(n: int, shift: float = 0.0) -> dict[str, np.ndarray]:
        first = rng.exponential(10, n)
        second = first * 0.5 + rng.exponential(5 + shift, n)
        return {"X1": first, "X2": second, "X3": first + second * (1 + shift / 10) + rng.pareto(2.5, n) * 10}

    train, synth, test = table(3000), table(2500, 0.3 * 3), table(1000)
    expected = {
        "pmse_woi": 0.002480563581738508,
        "pmse_wi": 0.0028675144752318147,
        "wrt": 2.2400164194033496,
        "km": 910.0,
        "int_diff": 7.094841291780712,
        "slope_diff": 1.4736853589525583,
        "nrmse_x2": 0.7109829741685295,
        "nrmse_x3": 0.5778893721186142,
    }
    assert evaluate_paper(train, synth, test) == pytest.approx(expected, rel=1e-9)
