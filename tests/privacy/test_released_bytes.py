"""Equal answers give equal bytes: a release is a function of schema, answers and public content (proofs/shape.md).

Answers come from a script (`scripted`), so any two tables with the same public facts must be released as the same
bytes, whatever their values, the order of their rows and the way they are stored.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from represented import ARROW, FRAMES, WAYS, made_up
from scripted import answering, released

from quantail.engines import synthesize_panel, synthesize_table
from quantail.frames import panel_index, release
from quantail.panel import PanelSynthesizer, history, synthesizer
from quantail.release import model
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer
from quantail.table import given as conditioning
from quantail.table import rows as table_rows

ROWS = 24
KINDS = {
    "jobs": "integer", "pay": "numeric", "size": "codes", "mood": "labels",
    "open": "boolean", "hired": "date", "seen": "datetime",
}  # fmt: skip
COLUMNS = (
    Column("jobs", "integer", 0, 500, missing=True),
    Column("pay", "numeric", -100, 1000, decimals=2, missing=True),
    Column("size", "category", categories=("1", "2", "3"), missing=True),
    Column("mood", "ordinal", categories=("low", "mid", "high"), missing=True, storage="category"),
    Column("open", "boolean", missing=True),
    Column("hired", "date", "2020-01-01", "2020-12-31", missing=True),
    Column("seen", "datetime", "2020-01-01", "2020-12-31", missing=True),
)
REGION = Column("region", "category", categories=("east", "west"))
PLAIN = Schema(COLUMNS, "firm")
FULL = Schema(tuple(replace(column, missing=False) for column in COLUMNS), "firm", order="auto")
GROUPED = Schema((REGION, *COLUMNS), "firm", by=("region",))
OPEN_N = Schema(COLUMNS, "firm", neighbours="add-remove")
PUBLIC = Schema(
    (REGION, *(replace(c, public=c.name in ("size", "jobs", "hired")) for c in COLUMNS)),
    "firm",
    by=("region",),
)
SCHEMAS = {"plain": PLAIN, "full": FULL, "grouped": GROUPED, "add-remove": OPEN_N, "public": PUBLIC}


def public_rows(schema: Schema) -> dict[str, list[Any]]:
    """Return what is public of every table of a schema: the groups, and public columns."""
    rng = np.random.default_rng(99)
    regions = {"region": ["east"] * (ROWS // 2) + ["west"] * (ROWS - ROWS // 2)} if schema.by else {}
    names = [column.name for column in schema.columns if column.public]
    return regions | {name: made_up(KINDS[name], ROWS, rng, missing=False) for name in names}


def table_of(schema: Schema, seed: int, library: str, ways: dict[str, str]) -> tuple[Any, Any]:
    """Return a table with the public rows of its schema and made-up others, shuffled; and its public columns."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(0, 40)) if schema.neighbours == "add-remove" else ROWS
    order, known = rng.permutation(rows), public_rows(schema)
    columns = {}
    for column in schema.columns:
        name = column.name
        values = known[name] if name in known else made_up(KINDS[name], rows, rng, column.missing)
        way = WAYS[library].get(KINDS.get(name, "labels"), {}).get(ways.get(name, "natural"))
        shuffled = [values[place] for place in order]
        columns[name] = shuffled if way is None or name == "region" else way(shuffled)
    names = rng.permutation(list(columns)).tolist()
    frame = FRAMES[library]({name: columns[name] for name in names})
    if not any(column.public for column in schema.columns):
        return frame, None
    return frame, frame.select(list(known)) if hasattr(frame, "select") else frame[list(known)]


_first: dict[tuple[str, str], dict[str, bytes]] = {}


def assert_same(name: str, library: str, seed: int, ways: dict[str, str]) -> None:
    """Compare the release of a table with that of another one of the same public facts."""
    if (name, library) not in _first:
        _first[name, library] = released(*_args(name, library, 0, {}), epsilon=5)
    found = released(*_args(name, library, seed, ways), epsilon=5)
    for what, content in _first[name, library].items():
        assert found[what] == content, what


def _args(name: str, library: str, seed: int, ways: dict[str, str]) -> tuple[Any, Schema, Any]:
    frame, public = table_of(SCHEMAS[name], seed, library, ways)
    return frame, SCHEMAS[name], public


