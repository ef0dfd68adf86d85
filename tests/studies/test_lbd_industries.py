"""Panels of any size: the same rows whatever the chunks, every industry on its own, sound when tiny."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from quantail.errors import OptionError
from studies.lbd.standin import lbd_panel, panel_industry, panel_sizes
from studies.lbd.standin.targets import YEARS


@pytest.mark.parametrize("layout", ["wide", "long"])
def test_chunks_only_cut_the_same_rows(layout):
    whole = pa.concat_tables(lbd_panel(7, 3000, seed=3, layout=layout, chunk=10**9)).combine_chunks()
    for chunk in (1, 999, 4096) if layout == "wide" else (5000,):
        parts = list(lbd_panel(7, 3000, seed=3, layout=layout, chunk=chunk))
        assert all(part.num_rows == chunk for part in parts[:-1]) and 0 < parts[-1].num_rows <= chunk
        assert pa.concat_tables(parts).combine_chunks().equals(whole)
    assert layout == "long" or whole.num_rows == 3000


def test_an_industry_can_be_made_alone():
    sizes = panel_sizes(5, 2000, seed=1)
    whole = pa.concat_tables(lbd_panel(5, 2000, seed=1, variant="jumps"))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for k, (start, end) in enumerate(pairwise(starts.tolist())):
        alone = panel_industry(k, int(sizes[k]), seed=1, variant="jumps")
        assert alone.equals(whole.slice(start, end - start).combine_chunks())


def test_large_industries_come_in_pieces_with_numbers_of_their_own(monkeypatch):
    monkeypatch.setattr("studies.lbd.standin.industries._PIECE", 400)
    table = panel_industry(2, 1000)
    assert table.num_rows == 1000 == len(table["lbdnum"].unique())
    assert len(table["sic3"].unique()) == 1
    first, second = table.slice(0, 400), table.slice(400, 400)
    assert not first["emp_1990"].equals(second["emp_1990"])


def test_sizes_add_up_and_vary():
    sizes = panel_sizes(300, 100_000)
    assert sizes.sum() == 100_000 and sizes.min() >= 1
    assert sizes.max() > 5 * np.median(sizes)
    assert not np.array_equal(sizes, panel_sizes(300, 100_000, seed=1))


@pytest.mark.parametrize("establishments", [1, 2, 20])
@pytest.mark.parametrize("variant", ["synlbd", "state-volatility"])
def test_tiny_industries_are_sound(establishments, variant):
    for seed in range(5):
        table = panel_industry(1, establishments, seed, variant)
        assert table.num_rows == establishments
        first, last = table["firstyear"].to_numpy(), table["lastyear"].to_numpy()
        assert ((first >= 1976) & (first <= last) & (last <= 2000)).all()
        for year in YEARS:
            present = ~table[f"emp_{year}"].is_null().to_numpy()
            assert np.array_equal(present, (first <= year) & (year <= last))
            assert all(0 <= cell <= 5000 for cell in table[f"emp_{year}"].drop_null().to_pylist())


def test_industries_differ_in_their_trends():
    gross = []
    for k in (0, 4, 8):  # the same shape
        table = panel_industry(k, 4000)
        gross.append([np.nansum(table[f"emp_{year}"].to_numpy().astype(float)) for year in YEARS])
    growth = np.array(gross)[:, -1] / np.array(gross)[:, 0]
    assert np.ptp(growth) > 0.05


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"industries": 0, "establishments": 5}, "at least one industry"),
        ({"industries": 6, "establishments": 5}, "at least one establishment"),
        ({"industries": 1, "establishments": 5, "layout": "tall"}, "layout"),
        ({"industries": 1, "establishments": 5, "chunk": 0}, "chunk"),
        ({"industries": 1, "establishments": 5, "seed": -1}, "seed"),
    ],
)
def test_wrong_options_are_refused_at_once(options, word):
    with pytest.raises(OptionError, match=word):
        lbd_panel(**options)
