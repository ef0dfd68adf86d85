"""Numbers out of all proportion: an error of the product's own, or an answer, never a library's error."""

import numpy as np
import pyarrow as pa
import pytest

from quantail.curves.balanced import balanced_uniform
from quantail.errors import OptionError
from quantail.panel import PanelSynthesizer
from quantail.privacy import SimulatedNoise
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

SCHEMA = Schema((Column("jobs", "integer", 0, 500),), "firm")
PANEL = Schema((Column("emp", "integer", 0, 9),), "firm", panel=Panel("id", "first", "last", 2000, 2001))


@pytest.fixture(scope="module")
def model():
    return TableSynthesizer(SCHEMA, 1).fit(pa.table({"jobs": list(range(40))}))


@pytest.mark.parametrize("seed", [-1, 1.5, True, "7"])
def test_seeds_that_are_none_are_refused(seed, model):
    for maker, schema in ((TableSynthesizer, SCHEMA), (PanelSynthesizer, PANEL)):
        with pytest.raises(OptionError, match="seed must be"):
            maker(schema, 1, noise="simulated", seed=seed)
    for draw in (lambda: SimulatedNoise(seed), lambda: model.sample(5, seed=seed)):
        with pytest.raises(OptionError, match="seed must be"):
            draw()
    with pytest.raises(OptionError, match="seed must be"):
        next(model.chunks(5, seed=seed))


def test_a_table_that_no_memory_holds_is_refused_and_chunks_are_offered(model):
    with pytest.raises(OptionError, match="use chunks"):
        model.sample(10**13)
    assert next(model.chunks(10**13, seed=1)).num_rows == 2**18
    with pytest.raises(OptionError, match="at most"):
        next(model.chunks(10**25))


def test_more_columns_than_a_sequence_has_dimensions_are_balanced_all_the_same():
    drawn = balanced_uniform(21_202, 8, np.random.default_rng(1))
    assert drawn.shape == (21_202, 8)
    # One value in every eighth of the unit interval, in each column.
    assert (np.sort(np.floor(8 * drawn), axis=1) == np.arange(8)).all()
