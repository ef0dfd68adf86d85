"""The made-up panel of the demo: a panel that its own schema admits, heavy-tailed, and large enough to show trends."""

import numpy as np
import pytest

from quantail import PanelSynthesizer
from quantail.errors import OptionError
from quantail.evaluation import gross_mape, unchanged_difference
from quantail.examples import industry_example, industry_schema
from quantail.frames import confidential_panel


def staff_of(table):
    return confidential_panel(table, industry_schema()).values["staff"]


def test_the_schema_admits_the_panel_and_sources_every_bound():
    table, schema = industry_example(500), industry_schema()
    panel = confidential_panel(table, schema)
    assert set(panel.values) == {"staff", "pay"} and schema.unsourced() == ()
    staff = panel.values["staff"]
    assert ((~np.isnan(staff)).sum(axis=1) >= 1).all()


def test_the_same_seed_gives_the_same_panel_and_another_seed_another():
    assert industry_example(50).equals(industry_example(50))
    assert not industry_example(50).equals(industry_example(50, seed=1))


def test_sizes_have_a_heavy_tail_persist_and_are_sometimes_zero():
    staff = staff_of(industry_example())
    there = staff[~np.isnan(staff)]
    assert np.sort(there)[-len(there) // 100 :].sum() > 0.1 * there.sum()
    assert 0.03 < (there == 0).mean() < 0.05
    before, after = staff[:, :-1], staff[:, 1:]
    positive = (before > 0) & (after > 0)
    assert np.corrcoef(np.log(before[positive]), np.log(after[positive]))[0, 1] > 0.9


@pytest.mark.slow
def test_a_synthetic_copy_keeps_totals_and_movement():
    table = industry_example()
    made = PanelSynthesizer(industry_schema(), 1, noise="simulated", seed=1).fit(table).sample(seed=1)
    assert gross_mape(staff_of(table), staff_of(made)) < 20
    assert unchanged_difference(staff_of(table), staff_of(made)) < 5


def test_no_workplaces_are_refused():
    with pytest.raises(OptionError, match="at least 1"):
        industry_example(0)


def test_the_long_table_holds_what_the_wide_one_does():
    wide, long = industry_example(40), industry_example(40, layout="long")
    data = [
        confidential_panel(table, industry_schema(layout))
        for table, layout in ((wide, "wide"), (long, "long"))
    ]
    for name in ("staff", "pay"):
        np.testing.assert_array_equal(data[0].values[name], data[1].values[name])
    assert (data[0].entry == data[1].entry).all() and (data[0].exit == data[1].exit).all()
