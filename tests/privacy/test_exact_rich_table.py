"""Whole fits of rich tables, replayed on neighbours: every kind of column, chosen predictors, public columns."""

import numpy as np
import pyarrow as pa
import pytest

from quantail.auditing.boundaries import quick
from quantail.auditing.replay import Divergence, replay
from quantail.schema import Column, Identity, Inequality, Schema
from quantail.table import TableSynthesizer
from quantail.table.stage_one import fit_state

ROWS = 240


def rich_schema(relation, width=0):
    columns: tuple[Column, ...] = (
        Column("mood", "ordinal", categories=("bad", "fair", "good"), missing=True),
        Column("pay", "numeric", 0, 1e5, grid="log", missing=True, missing_codes=(-8,), atoms=(0,)),
        Column("hired", "date", "2020-01-01", "2021-12-31"),
        Column("owner", "boolean"),
        Column("spent", "numeric", -1e5, 1e5, grid="log", missing=True),
        Column("tips", "numeric", 0, 1e5, missing=True),
        *(Column(f"extra {k}", "integer", 0, 1000, missing=k == 0) for k in range(width)),
    )
    return Schema(columns, "person", relation, inequalities=(Inequality("tips", "pay"),))


def rich_frame(width=0):
    rng = np.random.default_rng(3)
    mood = rng.integers(0, 4, ROWS)
    pay = np.round(np.exp(rng.normal(5 + 0.5 * mood, 1, ROWS)), 2)
    tips = pay * rng.random(ROWS)
    spent = np.where(rng.random(ROWS) < 0.3, np.nan, pay - rng.exponential(200, ROWS))
    status = rng.integers(0, 6, ROWS)
    day = np.array("2020-01-01", dtype="datetime64[D]") + rng.integers(0, 700, ROWS)
    frame = {
        "mood": [("bad", "fair", "good", None)[code] for code in mood],
        "pay": [{0: None, 1: -8.0, 2: 0.0}.get(code, value) for code, value in zip(status, pay, strict=True)],
        "hired": day.tolist(),
        "owner": (rng.random(ROWS) < 0.2 + 0.2 * mood).tolist(),
        "spent": [None if value != value else value for value in spent],
        "tips": tips.tolist(),
    }
    for k in range(width):
        values = np.rint(np.clip(100 * mood + rng.normal(300, 90, ROWS), 0, 1000)).tolist()
        frame[f"extra {k}"] = [None if k == 0 and row % 5 == 0 else v for row, v in enumerate(values)]
    return frame


def neighbour(frame, row, relation, instead=None):
    """Replace a row, by one with nothing in it where that is allowed, or take it out."""
    empty = {"hired": frame["hired"][0], "owner": True, "tips": 1e5}
    changed = {name: list(values) for name, values in frame.items()}
    for name, values in changed.items():
        if relation == "add-remove":
            del values[row]
        else:
            default = 1000 if name.startswith("extra") else None
            values[row] = (instead or empty).get(name, default)
    return changed


def replayed(relation, epsilon, row=17, width=0):
    frame = rich_frame(width)
    synthesizer = TableSynthesizer(rich_schema(relation, width), epsilon)
    return replay(
        synthesizer,
        pa.table(frame),
        pa.table(neighbour(frame, row, relation)),
        row,
        None if relation == "replace-one" else row,
        quick(),  # fewer simulated rows, all that is asked
    )


# What must have been asked, or less was checked than it seems: slopes have one stage or, with enough budget, two.
ASKED = {"count", "choose", "draw", "scale"}
SLOW = pytest.mark.slow
CASES = [
    ("replace-one", 200, 0, {"single", "locate"}),
    ("add-remove", 200, 0, {"single", "locate"}),
    ("replace-one", 60, 0, {"single"}),
    ("add-remove", 30, 0, {"single"}),
    pytest.param("add-remove", 400, 8, {"locate"}, marks=SLOW),
    pytest.param("add-remove", 1000, 0, {"coarse", "fine"}, marks=SLOW),
    pytest.param("replace-one", 1000, 0, {"coarse", "fine"}, marks=SLOW),
    pytest.param("replace-one", 90, 8, set(), marks=SLOW),
]


@pytest.mark.parametrize(("relation", "epsilon", "width", "needed"), CASES)
def test_same_answers_give_the_same_model_and_no_leaf_overspends(relation, epsilon, width, needed):
    found = replayed(relation, epsilon, width=width)
    assert found.same
    assert all(loss <= float(found.costs[leaf]) + 1e-9 for leaf, loss in found.losses.items())
    assert found.total > 0.3
    assert {name for name, _ in found.asked} >= ASKED | needed


def test_shares_of_absent_rows_that_were_not_released_are_caught(monkeypatch):
    def own_share(self, status):
        codes = self.confidential.column(status) if status else None
        return codes.total(lambda part: np.count_nonzero(part)) / self.rows if status else 0.0

    monkeypatch.setattr(fit_state.Fit, "absent", own_share)
    try:
        kept = replayed("replace-one", 60).kept
    except Divergence:
        kept = False
    assert not kept


def test_public_columns_cost_nothing_and_neighbours_agree_on_them():
    frame = rich_frame()
    public = [c for c in rich_schema("replace-one").columns if c.name in ("owner", "hired", "spent")]
    schema = Schema(
        (
            *(
                Column(c.name, c.type, c.lower, c.upper, c.grid, public=True, missing=c.missing)
                for c in public
            ),
            Column("tips", "numeric", 0, 1e5),
        ),
        "person",
    )
    kept = {name: frame[name][9] for name in ("owner", "hired", "spent")}
    other = neighbour({n: frame[n] for n in schema.names}, 9, "replace-one", kept | {"tips": 1e5})
    synthesizer = TableSynthesizer(schema, 30)
    found = replay(synthesizer, pa.table({n: frame[n] for n in schema.names}), pa.table(other))
    assert found.kept
    assert sum(found.costs.values()) == 30
    columns, _rounds = synthesizer.plan(ROWS).children
    assert [leaf.name for leaf in columns.children] == ["tips"]


def test_identities_replay_too():
    parts = (Column("a", "integer", 0, 50), Column("b", "integer", 0, 50))
    schema = Schema(
        (Column("total", "integer", 0, 100), *parts), "person", identities=(Identity("total", ("a", "b")),)
    )
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 51, ROWS), rng.integers(0, 51, ROWS)
    frame = {"total": (a + b).tolist(), "a": a.tolist(), "b": b.tolist()}
    other = {name: list(values) for name, values in frame.items()}
    other["total"][3], other["a"][3], other["b"][3] = 100, 50, 50
    synthesizer = TableSynthesizer(schema, 20)
    assert replay(synthesizer, pa.table(frame), pa.table(other)).kept
