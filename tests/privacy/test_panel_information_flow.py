"""Panels: everything seen of a run is the same with the same answers, and confidential values stay where they belong.

Values are marked: whatever numpy computes from a marked array is marked too, until the gate has answered. Modules that
only see released tables must never hold a marked array, nor may a number be read off one.
"""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any, ClassVar

import numpy as np
import pytest

from quantail.auditing.replay import Replayed
from quantail.auditing.whole_panels import CHANGING, FULL, GROUPS, SCHEMA, panel_of
from quantail.frames import PanelData
from quantail.panel import PanelSynthesizer
from quantail.panel import history as panel_history
from quantail.panel import synthesizer as panel
from quantail.privacy import Gate, Ledger

METHODS = {
    "pooled": {},
    "pooled, full": {},
    "stepwise": {"slopes": "fixed", "taus": [0.5, 0.9]},
    "sandwich": {"slopes": "varying", "taus": [0.5, 0.6, 0.95]},
}


def seen_of_a_run(table: Any, method: str, folder: Any, noise: Replayed, caplog: Any) -> dict[str, Any]:
    """Fit a panel and return all that can be seen of it."""
    folder.mkdir()
    ledger = Ledger.create(folder / "ledger", "panel", 1)
    told: list[tuple[str, float]] = []
    caplog.clear()
    schema = replace(FULL if "full" in method else SCHEMA, name="panel")
    maker = PanelSynthesizer(
        schema, 1, method=method.removesuffix(", full"), **METHODS[method]
    )._drawing_from(noise.source())
    model = maker.fit(table, ledger, progress=lambda name, share: told.append((name, share)))
    model.save(folder / "model.json")
    drawn = model.sample(seed=1)
    return {
        "model": (folder / "model.json").read_bytes(),
        "progress": told,
        "log": [(r.name, r.getMessage()) for r in caplog.records if r.name != "quantail.internal"],
        "account": [(entry.amount, entry.purpose, entry.plan_hash) for entry in ledger.entries()],
        "questions": noise.costs,
        "table": drawn,
    }


@pytest.mark.parametrize("method", METHODS)
def test_with_the_same_answers_a_panel_looks_the_same_to_the_last_byte(method, tmp_path, caplog) -> None:
    caplog.set_level(logging.DEBUG)
    one, schema = Replayed(3), FULL if "full" in method else SCHEMA
    first = seen_of_a_run(panel_of(1, None, schema), method, tmp_path / "one", one, caplog)
    second = seen_of_a_run(panel_of(1, 7, schema), method, tmp_path / "other", Replayed(3, one), caplog)
    assert len(first["questions"]) > 5
    for what in first:
        assert first[what] == second[what], what


class Marked(np.ndarray[Any, Any]):
    """An array of confidential numbers: what is computed from it is marked too."""

    read: ClassVar[set[str]] = set()  # modules that turned one into a plain number

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        named["out"] = tuple(map(plain, named["out"])) if named.get("out") else None
        return marked(getattr(ufunc, method)(*map(plain, inputs), **named))

    def __array_function__(self, function: Any, types: Any, inputs: Any, named: Any) -> Any:
        return marked(function(*plain(inputs), **plain(named)))

    def tolist(self) -> Any:
        note_reader()
        return super().tolist()

    def __float__(self) -> float:
        note_reader()
        return float(self.view(np.ndarray))

    def __bool__(self) -> bool:
        note_reader()
        return bool(self.view(np.ndarray))


def plain(value: Any) -> Any:
    if isinstance(value, Marked):
        return value.view(np.ndarray)
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    return {name: plain(item) for name, item in value.items()} if isinstance(value, dict) else value


def marked(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value)(map(marked, value))
    return np.asarray(value).view(Marked) if isinstance(value, np.ndarray | np.generic) else value


def note_reader() -> None:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not str(frame.f_globals.get("__name__")).startswith("quantail."):
        frame = frame.f_back
    Marked.read.add("" if frame is None else str(frame.f_globals["__name__"]).removeprefix("quantail."))


# Modules that work on confidential histories; those that fit models to released tables are not among them.
HANDLED = {
    "frames.panel",
    "panel.synthesizer",
    "panel.units",  # leaves values behind
    "panel.skeleton",  # returns public units as they are
    "panel.pooled",
    "panel.unit_periods",  # lays values along the line of unit-periods
    "panel.scale",
    "panel.tables",  # the tables that are asked for
    "panel.place",  # windows and means that are asked for
    "panel.history",
    "panel.pay",
    "curves.scale",
    "curves.lookup",  # the cell of each value among public cut points
    "privacy.gate",
}
# Under full synthesis entries, exits, gaps and attributes are confidential too.
HANDLED_IN_FULL = HANDLED | {
    "release.synthesizer",  # passes the panel on
    "panel.lives",  # the tables of lives that are asked for
    "panel.absence",
    "panel.attributes",
    "panel.changing",
}


