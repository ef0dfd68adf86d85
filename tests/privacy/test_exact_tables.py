"""The law of choosing and counting tables on tiny lattices, epsilon 1, and whole fits replayed on neighbours."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from quantail.auditing.boundaries import quick
from quantail.auditing.enumeration import gate_of, search
from quantail.auditing.replay import replay
from quantail.auditing.rich_table import RICH_EXTREME, rich_frame
from quantail.auditing.rich_table import rich_schema as grouped_schema
from quantail.auditing.whole_tables import EXTREME, frame_of, neighbour_of, schema_of
from quantail.curves import HeldRows
from quantail.privacy import Selection, cells_touched
from quantail.table import TableSynthesizer
from quantail.table.candidates import Scores, count_sets, field_sets
from quantail.table.cells import label_cells
from quantail.table.chain import Chain

RELATIONS = ("replace-one", "add-remove")
each_relation = pytest.mark.parametrize("relation", RELATIONS)
LABELS = label_cells(np.array([0.5, 0.5]))
KINDS = [LABELS] * 3
DOMAIN = tuple(product((0, 1), repeat=3))
MODELLED = [np.array(column) for column in zip(*((0, 0, 0), (0, 1, 0), (1, 1, 1), (1, 0, 0)), strict=True)]
SETS = field_sets(KINDS, [frozenset(range(place)) for place in range(3)])


@cache  # a table is its own neighbour's neighbour: each is met many times
def scores_of(table, rows=3):
    columns = np.array(table, dtype=np.int64).reshape(-1, 3).T
    held = HeldRows(dict(zip("abc", columns, strict=True)), size=columns.shape[1])
    counts = count_sets([held.column(name) for name in "abc"], KINDS, SETS)
    scores = Scores(SETS, KINDS, counts, rows, 0.1)
    scores.update(MODELLED, {0, 1, 2})
    return scores


@cache
def counts_of(table):
    scores = scores_of(table)
    return [scores.counts(number) for number in range(len(scores.candidates))]


def choosing(relation, sensitivity=None):
    def mechanism(table, noise):
        gate = gate_of(noise, relation, 1)
        (leaf,) = gate.plan.leaves()
        touched = cells_touched(relation) if sensitivity is None else sensitivity
        (index,) = gate.select(leaf, [Selection(scores_of(table).scores, touched)])
        return index

    return mechanism


@each_relation
def test_a_choice_costs_no_more_than_claimed(relation):
    assert 0.3 < search(choosing(relation), DOMAIN, 3, relation).loss <= 1 + 1e-9


def test_half_the_sensitivity_is_caught():
    assert search(choosing("replace-one", 1), DOMAIN, 3, "replace-one").loss > 1.05


@each_relation
def test_counts_of_a_chosen_table_move_by_what_the_gate_is_told(relation):
    worst = 0
    for table in product(DOMAIN, repeat=2):
        for row, other in product(DOMAIN, DOMAIN):
            first = counts_of((*table, row))
            second = counts_of((*table, other) if relation == "replace-one" else table)
            worst = max(worst, *(int(np.abs(a - b).sum()) for a, b in zip(first, second, strict=True)))
    assert worst == cells_touched(relation)


def replayed(relation, epsilon, row, rich, **options):
    frame = rich_frame(4, 240) if rich else frame_of(4)
    schema = grouped_schema(relation) if rich else schema_of(relation)
    maker = TableSynthesizer(schema, epsilon, method="tables", **options)
    neighbour = neighbour_of(frame, row, relation, RICH_EXTREME if rich else EXTREME)
    first, second = (pa.table({name: part[name] for name in schema.names}) for part in (frame, neighbour))
    place = row // 2 if rich else row
    return replay(maker, first, second, row, place if relation == "add-remove" else None, quick())


# Plain columns are replayed in test_exact_table.py; here columns of every kind, in groups.
@pytest.mark.parametrize("row", [0, pytest.param(239, marks=pytest.mark.slow)])
@pytest.mark.parametrize("relation", ["add-remove", pytest.param("replace-one", marks=pytest.mark.slow)])
def test_with_the_same_answers_neighbours_release_the_same_model(relation, row):
    found = replayed(relation, 90, row, rich=True)
    assert {"choose", "count"} <= {name for name, _ in found.asked}
    assert found.same and found.kept


@pytest.mark.parametrize("relation", ["add-remove", pytest.param("replace-one", marks=pytest.mark.slow)])
def test_under_zcdp_too(relation):
    found = replayed(relation, 90, 0, False, definition="zcdp", delta=1e-6)
    assert {"choose", "count"} <= {name for name, _ in found.asked} and found.same
    selections = [leaf for leaf in found.losses if leaf.endswith("choose")]
    assert selections and all(
        found.losses[leaf] <= (8 * float(found.costs[leaf])) ** 0.5 for leaf in selections
    )


def test_a_leak_past_the_gate_shows(monkeypatch):
    honest, counted = Chain.add, Scores.counts
    true = []

    def spying(self, number):
        true.append(counted(self, number).astype(np.float64))
        return true[-1].astype(np.int64)

    def leaking(self, table):  # what is fitted is what was counted, not what was released
        honest(self, replace(table, counts=true[-1]) if table.counts.ndim == true[-1].ndim else table)

    monkeypatch.setattr(Scores, "counts", spying)
    monkeypatch.setattr(Chain, "add", leaking)
    assert not replayed("replace-one", 90, 0, False).same
