"""Every tuned number of the pooled panel method, with what set it.

Values were chosen by the trials of docs/decisions/0006-panels.md (stand-in for the LBD, epsilon 1, simulated noise);
quotations refer to its paragraphs. Numbers that the proof needs (`LATTICE`, sensitivities) are in `panel/tables.py`.
"""

from fractions import Fraction

import numpy as np

# Budget

LEAD_SHARE = 2
"""Share of the leading column, against 1 for each follower."""

LOCATING_SHARES = {
    "place": (Fraction(60), Fraction(1, 50), Fraction(35, 100)),
    "mean": (Fraction(90), Fraction(1, 20), Fraction(7, 20)),
}
"""Units times epsilon that a question about where a follower's ratios lie needs, and its least and largest share of the
follower's budget: the largest where the number of units is protected. No prior can know where ratios lie."""

FOLLOWER_SHARES = {
    "sizes": 16,
    "pairs": 12,
    "unchanged": 3,
    "years": 9,
    "splines": 6,
    "growth": 6,
}
"""Shares of a follower's other questions."""

FEW_FOLLOWER_SHARES = {
    "sizes": 30,
    "pairs": 8,
    "unchanged": 2,
    "years": 4,
    "splines": 3,
    "growth": 3,
}
"""The same where units times the follower's epsilon are public and below `FEW_FOLLOWER_UNITS`: how many zeros there are
decides its total, and that only cells tell (decision 0015, "Few units with a value")."""

FEW_FOLLOWER_UNITS = 200
"""Units times a follower's epsilon below which it is asked about in that way."""

SHARES = {
    "place": 3,
    "sizes": 16,
    "tails": 10,
    "sums": 11,
    "trends": 10,
    "pairs": 14,
    "unchanged": 4,
    "years": 18,
    "splines": 6,
    "growth": 21,
}
"""Shares of a column's budget by question; questions about change fall away in a panel of one period."""

FEW_UNITS_SHARES = {
    "place": 20,
    "mean": 15,
    "sizes": 18,
    "tails": 8,
    "sums": 18,
    "trends": 4,
    "pairs": 12,
    "unchanged": 4,
    "years": 6,
    "splines": 2,
    "growth": 6,
}
"""The same where units times the column's epsilon are public and below `FEW_UNIT_EPSILON`: most goes to where sizes
lie, since cells, which need more units, cannot tell (decision 0015, "Few units")."""

FEW_UNIT_EPSILON = 1_000
"""Units times the column's epsilon below which a leading column is asked about in that way."""

SIGN_TENTHS = 7
"""Tenths of a unit's points that go to signs of growth; the rest goes to sizes of moves."""

LAGS = (1, 2, 4, 8, 16)
"""Lags at which pairs of sizes are counted."""

LAG_SHARES = (7, 3, 3, 3, 2)
"""Shares of a unit's points by lag, among the lags that it lives to see."""

# Cells and knots

CELL_UNITS = 4.0
"""Units per size cell at least, in standard deviations of the noise."""

SINGLE_CELLS = 5
"""Whole numbers up to here have a cell each."""

CELL_RATIO = 1.3
"""Beyond, cells grow by this factor."""

MOST_CELLS, FEWEST_CELLS = 80, 6
"""Bounds on the number of size cells."""

NEAR_ZERO = 1e-3
"""What is close to zero in a column with both signs, as a share of the larger bound."""

GROWTH_ENDS = (0.06, 0.15, 0.3, 0.55, 1.0, 1.8)
"""Ends of growth cells, up and down, in units of growth."""

CLASS_CUTS = (0.4, 0.7, 0.9)
"""Quantile levels at which size classes of the table of pairs are cut."""

CLASS_MIDDLES = np.array([-0.8, 0.1, 0.8, 1.6])
"""Middles of these classes, in standard deviations of a normal distribution."""

AGE_KNOTS = (0, 1, 2, 4, 8, 16)
"""Knots of the linear spline of age."""