def all_ways(library: str) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries(
        {name: st.sampled_from(sorted(WAYS[library][kind])) for name, kind in KINDS.items()}
    )


@pytest.mark.parametrize("library", WAYS)
@pytest.mark.parametrize("name", SCHEMAS)
@settings(max_examples=3, deadline=None)
@given(data=st.data())
def test_tables_with_the_same_public_facts_are_released_as_the_same_bytes(name, library, data):
    ways = data.draw(all_ways(library))
    assert_same(name, library, data.draw(st.integers(1, 10**6)), ways)


PANEL = Panel("id", "first", "last", 2000, 2003, synthesis="partial")
PANEL_COLUMNS = (
    Column("sic", "category", categories=("17", "23")),
    Column("mu", "integer", public=True),
    Column("city", "category", public=True),
    Column("emp", "integer", 0, 500),
    Column("pay", "numeric", 0, 1000, decimals=2),
)
WIDE = Schema(PANEL_COLUMNS, "plant", by=("sic",), panel=PANEL)
LONG = replace(WIDE, panel=replace(PANEL, layout="long", time="year"))
UNITS = 14


def panel_of(schema: Schema, seed: int, library: str, way: str) -> Any:
    """Return a panel of the same units in another order, with made-up histories, stored in some way."""
    rng, fixed = np.random.default_rng(seed), np.random.default_rng(1)
    entry, length = fixed.integers(2000, 2004, UNITS), fixed.integers(0, 4, UNITS)
    units = [
        {"id": 3 + 7 * k, "first": int(entry[k]), "last": int(min(entry[k] + length[k], 2003)), "sic": 17 + 6 * (k % 2),
         "mu": k % 3, "city": f"city {k % 5}"}
        for k in range(UNITS)
    ]  # fmt: skip
    rows: list[dict[str, Any]] = []
    for unit in units:
        history = {}
        for year in range(2000, 2004):
            there = unit["first"] <= year <= unit["last"]
            values = {
                "emp": int(rng.integers(0, 600)),
                "pay": round(float(rng.exponential(200)), int(rng.integers(0, 5))),
            }
            own = {column: value if there else None for column, value in values.items()}
            if schema.panel.layout == "long" and (there or rng.random() < 0.3):
                rows.append(unit | {"year": year} | own)
            history |= {f"{column}_{year}": value for column, value in own.items()}
        if schema.panel.layout == "wide":
            rows.append(unit | history)
    rows = [rows[place] for place in rng.permutation(len(rows))]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    numbers = WAYS[library]["integer"].get(way)
    texts = WAYS[library]["labels"].get(way) if way != "enum" else None
    if numbers is not None:
        columns |= {
            name: numbers(columns[name])
            for name in ("id", "mu", *(n for n in columns if n.startswith("emp")))
        }
    if texts is not None:
        columns["city"] = texts(columns["city"])
    return FRAMES[library](columns)


PANELS = {"wide": WIDE, "long": LONG}

FULL_COLUMNS = (
    Column("sic", "category", categories=("17", "23")),
    Column("city", "category", categories=tuple(f"city {k}" for k in range(5))),
    Column("emp", "integer", 0, 500),
    Column("pay", "numeric", 0, 1000, decimals=2, missing=True),
)
FULL_WIDE = Schema(
    FULL_COLUMNS,
    "plant",
    by=("sic",),
    panel=Panel("id", "first", "last", 2000, 2003, attributes=("city",), gaps=True),
)
FULL_LONG = replace(FULL_WIDE, panel=replace(FULL_WIDE.panel, layout="long", time="year", entry="", exit=""))
FULL = {"wide": FULL_WIDE, "long": FULL_LONG}


