"""Fuzzing led by coverage, with atheris (https://pypi.org/project/atheris), beside the tests with hypothesis.

atheris mutates whole files and keeps what reaches new lines of the package. It is no dependency: install it where the
package is installed, then name a kind of file, and options of libFuzzer:

    pip install atheris
    python tests/hostile/coverage_fuzz.py schema -max_total_time=600

It stops at the first input that ends in anything but success or an error of our own, or whose error quotes the table.
"""

import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atheris

with atheris.instrument_imports(include=["quantail"]):
    import pyarrow as pa
    import pyarrow.parquet

    from quantail.errors import QuantailError
    from quantail.frames import check_table, confidential_columns
    from quantail.io import read_table
    from quantail.privacy import HighWaterMark, Plan
    from quantail.schema import Column, Schema
    from quantail.table import TableModel, TableSynthesizer

CANARY = "73917391"
SCHEMA = Schema(
    (
        Column("region", "category", categories=("north", "south")),
        Column("jobs", "integer", 0, 500, grid="log"),
        Column("pay", "numeric", -1e3, 1e6, decimals=2),
    ),
    "firm",
    name="payroll",
)
TABLE = pa.table(
    {"region": ["north", "south"] * 15, "jobs": list(range(30)), "pay": [float(CANARY), 2.5] * 15}
)


def read_schema(path: Path) -> None:
    """Read a schema, and read again what it writes."""
    schema = Schema.load(path)
    assert Schema.from_toml(schema.to_toml()) == schema


def read_model(path: Path) -> None:
    """Load a model and draw from it."""
    TableModel.load(path).sample(5, seed=1)


def read_rows(path: Path) -> None:
    """Take a table all the way to the mechanisms; nothing of it may be said."""
    try:
        table = read_table(path, SCHEMA)
        said = " ".join(map(str, check_table(table, SCHEMA, internal=True)))
        assert CANARY not in said
        confidential_columns(table, SCHEMA)
    except QuantailError as error:
        assert CANARY not in f"{error} {error.__cause__} {error.__context__}"


def read_mark(path: Path) -> None:
    """Read a high-water mark."""
    HighWaterMark.load(path)


def read_plan(path: Path) -> None:
    """Read a plan."""
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):  # json's own
        return
    if isinstance(form, dict):
        Plan.from_dict(form).render()


def _as_csv() -> bytes:
    header = ",".join(TABLE.column_names)
    rows = (",".join(map(str, row.values())) for row in TABLE.to_pylist())
    return "\n".join([header, *rows]).encode()


def _as_parquet() -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(TABLE, sink, compression="none")
    return sink.getvalue()


def _as_model(method: str) -> bytes:
    numbers = Schema(SCHEMA.columns[1:], "firm") if method != "tables" else SCHEMA
    options = {"taus": [0.5, 0.9]} if method != "tables" else {}
    maker = TableSynthesizer(numbers, 20, method=method, noise="simulated", seed=1, **options)
    return json.dumps(maker.fit(TABLE).to_dict()).encode()


def _as_mark() -> bytes:
    return json.dumps(
        {"dataset": "payroll", "unit": "epsilon", "number": 3, "head": "0" * 64, "spent": "1/3"}
    ).encode()


def _as_plan() -> bytes:
    return json.dumps(TableSynthesizer(SCHEMA, 1).plan(5000).to_dict()).encode()


KINDS: dict[str, tuple[str, Callable[[Path], None], Callable[[], list[bytes]]]] = {
    "schema": ("toml", read_schema, lambda: [SCHEMA.to_toml().encode()]),
    "model": ("json", read_model, lambda: [_as_model("tables"), _as_model("stepwise")]),
    "csv": ("csv", read_rows, lambda: [_as_csv()]),
    "parquet": ("parquet", read_rows, lambda: [_as_parquet()]),
    "mark": ("mark", read_mark, lambda: [_as_mark()]),
    "plan": ("json", read_plan, lambda: [_as_plan()]),
}


def main() -> None:
    """Fuzz one kind of file; further arguments go to libFuzzer."""
    if len(sys.argv) < 2 or sys.argv[1] not in KINDS:
        sys.exit(f"usage: coverage_fuzz.py {'|'.join(KINDS)} [libFuzzer options]")
    suffix, read, seeds = KINDS[sys.argv[1]]
    folder = Path(tempfile.mkdtemp(prefix="quantail-fuzz-"))
    corpus = folder / "corpus"
    corpus.mkdir()
    for place, seed in enumerate(seeds()):
        (corpus / str(place)).write_bytes(seed)
    path = folder / f"input.{suffix}"

    def attempt(data: Any) -> None:
        path.write_bytes(data)
        try:
            read(path)
        except QuantailError as error:
            assert 0 < len(str(error)) < 4000

    atheris.Setup([sys.argv[0], str(corpus), *sys.argv[2:]], attempt)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
