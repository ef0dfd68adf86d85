"""Every tuned number of the paper's orders made valid, with what set it.

Shares of the budget follow the paper and its code (`settings`). Priors and lists of candidates are this package's own:
step 6 of docs/from-the-paper-to-quantail.md, on the paper's simulation; lengths of lists are in `rules.LineRules`.
"""

from fractions import Fraction

# Budget

ALONE_MEDIAN, ALONE_MAIN = Fraction(1, 4), Fraction(3, 5)
"""Share of the median, and of the main quantiles, in a column without predictors (the paper, section 4)."""

MEDIAN_SHARE = {"fixed": Fraction(3, 5), "varying": Fraction(4, 5)}
"""Share of the median in a column with predictors, by slopes (the paper's code; its text says .8 for both)."""

MAIN_SHARE = {"fixed": Fraction(7, 10), "varying": Fraction(4, 5)}
"""Share of the main quantiles with the median (the paper's code)."""

YEARLY_MEDIAN_SHARE = {"fixed": 0.6, "varying": 0.8}
"""The same for every model of the year-by-year procedure: the median (the code of the paper's application)."""

YEARLY_MAIN_SHARE = {"fixed": 0.7, "varying": 0.8}
"""And its main quantiles with the median (the code of the paper's application)."""

SLOPE_WEIGHT, INTERCEPT_WEIGHT = 3, 2
"""Weights of each slope and of the intercept within the median."""

SLOPE_N_EPSILON = 45.0
"""Rows * epsilon of the query below which one more slope is only noise."""

ACTIVE_SHARE = 4
"""Of all units ever seen, one in so many is taken to continue in a period."""

# Priors of candidate lines (`lattice`): standard deviations of logs of distances, unless said otherwise

FIRST_GUESS = 0.3
"""First guess at the distance of lines: share of the median's distance from the nearer bound."""

GUESS_SPREAD, OTHER_SIDE_SPREAD, SAME_SIDE_SPREAD = 1.0, 0.5, 0.15
"""A distance of lines given the first guess, the other side of the median, and the same side."""

SPACING_SPREAD = 0.5
"""One spacing, if the distance of lines in general were known."""

TILT_SPREAD = 0.6
"""The log of the ratio of the offsets at both ends of the index."""

LEAN_SPREAD = 0.12
"""How much farther along a candidate between two lines lies at one end than at the other."""

CONCENTRATION = 20.0
"""Of the share of the way between two lines, as of a beta distribution."""

STRAIGHT = 2.0
"""Standard deviations from which on a log prior falls in a straight line."""

LEAST_PRIOR = -6.0
"""Smallest log prior, in nats: what rows must outweigh at most."""

INDEX_MARKS = (0.05, 0.25, 0.75, 0.95)
"""Quantile levels of the median plane's predictions: ends of the index, and its quartiles between."""