LEFT_KNOTS = (0, 1, 3, 8)
"""Knots of the linear spline of the periods left."""

WINDOW, RATIO_WINDOW = 2.0, 3.0
"""Widths of the windows among which the one with most units is chosen, for a lead and for a follower's ratios, of which
few units may have one, and narrow windows would miss many of those (log units; windows start a quarter of it apart)."""

PLACED_UNITS = 15.0
"""Units times epsilon below which a window that was chosen is not believed for the lead."""

MEAN_REACH = 1.25
"""How far from that window's middle the mean of a unit is bounded, for the mean of all."""

LINEAR_UNITS = 16
"""Units of distance between the bounds of a column that is compared as it is, where the bounds say no more."""

USUAL_OFFSET, FARTHEST_CENTRE = 0.5, 1.5
"""How far the mean of bounded distances usually is from the middle of the window, and how far the centre of all sizes
is at most, in units of the bound."""

RATIO_REACH, RATIO_BEND = 5.0, 3.2
"""How far cells of ratios reach from their mean, and how much wider the outer ones are (sinh)."""

RATIO_ENDS = 0.001
"""Share at either end of the usual laws of ratios beyond which there are none: noise alone must not put any there."""

FEWEST_RATIO_CELLS, RATIO_CELLS = 12, 40
"""Cells of ratios at least and at most."""

RATIO_SPREADS, USUAL_RATIO_SPREAD, RATIO_SPREAD_ERROR = (
    (0.1, 0.15, 0.2, 0.3, 0.4, 0.55, 0.75, 1.0, 1.4, 2.0),
    0.4,
    0.5,
)
"""Deviations of log ratios that are held possible, the usual one, and how far logs of deviations are from that."""

LEAD_ZERO_NOISE = 2.0
"""Deviations of noise above which zeros of a lead are taken for real."""

ZEROS_BESIDE_ACTIVE, ZEROS_BESIDE_IDLE = (0.8, 0.0, 0.2), (0.2, 0.6, 0.2)
"""How often a follower has no zeros, nothing but zeros, or any share of them, beside an active and an idle lead."""

USUAL_GAPS, USUAL_MISSING, USUAL_ABSENCE_STAY = (0.01, 0.05), (0.05, 0.08), 0.5
"""Usual shares of gaps, and of missing values, where a schema says that there are some; how far shares are from that;
and the usual chance that absence lasts."""

USUAL_ZERO_STAY = 0.75
"""Usual chance that a follower's zero lasts, where chance alone would end it."""

SIZES_BELOW, SIZES_ABOVE = 2.0, 6.0
"""Where units are few, size cells lie within so many log units of the window's middle; one cell each has the rest."""

MEAN_ENDS = (-2.5, -1.2, -0.6, -0.2, 0.2, 0.6, 1.2, 2.0, 3.0, 4.5)
"""Ends of size cells around the mean of few units (log units)."""

USUAL_SPREADS = (0.1, 0.2, 0.35, 0.55, 0.8, 1.1, 1.5)
"""Deviations of sizes around that mean that are held possible."""

IDLE_CELLS = 12
"""Cells of a follower's size beside a lead in the zero state: few, since few units are."""

LEAD_KNOTS = (0.1, 0.5, 0.9)
"""Quantile levels of the lead's size at which the spline of its effect has knots."""

# Skeleton (decision 0015)

SKELETON_SHARE = Fraction(1, 5)
"""Share of the budget of a full synthesis that goes to entries and exits; most of its loss is what sizes then lack."""

SKELETON_SHARES = {"units": 30, "entries": 35, "exits": 35, "durations": 30}
"""Shares of the skeleton's budget by question; units are asked for only where their number is protected."""

ENTRY_BLOCKS = 7
"""Blocks of entry in the table of durations: the first period, and six parts of the rest."""

DURATION_ENDS = (1, 2, 4, 8, 16)
"""Last durations of its bands; longer ones, and units still there, have bands of their own."""