def full_panel_of(schema: Schema, seed: int, library: str, way: str) -> Any:
    """Return a panel with other units, lives, gaps, attributes and values; only units per group are the same."""
    rng, rows = np.random.default_rng(seed), list[dict[str, Any]]()
    for place in range(UNITS):
        there = np.flatnonzero(rng.random(4) < 0.6)
        there = there if there.size else rng.integers(0, 4, 1)
        unit = {"id": int(rng.integers(0, 10**6)) * UNITS + place, "sic": 17 + 6 * (place % 2)}
        unit |= {"first": 2000 + int(there[0]), "last": 2000 + int(there[-1])}
        unit["city"] = f"city {rng.integers(0, 5)}"
        history = {}
        for year in range(4):
            paid = year in there and rng.random() < 0.8
            own = {
                "emp": int(rng.integers(0, 600)) if year in there else None,
                "pay": round(float(rng.exponential(200)), int(rng.integers(0, 5))) if paid else None,
            }
            if schema.panel.layout == "long" and (year in there or rng.random() < 0.3):
                rows.append(unit | {"year": 2000 + year} | own)
            history |= {f"{name}_{2000 + year}": value for name, value in own.items()}
        if schema.panel.layout == "wide":
            rows.append(unit | history)
    rows = [rows[place] for place in rng.permutation(len(rows))]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in rows[0]}
    numbers = WAYS[library]["integer"].get(way)
    if numbers is not None:
        columns |= {n: numbers(columns[n]) for n in columns if n == "id" or n.startswith("emp")}
    return FRAMES[library](columns)


@pytest.mark.parametrize("library", WAYS)
@pytest.mark.parametrize("layout", FULL)
@settings(max_examples=2, deadline=None)
@given(data=st.data())
def test_panels_with_other_units_are_released_as_the_same_bytes_under_full_synthesis(layout, library, data):
    schema, ways, key = FULL[layout], sorted(WAYS[library]["integer"]), (f"full {layout}", library)
    if key not in _first:
        _first[key] = released(full_panel_of(schema, 0, library, "natural"), schema, epsilon=1)
    frame = full_panel_of(schema, data.draw(st.integers(1, 10**6)), library, data.draw(st.sampled_from(ways)))
    found = released(frame, schema, epsilon=1)
    for what, content in _first[key].items():
        assert found[what] == content, what


@pytest.mark.parametrize("library", WAYS)
@pytest.mark.parametrize("layout", PANELS)
@settings(max_examples=2, deadline=None)
@given(data=st.data())
def test_panels_with_the_same_units_are_released_as_the_same_bytes(layout, library, data):
    schema, ways = PANELS[layout], sorted({*WAYS[library]["integer"], *WAYS[library]["labels"]})
    if (layout, library) not in _first:
        _first[layout, library] = released(panel_of(schema, 0, library, "natural"), schema, epsilon=1)
    frame = panel_of(schema, data.draw(st.integers(1, 10**6)), library, data.draw(st.sampled_from(ways)))
    found = released(frame, schema, epsilon=1)
    for what, content in _first[layout, library].items():
        assert found[what] == content, what


def folder_of(schema: Schema, seed: int, folder: Path) -> Path:
    """Write a partitioned table, or panel, whose files are stored in ways of their own."""
    rng = np.random.default_rng(seed)
    if schema.panel is not None and schema.panel.is_full:
        whole, by = full_panel_of(schema, seed, "pyarrow", ("natural", "stale dictionary")[seed % 2]), "sic"
    elif schema.panel is not None:
        whole, by = panel_of(schema, seed, "pyarrow", ("natural", "stale dictionary")[seed % 2]), "sic"
    else:
        ways = {name: str(rng.choice(sorted(ARROW[kind]))) for name, kind in KINDS.items()}
        (whole, _), by = table_of(schema, seed, "pyarrow", ways), "region"
    for label in schema.column(by).categories:
        kept = whole.filter(pa.compute.equal(whole[by].cast(pa.string()), label)).drop_columns([by])
        (folder / f"{by}={label}").mkdir(parents=True)
        pq.write_table(kept, folder / f"{by}={label}" / "part-0.parquet", row_group_size=1 + seed)
    return folder


@pytest.mark.parametrize("name", ["table", "panel", "full panel"])
def test_engines_write_the_same_bytes(name, tmp_path, monkeypatch):
    monkeypatch.setattr(model.secrets, "randbits", lambda bits: 12345)
    schema = {"table": GROUPED, "panel": WIDE, "full panel": FULL_LONG}[name]
    outputs = []
    for seed in range(4):
        source, out = folder_of(schema, seed, tmp_path / f"in-{seed}"), tmp_path / f"out-{seed}"
        with answering():
            if name == "table":
                synthesize_table(source, out, TableSynthesizer(schema, 5))
            else:
                synthesize_panel(source, out, PanelSynthesizer(schema, 1))
        files = {
            path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()
        }
        assert sum(name.endswith(".parquet") for name in files) == 2
        outputs.append(files)
    for files in outputs[1:]:
        assert files == outputs[0]


