import json
import math
from decimal import Decimal
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.errors import BudgetError
from quantail.privacy.budget import (
    LEAST_EPSILON,
    MOST_EPSILON,
    Plan,
    as_decimal,
    parse_amount,
    parse_epsilon,
    split,
)

positive = st.fractions(min_value=F(1, 10**6), max_value=1000, max_denominator=10**6)


# amounts


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, F(1)),
        (0.1, F(1, 10)),
        (1e-7, F(1, 10**7)),
        ("1", F(1)),
        (" 0.25 ", F(1, 4)),
        (".5", F(1, 2)),
        ("1/3", F(1, 3)),
        ("1e-3", F(1, 1000)),
        (F(2, 7), F(2, 7)),
        (np.float64(0.3), F(3, 10)),
        (np.int64(2), F(2)),
    ],
)
def test_amounts_are_read_exactly(value: object, expected: F) -> None:
    assert parse_amount(value, "delta") == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [LEAST_EPSILON, MOST_EPSILON, "1/3", 1e-5])
def test_an_epsilon_within_the_limits_is_an_amount(value: object) -> None:
    assert parse_epsilon(value) == parse_amount(value, "epsilon")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["1e99", 2 * MOST_EPSILON, 1e-9, LEAST_EPSILON / 2])
def test_an_epsilon_that_nobody_can_mean_is_refused_with_the_limits(value: object) -> None:
    with pytest.raises(BudgetError, match=r"--epsilon must lie between 0\.00001 and 1000000000"):
        parse_epsilon(value, "--epsilon")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [
        *(0, -1, 0.0, -0.5, F(0), F(-1, 3), math.nan, math.inf, -math.inf),
        *(
            "nan",
            "inf",
            "",
            "one",
            "-1",
            "0",
            "1/0",
            "1/-3",
            "1/3/2",
            "1e999999999",
            "9" * 5000,
            "1_000",
            "٣",
        ),
        *(True, False, None, [1], 1j),
    ],
)
def test_what_is_no_amount_is_refused_with_advice(value: object) -> None:
    with pytest.raises(
        BudgetError, match=r"epsilon must be a positive, finite number.*Write for instance 1, 0.25"
    ):
        parse_epsilon(value)  # type: ignore[arg-type]


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_a_float_and_its_shortest_text_are_the_same_amount(value: float) -> None:
    assert float(parse_amount(value, "weight")) == value
    assert parse_amount(value, "weight") == F(Decimal(repr(value)))


@given(positive)
def test_a_decimal_without_a_fraction_beside_it_is_exact(value: F) -> None:
    text = as_decimal(value)
    if "(" in text:
        assert text.endswith(f"({value})")
    else:
        assert F(text) == value


def test_an_amount_too_long_to_write_is_marked_as_rounded() -> None:
    assert as_decimal(F(10**40 + 1, 3 * 10**40)) == "about 0.333333333333"


# splitting


@given(
    positive,
    st.lists(st.one_of(positive, st.floats(1e-9, 1e9), st.integers(1, 10**9)), min_size=1, max_size=40),
)
def test_parts_are_positive_and_sum_to_the_total(total: F, weights: list[F | float | int]) -> None:
    parts = split(total, weights)
    assert len(parts) == len(weights)
    assert sum(parts) == total
    assert min(parts) > 0


@given(st.lists(st.floats(0.05, 1), min_size=1, max_size=6))
def test_parts_follow_the_weights_with_small_denominators(weights: list[float]) -> None:
    parts = split(F(1), weights)
    for part, weight in zip(parts, weights, strict=True):
        assert part.denominator <= 1000
        assert (
            abs(float(part) - weight / sum(weights)) <= 0.0031
        )  # rounding: .0005 each, collected by the largest


def test_whole_ratios_are_followed_exactly() -> None:
    assert split(F(1), [0.1, 0.2, 0.7]) == (F(1, 10), F(1, 5), F(7, 10))
    assert split(F(3, 4), [1] * 300) == (F(1, 400),) * 300


def test_rounded_weights_send_the_rest_to_the_largest() -> None:
    assert split(F(1), [math.pi, 10, math.e]) == (F(198, 1000), F(631, 1000), F(171, 1000))


