"""No explosion: where few rows have a number, whatever is released of it, the total stays within a public multiple."""

from itertools import product

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.explosions import MOST, SHAPES, excesses
from quantail.curves.cap import most_of_mean
from quantail.curves.tuning import ANCHORS, DECILE, MOST_GROWTH
from quantail.schema import Column, Schema
from quantail.table import TableSynthesizer
from quantail.table.tuning import RELIED_ON

# Fits whose totals lay 4 to 13 times too high: a slope that was noise, a tail beyond two or three quantiles, or a
# count of zeros that left nearly no row.
EXPLODED = (
    ("heaped", 500, 0.5, 239),
    ("heaped", 1000, 0.25, 101),
    ("heaped", 1000, 0.25, 205),
    ("count", 500, 1.0, 208),
    ("rare", 4000, 1.0, 224),
    ("undeclared", 1000, 1.0, 106),
    ("undeclared", 500, 1.0, 307),
    ("undeclared", 500, 1.0, 109),
)


def test_no_total_of_a_poor_column_explodes() -> None:
    sizes = ((1000, 0.25), (500, 1.0), (2000, 1.0))
    cases = [(shape, *size, seed) for shape, size, seed in product(SHAPES, sizes, (300, 301))]
    worst = max(each for case in (*cases, *EXPLODED) for each in excesses(*case))
    assert worst.times < MOST, worst


@settings(max_examples=25, deadline=None)
@given(
    spread=st.floats(0.1, 4.0),
    index=st.floats(0.3, 3.0),
    present=st.floats(0.05, 1.0),
    upper=st.sampled_from([1e7, 1e12]),
    seed=st.integers(0, 10**6),
)
def test_the_mean_of_a_model_is_within_a_public_multiple_of_what_is_known(
    spread: float, index: float, present: float, upper: float, seed: int
) -> None:
    # Any law, also those without a mean: what is implied is held to the median and the upper quartile, or, where
    # quantiles were released beyond the decile or near it, to what was released there.
    rng = np.random.default_rng(seed)
    n = 600
    amount = np.clip(rng.lognormal(5, spread, n) * (rng.pareto(index, n) + 1), 0, upper)
    table = pa.table({"amount": pa.array(np.round(amount, 2), mask=rng.random(n) > present)})
    column = Column("amount", "numeric", 0, upper, grid="log", decimals=2, missing=True)
    model = TableSynthesizer(Schema((column,), "row"), 1, method="tables", noise="simulated", seed=seed).fit(
        table
    )
    made = model.sample(60_000, seed=1)["amount"].drop_null().to_numpy()
    made = made[made > 0]
    curve = model.groups[0].columns[-1].curve
    last = getattr(curve, "rest", curve).levels[-1]
    anchors = ANCHORS if last < RELIED_ON else ((min(DECILE, 1 - last), MOST_GROWTH),)
    if made.size > 2000:
        for share, growth in anchors:
            anchor = np.quantile(made, 1 - share)
            above = made[made >= anchor]
            assert above.mean() < 1.1 * most_of_mean(growth) * max(anchor, column.lattice)