# The tests above must notice a build that leaks. Each of these puts one leak back.


def in_order_of_rows(keys: Any) -> Any:
    return np.arange(len(keys[0]))


def test_must_fail_rows_of_public_columns_in_the_order_of_the_table(monkeypatch):
    monkeypatch.setattr(conditioning, "content_order", in_order_of_rows)
    with pytest.raises(AssertionError, match="table"):
        _fresh_comparison("public", {})


def test_must_fail_a_fit_that_samples_public_rows_in_the_order_of_the_table(monkeypatch):
    monkeypatch.setattr(table_rows, "content_order", in_order_of_rows)
    with pytest.raises(AssertionError, match="model"):
        _fresh_comparison("public", {})


def test_must_fail_a_type_of_the_table_that_is_kept(monkeypatch):
    honest, admitted, kept = release.arrow_type, table_rows.confidential_columns, {}

    def reading(frame: Any, schema: Schema) -> Any:
        kept["type"] = frame.schema.field("jobs").type
        return admitted(frame, schema)

    def leaky(column: Column) -> pa.DataType:
        return pa.float64() if column.name == "jobs" and kept["type"] == pa.float64() else honest(column)

    monkeypatch.setattr(table_rows, "confidential_columns", reading)
    monkeypatch.setattr(release, "arrow_type", leaky)
    with pytest.raises(AssertionError, match="table"):
        _fresh_comparison("plain", {"jobs": "double"})


def test_must_fail_units_in_the_order_of_the_table(monkeypatch):
    monkeypatch.setattr(
        panel_index.pa.compute, "array_sort_indices", lambda array: pa.array(np.arange(len(array)))
    )
    first, other = (released(panel_of(WIDE, seed, "pyarrow", "natural"), WIDE, epsilon=1) for seed in (0, 1))
    assert first["model"] != other["model"] and first["table"] != other["table"]


def test_must_fail_identities_as_they_were_stored(monkeypatch):
    honest = panel_index.identities
    monkeypatch.setattr(
        panel_index,
        "identities",
        lambda table, name: honest(table, name).cast(panel_index.arrow_column(table, name).type),
    )
    first, other = (
        released(panel_of(WIDE, 0, "pyarrow", way), WIDE, epsilon=1) for way in ("natural", "double")
    )
    assert first["model"] != other["model"] and first["table"] != other["table"]


def _two_full_releases() -> list[dict[str, Any]]:
    return [
        released(full_panel_of(FULL_WIDE, seed, "pyarrow", "natural"), FULL_WIDE, epsilon=1)
        for seed in (0, 1)
    ]


def test_must_fail_ids_that_are_kept_under_full_synthesis(monkeypatch):
    honest = synthesizer.release_small

    def keeping(gate: Any, plan: Any, data: Any, groups: Any, tell: Any) -> Any:
        made = honest(gate, plan, data, groups, tell)
        return [
            (group, model, replace(units, units=data.of_group(group).units)) for group, model, units in made
        ]

    monkeypatch.setattr(synthesizer, "release_small", keeping)
    first, other = _two_full_releases()
    assert first["model"] != other["model"] and first["table"] != other["table"]


def test_must_fail_a_share_of_the_real_number_of_pairs(monkeypatch):
    honest = history.ask_unchanged

    def peeking(asking: Any, *rest: Any) -> Any:
        return honest(replace(asking, known=asking.real), *rest)

    monkeypatch.setattr(history, "ask_unchanged", peeking)
    first, other = _two_full_releases()
    assert first["model"] != other["model"]


def _fresh_comparison(name: str, ways: dict[str, str]) -> None:
    _first.pop((name, "pyarrow"), None)
    try:
        assert_same(name, "pyarrow", 1, ways)
    finally:
        _first.pop((name, "pyarrow"), None)