@pytest.mark.parametrize("tiny", [F(1, 10**30), 1e-12])
def test_a_tiny_weight_still_gets_a_part(tiny: F | float) -> None:
    assert split(F(1), [1, tiny]) == (F(999, 1000), F(1, 1000))


def test_many_parts_do_not_starve_or_fatten_the_largest() -> None:
    weights = [1.0001] * 37 + [1e-9] * 60 + [1 / 7] * 2000
    parts = split(F(1), weights)
    assert sum(parts) == 1
    assert min(parts) > 0
    assert float(parts[0]) == pytest.approx(weights[0] / sum(weights), rel=0.1)


@pytest.mark.parametrize("weights", [[], [1, 0], [1, -1], [math.nan], [True]])
def test_weights_must_be_positive(weights: list[float]) -> None:
    with pytest.raises(BudgetError):
        split(F(1), weights)


# the plan


def small_plan() -> Plan:
    ladder = Plan.sequence("ladder", [Plan.leaf(f"level {k}", F(1, 12), note="S = 1") for k in (1, 2, 3)])
    pay = Plan.sequence("pay", [Plan.leaf("slopes", F(1, 4)), ladder])
    return Plan.sequence("table", [pay, Plan.leaf("jobs", F(1, 2), note="9 rungs")])


def test_a_sequence_adds_and_a_parallel_takes_the_largest() -> None:
    parts = [Plan.leaf("a", F(1, 3)), Plan.leaf("b", F(1, 2))]
    assert Plan.sequence("both", parts).cost == F(5, 6)
    assert Plan.parallel("both", parts).cost == F(1, 2)
    assert small_plan().cost == 1


def test_children_may_leave_something_but_not_exceed_the_cost() -> None:
    parts = (Plan.leaf("a", F(1, 3)), Plan.leaf("b", F(2, 3)))
    assert Plan("whole", F(1), parts).committed == 1
    assert Plan("whole", F(2, 3), parts, "max").committed == F(2, 3)
    just_below = F(1) - F(1, 10**30)  # a float could not tell this from 1
    with pytest.raises(BudgetError, match="children together ask for 1"):
        Plan("whole", just_below, parts)
    with pytest.raises(BudgetError, match="max"):
        Plan("whole", F(2, 3) - F(1, 10**30), parts, "max")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Plan.leaf("", F(1)),
        lambda: Plan.leaf("a", F(-1)),
        lambda: Plan.leaf("a", 0.5),
        lambda: Plan.leaf("a", True),
        lambda: Plan("a", F(1), compose="min"),
        lambda: Plan("a", F(1), unit="delta"),
        lambda: Plan.sequence("a", []),
        lambda: Plan.sequence("a", [Plan.leaf("b", F(1)), Plan.leaf("b", F(1))]),
        lambda: Plan.sequence("a", [Plan.leaf("b", F(1)), Plan.leaf("c", F(1), unit="rho")]),
    ],
)
def test_a_malformed_part_is_refused(make: object) -> None:
    with pytest.raises(BudgetError):
        make()  # type: ignore[operator]


def test_parts_are_found_by_path_even_with_slashes_in_names() -> None:
    plan = small_plan()
    assert plan.find("pay/ladder/level 2").cost == F(1, 12)
    groups = Plan.parallel(
        "by", [Plan.leaf("oil", F(1)), Plan.sequence("oil/gas", [Plan.leaf("x", F(1, 2))])]
    )
    assert groups.find("oil/gas/x").cost == F(1, 2)
    with pytest.raises(
        BudgetError, match=r"no part 'pay/level 2'; directly below 'table' are: 'pay', 'jobs'\."
    ):
        plan.find("pay/level 2")


def test_leaves_are_the_questions_in_order() -> None:
    names = [leaf.name for leaf in small_plan().leaves()]
    assert names == ["slopes", "level 1", "level 2", "level 3", "jobs"]


