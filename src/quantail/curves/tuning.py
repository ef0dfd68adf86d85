"""Every tuned number of curves and slopes that are released, with what set it.

N epsilon is rows * epsilon of the query. Unless a line says otherwise, values were chosen on the bench of shapes and
the paper's simulation; quotations refer to rows of docs/decisions/0003-depth.md. Sizes of chunks, tolerances of solvers
and other numbers that change no result stand beside the code that needs them.
"""

import numpy as np

# How much is asked (`depth`)

RELEASED_QUANTILES = ((0.0, 1), (65.0, 2), (90.0, 3), (200.0, 5), (900.0, 7), (2500.0, 9), (8000.0, 15))
"""Number of quantiles in a joint draw from each n epsilon on: noise between neighbours adds up ("one joint draw")."""

OUTER_ROWS = 45.0
"""N epsilon that must lie beyond the outermost quantile ("outermost rungs farther out": 30 was 3% worse)."""

TWO_STAGES = 440.0
"""N epsilon below which there is one joint draw on wide candidates; above, one locates and a second refines: what is
narrow beside wide candidates is not found otherwise ("voltage")."""

LOCATE_SHARE = 0.25
"""Share of the budget that locating takes."""

LOCATING_LEVELS = (0.2, 0.5, 0.8)
"""Levels of the quantiles that locate a column."""

LOCATED = 60.0
"""N epsilon of locating, by the rows that turn out to have the number, below which refining does not rely on it."""

TWO_SLOPE_STAGES, COARSE_SHARE = 2000.0, 0.15
"""N epsilon from which a slope is selected in two stages, and the coarse one's share ("a slope in one selection")."""

# Candidates (`grid`, `joint`)

EVEN_LINEAR, EVEN_LOG = 60, 1200
"""Evenly spaced candidates over the whole range of a linear and of a log scale."""

THIN_FROM, THINNED = 0.5, 20.0
"""Beyond this part of a log range candidates thin out, to one in so many at its end ("far candidates")."""

HEIGHT_PRICE, HEIGHT_FREE = 1.5, 8.5
"""Nats that the highest quantile pays for every factor of e beyond the middle of a log range ("place of a poor"), and
e-folds of the range that cost nothing: some thousand lattice steps (docs/decisions/0013-two-stages.md)."""

WIDE_RATIO, SMALLEST_DISTANCE = 1.012, 1e-4
"""Ratio of neighbouring distances from zero on a linear scale, and the smallest distance as a share of the range."""

MIDDLE_PART, MIDDLE_REACH, FAR_RATIO = 4.5, 12.0, 1.5
"""Beyond released quartiles distances grow by 1 + part / candidates between them, and from this reach by the last."""

SPREAD_STEPS, WIDE_STEPS = 1.0, 3.0
"""Candidate steps over which rows of one value are spread to either side ("heaps are spread over a candidate step"),
and the same among wide candidates, of a locating draw and of what slopes shift on a log scale, which has no heaps: a
column narrower than its candidates then has cuts between them, and no quantile lies just anywhere ("voltage")."""

# Slopes (`slopes`, `instrument`)

MOST_ROWS = 40_000
"""Rows of the secret subsample on which a slope is selected: its sampling error is then far below the noise."""

ROUGH_ROWS = 10_000
"""The same for every stage but the last."""

ENOUGH_N_EPSILON, ROUGH_N_EPSILON = 10_000.0, 500.0
"""N epsilon that such a subsample must keep, in the last stage and in others."""

SLOPE_REACH = 0.25
"""The largest slope moves a column by this share of its range over the predictor's quartiles."""

SLOPE_PRICE = 1.0
"""Nats that a slope costs for every factor of e that it moves a log-scaled column over the predictor's quartiles."""

LARGEST_RATIO = 1e3
"""Largest slope over the smallest."""

FINE_REACH = 0.35
"""How far a fine stage looks around the coarse slope, as a share of it."""

CUT_LEVELS = np.arange(0.5, 400.0) / 400.0
"""Levels at which a predictor's released curve is looked at to find the cuts of its instrument."""

