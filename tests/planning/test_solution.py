import pytest

from quantail.errors import OptionError
from quantail.planning import Band, ColumnExpectation, Expectation, Resolution, Target, read_target, solve


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("q99 within 5%", Target("q99", 0.05)),
        ("q99.9 of net pay within 12.5 %", Target("q99.9", 0.125, "net pay")),
        ("slope of pay within 10%", Target("slope", 0.1, "pay")),
        ("shares within 1%", Target("shares", 0.01)),
    ],
)
def test_targets_are_read(text, target):
    assert read_target(text) == target
    assert read_target(str(target)) == target


@pytest.mark.parametrize(
    "text", ["q99", "q99 within 5", "q0 within 5%", "mean within 5%", "q50 within 0%", ""]
)
def test_what_is_no_target_is_refused(text):
    with pytest.raises(OptionError, match="target"):
        read_target(text)


@pytest.fixture
def falling_errors(monkeypatch):
    """Errors that fall as 1 / epsilon, larger by a tenth on the fresh tables of the last trial."""
    asked = []

    def expect(schema, rows, epsilon, *, seed, levels, progress, **options):
        asked.append((epsilon, seed))
        error = (0.1 if seed == 0 else 0.11) / float(epsilon)
        found = ColumnExpectation(Resolution("pay", 5, 1.0, 1.0), {"q90": Band(error / 2, 0.0, error)})
        return Expectation(rows, False, epsilon, "lognormal", 19, (found,))

    monkeypatch.setattr("quantail.planning.solution.expect", expect)
    return asked


@pytest.mark.parametrize(("limit", "epsilon"), [(10, "1.2"), (5, "2.5"), (0.6, "20"), (99, "0.12")])
def test_the_smallest_epsilon_that_fresh_tables_confirm_is_found(pay_schema, falling_errors, limit, epsilon):
    solution = solve(pay_schema, 400, f"q90 within {limit}%")
    assert solution.epsilon == epsilon == solution.expectation.epsilon
    assert solution.target.met_by(solution.expectation)
    assert falling_errors[-1] == (epsilon, 1) and len(falling_errors) <= 10


def test_a_target_out_of_reach_says_so(pay_schema, falling_errors):
    solution = solve(pay_schema, 30, "q90 within 0.1%")
    assert solution.epsilon is None and "not reachable" in str(solution) and "more rows" in str(solution)
    assert solution.to_dict()["reached"] is False


def test_a_measure_that_no_column_has_is_refused(pay_schema):
    with pytest.raises(OptionError, match="slope"):
        solve(pay_schema, 20, "slope within 5%")
    with pytest.raises(OptionError, match="wages"):
        solve(pay_schema, 20, "q50 of wages within 5%")
