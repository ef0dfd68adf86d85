"""Logistic regression by Newton's method, for designs of many rows and many columns.

Steps are taken in coordinates in which the design's columns are orthonormal, D R^-1 with D'D = R'R; only the
small matrix R is formed, not the basis. The start is the constant fit, where the information is c (1 - c) D'D;
it is computed anew only when a step with the old one no longer brings the gradient down fast.

Under complete separation no maximum exists: the fit walks towards probabilities of 0 and 1 until the likelihood
stops changing. The guard added to the information (1e-10 of its size) only keeps that walk solvable; where a
maximum exists it does not move it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import expit

from quantail.arrays import Floats

_ITERATIONS = 200
_CONVERGED = 1e-14  # what a Newton step still promises, over the deviance
_SEPARATED = 1e-6  # deviance of a row; below it the labels are told apart completely
_NO_STEP = 1e-9
_GUARD = 1e-10
_FALL = 0.3  # of the gradient in a step; if it falls less, the information is computed anew
_EXPLAINED = 1e-6  # a column with less than this share of its length left over is explained by earlier ones
_ROWS = 1024  # rows whose weighted design is held at once


class Logit(NamedTuple):
    """A fitted logistic regression: coefficients of the columns in use, log-odds of the rows, and those columns."""

    coefficients: Floats
    linear: Floats
    used: list[int]


def fit_logit(design: Floats, label: Floats) -> Logit:
    """Maximise the likelihood of 0/1 labels, shape (n,), both present; the design holds the column of ones."""
    share = float(label.mean())
    gram = information(design, np.ones(label.size))
    used, whiten = _whitening(gram)
    design, curved = _columns(design, used), share * (1 - share) * np.eye(len(used))
    linear = np.full(label.size, np.log(share / (1 - share)))
    b = whiten @ (whiten.T @ (design.T @ linear))
    loss, previous = deviance(linear, label), np.inf
    for _ in range(_ITERATIONS):
        p = expit(linear)
        gradient = whiten.T @ (design.T @ (label - p))
        size = float(np.linalg.norm(gradient))
        if size > _FALL * previous:
            curved = whiten.T @ information(design, p * (1 - p)) @ whiten
        previous = size
        guard = _GUARD * max(float(np.trace(curved)), np.finfo(float).tiny)
        scores = np.linalg.solve(curved + guard * np.eye(len(used)), gradient)
        step = whiten @ scores
        move, before, part = design @ step, loss, 1.0
        while (loss := deviance(linear + part * move, label)) > before and part > _NO_STEP:
            part /= 2
        b, linear = b + part * step, linear + part * move
        if gradient @ scores <= _CONVERGED * loss or loss <= _SEPARATED * label.size or part <= _NO_STEP:
            break
    return Logit(b, linear, used)


def information(design: Floats, weight: Floats) -> Floats:
    """Sum weight_i x_i x_i' over the rows of a design, a few rows at a time."""
    root = np.sqrt(weight)
    total = np.zeros((design.shape[1], design.shape[1]))
    for start in range(0, len(design), _ROWS):
        part = design[start : start + _ROWS] * root[start : start + _ROWS, None]
        total += part.T @ part
    return total


def deviance(linear: Floats, label: Floats) -> float:
    """Minus twice the log-likelihood of labels, given log-odds."""
    return float(2 * np.sum(np.logaddexp(0.0, linear) - label * linear))


def _whitening(gram: Floats) -> tuple[list[int], Floats]:
    """List the columns that earlier ones do not explain, and W with W' G W = 1 for their Gram matrix G."""
    scale = np.sqrt(np.diag(gram))
    scaled = gram / np.where(scale > 0, scale, 1.0)[:, None] / np.where(scale > 0, scale, 1.0)
    used: list[int] = []
    lower = np.zeros_like(gram)  # Cholesky factor, row by row, without the explained columns
    for j in np.flatnonzero(scale > 0).tolist():
        r = len(used)
        row = solve_triangular(lower[:r, :r], scaled[used, j], lower=True) if r else np.empty(0)
        left = scaled[j, j] - row @ row
        if left > _EXPLAINED**2:
            lower[r, :r], lower[r, r] = row, np.sqrt(left)
            used.append(j)
    whiten = np.linalg.inv(lower[: len(used), : len(used)]).T
    return used, whiten / scale[used][:, None]


def _columns(design: Floats, used: list[int]) -> Floats:
    return design if len(used) == design.shape[1] else design[:, used]
