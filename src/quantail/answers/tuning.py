"""Tuned numbers of single questions, and what each was set by (docs/bench-quantiles.md)."""

CELLS = 2**16
"""Cells of the lattice: two quantiles in one cell are the same value. On a log scale over twenty factors e a cell is a
thirtieth of a percent wide. With 2**14 cells 255 quantiles of narrow clusters within bounds ten times too wide ran into
one another; more cells take longer."""

LATTICE = 2**40
"""Points of the lattice: a millionth of the distance between the rows of a million."""

LEAST_NATS = 14.0
"""Rows between two quantiles that are drawn, times what a row weighs: closer ones are read off between them. At 1,000
rows, epsilon 1 and 63 levels the mean error in rows is 12.8 for 6 nats, 8.0 for 9, 7.0 for 12, 7.7 for 16; and 50 if
all levels are drawn. 255 levels that are 10 nats apart still disturb one another (7.6 rows instead of 3)."""

LARGEST_PART = 0.25
"""Share of the rows that is always enough between two quantiles that are drawn, whatever the budget: the quartiles.
With the median alone the mean error at 1,000 rows and epsilon 0.1 is 227 rows instead of 55."""

ALWAYS_DRAWN = 3
"""So few levels are all drawn, however close."""

PRESENT_SHARE = 0.25
"""Columns with missing values, and protected numbers of rows: share of the budget that counts the rows with a value. At
3,000 rows, a fifth of them missing, and epsilon 1 three levels are off by 5.2 rows in the mean (worst of 75: 36) with
0.05, 4.9 (16) with 0.1, 4.6 (17) with 0.2, 4.2 (19) with 0.3, 5.8 (33) with 0.4."""

BEYOND_NATS = 20.0
"""Add/remove: how far above the released number of rows the public limit lies, in scales of its noise: rows are cut
once in 10^9 times."""

STEP_WORTH, ROWS_BEYOND, FEWEST_N_EPSILON = 3, 10, 200
"""Bounds, all times epsilon: rows that a step up the candidates must save (with none, columns that end abruptly got any
bound up to 1e15), rows that may lie above the selected one (noise makes as many once in 300 times), and rows that
a table must have, so that all steps together are worth less than its rows."""

MARGIN_STEPS = 9
"""Candidates by which a bound is above the selected one: a thousand times. Of 200 rows beyond, with a Pareto index of
1.1, a tenth of a row is clipped; log grids bear bounds that are far too wide."""

LOWEST_STEPS = 4
"""Candidates above the lowest that noise selects in its place: a step is worth three times the noise, so five once in
millions of times. Sizes below 0.00002 get no bound."""
