"""Declared code lists within code lists: kept in every synthetic row, free of charge, and worth what they say."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.errors import DataError
from quantail.frames import check_table
from quantail.frames.encoding import encode
from quantail.schema import Column, Schema
from quantail.table import TableModel, TableSynthesizer

REGIONS = ("N", "S", "W")
STATES = tuple(f"{region}{k}" for region in REGIONS for k in range(4))
COUNTIES = tuple(f"{state}-{k}" for state in STATES for k in range(6))


def columns(nested=True, missing=False, **options):
    regions = dict(zip(STATES, (state[0] for state in STATES), strict=True))
    return (
        Column("region", "category", categories=REGIONS, missing=missing),
        Column("pay", "numeric", 0, 1e7, grid="log", decimals=2),
        Column(
            "state",
            "category",
            categories=STATES,
            missing=missing,
            within="region" if nested else "",
            parents=tuple(regions[state] for state in STATES) if nested else (),
        ),
        Column(
            "county",
            "category",
            categories=COUNTIES,
            missing=missing,
            within="state" if nested else "",
            **options,
        ),
    )


def frame_of(seed, rows, missing=False):
    rng = np.random.default_rng(seed)
    county = rng.choice(len(COUNTIES), rows, p=rng.dirichlet(np.full(len(COUNTIES), 0.5)))
    label = np.array(COUNTIES, dtype=object)[county]
    found = pd.DataFrame(
        {"region": [x[0] for x in label], "pay": rng.lognormal(8 + county / 40, 1, rows).round(2)}
    )
    found["state"], found["county"] = [x[:2] for x in label], label
    if missing:
        gone = rng.random(rows)
        found.loc[gone < 0.3, "county"] = None
        found.loc[gone < 0.2, "state"] = None
        found.loc[gone < 0.1, "region"] = None
    return found


def assert_nested(frame):
    there = frame["county"].notna()
    assert (frame["county"][there].str[:2] == frame["state"][there]).all()
    there = frame["state"].notna()
    assert (frame["state"][there].str[:1] == frame["region"][there]).all()


@pytest.mark.parametrize(("epsilon", "missing"), [("1/10", False), (1, True), (10, False)])
def test_every_synthetic_row_keeps_them(epsilon, missing):
    schema = Schema(columns(missing=missing), "person")
    model = TableSynthesizer(schema, epsilon, noise="simulated", seed=3).fit(frame_of(1, 900, missing))
    drawn = model.sample(4000, seed=1)
    assert_nested(drawn)
    assert TableModel.from_dict(model.to_dict()).sample(4000, seed=1).equals(drawn)
    assert_nested(model.sample(300, where="region != W", seed=2))


def test_a_rule_that_is_declared_is_not_paid_for():
    frame = frame_of(2, 6000)
    far = {}
    for nested in (True, False):
        model = TableSynthesizer(Schema(columns(nested), "person"), 1, noise="simulated", seed=1).fit(frame)
        drawn = model.sample(20_000, seed=1)
        shares = [
            x["county"].value_counts(normalize=True).reindex(COUNTIES, fill_value=0) for x in (frame, drawn)
        ]
        far[nested] = float(np.abs(shares[0] - shares[1]).sum() / 2)
        broken = float(np.mean(drawn["county"].str[:2] != drawn["state"]))
        assert broken == 0 if nested else broken > 0.02
    assert far[True] < far[False]


def test_given_rows_that_break_them_are_refused():
    schema = Schema(columns(), "person")
    model = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(frame_of(1, 600))
    asked = pd.DataFrame({"region": ["N", "S"], "pay": [1.0, 2.0], "state": ["N1", "S2"]})
    assert_nested(model.sample(given=asked, seed=1))
    with pytest.raises(DataError, match="'state' breaks within 'region'"):
        model.sample(given=asked.assign(region=["S", "S"]), seed=1)


def test_broken_rows_are_named_for_internal_eyes_only():
    schema, frame = Schema(columns(), "person"), frame_of(4, 200)
    frame.loc[0, "state"] = "N0" if frame["state"][0] != "N0" else "S0"
    assert check_table(frame, schema) == []
    named = [
        problem.column for problem in check_table(frame, schema, internal=True) if "breaks" in problem.what
    ]
    assert set(named) >= {"county"}


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_finer_code_decides_row_by_row(seed):
    """A row that breaks the rule becomes one that keeps it, by itself as among others."""
    rng, schema = np.random.default_rng(seed), Schema(columns(missing=True), "person")
    rows = {
        "region": rng.integers(0, 4, 12),
        "pay": rng.random(12),
        "state": rng.integers(0, 13, 12),
        "county": rng.integers(0, 73, 12),
    }
    parts = encode(rows, schema)
    counted = parts["county"] < 72
    assert np.array_equal(parts["county"], rows["county"])
    assert np.array_equal(parts["state"][counted], parts["county"][counted] // 6)
    known = parts["state"] < 12
    assert np.array_equal(parts["region"][known], parts["state"][known] // 4)
    kept = ~counted & (rows["state"] == 12)
    assert np.array_equal(parts["region"][kept], rows["region"][kept])
    alone = encode({name: values[5:6] for name, values in rows.items()}, schema)
    assert all(np.array_equal(alone[name], parts[name][5:6]) for name in parts)
