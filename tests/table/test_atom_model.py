"""A column of which many rows hold its lowest value, undeclared: noticed, kept, and the same from a file."""

import json

import numpy as np
import pyarrow as pa
import pytest

from payroll_case import simulate
from quantail.curves import AtomCurve, Curve
from quantail.errors import ModelError
from quantail.report import release_card
from quantail.schema import Column, Schema
from quantail.table import TableModel

ZEROS = 0.35
SCHEMA = Schema(
    (
        Column("grant", "integer", 0, 10**6, grid="log"),
        Column("cost", "numeric", 0, 10**6, grid="log", decimals=2),
    ),
    unit="firm",
)


def grants(n, seed=0):
    """Return a table where a third of the firms have no grant; others spend part of theirs."""
    rng = np.random.default_rng(seed)
    grant = np.where(rng.random(n) < ZEROS, 0, np.rint(300 * np.exp(1.3 * rng.standard_normal(n))))
    cost = np.round(50 * np.exp(0.5 * rng.standard_normal(n)) + 0.2 * grant, 2)
    return pa.table({"grant": grant.astype(np.int64), "cost": cost})


@pytest.fixture(scope="module")
def released():
    return simulate(SCHEMA, grants(5000), 1)


def test_a_column_of_its_own_has_an_atom_and_one_that_is_explained_has_not(released):
    grant, cost = released.groups[0].columns
    assert isinstance(grant.curve, AtomCurve)
    assert isinstance(cost.curve, Curve) and cost.explained


def test_the_share_of_zeros_is_kept_and_nothing_is_put_beside_them(released):
    drawn = released.sample(seed=1)["grant"].to_numpy()
    true = grants(5000)["grant"].to_numpy()
    assert np.mean(drawn == 0) == pytest.approx(np.mean(true == 0), abs=0.05)
    assert np.mean((drawn > 0) & (drawn < 6)) < 0.02


def test_a_file_gives_the_same_rows_and_the_same_card(released, tmp_path):
    released.save(tmp_path / "model.json")
    again = TableModel.load(tmp_path / "model.json")
    assert again == released
    assert again.sample(2000, seed=3).equals(released.sample(2000, seed=3))
    given = pa.table({"grant": [0] * 50 + [900] * 50})
    assert again.sample(given=given, seed=4).equals(released.sample(given=given, seed=4))
    assert release_card(again, rows=5000)["budget"] == release_card(released, rows=5000)["budget"]


@pytest.mark.parametrize("wrong", [None, "text", float("nan"), [], {}])
@pytest.mark.parametrize("part", ["share", "low", "high", "rest"])
def test_a_damaged_atom_is_refused(released, tmp_path, part, wrong):
    form = json.loads(json.dumps(released.to_dict()))
    form["groups"][0]["columns"][0]["curve"][part] = wrong
    (tmp_path / "model.json").write_text(json.dumps(form), encoding="utf-8")
    with pytest.raises(ModelError):
        TableModel.load(tmp_path / "model.json")