@contextmanager
def watching(modules: set[str]) -> Iterator[None]:
    def holds(value: Any, depth: int = 0) -> bool:
        if isinstance(value, Marked):
            return True
        if depth < 2 and isinstance(value, dict | tuple | list) and len(value) < 100:
            return any(
                holds(item, depth + 1) for item in (value.values() if isinstance(value, dict) else value)
            )
        return depth < 2 and any(holds(item, depth + 1) for item in getattr(value, "__dict__", {}).values())

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        name = str(frame.f_globals.get("__name__", ""))
        is_ours = event in ("call", "return") and name.startswith("quantail.")
        if is_ours and any(holds(value) for value in [*frame.f_locals.values(), argument]):
            modules.add(name.removeprefix("quantail."))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)


@pytest.fixture
def marking(monkeypatch: pytest.MonkeyPatch) -> Callable[[], tuple[set[str], set[str]]]:
    """Return a fit of a panel whose values are marked; it tells who held marked arrays, and who read numbers off."""
    read, count = panel.protected_panel, Gate.count

    def protected_panel(frame: Any, schema: Any) -> PanelData:
        data = read(frame, schema)
        values = {name: array.view(Marked) for name, array in data.values.items()}
        lives, attributes = (data.entry, data.exit), data.attributes
        if schema.panel.is_full:
            lives = tuple(years.view(Marked) for years in lives)
            attributes = {name: codes.view(Marked) for name, codes in attributes.items()}
        return PanelData(schema, data.units, *lives, data.group, data.public, values, attributes)

    def answered(self: Gate, leaf: Any, counts: Any, sensitivity: int) -> Any:
        # Else the mark was lost on the way, and nothing is watched; these two only pick or fill in public points.
        assert isinstance(counts, Marked) or leaf.name in ("pairs", "unchanged", "gaps", "missing")
        return count(self, leaf, plain(counts), sensitivity)

    select = Gate.select

    def chosen(self: Gate, leaf: Any, questions: Any) -> Any:
        assert all(isinstance(question.scores, Marked) for question in questions)
        return select(
            self, leaf, [replace(question, scores=plain(question.scores)) for question in questions]
        )

    array = np.array

    def marked_array(given: Any, *rest: Any, **named: Any) -> Any:
        made = array(plain(given), *rest, **named)
        is_marked = isinstance(given, list) and any(isinstance(item, Marked) for item in given)
        return made.view(Marked) if is_marked or isinstance(given, Marked) else made

    # These would take the mark off.
    monkeypatch.setattr(np, "asarray", np.asanyarray)
    monkeypatch.setattr(np, "array", marked_array)
    monkeypatch.setattr(panel, "protected_panel", protected_panel)
    monkeypatch.setattr(Gate, "count", answered)
    monkeypatch.setattr(Gate, "select", chosen)
    monkeypatch.setattr(Marked, "read", set())

    def fit(schema: Any = SCHEMA) -> tuple[set[str], set[str]]:
        modules: set[str] = set()
        with watching(modules):
            PanelSynthesizer(schema, 1, noise="simulated", seed=1).fit(panel_of(1, None, schema))
        return modules, Marked.read

    return fit


def test_histories_stay_in_the_modules_made_for_them(marking) -> None:
    modules, readers = marking()
    assert modules <= HANDLED
    assert {"panel.tables", "panel.history", "panel.pay"} <= modules
    assert readers <= {"frames.panel"}  # which refuses values where a unit is not active


def test_lives_and_attributes_stay_in_the_modules_made_for_them_under_full_synthesis(marking) -> None:
    modules, readers = marking(FULL)
    assert modules <= HANDLED_IN_FULL
    assert {"panel.lives", "panel.skeleton", "panel.attributes", "panel.absence"} <= modules
    assert readers <= {"frames.panel", "panel.unit_periods"}  # which lays lives out along a line


def test_groups_that_borrow_pass_nothing_on_but_questions(marking) -> None:
    modules, readers = marking(GROUPS)
    assert modules <= HANDLED_IN_FULL | {"panel.borrowing"}
    assert "panel.borrowing" in modules
    assert readers <= {"frames.panel", "panel.unit_periods"}


def test_changing_categories_stay_in_the_modules_made_for_them(marking) -> None:
    modules, readers = marking(CHANGING)
    assert modules <= HANDLED_IN_FULL and "panel.changing" in modules
    assert readers <= {"frames.panel", "panel.unit_periods"}


def test_a_life_that_strays_shows(marking, monkeypatch) -> None:
    honest = panel_history.ask_total

    def straying(asking: Any, *rest: Any) -> Any:
        return honest(replace(asking, known=asking.real), *rest)  # a cap that follows from the real lives

    monkeypatch.setattr(panel_history, "ask_total", straying)
    assert "panel.history" in marking(FULL)[1]


def test_a_history_that_strays_shows(marking, monkeypatch) -> None:
    honest = panel_history.size_table

    def straying(unit_periods: Any, track: Any, edges: Any) -> Any:
        panel_history.Curve((0.0, 1.0), (0.0, 1.0)).at(track.size)  # stands for a curve fitted to real sizes
        float(track.size.max())  # and for a cap that is no released number
        return honest(unit_periods, track, edges)

    monkeypatch.setattr(panel_history, "size_table", straying)
    modules, readers = marking()
    assert "panel.curve" in modules
    assert "panel.history" in readers
