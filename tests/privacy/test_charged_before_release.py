"""The ledger is charged before the gate is asked anything, by every synthesizer; a refusal stops it all."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from quantail.auditing.whole_panels import SCHEMA, panel_of
from quantail.auditing.whole_tables import frame_of, schema_of
from quantail.errors import BudgetError
from quantail.panel import PanelSynthesizer
from quantail.privacy import Ledger, SimulatedNoise, Source
from quantail.table import TableSynthesizer

Run = Callable[[Source, Ledger], Any]
PANEL = replace(SCHEMA, name="firms")


def fit_table(source: Source, ledger: Ledger) -> Any:
    maker = TableSynthesizer(replace(schema_of("add-remove"), name="firms"), 1)._drawing_from(source)
    return maker.fit(pa.table(frame_of(4)), ledger=ledger)


def fit_tables(source: Source, ledger: Ledger) -> Any:
    maker = TableSynthesizer(replace(schema_of("replace-one"), name="firms"), "1/2")._drawing_from(source)
    return maker.fit_many(pa.table(frame_of(4)), 2, ledger=ledger)


def fit_panel(source: Source, ledger: Ledger) -> Any:
    return PanelSynthesizer(PANEL, 1)._drawing_from(source).fit(panel_of(1), ledger=ledger)


def fit_panels(source: Source, ledger: Ledger) -> Any:
    return list(PanelSynthesizer(PANEL, 1)._drawing_from(source).fit_each([panel_of(1)], ledger=ledger))


@pytest.mark.parametrize("run", [fit_table, fit_tables, fit_panel, fit_panels])
def test_everything_is_spent_when_the_first_question_is_asked(run: Run, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger", "firms", 1)
    spent: list[Any] = []
    run(
        Source(lambda group: SimulatedNoise(1, group), False, lambda call: spent.append(ledger.spent)), ledger
    )
    assert len(spent) > 3 and set(spent) == {1}


@pytest.mark.parametrize("run", [fit_table, fit_tables, fit_panel, fit_panels])
def test_nothing_is_asked_if_the_ledger_refuses(run: Run, tmp_path: Path) -> None:
    ledger = Ledger.create(tmp_path / "ledger", "firms", "1/2")
    asked: list[Any] = []
    with pytest.raises(BudgetError, match="does not cover"):
        run(Source(lambda group: SimulatedNoise(1, group), False, asked.append), ledger)
    assert not asked and ledger.spent == 0
