"""Every tuned number of stage one (docs/decisions/0003-depth.md, 0004-shares.md; quotations are rows of 0013)."""

NEEDS = {
    "first curve": (100.0, 110.0, 300.0, 800.0, 2.3),
    "curve": (85.0, 91.0, 160.0, 400.0, 1.0),
    "slope": (45.0, 68.0, 90.0, 620.0, 2.5),
    "scale": (40.0, 40.0, 60.0, 100.0, 0.3),
    "cells": (20.0, 20.0, 60.0, 200.0, 0.6),
    "lowest": (12.0, 12.0, 14.0, 50.0, 0.1),
}
"""Least, steady, comfortable and ample n epsilon of a kind of question, and its weight beyond. The first curve gets
more because every later column inherits its errors; slopes of a column share the ample one and the weight of one."""

MOST_DOWNSTREAM = 1.45
"""Later columns inherit errors, so the more there are the more is ample, up to this factor."""

FEW_LABELS = 20
"""Labels of which each makes counts dearer by the first of the numbers below; those beyond by the second."""

COMFORT_PER_LABEL, AMPLE_PER_LABEL = (25.0, 2.0), (60.0, 17.0)
"""What each label adds to a comfortable and to an ample n epsilon of counts."""

LEAST_OF_ONE = 35.0
"""Least n epsilon of counts in a wide or rich table, times the root of the number of labels ("wide, short tables")."""

COMFORT_OF_TWO, COMFORT_OF_MORE, LEAST_AMPLE = 130.0, 300.0, 300.0
"""Least comfortable n epsilon of two labels and of more (noise of .8 and .7 points in a share), and least ample one."""

WIDE = 10
"""Columns beyond which a table is wide: numbers that declare no predictors then have few slopes, or none."""

NEAREST = 3
"""Log-scaled numbers right before one that others follow, on which it may have slopes where a table is wide."""

MOST_PREDICTORS = 200_000
"""Predictors of all columns together that a schema may ask to be weighed up."""

DOUBT = 5.0
"""Noise scales beyond the log of their number that counts of values must be above zero ("one claim became 28")."""

FALLING = (0.1, 0.7)
"""How fast counts may fall from one value to the next beyond the last believed one ("four children")."""

LOW_END = 0.05
"""Level of a predictor at which the lower end of what follows it is looked for."""

FEW, TOLD, TOLD_BY_MANY = 0.1, 25.0, 10.0
"""A side of a predictor with so small a share of the rows, and the n epsilon below which a side tells nothing."""

MARGIN = 0.25
"""Residuals may lie beyond the column's own range by this share of it."""

TYPICAL = 0.6
"""The quantile of absolute values that tells small from large."""

PUBLIC_CELLS = 256
"""Steps of the quantile function of a public column."""

EVENNESS = (0.02, 0.05, 0.1, 0.2, 0.35, 0.6, 1.0, 2.0, 5.0, 20.0)
"""Shapes of the prior of shares of labels, of very uneven lists to even ones: counts decide ("shares of labels")."""