CUT_PLACES = np.arange(0.16, 0.85, 0.02)
"""Levels that are tried as cuts ("the instrument leaves out the middle of the predictor")."""

# Quantile functions (`curve`, `atom_curve`)

FLATTEST, STEEPEST_BASE = 0.1, 2.0
"""How far the smooth base may be shrunk or stretched beyond the released quantiles."""

NOISE_ALLOWANCE = 0.5
"""Standard deviations of chi-squared that are granted to the noise before the base gives way to quantiles."""

HEAVIEST = 0.9
"""Largest tail weight of a base, a Pareto index of 1.1: heavier tails have no mean, and noise must not invent one."""

LIGHT = 3.0
"""One over the prior standard deviation of a Pareto tail weight around zero."""

EVEN_ENDS = 1.0
"""Slope of an even body's tails at its outermost quantiles, in proportion to its own ("ages were cut off")."""

FULL_BASE = 5
"""Released quantiles from which a normal body is fitted apart from the tails ("monotone interpolation of rungs")."""

FEWEST_BEYOND, ALONE = 2, 10.0
"""Quantiles and lattice steps that must lie beyond an atom: zero among small numbers is none ("rungs in")."""

# Tops and tails (`cap`, `top`, `tail`): docs/decisions/0014-tails.md

STEEPEST = 0.9
"""Largest shape of a tail: an index of 1.1; heavier ones have no mean."""

ANCHORS = ((0.5, 3.0), (0.25, 2.0))
"""Rows above an anchor, and how fast quantiles may grow there."""

DECILE, LEAST_GROWTH, MOST_GROWTH = 0.1, 0.15, 1.5
"""The last anchor, and the limits of the growth that it takes from the implied quantiles."""

GUESSED_GROWTH = 1.0
"""The same limit where the last released quantile is the upper quartile or lower ("tails beyond few quantiles")."""

GROWTH_AROUND = 2.0
"""Growth is measured between so many times as many rows above, and as few."""

KNOTS_PER_HALVING = 8
"""Knots of a top for every halving of the rows above."""

STEEPEST_MAP = 4.0
"""Largest slope of the map beyond its last knot, on the log scale."""

LONGEST_TABLES = 4.0
"""No value lies beyond the level that one row in so many tables of this size reaches ("no value beyond the level")."""

OUTERMOST_ROW = 0.5
"""The last knot is the highest simulated value: what lies beyond is chance ("last knot of a top")."""

MANY_ROWS, SHARE_OF_FEW, SHARE_OF_MANY, LEAST_SHARE = 5000, 0.05, 0.1, 0.01
"""Most rows above the threshold, in tables of fewer and of more rows than the first, and the least ("threshold")."""

LEAST_ABOVE, MOST_ABOVE = 15.0, 0.5
"""Rows above the threshold times epsilon of the query, at least, unless more than so many rows were above."""

FARTHER, TOLD_SPREAD = 0.6, 0.25
"""Counts tell of a quantile with so many rows above, in those of the threshold; how far it may be off, in growth."""

HEAVIER = 0.4
"""Where quantiles grow faster than usual, the expected shape is larger by this part of the difference."""

CUT_SHARE = 0.06
"""Cut of a tail's sum, as a share of the total below the threshold, times epsilon of the query ("delta")."""

CUT_POWER, CUT_GROWTH = 0.61, 0.4
"""The cut where it tells most of the total, by the prior: rows above times epsilon, to .61 growth^.4, thresholds."""

LEAST_CUT, TOP_ROWS = 1.5, 5.0
"""The cut lies so many times above the threshold at least, and where so many rows are implied beyond at most."""

SIGMA_SPREAD, USUAL_SHAPE, SHAPE_SPREAD, LIGHTEST_SHAPE = 0.4, 0.55, 0.35, -0.5
"""Prior of a tail: deviation of log sigma, usual shape and its deviation, least shape ("shape expected")."""

FAR_SHARES = (0.01, 0.001)
"""Shares of rows above, between which the implied shape is looked up."""

TAIL_MODEL_ERROR = 0.02
"""Relative error of any model of the sum: the number of rows above the threshold is known no better."""
