"""What a notebook shows: short lines, escaped pages, nothing confidential; and progress only where a person watches."""

import io
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import quantail
from quantail.cli.account import Account
from quantail.errors import NoLedgerWarning, OptionError
from quantail.examples import industry_example, industry_schema, payroll_example, payroll_schema
from quantail.notebook import MOST_ROWS
from quantail.planning import expect
from quantail.release.watching import watched

HOSTILE = "<script>alert('x')</script>\x1b[2J\n& pay"
LONGEST = 400


def hostile_schema(unit: str = HOSTILE) -> quantail.Schema:
    labels = tuple(f"<b>{number}</b>" for number in range(50))
    columns = (
        quantail.Column("kind", "category", categories=labels, source="<i>book</i>"),
        quantail.Column(HOSTILE.replace("\n", ""), "numeric", 0, 1e6, grid="log"),
    )
    return quantail.Schema(columns, unit.replace("\n", "").replace("\x1b", ""), name="<u>table</u>")


@pytest.fixture(scope="module")
def table_model() -> Any:
    synthesizer = quantail.TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1)
    return synthesizer.fit(payroll_example(300))


@pytest.fixture(scope="module")
def panel_model() -> Any:
    synthesizer = quantail.PanelSynthesizer(industry_schema(), 1, noise="simulated", seed=1)
    return synthesizer.fit(industry_example(150))


def shown_objects(folder: Path, table_model: Any, panel_model: Any) -> dict[str, Any]:
    table = payroll_example(300)
    ledger = quantail.Ledger.create(folder / "<b>payroll.ledger", "payroll <b>", 3)
    ledger.charge(quantail.plan(payroll_schema(), 300, 1).cost, "<b>first</b>", "0" * 64)
    return {
        "schema": hostile_schema(),
        "panel schema": industry_schema(),
        "plan": quantail.plan(hostile_schema(), 300, 1),
        "ledger": ledger,
        "account": Account(ledger.path, ledger.dataset, ledger.unit),
        "table": table_model,
        "panel": panel_model,
        "evaluation": quantail.evaluate(table, table_model.sample(seed=1), measures=["counts"]),
        "inference": quantail.infer(
            table_model, table_model.sample(seed=1), "mean(payroll)", effort=10, seed=1
        ),
        "expectation": expect(payroll_schema(), 300, 1),
    }


def test_every_object_is_a_short_line_and_a_page_without_a_script(
    tmp_path: Path, table_model: Any, panel_model: Any
) -> None:
    for name, thing in shown_objects(tmp_path, table_model, panel_model).items():
        line, page = repr(thing), thing._repr_html_()
        assert len(line) <= LONGEST and line.isprintable() and "array(" not in line, name
        assert page.startswith("<div>") and len(page) < 30_000, name
        assert "<script" not in page and "<b>payroll" not in page and "<b>4" not in page, name
        assert "\x1b" not in page and "\x1b" not in line, name


def test_names_are_shown_as_they_are_and_long_lists_are_cut() -> None:
    page = hostile_schema()._repr_html_()
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;" in page and "&lt;i&gt;book&lt;/i&gt;" in page
    assert "(50 in all)" in page and "&lt;b&gt;9&lt;/b&gt;" not in page
    many = tuple(quantail.Column(f"c{number}", "integer", 0, 9) for number in range(MOST_ROWS + 17))
    assert "17 more rows" in quantail.Schema(many, "person")._repr_html_()


def test_a_column_is_written_without_its_defaults() -> None:
    assert repr(quantail.Column("pay", "numeric", 0, 9, decimals=2)) == (
        "Column('pay', 'numeric', lower=0.0, upper=9.0, decimals=2)"
    )


def test_what_was_read_shows_nothing_of_what_it_holds() -> None:
    table, panel = payroll_example(321), industry_example(150)
    held = quantail.TableSynthesizer(payroll_schema(), 1).read(table)
    histories = quantail.PanelSynthesizer(industry_schema(), 1).read(panel)
    for thing in (held, histories, histories.data):  # type: ignore[attr-defined]
        line = repr(thing)
        assert len(line) <= LONGEST and "321" not in line and "array" not in line
    assert "confidential" in repr(held) and "confidential" in repr(histories)


def test_an_evaluation_says_that_it_is_internal_and_its_line_shows_no_value() -> None:
    table = {"x": np.arange(50.0)}
    found = quantail.evaluate(table, table, measures=["counts"])
    assert "INTERNAL" in found._repr_html_()
    assert "1000" not in repr(found)  # the value of k_marginal


