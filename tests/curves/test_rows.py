"""Confidential rows in chunks: whatever the chunks are, the same integers, the same parts, the same models."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantail.auditing.whole_tables import ROWS, frame_of, schema_of
from quantail.curves import HeldRows
from quantail.curves.rows import Rows, gathered
from quantail.curves.slopes import SlopeRules, subsample
from quantail.privacy import Gate, SecureNoise, SimulatedNoise
from quantail.table.design import draw_tables_design
from quantail.table.fitting import fit_tables
from quantail.table.stage_one.rules import STAGE_ONE_RULES, StageOneRules, TablesSettings

SOURCES = {"simulated": lambda: SimulatedNoise(3), "secure": SecureNoise}


class ForgetfulRows(HeldRows):
    """Rows that keep nothing, as those of a stream."""

    keep = Rows.keep


def numbers(size, chunk, kind=HeldRows):
    return kind({"x": np.arange(float(size)), "y": np.sin(np.arange(size))}, chunk=chunk)


@pytest.mark.parametrize("source", SOURCES)
@settings(max_examples=30, deadline=None)
@given(start=st.integers(0, 20_000), size=st.integers(0, 9_000))
def test_any_stretch_of_a_stream_is_part_of_the_whole(source, start, size):
    stream = SOURCES[source]().stream(29_000)
    np.testing.assert_array_equal(stream(start, size), stream(0, 29_000)[start : start + size])


@pytest.mark.parametrize("source", SOURCES)
def test_streams_are_fresh_and_uniform(source):
    noise = SOURCES[source]()
    first, second = (noise.stream(40_000)(0, 40_000) for _ in range(2))
    assert np.intersect1d(first, second).size < 5
    assert first.min() >= 0 and first.max() < 1
    for numbers in (first, second):
        cells = np.bincount((numbers * 50).astype(int), minlength=50)
        assert ((cells - 800) ** 2 / 800).sum() < 120  # chi^2 of 49 degrees of freedom: beyond 1e-7
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 0.03


def test_a_simulated_stream_is_what_the_generator_would_have_given():
    # So seeded results are those of a table in memory, before streams and since.
    noise, other = SimulatedNoise(8), SimulatedNoise(8)
    np.testing.assert_array_equal(noise.stream(70)(0, 70), other.random(70))
    np.testing.assert_array_equal(noise.random(5), other.random(5))


def test_groups_have_noise_of_their_own():
    seen = [SimulatedNoise(1, group).random(3).tolist() for group in ((), (0,), (1,), (0, 0), (0, 1))]
    assert len({tuple(draws) for draws in seen}) == 5


@settings(max_examples=60, deadline=None)
@given(size=st.integers(0, 60), chunk=st.integers(1, 70), kind=st.sampled_from([HeldRows, ForgetfulRows]))
def test_vectors_do_not_depend_on_chunks(size, chunk, kind):
    rows = numbers(size, chunk, kind)
    x, y = rows.column("x"), rows.column("y")
    dither = x.uniform(SimulatedNoise(1))
    moved = x.map(lambda a, u: a + u, dither).kept()
    marked = moved.where(y.map(lambda b: b > 0))
    some = marked.where(marked.at(np.arange(0, size, 3)))  # marks upon marks still follow positions
    u = SimulatedNoise(1).random(size)
    keep = np.sin(np.arange(size)) > 0
    both = keep & (np.arange(size) % 3 == 0)
    np.testing.assert_array_equal(gathered(some)[0], (np.arange(size) + u)[both])
    np.testing.assert_array_equal(
        gathered(some.uniform(SimulatedNoise(1)))[0], SimulatedNoise(1).random(size)[both]
    )
    cells = some.total(lambda a: np.bincount(a.astype(int) % 7, minlength=7))
    assert cells.dtype == np.int64
    assert cells.tolist() == np.bincount((np.arange(size) + u)[both].astype(int) % 7, minlength=7).tolist()


def drawn_up(schema, rows, cost, rules=STAGE_ONE_RULES):
    return draw_tables_design(TablesSettings(rules), schema, rows, cost, "pure", "table")


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_a_secret_part_does_not_depend_on_chunks(relation):
    parts = []
    for chunk in (7, 64, 1000):
        gate = Gate(drawn_up(schema_of(relation), 900, Fraction(1)).plan, SimulatedNoise(2), relation)
        rows = numbers(900, chunk)
        parts.append(subsample(gate, 900, 100, rows.column("x"), rows.column("y")))
        assert 50 < parts[-1][0].size < 150
    for x, y in parts[1:]:
        np.testing.assert_array_equal(x, parts[0][0])
        np.testing.assert_array_equal(y, parts[0][1])


@pytest.mark.parametrize(("relation", "epsilon"), [("replace-one", 110), ("add-remove", 60)])
def test_models_do_not_depend_on_chunks(relation, epsilon):
    few = SlopeRules(rows=lambda epsilon, last: ROWS // 2)
    rules = StageOneRules(2**10, few)
    schema, frame = schema_of(relation), frame_of(4)
    data = {
        name: np.array([schema.column(name).categories.index(v) for v in values])
        if schema.column(name).type == "category"
        else np.clip(np.array(values, dtype=float), schema.column(name).lower, schema.column(name).upper)
        for name, values in frame.items()
    }
    design = drawn_up(schema, ROWS, Fraction(epsilon), rules)
    released = []
    for rows in (HeldRows(data), HeldRows(data, chunk=17), ForgetfulRows(data, chunk=50)):
        again = replace(design)
        released.append(
            fit_tables(Gate(again.plan, SimulatedNoise(5), relation), again, rows, lambda name: None)
        )
    assert released[0] == released[1] == released[2]
