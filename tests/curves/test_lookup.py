"""Lookups give what a search gives, for every value, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.curves.grid import near, wide
from quantail.curves.lookup import Lookup, below_few

GRIDS = {
    "near": near(5.0, 15.0, 0.0, 1000.0, 150),
    "wide": wide(-3.0, 700.0, log=False),
    "log": wide(-3.0, 12.0, log=True),
    "even": np.linspace(-1.0, 2.0, 91),
    "quantiles": np.unique(np.random.default_rng(1).standard_cauchy(300)),
    "one": np.array([2.0]),
    "tiny": np.array([1.0, np.nextafter(1.0, 2.0), 1.0 + 1e-12]),
    "huge": np.array([-1e308, 0.0, 1e308]),
    "many": np.sort(np.random.default_rng(2).random(3000)),
}


@pytest.mark.parametrize("name", GRIDS)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_lookup_is_a_search(name, seed):
    cuts, rng = GRIDS[name], np.random.default_rng(seed)
    spread = rng.choice([1e-9, 1e-3, 1.0, 30.0, 1e300])
    values = np.concatenate(
        [
            rng.choice(cuts, 3000),  # ties
            np.nextafter(rng.choice(cuts, 3000), rng.choice([-np.inf, np.inf])),
            cuts[cuts.size // 2] + spread * rng.standard_normal(6000),
            [np.nan, np.inf, -np.inf, 0.0, -0.0],
        ]
    )
    for share in (0.02, 0.38):
        lookup = Lookup(cuts, share)
        np.testing.assert_array_equal(lookup.below(values), np.searchsorted(cuts, values, side="left"))
        np.testing.assert_array_equal(
            lookup.below(values, equal=True), np.searchsorted(cuts, values, side="right")
        )
    few = cuts[:20]
    np.testing.assert_array_equal(below_few(few, values), np.searchsorted(few, values, side="left"))
    np.testing.assert_array_equal(
        below_few(few, values, equal=True), np.searchsorted(few, values, side="right")
    )
