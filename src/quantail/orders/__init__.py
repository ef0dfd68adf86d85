"""The paper's orders of single quantiles, made valid: `--method kng | stepwise | sandwich`, for tables and panels.

steps       which quantile is asked when, and between which released neighbours
lattice     candidates of a line between its neighbours;  rules   how many;  lines   their scores and the choice
settings, design, column, fitting, model    a table: options, budget, one column, all columns, what is released
yearly      a panel, year by year: the same for births and continuers of every period
"""
