"""Planning before spending: what errors a budget will buy, tried out on made-up tables. No data are read.

expect   errors to expect of one budget, with a band that holds nine tables in ten
expect_panel   errors of totals and flows of a panel
plan_years     the same for a panel that is continued year by year, with what each year costs
sweep    the same as expect for several budgets, to draw error against epsilon
solve    the smallest budget that meets a target such as "q99 within 5%"
"""

from quantail.planning.band import Band, percent
from quantail.planning.expectation import ColumnExpectation, Expectation, can_expect, expect
from quantail.planning.panel_expectation import PanelExpectation, expect_panel
from quantail.planning.panel_years import PlannedPeriod, plan_years
from quantail.planning.resolution import Resolution
from quantail.planning.shapes import SHAPES, Shape, read_shape
from quantail.planning.solution import Solution, Target, read_target, solve
from quantail.planning.sweep import read_range, sweep
from quantail.planning.tables import simulate_table

__all__ = [
    "Band",
    "ColumnExpectation",
    "Expectation",
    "PanelExpectation",
    "PlannedPeriod",
    "Resolution",
    "SHAPES",
    "Shape",
    "Solution",
    "Target",
    "can_expect",
    "expect",
    "expect_panel",
    "percent",
    "plan_years",
    "read_range",
    "read_shape",
    "read_target",
    "simulate_table",
    "solve",
    "sweep",
]
