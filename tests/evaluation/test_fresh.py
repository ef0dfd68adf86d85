"""What a fresh sample would get, as halves of the real rows say, is what fresh samples show."""

import numpy as np
import pytest

from quantail.evaluation import MEASURES, correlation_matrix, evaluate
from quantail.evaluation.fresh import from_halves, halves, split_null
from quantail.evaluation.panel_null import panel_against_null
from quantail.examples import simulate_paper


def test_halves_part_the_rows_and_a_sample_of_them_if_told():
    real = np.arange(101.0)
    for first, second in halves(real, np.random.default_rng(1)):
        assert sorted([*first, *second]) == real.tolist() and abs(len(first) - len(second)) == 1
    assert {len(a) + len(b) for a, b in halves(real, np.random.default_rng(1), most=20)} == {20}
    assert (
        from_halves(100, 100) == pytest.approx(np.sqrt(0.5))
        and from_halves(400, 100, 100) == 0.5590169943749475
    )


def test_a_sample_of_the_rows_gives_the_null_of_all_of_them():
    rng = np.random.default_rng(2)
    real = rng.normal(size=(4000, 2))

    def null(most):
        return split_null(lambda x: correlation_matrix(x, "kendall"), real, 1000, rng, most)[0, 1]

    expected = np.sqrt(
        2 / np.pi * 4 / 9 * (1 / 4000 + 1 / 1000)
    )  # tau of independent columns: variance 4 / (9 n)
    assert np.mean([null(400) for _ in range(4)]) == pytest.approx(expected, rel=0.25)


def histories(seed, n=400):
    rng = np.random.default_rng(seed)
    sizes = np.rint(rng.lognormal(2, 1, (n, 1)) * rng.lognormal(0, 0.3, (n, 4)))
    sizes[rng.random((n, 1)) < 0.3 * (np.arange(4) > 1)] = np.nan
    return sizes


def test_panels_meet_their_nulls_on_average():
    real = [panel_against_null(histories(seed), histories(100 + seed)) for seed in range(8)]
    for name in real[0]:
        value, null = (np.mean([one[name][place] for one in real]) for place in (0, 1))
        best = 1000 if name.startswith("km") else 0
        if name != "pmse":  # mostly 0
            assert abs(value - best) == pytest.approx(abs(null - best), rel=0.4), name
    poor = panel_against_null(histories(1), 2 * histories(50))
    assert poor["gross_mape"][0] > 5 * poor["gross_mape"][1]
    assert poor["pmse"][0] > 5 * poor["pmse"][1] > 0


def test_few_units_have_no_null():
    found = panel_against_null(histories(1, 20), histories(2, 20))
    assert found["gross_mape"][1] is None and found["pmse"][1] is not None


def test_every_measure_of_a_table_has_a_null():
    rng = np.random.default_rng(3)

    def table():
        return {**simulate_paper(300, rng), "region": rng.choice(["north", "south", None], 300)}

    found = evaluate(table(), table(), table(), formulas="X3 ~ X1")
    assert not [row.name for row in found if row.null is None]
    assert {row.name for row in found} == {
        name for name, measure in MEASURES.items() if measure.family != "panel"
    }
