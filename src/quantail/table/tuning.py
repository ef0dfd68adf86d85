"""Every tuned number of the method of tables (docs/decisions/0013-two-stages.md) and of tails (0014-tails.md)."""

from fractions import Fraction

LEVELS = (2, 4, 8, 16, 64, 256)
"""Coarsenings of a field's cells: labels are kept from a quarter of an even share on ("long lists of labels")."""

NUMBER_LEVEL = 16
"""Finest coarsening of a number, which is cut at even levels of its implied marginal."""

TAIL_LEVELS = (0.97, 0.99)
"""Further cuts of the finest coarsening, where the totals of heavy columns are."""

TRIPLE_LEVEL = 8
"""Finest coarsening of a field in a set of three."""

MOST_CELLS = 12_000
"""Cells of a table that may be counted."""

MOST_PAIRS, MOST_TRIPLES = 5000, 1500
"""Sets that are candidates; beyond, none of that size is (100 and 21 fields)."""

SIZES_SHARE = 0.02
"""Add/remove: share of the budget that the numbers of rows: public groups and all that follows build on them."""

STAGE_ONE_LEAST, STAGE_ONE_MOST = 0.25, 0.5
"""Share of the budget that stage one has at least, and what it may take for an ample n epsilon."""

COMFORT, COMFORT_WITH_LABELS = 1.7, 0.8
"""What stage one has in any case, in the cost of a comfortable n epsilon: without it slopes and tails run away."""

OFTEN = 0.5
"""Share of rows that are taken to have a number, at least, when stages share the budget: rare ones starve no round."""

ALONE = 1.5
"""The same where no column explains another, in the cost of an ample n epsilon: rounds then count single columns."""

LOWEST_SHARE = Fraction(1, 200)
"""Share of the budget that is ample for a count at the lowest value, if that is more ("zeros of one row in ten")."""

SLOPE_AMPLE = 350.0
"""Ample n epsilon of a slope, where alone it would be 620 shared by a column's slopes."""

WIDE_SLOPES = 0.1
"""Part of the budget that slopes between log-scaled numbers of a wide table may take; beyond, none is asked."""

ROUND_NOISE, ROUND_NOISE_OF_FEW = 0.002, 0.003
"""Wanted noise of one count, as a share of the rows; it sets the number of rounds ("fewer, more exact rounds")."""

FEW_CELLS = 4
"""Labels up to which every cell holds many rows, so that more rounds gain more than exact ones."""

MOST_ROUND_NOISE, NOISE_WITH_LABELS = 0.01, 0.02
"""Noise of one count, as a share of the rows, beyond which a round is not worth asking ("rounds of small tables")."""

ROUNDS_PER_FIELD = 4
"""Most rounds, in fields; of three and four fields every pair twice."""

SELECTION_SHARES = (Fraction(3, 20), Fraction(1, 5), Fraction(1, 4), Fraction(3, 10))
"""Shares of a round that choosing its table may cost."""

CHOICE_NOISE, COARSENINGS = 0.18, 10
"""Largest noise among all candidates, as a share of the rows, up to which a share will do, and tables of a set."""

NOISE_PENALTY = 0.25
"""Part of the expected noise of a table, summed over cells, that is taken from its score."""

WIDEST_PRIOR, NARROWEST_PRIOR = 3.0, 0.02
"""Bounds of the standard deviation of a table's log factors, found by empirical Bayes."""

TRUST_PRIOR = 0.5
"""Standard deviation of how far slopes are trusted, around 1."""

POOL_ROWS = 2**15
"""Rows that are simulated from the current model in every round."""

ROUND_STEPS, LATER_STEPS, FINAL_STEPS = 25, 8, 60
"""L-BFGS iterations after a round: of the table's last field, of those that follow it; and in the last sweep."""

UNFITTED = 4.0
"""Loss for each count, about a half where all is explained, from which a fit is tried again without shifts."""

CURVE_NOISE = 1.5
"""A curve between released quantiles is known less well than counts."""

PRIOR_DOUBT = 1.0
"""Standard deviations of chance that are granted to noise before a table is taken to tell something."""

TOLD = 4.0
"""Rows above an edge, in deviations of their counts, from which tables tell how many there are."""

LOWEST_DOUBT, LINEAR_LOWEST_DOUBT, MOST_HEAPED = 6.0, 8.0, 0.98
"""Noise scales from which rows at the lowest value are believed, on a linear scale, where they ruin less, later, and
the largest share of a column they may be ("heaps that noise made")."""

LEFT_BEYOND = 2.0
"""Noise scales of that count, as rows that lie beyond the lowest value at least ("zeros counted as .98")."""

HEAP_SHARE = Fraction(3, 100)
"""Share of the budget that counts of declared heaps may cost together."""

LEAST_HEAP_N_EPSILON, AMPLE_HEAP_N_EPSILON = 30, 400
"""Rows times epsilon of the query from which heaps are worth counting, and beyond which more budget gains nothing."""

VALUES_SHARE = Fraction(1, 10)
"""Share of the budget that counts of every value, or of every round figure, may cost together."""

MOST_VALUES = 2000
"""Values, or round figures, of a number that are counted one by one, at most ("popular values")."""

LEAST_POPULAR = 400
"""Rows times epsilon of the query from which a list of any length is worth counting: single values may be popular."""

LEAST_VALUES, AMPLE_VALUES = 4, 20
"""Rows times epsilon of the query, for each value, from which values are worth counting, and beyond which no more."""

# Tails (docs/decisions/0014-tails.md)

TAIL_SHARE = Fraction(1, 10)
"""Share of the budget that sums of tails may cost together."""

LEAST_TAIL_N_EPSILON, AMPLE_TAIL_N_EPSILON = 250.0, 10_000.0
"""Rows times epsilon of the query from which a sum is worth asking, and beyond which more budget gains nothing."""

WITH_MISSING, WITH_ATOMS = 0.6, 0.25
"""Guessed shares of rows with a number in columns with missing values, and with atoms ("budgets of curves planned")."""

RELIED_ON = 0.85
"""Level of a column's last released quantile from which the cap leaves what lies below it alone ("popularity")."""

FEW_VALUES = 200
"""Columns of so few values are counted, and have no tail to speak of."""

FEWEST_DRAWN = 2**12
"""Rows that are simulated to find a top, at least; of small groups no more."""

FEWEST_SIMULATED = 200
"""Simulated rows with a number below which a column has no top: it is nearly always missing."""

# What is said of relations (`relations.py`)

FOUND_FACTOR = 0.1
"""Largest log factor, or shift in spreads, from which a table or a slope is said to have found something."""

MOST_NAMED = 12
"""Relations that are named; of others there is a number."""
