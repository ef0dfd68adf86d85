import numpy as np
import pandas as pd
import pytest

from quantail.evaluation import (
    PAPER_MEASURES,
    coefficient_difference,
    evaluate_paper,
    k_marginal,
    nrmse,
    pmse,
)
from quantail.examples import PAPER_COLUMNS, paper_split, simulate_paper


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