MOST_PLACES = 60
"""Places of a skeleton; periods are put together if there are more."""

WALKS = (0.03, 0.1, 0.3, 1.0)
"""Deviations of a step of log entries, and of years of the log odds of leaving, among which evidence chooses."""

USUAL_HAZARD, WIDE_HAZARD = -2.5, 2.0
"""Usual log odds of leaving, and how far first effects may lie from their centre."""

AGE_HAZARD_WALK = 0.5
"""Change of the log odds of leaving from one knot of age to the next."""

LINE_HAZARD = 1.0
"""Change of the log odds of units of the first period, from first to last period."""

LIFE_MODEL_ERROR = 0.02
"""Relative error of the model in a cell of lives."""

NEVER, HELD = -30.0, 1e6
"""Log odds of what does not happen, and how firmly they are held."""

LIFE_STEPS, LONGEST_LIFE_STEP = 25, 1.0
"""Gauss-Newton steps at most, and the most that a parameter changes in one."""

ATTRIBUTE_CUTS = (0.5, 0.9)
"""Quantile levels at which classes of first sizes are cut, for attributes."""

ATTRIBUTE_KINDS = (12, 3, 1)
"""Kinds of units by which an attribute is counted: all, classes of first sizes alone, or none apart."""

KIND_UNITS = 20.0
"""Units of a kind on average, in deviations of noise, from which kinds are told apart."""

ATTRIBUTE_NOISE = 1.0
"""Units from all kinds that stand beside those of one kind, in deviations of noise per root of the categories."""

ATTRIBUTE_SHARE, ATTRIBUTE_UNITS, LARGEST_ATTRIBUTE_SHARE = Fraction(1, 25), 60, Fraction(1, 10)
"""Share of the budget of an attribute, units times epsilon that it needs (where their number is public), the most."""

GAP_SHARE, MISSING_SHARE = Fraction(1, 25), Fraction(1, 10)
"""Shares of the budget of gaps, and of the missing values of a follower (of its own budget)."""

# Small groups that borrow

BORROWING_UNITS = 1_500
"""Units times epsilon below which a group borrows."""

BORROWED_SHARE = Fraction(1, 2)
"""Share of the budget of small groups that goes to questions asked of all of them at once."""

GROUP_SHARES = {
    "lives": 20,
    "stays": 10,
    "lead": 55,
    "sums": 20,
    "trends": 10,
    "mean": 25,
    "attribute": 8,
    "changing": 24,
}
"""Shares of a group's own budget: of lives, the lead (by its questions), each follower's mean, each category."""

LIFE_SPREAD, GROUP_SPREAD, GROUP_RATIO_SPREAD = 0.4, 0.5, 0.3
"""How far groups lie from all: cells of lives, relative to them; mean sizes, in spreads of all; mean log ratios."""

STAY_SPREAD, LIFE_TILT = 0.1, 10.0
"""How far the length of a group's lives is from that of all, relative to it; and the largest tilt by length."""

TILT_SPREADS, TILT_LIMIT = 2.0, 2.0
"""Spreads from the pooled mean at which sizes of a group's units are bounded; the largest tilt, in inverse spreads."""

BORROWED_REACH = 0.75
"""Distance from the pooled mean at which ratios of a group's units are bounded."""

BORROWED_ERROR = 0.02
"""How far a group's sums lie from those of all, relative to its share of units in a period."""

# Bounds of what is summed

CENTRE_LEVEL = 0.6
"""Quantile level from which sizes are measured."""

GROWTH_REACH = 0.8
"""Growth at which the size of a move is bounded, in units of growth."""

BEYOND_CAP = 0.5
"""Assumed relative error of what a curve says about sizes above the cap of a total."""

BEYOND_CAP_TREND = 0.2
"""The same for the cap of a trend; .5 gave 6.9 instead of 6.1% gross error (row "higher cap of trends")."""

