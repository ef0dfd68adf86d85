"""What reaches the outside: only what was released, by way of the gate.

A whole run of the command line is made on a table and, with the same answers, on a neighbour. Everything that can be
seen must then be the same to the last byte: files, messages, log lines, the account, the questions and their order.
Then confidential arrays are watched: which modules hold them, and whether any meets a generator outside `privacy`.
"""

import ast
import datetime as clock
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from typer.testing import CliRunner

import quantail
from quantail.auditing.boundaries import quick
from quantail.auditing.replay import Replayed
from quantail.auditing.rich_table import RICH_EXTREME, rich_frame, rich_schema
from quantail.auditing.whole_tables import EXTREME, ROWS, frame_of, neighbour_of, schema_of
from quantail.cli import app
from quantail.curves import joint
from quantail.curves.grid import height_prior
from quantail.curves.rows import gathered
from quantail.privacy import Gate, Ledger, SimulatedNoise, chain
from quantail.release import model, synthesizer
from quantail.report import card
from quantail.table import TableSynthesizer, methods
from quantail.table.stage_one import fitting

SOURCE = Path(quantail.__file__).parent
OUTPUTS = ("out.parquet", "out.card.json", "out.card.md", "model.json")


class Noon(clock.datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: clock.tzinfo | None = None) -> "Noon":
        return cls(2024, 5, 1, 12, tzinfo=tz)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away what may differ from run to run: the clock, and the randomness of rows drawn from a model.

    Fits simulate few rows, as replays of the audit do: they ask the same questions.
    """
    method = methods.METHODS["tables"]
    monkeypatch.setitem(methods.METHODS, "tables", replace(method, settings=lambda given: quick()))
    monkeypatch.setattr(chain, "datetime", Noon)
    monkeypatch.setattr(card, "datetime", Noon)
    monkeypatch.setattr(model.secrets, "randbits", lambda bits: 12345)


@contextmanager
def journalling() -> Iterator[list[tuple[object, ...]]]:
    """Collect the lines of every gate's journal, candidates included, in the order of asking."""
    calls: list[tuple[object, ...]] = []
    honest = Gate._use

    def watched(self: Gate, leaf: Any, kind: str, questions: int, candidates: int) -> None:
        calls.append((kind, leaf.name, leaf.cost, questions, candidates))
        honest(self, leaf, kind, questions, candidates)

    Gate._use = watched  # type: ignore[method-assign]
    try:
        yield calls
    finally:
        Gate._use = honest  # type: ignore[method-assign]


@contextmanager
def replaying(noise: Replayed) -> Iterator[None]:
    """Let the command line draw from `noise`, as if it were secure."""
    source = replace(noise.source(), private=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synthesizer, "source_of", lambda kind, seed: source)
        yield


def visible(
    folder: Path, frame: dict[str, list[Any]], schema: Any, *options: str, caplog: Any
) -> dict[str, Any]:
    """Run the command line on a table and return all that can be seen of the run from outside."""
    folder.mkdir()
    pa.parquet.write_table(pa.table(frame), folder / "table.parquet")
    replace(schema, name="payroll").save(folder / "schema.toml")
    files = ["-s", "schema.toml", "-o", "out.parquet", "--model", "model.json"]
    caplog.clear()
    with pytest.MonkeyPatch.context() as patch, journalling() as calls:
        patch.chdir(folder)
        done = CliRunner().invoke(app, ["synth", "table.parquet", *files, *options])
    assert done.exit_code == 0, done.output
    # How many values were clipped is confidential, and goes to one logger, at DEBUG, that is off unless asked for.
    lines = [(r.name, r.levelname, r.getMessage()) for r in caplog.records if r.name != "quantail.internal"]
    ledger = Ledger.open(folder / "ledger").entries() if (folder / "ledger").exists() else ()
    return {
        "stdout": done.stdout,
        "stderr": done.stderr,
        "log": lines,
        "questions": calls,
        "account": ledger,
        "names": sorted(path.name for path in folder.iterdir()),
        **{name: (folder / name).read_bytes() for name in OUTPUTS},
    }


