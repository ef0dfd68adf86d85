"""Every tuned number of plans: what is assumed of made-up tables, and what is reported of them.

Set by docs/decisions/0007-planning.md, to which quotations refer. Bands hold 90% of errors whatever these numbers
are, if the assumed shape is right (studies/results/plan-honesty).
"""

# Reported

LEVELS = (0.5, 0.9, 0.99)
"""Quantile levels whose errors are stated."""

TABLES, FEWEST_TABLES = 5, 3
"""Made-up tables by default, and at least ("A band from five tables")."""

LARGE = 100_000
"""Cells of a made-up table, rows times columns, from which on the fewest are tried ("Three large tables")."""

SIMULATED = 2**13
"""Rows through which a fit that is tried out looks at its model ("Fewer simulated rows")."""

WORTH_PROCESSES = 3.0
"""CPU seconds of the first made-up table from which on several processes share the others; each takes one to start."""

COVERAGE = 0.9
"""Chance that a band holds the next error."""

RUNAWAY = 10.0
"""Relative errors beyond are all counted as this: the quantile ran away ("Medians, not means")."""

TARGET_DIGITS = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80)
"""Leading digits of the budgets that are searched for a target ("Targets by halving a list of round numbers")."""

LARGEST_EPSILON = 20
"""Largest of these budgets."""

# Assumed of made-up tables

USUAL_SHAPES = {"lognormal": 1.0, "pareto": 2.0}
"""Parameter of a shape without one: sigma, index ("A shape that the user names")."""

LEAST_PARAMETER, MOST_PARAMETER = 0.05, 50.0
"""Bounds of a shape's parameter."""

COMMON_PART = 0.5
"""Part of the variance of normal scores that all columns share."""

LINEAR_PART = 1 / 20
"""Median of a column on a linear grid, as a share of its range above the lower bound or zero."""

NEGATIVE_PART = 0.1
"""Chance that a value changes its sign, in a column with both."""

# Assumed of made-up panels

FEWEST_UNITS = 20
"""Fewest units of a group whose errors are stated, as FEWEST_ROWS for tables."""

INCUMBENTS = 0.4
"""Share of units that are there in the first period; the others enter at an even rate."""

EXIT_RATE = 0.1
"""Chance to leave after a period: about what the Business Dynamics Statistics show for establishments."""

SIZE_PERSISTENCE, SIZE_SHOCK = 0.7, 0.2
"""AR(1) of log sizes around a unit's own level: continuers create and destroy near ten percent, as they do there."""

RATIO_SPREAD = 0.35
"""Spread of log ratios between a later column and the first, such as pay per head."""

GROUP_LEVEL = 0.5
"""Spread of log median sizes between groups that borrow from each other, as between industries of a register."""

AWAY_RATE, MISSING_RATE = 0.03, 0.05
"""Where the schema allows it: chance to be away in a period between entry and exit, and of a missing value."""
