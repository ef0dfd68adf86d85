"""The AUC of boosted trees: what they must see, what they must not, and how an independent sample scores."""

import numpy as np
import pytest

from quantail.evaluation import evaluate
from quantail.evaluation.boosting import classifier_auc


def test_the_auc_of_a_known_shift() -> None:
    # Two normals of distance d: the best classifier's AUC is Phi(d / sqrt 2), .7602 for d = 1.
    rng = np.random.default_rng(1)
    found = classifier_auc(rng.normal(size=(4000, 1)), rng.normal(size=(4000, 1)) + 1)
    assert found == pytest.approx(0.7602, abs=0.02)
    assert classifier_auc(np.zeros((60, 1)), np.ones((60, 1))) == 1.0


def test_it_is_taken_on_rows_that_were_kept_out() -> None:
    # Identical rows: trees that were tried on their own training rows would still beat chance.
    rng = np.random.default_rng(2)
    assert classifier_auc(rng.normal(size=(150, 5)), rng.normal(size=(150, 5))) < 0.6


def test_what_no_single_column_shows_and_missing_values_and_labels() -> None:
    rng = np.random.default_rng(3)
    apart, together = rng.normal(size=(2, 1500, 2))
    together[:, 1] = np.sign(together[:, 0]) * np.abs(together[:, 1])
    # Half of the real rows lie where no synthetic one does, the others among all of these: .5 + .5 * .5 at best.
    assert classifier_auc(apart, together) == pytest.approx(0.75, abs=0.04)
    gone = np.where(rng.random((1500, 2)) < 0.3, np.nan, apart)
    assert classifier_auc(apart, gone) > 0.6
    # Odd labels are twice as frequent in one table: on a scale of numbers this takes many splits.
    codes = rng.integers(0, 100, (2, 3000, 1)).astype(float)
    odd = codes[1][(codes[1, :, 0] % 2 == 1) | (rng.random(3000) < 0.5)]
    assert classifier_auc(codes[0], odd, (True,)) > 0.54


@pytest.mark.parametrize("pairs", [6, pytest.param(25, marks=pytest.mark.slow)])
def test_mean_distance_from_a_half_over_independent_samples_is_the_null(pairs: int) -> None:
    rng = np.random.default_rng(4)

    def table(n: int) -> dict[str, np.ndarray]:
        return {"x": rng.pareto(2, n), "y": rng.normal(size=n), "s": rng.integers(0, 3, n)}

    def auc(*tables: dict[str, np.ndarray]) -> float:
        real, synth = (np.column_stack(list(part.values())) for part in tables)
        return classifier_auc(real, synth, (False, False, True))

    found = [auc(table(300), table(200)) for _ in range(pairs)]
    null = evaluate(table(300), table(200), measures=["auc"]).measures[0].null - 0.5
    assert np.mean(np.abs(np.subtract(found, 0.5))) == pytest.approx(null, rel=0.4)
    assert np.mean(found) == pytest.approx(0.5, abs=0.02)


def test_worse_than_chance_is_chance() -> None:
    rng = np.random.default_rng(6)
    halves = [np.repeat(np.arange(100.0), 2)[rng.permutation(200)] for _ in range(2)]
    assert classifier_auc(*(half[:, None] for half in halves)) < 0.4
    (row,) = evaluate(*({"x": half} for half in halves), measures=["auc"]).measures
    assert row.value == 0.5 and row.badness == 0


def test_few_rows_are_skipped_and_many_are_sampled(monkeypatch) -> None:
    few = {"x": np.arange(20.0)}
    assert "at least 50 rows" in evaluate(few, few, measures=["auc"]).skipped[0].reason
    monkeypatch.setattr("quantail.evaluation.boosting.MOST_ROWS", 100)
    many = {"x": np.random.default_rng(5).normal(size=300)}
    assert evaluate(many, many, measures=["auc"]).measures[0].note == "on 100 real and 100 synthetic rows"
