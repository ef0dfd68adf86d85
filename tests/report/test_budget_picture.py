"""The budget as a picture: widths are shares, and shared costs are drawn once."""

import re
from fractions import Fraction

import pytest

from quantail.privacy.budget import Plan
from quantail.report.budget import draw_budget


def leaf(name, cost):
    return Plan.leaf(name, Fraction(cost), "asked once")


def widths(drawing, kind):
    return [float(width) for width in re.findall(rf'class="{kind}[^"]*" style="width:([\d.]+)%', drawing)]


def bars(plan):
    main, fine = re.findall(r'<div class="bar(?: fine)?">(.*?)</div>', draw_budget(plan))
    return main, fine


def test_widths_are_shares_of_the_whole():
    parts = [leaf("a", "1/8"), Plan.sequence("b", [leaf("c", "1/4"), leaf("d", "1/8")])]
    main, fine = bars(Plan.sequence("table", parts))
    assert widths(main, "part") == pytest.approx([25, 75])
    assert widths(fine, "family") == pytest.approx([25, 75])
    assert widths(fine, "part") == pytest.approx([200 / 3, 100 / 3], abs=1e-3)


def test_groups_that_share_their_cost_are_drawn_once():
    groups = [Plan.sequence(f"g{k}", [leaf("a", "1/4"), leaf("b", "3/4")]) for k in range(5)]
    drawing = draw_budget(Plan.parallel("table", groups))
    assert widths(bars(Plan.parallel("table", groups))[0], "part") == pytest.approx([25, 75])
    assert "b, in each of 5 groups 75%" in drawing and "g3" not in drawing


def test_the_table_holds_every_part_with_amount_and_note():
    plan = Plan.sequence("table", [Plan.sequence("pay", [leaf("slope", "1/3"), leaf("curve", "1/6")])])
    drawing = draw_budget(plan)
    for said in ("pay", "slope", "curve", "0.3333", "0.1667", "67%", "asked once", "0.5 epsilon in all"):
        assert said in drawing


def test_it_is_told_in_words_and_names_are_escaped():
    drawing = draw_budget(Plan.sequence("t", [leaf("<b>", "1/2"), leaf("c", "1/2")]))
    assert 'aria-label="How the budget is split: &lt;b&gt; 50%, c 50%."' in drawing
    assert "<b>50%" not in drawing and "<b><b>" not in drawing
