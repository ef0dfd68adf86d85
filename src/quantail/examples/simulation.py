"""The simulated table of Tran, Reimherr and Slavković (2023).

X1 ~ Exp(mean 10);  X2 = 4 + 3 X1 + Exp(mean 10);  X3 = 3 + 2 X1 + X2 + Exp(mean 10).
The study draws 10,000 rows and splits them at random into 5,000 for training and 5,000 for testing.
"""

from __future__ import annotations

import numpy as np

from quantail.arrays import Floats
from quantail.errors import OptionError
from quantail.schema import Column, Schema

Table = dict[str, Floats]

PAPER_COLUMNS = ("X1", "X2", "X3")
PAPER_BOUNDS = {"X1": (0.0, 1000.0), "X2": (0.0, 1000.0), "X3": (0.0, 2000.0)}
_MEAN = 10.0
_ROWS = 10_000


def simulate_paper(n: int, rng: np.random.Generator) -> Table:
    """Draw `n` rows of the paper's model.

    Examples
    --------
    >>> table = simulate_paper(5, np.random.default_rng(1))
    >>> bool((table["X2"] >= 4 + 3 * table["X1"]).all())
    True
    """
    if n < 0:
        raise OptionError("simulate_paper: n must not be negative; give the number of rows to draw.")
    x1, noise2, noise3 = rng.exponential(_MEAN, size=(3, n))
    x2 = 4.0 + 3.0 * x1 + noise2
    x3 = 3.0 + 2.0 * x1 + x2 + noise3
    return {"X1": x1, "X2": x2, "X3": x3}


def paper_split(seed: int) -> tuple[Table, Table]:
    """Draw one replication: 5,000 training rows and 5,000 test rows.

    The same seed always gives the same two tables.
    """
    rng = np.random.default_rng(seed)
    table = simulate_paper(_ROWS, rng)
    order = rng.permutation(_ROWS)
    train, test = order[: _ROWS // 2], order[_ROWS // 2 :]
    return ({k: v[train] for k, v in table.items()}, {k: v[test] for k, v in table.items()})


def paper_schema() -> Schema:
    """Give the public facts of the simulated table: the bounds that the paper puts on its predictions."""
    columns = tuple(
        Column(
            name=name,
            type="numeric",
            lower=lower,
            upper=upper,
            grid="linear",
            source=f"the study declares {lower:g} to {upper:g} for {name} before any row is drawn",
        )
        for name, (lower, upper) in PAPER_BOUNDS.items()
    )
    return Schema(columns=columns, unit="row", neighbours="replace-one", name="paper-simulation")
