import numpy as np
import pytest

from quantail.datasets import simulate_paper
from quantail.errors import DataError, OptionError
from quantail.evaluation import k_marginal

FIVE = {"x": [0.0, 1.0, 2.0, 3.0, 4.0]}  # min, quartiles and max are the values themselves


def test_bins_are_open_on_the_left() -> None:
    # Real shares: one row in each of bins 0..4. Moved up a little, value i leaves bin i for bin i + 1:
    # shares 0 | .2 .2 .2 .2 | .2 against .2 .2 .2 .2 .2 | 0: summed difference .4, score 800.
    # Moved down a little each stays where it is. Right-open bins would give 1000 and 800 instead.
    assert k_marginal(FIVE, {"x": [v + 0.1 for v in FIVE["x"]]}) == pytest.approx(800)
    assert k_marginal(FIVE, {"x": [v - 0.1 for v in FIVE["x"]]}) == pytest.approx(1000)


def test_value_at_the_minimum_is_in_the_lowest_outside_bin() -> None:
    # All synthetic rows far below: they share the bin of the one real row at the minimum, 1/5 in common.
    assert k_marginal(FIVE, {"x": [-50.0] * 5}) == pytest.approx(200)
    assert k_marginal(FIVE, {"x": [4.1] * 5}) == pytest.approx(0)


def test_score_is_halved_so_that_half_overlap_is_500() -> None:
    # Two of four synthetic rows match the real cells one to one; without the half the score would be 0.
    real = {"x": [0.0, 1.0, 2.0, 3.0]}  # edges 0, .75, 1.5, 2.25, 3
    assert k_marginal(real, {"x": [0.0, 1.0, 9.0, 9.0]}) == pytest.approx(500)


def test_quartiles_interpolate_as_in_r() -> None:
    # R's quantile(c(0, 1, 2, 10), .75) is 4; a value of 4 lies in (q2, q3], a value of 4.01 above it.
    real = {"x": [0.0, 1.0, 2.0, 10.0]}
    assert k_marginal(real, {"x": [0.0, 1.0, 4.0, 10.0]}) == pytest.approx(1000)
    assert k_marginal(real, {"x": [0.0, 1.0, 4.01, 10.0]}) == pytest.approx(750)


def test_cells_are_joint() -> None:
    real = {"x": FIVE["x"], "y": FIVE["x"]}
    crossed = {
        "x": FIVE["x"],
        "y": FIVE["x"][::-1],
    }  # same columns, opposite dependence: only the middle row fits
    assert k_marginal(real, crossed) == pytest.approx(200)
    assert k_marginal(real, crossed, ["x"]) == pytest.approx(1000)


def test_six_bins_per_column_and_no_collisions_between_cells() -> None:
    rng = np.random.default_rng(1)
    real, synth = simulate_paper(400, rng), simulate_paper(300, rng)
    total = 0.0
    codes = []
    for table in (real, synth):
        bins = []
        for name, values in table.items():
            edges = np.quantile(real[name], [0, 0.25, 0.5, 0.75, 1])
            bins.append([sum(v > e for e in edges) for v in values])
        codes.append(list(zip(*bins, strict=True)))
    for cell in set(codes[0]) | set(codes[1]):
        total += abs(codes[0].count(cell) / 400 - codes[1].count(cell) / 300)
    assert k_marginal(real, synth) == pytest.approx(1000 * (2 - total) / 2, rel=1e-12)


def test_fresh_sample_of_the_papers_size_scores_about_970() -> None:
    rng = np.random.default_rng(2)
    scores = [k_marginal(simulate_paper(5000, rng), simulate_paper(5000, rng)) for _ in range(5)]
    assert 960 < np.mean(scores) < 978


def test_constant_column_one_row_and_too_many_columns() -> None:
    assert k_marginal({"x": [3.0, 3.0]}, {"x": [3.0]}) == pytest.approx(1000)
    assert k_marginal({"x": [3.0, 3.0]}, {"x": [4.0]}) == pytest.approx(0)
    with pytest.raises(OptionError, match="too many columns at once"):
        k_marginal({str(i): [1.0] for i in range(30)}, {str(i): [1.0] for i in range(30)})
    with pytest.raises(DataError, match="lacks the column"):
        k_marginal(FIVE, FIVE, ["z"])