TAIL_FROM, TAIL_INDEX = 0.95, 1.7
"""On log scales caps allow for a Pareto tail of this index from this level on, so that noise cannot hide the tail."""

# Size distribution

ROUGHNESS = 0.15
"""Prior relative distance of true cell weights from a log-concave curve."""

BEND_WEIGHT = 0.15
"""Penalty on curvature relative to that of a normal curve: tails are exponential unless counts say otherwise."""

TAIL_NOISE = 8.0
"""A tail holding fewer units than this many standard deviations of noise is extrapolated; 2 before ("Tails")."""

HEAVIEST_INDEX = 1.05
"""The heaviest tail: a Pareto law of this index falls to 1/e within its inverse."""

LEAST_FALL = 0.05
"""The steepest fall of a tail to 1/e, in log units."""

TAIL_FALLS, TAIL_BENDS = np.geomspace(LEAST_FALL, 1.0 / HEAVIEST_INDEX, 18), np.linspace(0.0, 0.75, 6)
"""Falls and bends of tails that are weighed against each other (decision 0015, "Tails that bend")."""

TAIL_STRETCHES = np.linspace(-0.2, 0.4, 9)
"""Log stretches of the upper half that are weighed with them."""

UPPER_LEVELS = 1.0 - np.geomspace(0.5, 1e-6, 240)
"""Levels between which the excess of a curve is summed up."""

USUAL_FALL, FALL_SPREAD = 1.1, 0.6
"""Usual fall where a share of 1/e is larger, bending as is usual beyond, and how far its log is from that."""

USUAL_BEND, BEND_SPREAD, STRAIGHT_SHARE = 0.5, 0.15, 0.3
"""Usual bend of a tail and how far from it bends are; share of tails that are straight as Pareto's."""

BEND_FROM, BEND_ERROR, BELOW_ERROR = 0.85, 0.12, 0.2
"""Level from which the curve below a tail tells its bend; errors of the logs of its bend, and of its fall there."""

UPPER_HALF_SPREAD, CAPPED_ERROR = 0.12, 0.01
"""How far the log stretch of a curve's upper half is from 0, and the relative error of its capped total."""

EXCESS_REACH = 2.0
"""How far above the start of the tail sizes are counted, in log units."""

MOST_COUNTED = 0.9995
"""Quantile level from which a tail is extrapolated in any case."""

PRIOR_UNITS = 40.0
"""Units, in deviations of noise, at which counts and prior (Zipf's law) weigh alike ("No prior for small groups")."""

CURVE_STEPS = 200
"""Levenberg-Marquardt steps at most."""

POINTS_PER_CELL = 8
"""Points per cell of the interpolated distribution."""

NARROWEST_STRETCH, WIDEST_STRETCH = -1.5, 0.15
"""Bounds of the log stretch of the curve's upper half that meets a released total."""

STRETCH_PRIOR = 0.08
"""Prior standard deviation of that stretch."""

# Latent process

JUMP_RATE = 0.03
"""Chance of a lasting jump per period."""

VOLATILITY_RANGE = 2.5
"""Latent sizes beyond so many standard deviations are as volatile as at it."""

COHORT_FADE = 0.75
"""How much of a cohort's effect is left after a period."""

USUAL_UNCHANGED = 0.2
"""Usual share of pairs without change, and how far from it shares are: the prior of the released share."""

# Search for the dynamics: log odds of permanent and transitory variance against the AR(1), logit of persistence and
# of repeat, tilt, log of jump

MOVING = np.array([0.2, -2.5, 1.1, -3.8, 0.0, -1.0])
"""Usual dynamics of a leading column of many units; the size of jumps, the last one, by "Trials on the jumps of SIC
178"."""

STEADY = np.array([1.6, -2.5, 1.5, -3.8, 0.0, -1.0])
"""The same of few units and of followers, of which less is known: mostly permanent (decision 0015, "Strangers")."""

