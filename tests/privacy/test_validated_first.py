"""Validate first, then charge: what can be known to fail beforehand is refused with nothing spent."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

from quantail.cli import app
from quantail.errors import BudgetError, DataError, SchemaError
from quantail.io.files import FORMATS
from quantail.panel import PanelSynthesizer
from quantail.privacy import Ledger
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

RELATIONS = ("replace-one", "add-remove")
JOBS = (Column("jobs", "integer", 0, 500, source="rules"),)
TABLE = pa.table({"jobs": [place % 90 for place in range(40)]})


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.create(tmp_path / "firms.ledger", "firms", "1e99")


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("epsilon", ["1e99", "1e-12", "0.0000099"])
def test_an_epsilon_beyond_the_limits_is_never_charged(neighbours, epsilon, ledger: Ledger) -> None:
    schema = Schema(JOBS, "firm", name="firms", neighbours=neighbours)
    with pytest.raises(BudgetError, match="must lie between"):
        TableSynthesizer(schema, epsilon).fit(TABLE, ledger=ledger)
    assert ledger.spent == 0


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("epsilon", ["0.00001", "1e9"])
@pytest.mark.parametrize("options", [{}, {"definition": "zcdp", "delta": "1e-30"}])
def test_an_epsilon_at_the_limits_is_charged_and_released(neighbours, epsilon, options) -> None:
    schema = Schema(
        (
            Column("kind", "category", categories=("a", "b")),
            *JOBS,
            Column("debt", "numeric", -9, 9, grid="log"),
        ),
        "firm",
        neighbours=neighbours,
    )
    table = TABLE.append_column("kind", pa.array(["a", "b"] * 20)).append_column(
        "debt", pa.array([-1.5, 2.0] * 20)
    )
    if options and epsilon == "0.00001":
        options = {**options, "delta": "1e-3"}  # a smaller one leaves no rho, which is refused at once
    assert TableSynthesizer(schema, epsilon, **options).fit(table).sample(5).num_rows == 5


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_a_plan_that_cannot_be_drawn_up_is_never_charged(neighbours, ledger: Ledger) -> None:
    names = [f"c{place}" for place in range(700)]
    schema = Schema(
        tuple(Column(name, "integer", 0, 9) for name in names), "firm", name="firms", neighbours=neighbours
    )
    with pytest.raises(SchemaError, match="predictors"):
        TableSynthesizer(schema, 1).fit(pa.table(dict.fromkeys(names, [1] * 30)), ledger=ledger)
    assert ledger.spent == 0


@pytest.mark.parametrize("columns", [2, pytest.param(12, marks=pytest.mark.slow)])
def test_columns_that_seem_to_be_missing_throughout_are_released(columns, ledger: Ledger) -> None:
    names = [f"c{place}" for place in range(columns)]
    schema = Schema(
        (
            *(Column(name, "numeric", 0, 9, missing=True) for name in names),
            Column("k", "category", categories=("a", "b")),
        ),
        "firm",
        name="firms",
    )
    gone = pa.nulls(3000, pa.float64())
    table = pa.table({**dict.fromkeys(names, gone), "k": ["a", "b"] * 1500})
    model = TableSynthesizer(schema, 30).fit(table, ledger=ledger)
    assert model.sample(50)["c0"].null_count > 45


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_an_empty_group_is_planned_and_paid_for(neighbours, ledger: Ledger) -> None:
    columns = (Column("place", "category", categories=("north", "south")), *JOBS)
    schema = Schema(columns, "firm", name="firms", neighbours=neighbours, by=("place",))
    model = TableSynthesizer(schema, 1).fit(
        TABLE.append_column("place", pa.array(["north"] * 40)), ledger=ledger
    )
    assert ledger.spent == 1
    assert ledger.entries()[-1].plan_hash == model.terms.hash()  # what was paid for is what was run


@pytest.mark.parametrize(
    "wrong",
    [("--epsilon", "1e99"), ("--epsilon", "1e-10"), ("--rows", str(10**12)), ("--replicates", str(10**9))],
)
def test_commands_charge_nothing_for_options_that_must_fail(wrong, tmp_path: Path) -> None:
    Schema(JOBS, "firm", name="firms").save(tmp_path / "schema.toml")
    (tmp_path / "firms.csv").write_text("jobs\n" + "\n".join(map(str, TABLE["jobs"].to_pylist())))
    ledger = Ledger.create(tmp_path / "firms.ledger", "firms", "1e99")
    options = {"--epsilon": "1", "-s": "schema.toml", "-l": "firms.ledger", "-o": "out.csv"} | dict([wrong])
    files = {
        name: str(tmp_path / value) if name in ("-s", "-l", "-o") else value
        for name, value in options.items()
    }
    words = [word for pair in files.items() for word in pair]
    done = CliRunner().invoke(app, ["synth", str(tmp_path / "firms.csv"), *words])
    assert done.exit_code != 0 and wrong[0].lstrip("-") in done.output
    assert ledger.spent == 0 and len(ledger.entries()) == 1


def test_a_kind_of_file_that_cannot_hold_the_columns_is_refused_before_the_charge(tmp_path: Path) -> None:
    Schema((Column("paid jobs", "integer", 0, 500),), "firm", name="firms").save(tmp_path / "schema.toml")
    (tmp_path / "firms.csv").write_text("paid jobs\n" + "\n".join(map(str, TABLE["jobs"].to_pylist())))
    words = ["-s", "schema.toml", "-e", "1", "-l", "firms.ledger", "--new-ledger", "-o", "out.dta"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        done = CliRunner().invoke(app, ["synth", "firms.csv", *words])
    assert done.exit_code != 0 and "Stata has no such names" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "firms.csv",
        "schema.toml",
    ]  # not even a ledger


def test_more_rows_than_a_workbook_holds_are_refused_before_the_charge(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(FORMATS, ".xlsx", replace(FORMATS[".xlsx"], most_rows=39))
    monkeypatch.chdir(tmp_path)
    Schema(JOBS, "firm", name="firms").save("schema.toml")
    pa.csv.write_csv(TABLE, "firms.csv")
    for rows in ([], ["--rows", "40"]):
        words = [
            "-s",
            "schema.toml",
            "-e",
            "1",
            "-l",
            "firms.ledger",
            "--new-ledger",
            "-o",
            "out.xlsx",
            *rows,
        ]
        done = CliRunner().invoke(app, ["synth", "firms.csv", *words])
        assert done.exit_code != 0 and "more rows than this kind of file holds" in done.output
        assert not Path("firms.ledger").exists()


@pytest.mark.parametrize(("most", "fits_in"), [(39, False), (2000, False), (3000, True)])
def test_rows_that_noise_may_add_must_fit_into_a_workbook_before_the_charge(
    most, fits_in, tmp_path: Path, monkeypatch
) -> None:
    """Under add/remove 40 rows at epsilon 1 may become 40 + 2 * 50 * (log 2 + 12 log 10) or so: 2,874."""
    monkeypatch.setitem(FORMATS, ".xlsx", replace(FORMATS[".xlsx"], most_rows=most))
    monkeypatch.chdir(tmp_path)
    Schema(JOBS, "firm", name="firms", neighbours="add-remove").save("schema.toml")
    pa.csv.write_csv(TABLE, "firms.csv")
    words = ["-s", "schema.toml", "-e", "1", "-l", "firms.ledger", "--new-ledger", "-o", "out.xlsx"]
    done = CliRunner().invoke(app, ["synth", "firms.csv", *words])
    assert (done.exit_code == 0) == fits_in == Path("firms.ledger").exists() == Path("out.xlsx").exists()
    assert fits_in or "more rows than this kind of file holds" in " ".join(done.output.split())


@pytest.mark.parametrize(("most", "fits_in"), [(80, False), (4_900, False), (5_000, True)])
def test_units_that_noise_may_add_to_a_panel_must_fit_into_a_workbook_before_the_charge(
    most, fits_in, tmp_path: Path, monkeypatch
) -> None:
    """Firms of two in two periods: 80 rows, and 2 * 2 * 2 * (log 2 + 12 log 10) * 65 / 3 or so: 4,992."""
    monkeypatch.setitem(FORMATS, ".xlsx", replace(FORMATS[".xlsx"], most_rows=most))
    monkeypatch.chdir(tmp_path)
    panel = Panel("id", start=1, end=2, layout="long", time="year", firm="owner", establishments=2)
    Schema(JOBS, "firm", name="firms", panel=panel, neighbours="add-remove").save("schema.toml")
    unit = np.repeat(np.arange(40), 2)
    rows = {"id": unit, "owner": unit // 2, "year": np.tile([1, 2], 40), "jobs": unit}
    pa.csv.write_csv(pa.table(rows), "firms.csv")
    words = ["-s", "schema.toml", "-e", "1", "-l", "firms.ledger", "--new-ledger", "-o", "out.xlsx"]
    done = CliRunner().invoke(app, ["synth", "firms.csv", *words])
    assert (done.exit_code == 0) == fits_in == Path("firms.ledger").exists() == Path("out.xlsx").exists()
    assert fits_in or "more rows than this kind of file holds" in " ".join(done.output.split())


def test_tables_of_a_panel_are_charged_for_once_all_of_them_fit(ledger: Ledger) -> None:
    schema = Schema(
        (Column("emp", "integer", 0, 9),),
        "firm",
        name="firms",
        panel=Panel("id", "first", "last", 2000, 2001),
    )
    good = pa.table({"id": [1], "first": [2000], "last": [2001], "emp_2000": [3], "emp_2001": [4]})
    maker = PanelSynthesizer(schema, 1, noise="simulated", seed=1)
    for tables in ([good.drop_columns(["emp_2001"])], [good, good.drop_columns(["emp_2001"])]):
        with pytest.raises(DataError, match="is missing"):
            next(maker.fit_each(tables, ledger))
    assert ledger.spent == 0
    next(maker.fit_each([good], ledger))
    assert ledger.spent == 1
