"""A register that is continued year by year: what each year costs and what errors to expect, without data."""

from dataclasses import replace

import numpy as np
import pyarrow.compute as pc
import pytest

from quantail import PanelSynthesizer, PeriodSynthesizer
from quantail.errors import OptionError, SchemaError
from quantail.planning import panel_years, plan_years
from quantail.planning.panel_years import _trial
from quantail.planning.shapes import read_shape
from quantail.schema import Column, Panel, Schema

COLUMNS = (Column("emp", "integer", 0, 2000, grid="log"), Column("pay", "numeric", 0, 1e6, grid="log"))
WIDE = Schema(COLUMNS, "firm", panel=Panel("id", "first", "last", 2001, 2004))
TRADE = Column("trade", "category", categories=("a", "b"))


def test_budgets_add_up_exactly():
    planned = plan_years(WIDE, 5000, "1", 10, "0.1")
    assert [one.period for one in planned] == list(range(2004, 2015))
    assert [one.epsilon for one in planned] == ["1", *["0.1"] * 10]
    assert planned[3].spent == "1.3" and planned[-1].spent == "2" and planned[0].errors == {}


@pytest.mark.parametrize("grouped", [False, True])
def test_errors_of_every_year_are_stated_and_shrink_with_its_budget(grouped):
    schema = WIDE
    if grouped:
        schema = replace(WIDE, columns=(TRADE, *COLUMNS), by=("trade",))
    few, many = (plan_years(schema, 400, 4, 2, yearly, panels=3) for yearly in ("0.01", "20"))
    for one in few:
        assert set(one.errors) == {"emp", "pay"}
        assert set(one.errors["emp"]) == {
            "total",
            "units",
            "creation",
            "destruction",
            "net creation",
            "entry",
            "exit",
        }
    assert few[0].errors == many[0].errors  # the first release is the same
    assert many[-1].errors["emp"]["units"].expected < few[-1].errors["emp"]["units"].expected
    form = few[-1].to_dict()
    assert form["period"] == 2006 and form["errors"]["emp"]["total"]["high"] >= 0


def test_every_year_is_released_as_it_will_be(monkeypatch):
    """Budgets, periods and the panel that is continued are those of a first release and of appends."""
    made, continued = [], []

    class First(PanelSynthesizer):
        def fit(self, frame, **rest):
            made.append((self.epsilon, self.schema.panel.end, max(frame["year"].to_pylist())))
            return super().fit(frame, **rest)

    class Later(PeriodSynthesizer):
        def __init__(self, schema, epsilon, released, **rest):
            continued.append((epsilon, schema.panel.end, max(released["year"].to_pylist())))
            super().__init__(schema, epsilon, released, **rest)

    monkeypatch.setattr(panel_years, "PanelSynthesizer", First)
    monkeypatch.setattr(panel_years, "PeriodSynthesizer", Later)
    long = replace(WIDE, panel=Panel("id", start=2001, end=2004, layout="long", time="year"))
    plan_years(long, 60, 2, 2, "0.5", panels=3)
    assert made == [(2, 2004, 2004)] * 3
    assert continued == [(0.5, 2005, 2004), (0.5, 2006, 2005)] * 3


def test_the_first_release_has_the_stated_number_of_units():
    trial = _trial(WIDE, 2000, 1, 6)
    table = trial.simulate(read_shape("lognormal"), np.random.default_rng(1))
    entered = len(set(table.filter(pc.field("period") <= 2004)["id"].to_pylist()))
    assert entered == pytest.approx(2000, rel=0.05)


def test_what_cannot_be_continued_is_refused():
    with pytest.raises(OptionError, match="years must be"):
        plan_years(WIDE, 100, 1, 0, "0.1")
    with pytest.raises(SchemaError, match="full synthesis"):
        plan_years(replace(WIDE, panel=replace(WIDE.panel, synthesis="partial")), 100, 1, 2, "0.1")
    with pytest.raises(SchemaError, match="no \\[panel\\]"):
        plan_years(replace(WIDE, panel=None), 100, 1, 2, "0.1")
    with pytest.raises(OptionError, match="at least 3"):
        plan_years(WIDE, 100, 1, 2, "0.1", panels=2)
