"""Candidate tables: one pass over the rows, whole numbers, the same however rows are cut into chunks."""

import numpy as np

from quantail.curves import HeldRows
from quantail.table.candidates import Scores, count_sets, field_sets
from quantail.table.cells import label_cells
from quantail.table.tuning import MOST_TRIPLES

EVEN = label_cells(np.full(3, 1 / 3))
SKEWED = label_cells(np.array([0.6, 0.3, 0.05, 0.05]))
KINDS = [EVEN, SKEWED, EVEN]
ALL = [frozenset(range(place)) for place in range(200)]


def made(rows=1000, seed=0):
    rng = np.random.default_rng(seed)
    return {f"f{k}": rng.integers(0, kind.number, rows) for k, kind in enumerate(KINDS)}


def counted(columns, chunk):
    rows = HeldRows(columns, chunk=chunk)
    sets = field_sets(KINDS, ALL)
    return sets, count_sets([rows.column(name) for name in columns], KINDS, sets)


def test_counts_do_not_depend_on_chunks_and_add_up_to_the_rows():
    sets, whole = counted(made(), 10**6)
    _, pieces = counted(made(), 7)
    for first, second, each in zip(whole, pieces, sets, strict=True):
        np.testing.assert_array_equal(first, second)
        assert first.shape == each.sizes and first.sum() == 1000 and first.dtype == np.int64


def test_scores_are_distances_in_rows_less_a_penalty_for_cells():
    columns = made()
    sets, counts = counted(columns, 100)
    scores = Scores(sets, KINDS, counts, 1000, 0.5)
    other = made(seed=1)
    scores.update(list(other.values()), {0, 1, 2})
    for number, candidate in enumerate(scores.candidates):
        tables = []
        for source in (columns, other):
            cells = [
                np.asarray(KINDS[place].coarse[level])[source[f"f{place}"]]
                for place, level in zip(candidate.places, candidate.levels, strict=True)
            ]
            tables.append(np.zeros(candidate.shape, dtype=int))
            np.add.at(tables[-1], tuple(cells), 1)
        penalty = round(0.5 * np.prod(candidate.shape))
        assert scores.scores[number] == np.abs(tables[0] - tables[1]).sum() - penalty
        np.testing.assert_array_equal(scores.counts(number), tables[0])


def test_only_sets_with_a_changed_field_are_looked_at_again():
    sets, counts = counted(made(), 100)
    fresh, kept = (Scores(sets, KINDS, counts, 1000, 0.5) for _ in range(2))
    before, after = made(seed=1), made(seed=1) | {"f2": made(seed=2)["f2"]}
    fresh.update(list(after.values()), {0, 1, 2})
    kept.update(list(before.values()), {0, 1, 2})
    kept.update(list(after.values()), {2})
    np.testing.assert_array_equal(fresh.scores, kept.scores)


def test_who_may_explain_whom_and_wide_tables_bound_the_sets():
    explained = [frozenset(), frozenset(), frozenset({1})]
    assert [each.places for each in field_sets(KINDS, explained)] == [(0,), (1,), (2,), (1, 2)]
    assert [each.places for each in field_sets(KINDS, explained, public={1})] == [(0,), (2,), (1, 2)]
    assert len(field_sets([EVEN] * 60, ALL)) == 60 + 60 * 59 // 2
    assert sum(len(each.places) == 3 for each in field_sets([EVEN] * 15, ALL)) <= MOST_TRIPLES
    assert len(field_sets([EVEN] * 150, ALL)) == 150