def test_a_model_of_simulated_noise_says_so(table_model: Any) -> None:
    assert "NOT PRIVATE" in repr(table_model) and "NOT PRIVATE" in table_model._repr_html_()


def test_a_ledger_that_cannot_be_read_still_has_a_page(tmp_path: Path) -> None:
    ledger = quantail.Ledger.create(tmp_path / "gone.ledger", "payroll", 3)
    assert '<td style="text-align:left">3</td>' in ledger._repr_html_()
    ledger.path.unlink()
    assert "gone.ledger" in repr(ledger) and "gone.ledger" in ledger._repr_html_()


def test_a_fit_without_a_ledger_warns_and_false_says_that_somebody_keeps_count() -> None:
    table = payroll_example(60)
    with pytest.warns(NoLedgerWarning, match="No ledger keeps count") as caught:
        quantail.TableSynthesizer(payroll_schema(), 1).fit(table)
    assert caught[0].filename == __file__  # it points to the line that spends
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quantail.TableSynthesizer(payroll_schema(), 1).fit(table, ledger=False)
        quantail.TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(table)


def test_a_panel_in_several_tables_warns_too() -> None:
    with pytest.warns(NoLedgerWarning) as caught:
        quantail.PanelSynthesizer(industry_schema(), 1).fit_each([])
    assert caught[0].filename == __file__


def test_a_fit_takes_the_paths_of_a_file_and_of_a_ledger(tmp_path: Path) -> None:
    schema, table = payroll_schema(), payroll_example(60)
    quantail.write_table(table, tmp_path / "payroll.csv")
    ledger = quantail.Ledger.create(tmp_path / "payroll.ledger", schema.name, 1)
    model = quantail.TableSynthesizer(schema, 1).fit(str(tmp_path / "payroll.csv"), ledger=ledger.path)
    assert ledger.spent == 1 and model.rows == 60


def test_a_panel_is_fitted_from_a_file_and_refuses_a_number_of_rows(tmp_path: Path) -> None:
    quantail.write_table(industry_example(80), tmp_path / "panel.parquet")
    synthesizer = quantail.PanelSynthesizer(industry_schema(), 1, noise="simulated", seed=1)
    model = synthesizer.fit(tmp_path / "panel.parquet")
    with pytest.raises(OptionError, match="leave rows out"):
        model.sample(500)  # type: ignore[arg-type]


def test_rows_are_asked_for_by_that_name(table_model: Any) -> None:
    assert table_model.sample(rows=7).num_rows == 7
    assert sum(part.num_rows for part in table_model.chunks(rows=9)) == 9


class Terminal(io.StringIO):
    """A place to write to that says whether a person watches."""

    def __init__(self, watched: bool) -> None:
        super().__init__()
        self.watched = watched

    def isatty(self) -> bool:
        return self.watched


@pytest.mark.parametrize("person", [True, False])
def test_a_bar_is_shown_in_a_terminal_and_nowhere_else(person: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    screen = Terminal(person)
    monkeypatch.setattr(sys, "stderr", screen)
    quantail.TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(payroll_example(60))
    assert ("to go" in screen.getvalue()) == person
    quiet = Terminal(person)
    monkeypatch.setattr(sys, "stderr", quiet)
    quantail.TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(
        payroll_example(60), progress=False
    )
    assert quiet.getvalue() == ""


def test_a_notebook_gets_one_line_that_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    pages: list[dict[str, str]] = []
    handle = SimpleNamespace(update=lambda page, raw: pages.append(page))

    def display(page: dict[str, str], raw: bool, display_id: bool) -> Any:
        pages.append(page)
        return handle

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    clock = iter(range(0, 100, 10))
    monkeypatch.setattr("quantail.release.watching.time.monotonic", lambda: float(next(clock)))
    with watched(None, "fit") as tell:
        assert tell is not None
        tell("<pay>", 0.25)
        tell("jobs", 0.5)
    assert "fit: &lt;pay&gt;, 25%, about 30 s to go" in pages[0]["text/html"]
    assert len(pages) == 3 and pages[-1]["text/html"] == ""


def test_own_functions_are_told_and_false_tells_nobody() -> None:
    told: list[str] = []
    with watched(lambda step, done: told.append(step), "fit") as tell:
        assert tell is not None
        tell("pay", 0.5)
    with watched(False, "fit") as nobody:
        assert nobody is None
    assert told == ["pay"]