@st.composite
def plans(draw: st.DrawFn, depth: int = 3) -> Plan:
    unit = "epsilon"
    if depth == 0 or draw(st.booleans()):
        return Plan.leaf(
            draw(st.text(min_size=1, max_size=5)), draw(positive), draw(st.text(max_size=5)), unit
        )
    names = draw(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=3, unique=True))
    children = []
    for name in names:
        child = draw(plans(depth - 1))
        children.append(Plan(name, child.cost, child.children, child.compose, child.note, unit))
    build = draw(st.sampled_from([Plan.sequence, Plan.parallel]))
    return build(draw(st.text(min_size=1, max_size=5)), children)


@given(plans())
@settings(max_examples=50, deadline=None)
def test_plans_survive_json(plan: Plan) -> None:
    again = Plan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert again == plan


def test_an_altered_plan_file_is_refused() -> None:
    good = small_plan().to_dict()
    overspent = json.loads(json.dumps(good))
    overspent["children"][1]["cost"] = "3/4"
    bad = [
        {},
        good | {"cost": "lots"},
        good | {"children": 3},
        good | {"children": [7]},
        good | {"cost": "1/0"},
    ]
    for values in [*bad, overspent]:
        with pytest.raises(BudgetError):
            Plan.from_dict(values)


def test_the_drawing_is_aligned_and_complete() -> None:
    assert small_plan().render().split("\n") == [
        "plan              epsilon   share",
        "table             1        100.0%",
        "├─ pay            0.5       50.0%",
        "│  ├─ slopes      0.25      25.0%",
        "│  └─ ladder      0.25      25.0%",
        "│     ├─ level 1  0.08333    8.3%  S = 1",
        "│     ├─ level 2  0.08333    8.3%  S = 1",
        "│     └─ level 3  0.08333    8.3%  S = 1",
        "└─ jobs           0.5       50.0%  9 rungs",
    ]


def test_hundreds_of_groups_of_one_shape_are_drawn_as_one() -> None:
    def group(name: str, cost: F, note: str) -> Plan:
        return Plan.sequence(
            name, [Plan.leaf("slopes", cost, note=note), Plan.leaf("ladder", cost, note="S = 1")]
        )

    many = [group(f"industry {k}", F(1, 2), f"noise in ranks {k}") for k in range(312)]
    odd = group("industry x", F(1, 3), "")
    text = Plan.parallel("by industry", [many[0], odd, *many[1:]], note="public groups").render()
    assert "industry 0 … industry 311 (x 312 groups)" in text
    assert "industry x" in text
    assert "notes differ by group" in text
    assert text.count("S = 1") == 2
    assert "public groups; disjoint rows share the cost" in text
    assert len(text.splitlines()) == 8


def test_rounds_of_one_shape_are_drawn_as_one_and_columns_are_not():
    rounds = [
        Plan.sequence(f"round {k}", [Plan.leaf("choose", 1), Plan.leaf("count", 2)]) for k in range(1, 12)
    ]
    text = Plan.sequence("rounds", rounds).render()
    assert "round 1 … round 11 (each of 11)" in text and "round 2" not in text and text.count("choose") == 1
    assert "33" in text.splitlines()[1]  # the whole costs all of them
    unlike = [*rounds[:6], Plan.sequence("round 7", [Plan.leaf("choose", 2), Plan.leaf("count", 2)])]
    assert "round 1 … round 6 (each of 6)" in (text := Plan.sequence("rounds", unlike).render())
    assert "round 7" in text
    columns = [Plan.leaf(name, 1) for name in ("age", "pay", "sex", "zip", "job", "tax")]
    assert all(column.name in Plan.sequence("columns", columns).render() for column in columns)


def test_few_groups_and_sequences_are_drawn_in_full() -> None:
    few = Plan.parallel("by", [Plan.leaf(f"g{k}", F(1)) for k in range(4)])
    steps = Plan.sequence("steps", [Plan.leaf(f"q{k}", F(1, 49)) for k in range(49)])
    assert len(few.render().splitlines()) == 6
    assert len(steps.render().splitlines()) == 51


def test_the_drawing_shows_what_is_held_back_and_tiny_shares() -> None:
    plan = Plan("whole", F(10**6), (Plan.leaf("a", F(1)),))
    assert "999999 held back" in plan.render()
    assert "<0.1%" in plan.render()
