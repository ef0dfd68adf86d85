"""The charge comes before the first question, once, and a ledger that refuses stops everything."""

import pyarrow as pa
import pytest
from panels import industry, maker_of, with_industry, write_panel
from partitioned import maker_of as table_maker_of
from partitioned import schema_of, table_of, write_partitioned

from quantail.engines import synthesize_panel, synthesize_table
from quantail.errors import BudgetError


class RecordingLedger:
    """Stands for a ledger; says when it is charged, and refuses if told to."""

    def __init__(self, events, refuses=False):
        self.events, self.refuses = events, refuses

    def charge(self, *parts, **named):
        if self.refuses:
            raise BudgetError("the budget does not cover this; ask for less")
        self.events.append("charge")

    def confirm(self):
        self.events.append("confirm")


ONE, OTHER = industry(range(30)), industry(range(30, 70))


def fit(folder, ledger):
    maker_of().fit(pa.concat_tables([with_industry(ONE, "178"), with_industry(OTHER, "239")]), ledger)


def fit_each(folder, ledger):
    list(maker_of().fit_each([with_industry(ONE, "178"), with_industry(OTHER, "239")], ledger))


def panel_engine(folder, ledger):
    source = write_panel({"178": ONE, "239": OTHER}, folder / "panel")
    synthesize_panel(source, folder / "out", maker_of(), ledger=ledger)


def table_engine(folder, ledger):
    source = write_partitioned(table_of(), folder / "table")
    synthesize_table(source, folder / "out", table_maker_of(schema_of()), ledger=ledger, large=400)


def table_engine_with_private_sizes(folder, ledger):
    source = write_partitioned(table_of(), folder / "table")
    synthesize_table(source, folder / "out", table_maker_of(schema_of("add-remove")), ledger=ledger)


RUNS = (fit, fit_each, panel_engine, table_engine, table_engine_with_private_sizes)


@pytest.mark.parametrize("run", RUNS)
def test_nothing_is_asked_or_written_before_the_charge(tmp_path, run, events):
    run(tmp_path, RecordingLedger(events))
    assert events[0] == "charge" and events.count("charge") == 1
    assert "question" in events
    assert events[-1] == "confirm"  # and its charge is looked for when all is done, before anything appears


@pytest.mark.parametrize("run", RUNS)
def test_a_ledger_that_refuses_stops_everything(tmp_path, run, events):
    with pytest.raises(BudgetError):
        run(tmp_path, RecordingLedger(events, refuses=True))
    assert events == []
    assert {path.name for path in tmp_path.iterdir()} <= {"panel", "table"}  # no output, nothing hidden