PRIOR_SPREAD = np.array([1.2, 1.0, 1.0, 2.0, 0.2, 0.4])
"""Prior standard deviations."""

LARGE_JUMP = 0.0
"""Size of jumps at a second start of the search: from small ones it does not find that larger ones fit better."""

SEARCH_STEP = np.array([0.1, 0.25, 0.1, 0.2, 0.05, 0.4])
"""Steps for numerical derivatives."""

LONGEST_SEARCH_STEP = 1.5
"""The most that a parameter changes in a step."""

SEARCH_ROUNDS = 4
"""Steps of the search in a round."""

TRIES = 4
"""Step lengths that are tried in a step of the search, and repetitions of a one-dimensional correction."""

ENOUGH_GAIN = 2e-3
"""Relative gain below which the search stops."""

PAIR_MODEL_ERROR = 0.03
"""Relative error of any model in a cell of pairs."""

# Effects of period, age, remaining life and cohort: prior standard deviations

PERIOD_WALK = 0.05
"""Change of an effect from one period to the next; .10 cost half a point of gross error."""

KNOT_WALK = 0.2
"""Change of an effect from one knot of a spline of age, or of the periods left, to the next."""

SIZE_WALK = 0.8
"""The same for a follower's effect of the lead's size: a column may well not go with the lead at all."""

FIRST_EFFECT = 0.5
"""First effect of each."""

COHORT_EFFECT = 0.3
"""Effect of a cohort."""

SPREAD_TREND = 0.045
"""Trend of the log spread of sizes."""

UNREST_EFFECT = 0.08
"""Effect of a period on the log scale of shocks."""

SUM_MODEL_ERROR = 0.005
"""Error of any model in a sum, relative to its share of the units ("Sums are never trusted below half a percent")."""

DERIVATIVE_SHIFT = 0.25
"""Shift of latent sizes for numerical derivatives."""

LONGEST_EFFECT_STEP = 0.6
"""The most that an effect changes in a step."""

EFFECT_ROUNDS = 4
"""Gauss-Newton steps for the effects in a round."""

# Simulation

SMALL_STAGE, LARGE_STAGE = 6_000, 50_000
"""Units that are simulated for the dynamics, and for the effects and in one draw."""

SIZE_MAP_KNOTS = 512
"""Knots of the map from latent sizes to sizes."""

# A new period of a released panel (decision 0015)

PERIOD_SHARES = {"flows": 50, "total": 50}
"""Shares of a new period's budget; later columns have half of what the sizes of the first have, together."""

RATIO_BOUND = 0.5
"""Distance from the released middle at which ratios of a later column are bounded."""

BEYOND_PERIOD_CAP = 0.3
"""Assumed relative error of what the released panel says about values above the cap of a new period's total."""

RECENT = 5
"""Periods of the released panel that say how many units are expected to leave and to enter."""

USUAL_ROUGHNESS = 0.04
"""How far rates of entry and exit differ from period to period at least, relative to themselves; else as released."""

FEW_UNITS = 0.003
"""Units, as a share of all, by which their number may differ however rarely units enter or leave."""

LEVEL_ERROR = 0.02
"""Relative error of the released number of units: how slowly it is corrected by that of units which continue."""

DONORS = 24
"""Transitions of the released panel among which the next period of a unit is chosen."""

DONOR_JITTER = 0.02
"""Deviation of what is added to donors' features, so that ties are broken at random."""

AGE_WEIGHT, IDLE_WEIGHT, STOCK_AGE = 0.3, 10.0, 8
"""What a log of age, and the zero state, count beside a spread of size; and the age of units of the first period."""

TILT_REACH, LARGEST_TILT, TILT_STEPS, TILT_ROUNDS = 1.0, 8.0, 14, 2
"""Growth at which a tilt is bounded, in spreads of size; bounds of tilts, steps of their search, and rounds of both."""

USUAL_SHIFT = 0.05
"""Usual shift of sizes between periods beyond what donors say, in spreads of size."""
