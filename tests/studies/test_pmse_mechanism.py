import json
from math import inf

import numpy as np
import pytest

from quantail.errors import DataError, OptionError
from quantail.examples import paper_split
from studies.simulation import pmse_mechanism as module
from studies.simulation.origin_tree import sort_table
from studies.simulation.pmse_mechanism import (
    PARAMETERS,
    START,
    ChainState,
    draw_family,
    evaluate_state,
    log_weight,
    metropolis_step,
    pmse_mechanism,
    propose,
)

TRUTH = np.array([0.1, 4.0, 3.0, 0.1, 3.0, 2.0, 1.0, 0.1])


def _small(n: int) -> dict[str, np.ndarray]:
    train, _ = paper_split(3)
    return {name: values[:n] for name, values in train.items()}


def _sorted(n: int):
    return sort_table(np.column_stack(list(_small(n).values())))


def test_family_is_the_papers_model() -> None:
    rows = draw_family(TRUTH, 40_000, np.random.default_rng(1))
    noise2 = rows[:, 1] - 4 - 3 * rows[:, 0]
    noise3 = rows[:, 2] - 3 - 2 * rows[:, 0] - rows[:, 1]
    for noise in (rows[:, 0], noise2, noise3):
        assert noise.min() >= -1e-9
        assert noise.mean() == pytest.approx(10, rel=0.03)
        assert np.median(noise) == pytest.approx(10 * np.log(2), rel=0.03)
    assert abs(np.corrcoef(rows[:, 0], noise2)[0, 1]) < 0.03


def test_utility_by_hand_for_a_classifier_that_cannot_split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "origin_pmse", lambda real, synthetic: 0.0)
    state = evaluate_state(TRUTH, _sorted(50), 1.0, np.random.default_rng(1), 3)
    assert state.pmse == 0.0
    # only the prior is left: .03 + 16 + 9 + 9 + 4 + 1 over 2e5
    assert state.log_weight == pytest.approx(-(0.03 + 39.0) / 2e5)


def test_utility_by_hand_for_a_classifier_that_separates_all_rows() -> None:
    # Rates of 1e-9 put every synthetic X1 far above every real one: pMSE is 1/4 in each draw.
    far = TRUTH.copy()
    far[[0, 3, 7]] = 1e-9
    state = evaluate_state(far, _sorted(50), 0.8, np.random.default_rng(1), 4)
    assert state.pmse == pytest.approx(0.25)
    assert state.log_weight == pytest.approx(-39.0 / 2e5 - 50 * 0.8 * 0.25 / 2)


def test_utility_is_the_mean_over_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    values = iter([0.01, 0.04, 0.10])
    monkeypatch.setattr(module, "origin_pmse", lambda real, synthetic: next(values))
    assert evaluate_state(TRUTH, _sorted(20), 1.0, np.random.default_rng(1), 3).pmse == pytest.approx(0.05)


@pytest.mark.parametrize("place", [0, 3, 7])
@pytest.mark.parametrize("rate", [0.0, -0.1])
def test_a_rate_that_is_not_positive_has_no_weight(place: int, rate: float) -> None:
    impossible = TRUTH.copy()
    impossible[place] = rate
    assert log_weight(impossible, 0.0, 100, 1.0) == -inf
    assert evaluate_state(impossible, _sorted(20), 1.0, np.random.default_rng(1), 2).log_weight == -inf


def test_other_parameters_may_be_negative() -> None:
    negative = TRUTH.copy()
    negative[[1, 2, 4, 5, 6]] *= -1
    assert log_weight(negative, 0.0, 100, 1.0) == log_weight(TRUTH, 0.0, 100, 1.0) > -inf


def test_proposals_move_by_the_step_and_reflect_rates() -> None:
    rng = np.random.default_rng(4)
    moves = np.array([propose(TRUTH, rng) for _ in range(4000)])
    rates = [PARAMETERS.index(name) for name in ("rate1", "rate2", "rate3")]
    assert (moves[:, rates] >= 0).all()
    lines = [k for k in range(8) if k not in rates]
    np.testing.assert_allclose(moves[:, lines].mean(axis=0), TRUTH[lines], atol=0.03)
    np.testing.assert_allclose(moves[:, lines].std(axis=0), 0.4, rtol=0.05)
    # E |.1 + .4 z| of a folded normal
    np.testing.assert_allclose(moves[:, rates].mean(axis=0), 0.329, atol=0.02)


