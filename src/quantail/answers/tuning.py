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

PRESENT_SHARE = 0.05
"""Columns with missing values: share of the budget that counts the rows with a value."""
