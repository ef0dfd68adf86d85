import numpy as np
import pytest

from quantail.errors import DataError, OptionError
from quantail.evaluation import evaluate, k_marginal, k_marginals, marginal_sets
from quantail.evaluation.marginal import MOST_SETS
from quantail.examples import simulate_paper

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


def test_independent_sample_of_the_papers_size_scores_about_970() -> None:
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


def sdnist(real, synth, sets, edges):
    """SDNist's score from its definition: 1000 (1 - mean total variation), bins [a, b), labels as they are."""
    scores = []
    for names in sets:
        shares = []
        for table in (real, synth):
            cells = [
                tuple(
                    sum(value >= edge for edge in edges[name]) if name in edges else value
                    for name, value in zip(names, row, strict=True)
                )
                for row in zip(*(table[name] for name in names), strict=True)
            ]
            shares.append({cell: cells.count(cell) / len(cells) for cell in cells})
        every = set(shares[0]) | set(shares[1])
        scores.append(1 - sum(abs(shares[0].get(c, 0) - shares[1].get(c, 0)) for c in every) / 2)
    return 1000 * sum(scores) / len(scores)


def test_agrees_with_sdnist_on_its_bins_by_hand() -> None:
    # Ages in [..18), [18..65), [65..); a value on an edge belongs above it. Real shares of (age, sex):
    # (0,f) 1/4, (1,f) 1/4, (1,m) 1/4, (2,m) 1/4; synthetic: (1,f) 1/2, (2,m) 1/2. Differences 1/4 each: TVD 1/2.
    real = {"age": [17, 18, 64, 65], "sex": ["f", "f", "m", "m"]}
    synth = {"age": [18, 20, 70, 65], "sex": ["f", "f", "m", "m"]}
    edges = {"age": [18, 65]}
    assert k_marginal(real, synth, edges=edges) == pytest.approx(500)
    assert sdnist(real, synth, [("age", "sex")], edges) == pytest.approx(500)
    # Bins closed on the right would put 18 below and 65 in the middle: (0,f) 1/2 against 1/4.
    assert k_marginal(real, {"age": [18, 18, 65, 65], "sex": real["sex"]}, edges=edges) == pytest.approx(500)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_agrees_with_sdnists_definition_for_every_k_and_mixed_types(k: int) -> None:
    rng = np.random.default_rng(k)

    def table(n: int) -> dict[str, list[object]]:
        return {
            "age": rng.integers(0, 90, n).tolist(),
            "pay": rng.lognormal(10, 1, n).round(-2).tolist(),
            "sex": rng.choice(["f", "m"], n).tolist(),
            "area": rng.choice(["x", "y", "z"], n).tolist(),
            "kids": rng.poisson(1, n).tolist(),
        }

    real, synth = table(120), table(90)
    edges = {"age": [18, 30, 65], "pay": [1e4, 2e4, 5e4], "kids": [1, 2]}
    fixed = marginal_sets(tuple(real), k)
    assert k_marginals(real, synth, k, edges=edges) == pytest.approx(sdnist(real, synth, fixed, edges))
    drawn = marginal_sets(tuple(real), k, draws=7, seed=3)
    ours = k_marginals(real, synth, k, draws=7, seed=3, edges=edges)
    assert ours == pytest.approx(sdnist(real, synth, drawn, edges))


def test_sets_are_all_a_part_or_drawn_and_depend_on_names_only() -> None:
    names = tuple(f"c{i}" for i in range(30))
    sets = marginal_sets(names)
    assert len(sets) == len(set(sets)) == MOST_SETS
    assert {name for s in sets for name in s} == set(names)
    assert marginal_sets(names[:2]) == [names[:2]]
    assert len(marginal_sets(names[:6], 2)) == 15
    drawn = marginal_sets(names, 4, draws=50, seed=1)
    assert drawn == marginal_sets(names, 4, draws=50, seed=1) != marginal_sets(names, 4, draws=50, seed=2)
    assert all(len(set(one)) == 4 for one in drawn)
    with pytest.raises(OptionError, match="at least 1"):
        marginal_sets(names, 0)


def test_missing_values_are_cells_of_their_own() -> None:
    real = {"x": [1.0, 2.0, 3.0, np.nan], "s": ["a", None, "a", "a"]}
    assert k_marginal(real, real) == 1000
    filled = {"x": [1.0, 2.0, 3.0, 3.0], "s": ["a", "None", "a", "a"]}
    assert k_marginal(real, filled, ["x"]) == pytest.approx(750)
    assert k_marginal(real, filled, ["s"]) == pytest.approx(750)


def test_null_is_what_independent_samples_score() -> None:
    rng = np.random.default_rng(6)
    found = [
        evaluate(simulate_paper(400, rng), simulate_paper(250, rng), measures=["counts"]).measures[0]
        for _ in range(20)
    ]
    scores, nulls = ([getattr(row, field) for row in found] for field in ("value", "null"))
    assert np.mean(scores) == pytest.approx(np.mean(nulls), abs=12)  # bins fit the real table a little better
    assert np.mean(scores) < 950  # well below 1000, which is why the null is worth knowing