def made_up(relation: str, rich: bool) -> tuple[dict[str, list[Any]], Any, dict[str, Any]]:
    """Return a table, its schema, and what an extreme row holds: plain columns, or rich ones in groups."""
    if rich:
        return rich_frame(4, ROWS), rich_schema(relation), RICH_EXTREME
    return frame_of(4), schema_of(relation), EXTREME


def replayed_runs(
    folder: Path, relation: str, row: int, caplog: Any, rich: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    caplog.set_level(logging.DEBUG)
    frame, schema, extreme = made_up(relation, rich)
    one = Replayed(row)
    with replaying(one):
        first = visible(
            folder / "one", frame, schema, "-e", "60", "-l", "ledger", "--new-ledger", caplog=caplog
        )
    place = row // 2 if rich else row  # in its group
    other = Replayed(row, one, None if relation == "replace-one" else place)
    with replaying(other):
        neighbour = neighbour_of(frame, row, relation, extreme)
        second = visible(
            folder / "other", neighbour, schema, "-e", "60", "-l", "ledger", "--new-ledger", caplog=caplog
        )
    return first, second


@pytest.mark.parametrize("rich", [False, True])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
def test_with_the_same_answers_a_run_looks_the_same_to_the_last_byte(
    relation, rich, tmp_path, still, caplog
) -> None:
    first, second = replayed_runs(tmp_path, relation, ROWS - 1, caplog, rich)
    assert len(first["questions"]) > 15
    for what in first:
        assert first[what] == second[what], what


def test_a_leak_past_the_gate_shows(tmp_path, still, caplog, monkeypatch) -> None:
    honest = fitting.fit_curve

    def nudged(
        levels: Any, quantiles: Any, *rest: Any
    ) -> Any:  # the last bit of a figure that is not released
        return honest(levels, quantiles * (1 + 1e-15 * leaked[0] % 1e-9), *rest)

    leaked = [0.0]
    spread = joint.spread_places

    def spying(values: Any, uniform: Any, grid: Any, steps: Any) -> Any:
        leaked[0] = float(np.abs(values).sum())
        return spread(values, uniform, grid, steps)

    monkeypatch.setattr(joint, "spread_places", spying)
    monkeypatch.setattr(fitting, "fit_curve", nudged)
    first, second = replayed_runs(tmp_path, "replace-one", 0, caplog)
    assert first["model.json"] != second["model.json"]


def test_a_question_that_depends_on_the_rows_shows(tmp_path, still, caplog, monkeypatch) -> None:
    honest = fitting.joint_quantiles

    def fewer(
        gate: Any, leaf: Any, values: Any, grid: Any, levels: Any, rows: int, *priors: Any, **steps: Any
    ) -> Any:
        grid = grid[: grid.size - int(gathered(values)[0].max()) % 7]
        cut = [None if prior is None else prior[: grid.size] for prior in priors]
        return honest(gate, leaf, values, grid, levels, rows, *cut, **steps)

    monkeypatch.setattr(fitting, "joint_quantiles", fewer)
    first, second = replayed_runs(tmp_path, "replace-one", 0, caplog)
    assert first["questions"] != second["questions"]


def without_relations(shown: Any) -> Any:
    """Leave out which relations were found and which were not asked about: both follow from answers."""
    found = "Relations found, or noise that looks like one"
    words = f"{found}|Asked about, nothing beyond noise found|Not asked about, and lost"
    text = shown.decode() if isinstance(shown, bytes) else shown
    return (
        re.sub(rf'\W*({words}):.*?\.(?=["\s])', "", text, flags=re.DOTALL) if isinstance(text, str) else text
    )


@pytest.mark.parametrize("rich", [False, True])
def test_with_the_same_draws_all_but_released_values_is_the_same(rich, tmp_path, still, caplog) -> None:
    # Other scores may give other answers now; what is no function of answers must still agree.
    caplog.set_level(logging.DEBUG)
    frame, schema, extreme = made_up("replace-one", rich)
    options = ("-e", "60", "--simulate-noise", "--seed", "3")
    first = visible(tmp_path / "one", frame, schema, *options, caplog=caplog)
    neighbour = neighbour_of(frame, 0, "replace-one", extreme)
    second = visible(tmp_path / "other", neighbour, schema, *options, caplog=caplog)
    assert first["model.json"] != second["model.json"]  # else this would prove nothing
    for what in ("stdout", "stderr", "log", "names", "out.card.json", "out.card.md"):
        assert without_relations(first[what]) == without_relations(second[what]), what
    if not rich:  # with so many columns, what was chosen by an answer decides which effects are asked about
        asked = [[call[:4] for call in run["questions"]] for run in (first, second)]
        assert asked[0] == asked[1]
    tables = [pa.parquet.read_table(tmp_path / run / "out.parquet") for run in ("one", "other")]
    assert tables[0].schema.equals(tables[1].schema, check_metadata=True)
    assert tables[0].num_rows == tables[1].num_rows == ROWS


# where confidential arrays go

N = 1009  # a number of rows that nothing else has: an array of this length holds something for every row
HANDLED = {
    "frames.border",  # from a table to clipped arrays
    "frames.rules",
    "table.rows",  # splits rows into public groups
    "frames.encoding",  # rich kinds become plain parts, row by row
    "frames.universes",  # rules of columns, row by row
    "frames.nesting",  # a coarser code by the finer one, row by row
    "table.stage_one.fitting",  # follows the design; holds what was read
    "table.stage_one.counting",
    "table.stage_one.fit_state",
    "table.lowest",
    "table.cells",  # the cell of each row, for a count
    "table.candidates",
    "orders.column",
    "orders.fitting",
    "orders.model",  # takes released slopes off
    "curves.scale",  # dither and the modelling scale
    "curves.rows",  # chunks of rows
    "curves.lookup",
    "curves.joint",  # counts at or below candidates
    "orders.lattice",
    "curves.slopes",
    "curves.slope_scores",
    "curves.tail",  # what each row adds to a sum
    "orders.lines",
    "orders.steps",
    "curves.slope",  # takes a released slope off
    "privacy.gate",
    "privacy.noise",  # dither: one number for each row
    "privacy.paths",
}


def arrays_in(value: Any, depth: int = 0) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        yield value
    elif depth < 2 and isinstance(value, dict | list | tuple) and len(value) < 100:
        for item in value.values() if isinstance(value, dict) else value:
            yield from arrays_in(item, depth + 1)


class Watch:
    """Notes which modules hold an array with one entry per confidential row, as argument, local or result."""

    def __init__(self) -> None:
        self.modules: set[str] = set()

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        if event not in ("call", "return"):
            return
        name = frame.f_globals.get("__name__", "")
        if not name.startswith("quantail.") or name[9:] in self.modules:
            return
        held = [*frame.f_locals.values(), *([argument] if event == "return" else [])]
        if any(N in array.shape for value in held for array in arrays_in(value)):
            self.modules.add(name[9:])


@contextmanager
def watching() -> Iterator[Watch]:
    watch, before = Watch(), sys.getprofile()
    sys.setprofile(watch)
    try:
        yield watch
    finally:
        sys.setprofile(before)


class WatchedGenerator(np.random.Generator):
    """A generator that notes every array with one entry per row that it is given to work on."""

    seen: list[str]

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or name in ("seen", "bit_generator") or not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            given = [*arguments, *named.values()]
            if any(N in array.shape for value in given for array in arrays_in(value)):
                self.seen.append(name)
            return found(*arguments, **named)

        return call


def watched_fit(
    method: str, epsilon: int, monkeypatch: pytest.MonkeyPatch, rich: bool = False
) -> tuple[Watch, list[str]]:
    seen: list[str] = []

    def generator(self: SimulatedNoise) -> WatchedGenerator:
        made = WatchedGenerator(np.random.PCG64(5))
        made.seen = seen
        return made

    monkeypatch.setattr(SimulatedNoise, "generator", generator)
    schema = schema_of("replace-one", numbers_only=method != "tables")
    frame = frame_of(4, N)
    if rich:
        schema, frame = replace(rich_schema("replace-one"), by=()), rich_frame(4, N)
    table = pa.table({name: frame[name] for name in schema.names})
    maker = TableSynthesizer(schema, epsilon, method=method, noise="simulated", seed=1)
    if method == "tables":
        maker = maker._drawing_from(maker._source, quick())
    with watching() as watch:
        fitted = maker.fit(table)
        fitted.to_dict()
        fitted.sample(500, seed=1)
    return watch, seen


@pytest.mark.parametrize(
    ("method", "epsilon", "rich"), [("tables", 90, False), ("tables", 30, True), ("sandwich", 20, False)]
)
def test_confidential_arrays_stay_in_the_modules_made_for_them(method, epsilon, rich, monkeypatch) -> None:
    watch, seen = watched_fit(method, epsilon, monkeypatch, rich)
    assert watch.modules <= HANDLED
    assert {"frames.border", "table.rows", "curves.scale", "privacy.noise"} <= watch.modules
    assert seen == []


def test_the_watch_notices_an_array_that_strays(monkeypatch) -> None:
    honest = fitting.fit_curve

    def straying(*parts: Any) -> Any:
        SimulatedNoise(1).generator().permutation(np.zeros(N))  # stands for shuffling confidential rows
        height_prior(np.arange(float(N)))  # and for candidates made of them
        return honest(*parts)

    monkeypatch.setattr(fitting, "fit_curve", straying)
    watch, seen = watched_fit("tables", 30, monkeypatch)
    assert "permutation" in seen
    assert watch.modules - HANDLED == {"curves.grid"}


# read in the source

RANDOM = {
    "privacy/noise.py": "the source of noise",
    "release/model.py": "rows and panels drawn from a released model",
    "table/model.py": "trial rows of a model that was read from a file",
    "panel/model.py": "trial units of a model that was read from a file",
    "release/synthesizer.py": "seeds of several fits on simulated noise",
    "io/files.py": "names of temporary files",
    "engines/store.py": "names of attempts in a folder of work",
    "studio/access.py": "keys of a page on this machine",
    "panel/unit_ids.py": "the key of a hash that compares identities and is forgotten",
}
# Rooms that see no confidential table on its way to a release: they make up tables, work on released ones, or
# write what stays inside.
APART = ("examples", "evaluation", "inference", "planning", "auditing", "cli/demo")
APART += ("report/data", "report/plots")


def calls_to_chance(tree: ast.AST) -> list[str]:
    """List calls that make or use a source of randomness of their own."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.startswith(("random.", "secrets.", "np.random.", "numpy.random.")):
                found.append(called)
            if called in ("default_rng", "Random", "PCG64", "os.urandom", "urandom"):
                found.append(called)
    return found


def test_no_module_on_the_way_to_a_release_has_randomness_of_its_own() -> None:
    chance = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        calls = calls_to_chance(ast.parse(path.read_text(encoding="utf-8")))
        if calls and not name.startswith(APART):
            chance[name] = calls
    assert set(chance) <= set(RANDOM), chance
    assert {"privacy/noise.py", "release/model.py"} <= set(chance)


def test_confidential_tables_enter_through_the_synthesizers_and_answers_alone() -> None:
    readers = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        for function in {"confidential_columns", "confidential_panel", "protected_panel"} & used:
            readers.setdefault(function, set()).add(name)
    release = {
        function: {name for name in names if not name.startswith(APART)}
        for function, names in readers.items()
    }
    assert release == {
        "confidential_columns": {"table/rows.py", "answers/asking.py"},
        # Released panels, and one period of units that may be replaced; fits read panels as firms are protected.
        "confidential_panel": {
            "frames/firms.py",
            "panel/appending.py",
            "panel/appended.py",
            "answers/asking.py",
        },
        "protected_panel": {"panel/synthesizer.py"},
    }