@pytest.mark.parametrize("drop", [0.4, 1.5])
def test_share_of_steps_taken_is_the_ratio_of_weights(monkeypatch: pytest.MonkeyPatch, drop: float) -> None:
    # Each proposal has n epsilon pmse / 2 = drop; the current state has pmse 0.
    monkeypatch.setattr(module, "origin_pmse", lambda real, synthetic: 2 * drop / 20)
    state = ChainState(TRUTH, 0.0, log_weight(TRUTH, 0.0, 20, 1.0))
    real, rng = _sorted(20), np.random.default_rng(8)
    taken = np.mean([metropolis_step(state, real, 1.0, rng, 3) is not state for _ in range(3000)])
    assert taken == pytest.approx(np.exp(-drop), abs=4 * np.sqrt(0.25 / 3000))


def test_a_better_state_is_always_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "origin_pmse", lambda real, synthetic: 0.05)
    state = ChainState(TRUTH, 0.2, log_weight(TRUTH, 0.2, 1000, 1.0))
    rng = np.random.default_rng(2)
    assert all(metropolis_step(state, _sorted(1000), 1.0, rng, 2).pmse == 0.05 for _ in range(10))


def test_a_hopeless_proposal_stops_early_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(module, "origin_pmse", lambda real, synthetic: calls.append(1) or 0.1)
    real = _sorted(1000)
    full = log_weight(TRUTH, 0.1, 1000, 1.0)
    for bar, expected in ((full - 1e-6, 10), (log_weight(TRUTH, 0.035, 1000, 1.0), 4)):
        calls.clear()
        state = evaluate_state(TRUTH, real, 1.0, np.random.default_rng(1), 10, bar)
        assert len(calls) == expected
        assert (state.log_weight >= bar) == (full >= bar)


def test_same_random_stream_same_answer_and_the_table_is_untouched() -> None:
    train = _small(200)
    before = {name: values.copy() for name, values in train.items()}
    runs = [pmse_mechanism(train, 1.0, np.random.default_rng(5), steps=15, sets=2) for _ in range(2)]
    assert runs[0][1] == runs[1][1]
    for name in train:
        np.testing.assert_array_equal(runs[0][0][name], runs[1][0][name])
        np.testing.assert_array_equal(train[name], before[name])
    other, _ = pmse_mechanism(train, 1.0, np.random.default_rng(6), steps=15, sets=2)
    assert (other["X1"] != runs[0][0]["X1"]).any()


def test_notes_say_what_the_chain_did_and_that_it_is_not_private() -> None:
    made, notes = pmse_mechanism(_small(300), 1.0, np.random.default_rng(5), steps=40, sets=2)
    assert notes["private"] is False
    assert json.loads(json.dumps(notes)) == notes
    assert list(notes["parameters"]) == list(PARAMETERS)
    assert 0 < notes["accepted"] <= 1
    first, last = notes["tree_pmse"]
    assert first == pytest.approx(0.25, abs=0.01) and last < first / 2
    # Synthetic rows come from the last state: X2 lies above its line
    p = notes["parameters"]
    assert (made["X2"] >= p["a2"] + p["b2"] * made["X1"]).all()
    assert {name: values.size for name, values in made.items()} == {"X1": 300, "X2": 300, "X3": 300}


def test_without_steps_the_start_is_released() -> None:
    made, notes = pmse_mechanism(_small(50), 1.0, np.random.default_rng(5), steps=0, sets=1)
    assert tuple(notes["parameters"].values()) == START
    assert notes["accepted"] == 0.0
    assert made["X1"].mean() > 1000  # rate 1e-4


def test_bad_input_is_refused() -> None:
    train, rng = _small(20), np.random.default_rng(1)
    with pytest.raises(DataError, match="X2"):
        pmse_mechanism({"X1": train["X1"], "X3": train["X3"]}, 1.0, rng)
    with pytest.raises(DataError, match="missing or infinite"):
        pmse_mechanism(train | {"X3": np.full(20, np.nan)}, 1.0, rng)
    for options in ({"epsilon": 0.0}, {"epsilon": 1.0, "sets": 0}, {"epsilon": 1.0, "steps": -1}):
        with pytest.raises(OptionError, match="positive"):
            pmse_mechanism(train, rng=rng, **options)
