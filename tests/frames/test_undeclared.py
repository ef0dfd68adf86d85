"""What rows show and the schema does not say is told internally, without a value; what it says is not told again."""

from dataclasses import replace

import numpy as np
import pandas as pd

from quantail.frames import check_table
from quantail.schema import Column, Identity, Inequality, Key, Schema

ROWS = 400


def number(name, **facts):
    return Column(name, "numeric", 0, **({"upper": 1e6, "decimals": 2} | facts))


def told(frame, *columns, **facts):
    schema = Schema(columns, unit="person", **facts)
    assert check_table(frame, schema) == []
    return {problem.column: str(problem) for problem in check_table(frame, schema, internal=True)}


def table(**columns):
    rng = np.random.default_rng(1)
    pay = rng.lognormal(8, 1, ROWS).round(2)
    return pd.DataFrame({"pay": pay} | columns)


def test_a_key_that_repeats_may_belong_to_a_unit_of_several_rows():
    frame = table(patient=np.arange(ROWS) // 2)
    notes = told(frame, number("pay"), keys=(Key("patient"),))
    assert "rows of one person" in notes["patient"]
    assert told(table(patient=np.arange(ROWS)), number("pay"), keys=(Key("patient"),)) == {}


def test_decimals_codes_and_round_figures():
    frame = table()
    assert "decimals = 2" in told(frame, number("pay", decimals=None))["pay"]
    assert told(frame, number("pay")) == {}
    coded = table()
    coded.loc[::20, "pay"] = -9
    assert "missing_codes" in told(coded, number("pay"))["pay"]
    assert told(coded, number("pay", missing_codes=(-9,))) == {}
    heaped = table()
    heaped.loc[::2, "pay"] = heaped["pay"].round(-3)[::2].clip(lower=1000)
    assert "heaps = [" in told(heaped, number("pay"))["pay"]
    assert told(heaped, number("pay", heaps=(1000,), atoms=(1000, 2000, 3000))) == {}


def test_a_frequent_value_is_advised_as_an_atom_only_where_it_stands_out():
    frame = table()
    frame.loc[::5, "pay"] = 20833
    note = told(frame, number("pay"))["pay"]
    assert "atoms" in note and "20833" not in note
    assert told(frame, number("pay", atoms=(20833,))) == {}
    staff = np.random.default_rng(2).geometric(0.3, ROWS)  # one, two and three are all frequent
    assert told(pd.DataFrame({"staff": staff}), Column("staff", "integer", 0, 1e6, grid="log")) == {}


def test_rules_that_hold_in_every_row():
    frame = table()
    part = np.random.default_rng(3).random(ROWS)
    frame["net"] = (frame["pay"] * part).round(2)
    frame["tax"] = (frame["pay"] - frame["net"]).round(2)
    columns = number("net"), number("tax"), number("pay")
    notes = told(frame, *columns)
    assert "sum of 'net' and 'tax'" in notes["pay"] and set(notes) == {"pay"}
    ordered = columns[2], columns[0], columns[1]
    assert told(frame, *ordered, identities=(Identity("pay", ("net", "tax")),)) == {}
    two = ordered[:2]
    assert "never above 'pay'" in told(frame, *two)["net"]
    assert told(frame, *two, inequalities=(Inequality("net", "pay"),)) == {}
    frame["net"] = frame["net"].sample(frac=1, random_state=1).to_numpy()
    assert told(frame, *two) == {}


def test_columns_that_are_empty_in_the_same_rows():
    frame = table(claims=np.random.default_rng(4).integers(0, 3, ROWS))
    frame["day"] = pd.Timestamp("2020-02-01")
    frame.loc[frame["claims"] == 0, "day"] = pd.NaT
    columns = (
        Column("claims", "integer", 0, 9),
        Column("day", "date", "2020-01-01", "2021-01-01", missing=True),
    )
    assert "same rows as 'claims'" in told(frame, *columns)["day"]
    ruled = columns[0], replace(columns[1], universe="claims >= 1")
    assert told(frame, *ruled) == {}


def test_codes_that_belong_to_coarser_ones():
    rng = np.random.default_rng(5)
    code = rng.integers(0, 12, ROWS)
    frame = table(sector=np.array(list("ABC"))[code // 4], code=[f"c{x:02d}" for x in code])
    codes = tuple(f"c{x:02d}" for x in range(12))
    columns = (
        Column("sector", "category", categories=tuple("ABC")),
        Column("code", "category", categories=codes),
    )
    assert "stand beside one label of 'sector'" in told(frame, *columns)["code"]
    parents = tuple("AAAABBBBCCCC")
    assert told(frame, columns[0], replace(columns[1], within="sector", parents=parents)) == {}
    frame["sector"] = frame["sector"].sample(frac=1, random_state=1).to_numpy()
    assert told(frame, *columns) == {}


def test_a_computed_total_is_not_advised_to_declare_atoms_that_it_cannot_have():
    frame = table()
    frame["rent"] = 0.0
    frame.loc[::2, ["pay"]] = 0.0
    frame.loc[1::4, "rent"] = 700.25
    frame["sum"] = frame["pay"] + frame["rent"]
    columns = number("pay", atoms=(0,)), number("rent", atoms=(0, 700.25)), number("sum", upper=2e6)
    assert "sum" not in told(frame, *columns, identities=(Identity("sum", ("pay", "rent")),))


def test_labels_and_numbers_that_are_empty_together_or_wherever_another_is():
    rng = np.random.default_rng(6)
    frame = table(pension=rng.integers(0, 3, ROWS) * 700.0)
    frame["kind"] = np.where(frame["pension"] > 0, rng.choice(["old", "ill"], ROWS), None)
    frame["tax"] = np.where(rng.random(ROWS) < 0.5, frame["pension"] / 7, 0)
    columns = (
        number("pension", atoms=(0, 700, 1400)),
        Column("kind", "category", categories=("old", "ill"), missing=True),
        number("tax", atoms=(0, 100, 200)),
    )
    notes = told(frame, *columns)
    assert "is missing in the same rows as 'pension'" in notes["kind"]
    assert "in every row in which 'pension' is missing or zero" in notes["tax"]
    ruled = [
        replace(columns[1], universe="pension > 0"),
        replace(columns[2], universe="pension > 0", outside=0),
    ]
    assert told(frame, columns[0], *ruled) == {}
    frame["tax"] = frame["tax"].sample(frac=1, random_state=1).to_numpy()
    assert told(frame, columns[0], ruled[0], columns[2]) == {}
    few = rng.random(ROWS) < 0.03  # of a column that is mostly empty anyway, so are these rows
    frame["pension"], frame["tax"] = (
        np.where(few, 0.0, frame["pension"] + 1),
        np.where(rng.random(ROWS) < 0.8, 0, 100),
    )
    frame.loc[few, "tax"] = 0.0
    assert told(frame[["pension", "tax"]], number("pension", atoms=(1, 701, 1401)), columns[2]) == {}
