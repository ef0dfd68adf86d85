"""A unit in two groups, partitions or tables would be charged once and used twice: refused before the charge."""

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from panels import as_long, industry, maker_of, schema_of, with_industry, write_panel

from quantail.engines import engine_of, synthesize_panel
from quantail.errors import DataError, OptionError
from quantail.io import open_source
from quantail.privacy import Ledger

FIRST = industry(list(range(40)))
SECOND = industry([*range(100, 139), 7], seed=2)  # unit 7 again
FINE = industry(range(200, 230), seed=3)


def stored_as(table, kind):
    ids = table["id"].combine_chunks()
    ids = ids.dictionary_encode() if kind == "dictionary" else ids.cast(kind)
    return table.set_column(0, "id", ids)


KINDS = (
    pa.int16(),
    pa.uint64(),
    pa.float32(),
    pa.float64(),
    pa.decimal128(21, 2),
    "dictionary",
)


@pytest.fixture
def ledger(tmp_path):
    return Ledger.create(tmp_path / "ledger", "industries", 1)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_fit_each_refuses_a_unit_in_two_tables_before_the_charge(ledger, kind):
    tables = [
        with_industry(FIRST, "178"),
        with_industry(FINE, "542"),
        with_industry(stored_as(SECOND, kind), "239"),
    ]
    with pytest.raises(DataError, match="a unit is in table 1 and in table 3"):
        next(maker_of().fit_each(tables, ledger))
    assert ledger.spent == 0
    assert len(list(maker_of().fit_each(tables[:2], ledger))) == 2 and ledger.spent == 1


@pytest.mark.parametrize("layout", ["wide", "long"])
@pytest.mark.parametrize("kind", [pa.int64(), *KINDS, pa.large_string()], ids=str)
def test_an_engine_refuses_a_unit_in_two_partitions_before_the_charge(tmp_path, ledger, layout, kind):
    change = as_long if layout == "long" else lambda table: table
    first = stored_as(FIRST, pa.string()) if kind == pa.large_string() else FIRST
    parts = {"178": first, "239": stored_as(SECOND, kind)}
    folder = write_panel({label: change(table) for label, table in parts.items()}, tmp_path / "panel")
    with pytest.raises(DataError, match="a unit is in sic=178 and in sic=239"):
        synthesize_panel(folder, tmp_path / "out", maker_of(schema_of(layout=layout)), ledger=ledger)
    assert ledger.spent == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger", "panel"]


def test_workers_in_processes_find_it_too(tmp_path, ledger):
    pytest.importorskip("joblib")
    folder = write_panel({"178": FIRST, "239": SECOND, "542": FINE}, tmp_path / "panel")
    with engine_of("processes", workers=2) as engine, pytest.raises(DataError, match="a unit is in sic=178"):
        synthesize_panel(folder, tmp_path / "out", maker_of(), engine, ledger=ledger)
    assert ledger.spent == 0


def test_identities_of_different_kinds_cannot_be_told_apart_and_are_refused(tmp_path, ledger):
    words = stored_as(FINE, pa.string())
    with pytest.raises(DataError, match="store identities alike"):
        next(maker_of().fit_each([with_industry(FIRST, "178"), with_industry(words, "239")], ledger))
    folder = write_panel({"178": FIRST, "239": words}, tmp_path / "panel")
    with pytest.raises(DataError, match="'id' is stored as types that have nothing in common"):
        synthesize_panel(folder, tmp_path / "out", maker_of(), ledger=ledger)
    assert ledger.spent == 0


@pytest.mark.parametrize("ids", [[2.0**53, 1.0], [0.5, 1.0]])
def test_numbers_that_do_not_identify_are_refused(ledger, ids):
    with pytest.raises(DataError, match=r"'id' .* floating-point numbers"):
        next(maker_of().fit_each([with_industry(industry(ids), "178")], ledger))
    assert ledger.spent == 0


def test_tables_that_can_be_gone_through_once_are_refused_with_advice(ledger):
    tables = [with_industry(FIRST, "178")]
    for once in (iter(tables), (table for table in tables), map(lambda table: table, tables)):
        with pytest.raises(OptionError, match="give a list of tables, of sources, or of functions"):
            maker_of().fit_each(once, ledger)
    with pytest.raises(OptionError, match="no tables"):
        next(maker_of().fit_each([], ledger))
    assert ledger.spent == 0


def test_tables_sources_and_functions_give_the_same_models(tmp_path):
    tables = [with_industry(FIRST, "178"), with_industry(FINE, "542")]
    for place, table in enumerate(tables):
        pq.write_table(table, tmp_path / f"{place}.parquet")
    sources = [open_source(tmp_path / f"{place}.parquet") for place in range(2)]
    functions = [lambda place=place: tables[place] for place in range(2)]
    made = [[model.groups for model in maker_of().fit_each(given)] for given in (tables, sources, functions)]
    assert made[0] == made[1] == made[2]


def test_the_charge_and_all_models_name_the_terms_of_the_whole_panel(ledger):
    tables = [with_industry(FIRST, "178"), with_industry(FINE, "542")]
    models = list(maker_of().fit_each(tables, ledger))
    whole = maker_of().fit(pa.concat_tables(tables))
    assert ledger.entries()[-1].plan_hash == whole.terms.hash()
    assert [model.terms for model in models] == [whole.terms] * 2
    assert [model.plan.children[0].name for model in models] == ["178", "542"]
    assert {model.plan.cost for model in models} == {whole.plan.cost}
    (together,) = whole.plan.children  # in one table small industries borrow from each other
    assert together.cost == whole.plan.cost and len(together.find("each").children) == 2


class Changing:
    """Tables that are others when they are gone through again."""

    def __init__(self, *passes):
        self.passes = list(passes)

    def __iter__(self):
        return iter(self.passes.pop(0))


def test_a_first_table_that_changed_after_the_check_is_refused_before_the_charge(ledger):
    one, other = [with_industry(FIRST, "178")], [with_industry(FINE, "178")]
    for passes in ((one, other), (one, [])):
        with pytest.raises(DataError, match="is read twice"):
            next(maker_of().fit_each(Changing(*passes), ledger))
    assert ledger.spent == 0


def test_a_later_table_that_changed_after_the_check_is_not_fitted(ledger):
    first, later = with_industry(FIRST, "178"), with_industry(FINE, "239")
    fitted = maker_of().fit_each(Changing([first, later], [first, with_industry(SECOND, "239")]), ledger)
    next(fitted)
    with pytest.raises(DataError, match="table 2 changed"):
        next(fitted)


def test_a_partition_that_changed_after_the_check_is_not_released(tmp_path, ledger):
    folder = write_panel({"178": FIRST, "239": FINE}, tmp_path / "panel")

    class Replacing:
        def charge(self, *parts, **named):
            pq.write_table(SECOND, folder / "sic=239" / "part-0.parquet")
            return ledger.charge(*parts, **named)

        def confirm(self):
            raise AssertionError("there is nothing to confirm")

    with pytest.raises(DataError, match="sic=239 changed after it was checked"):
        synthesize_panel(folder, tmp_path / "out", maker_of(), ledger=Replacing())
    assert not (tmp_path / "out").exists()


def test_a_folder_of_groups_under_add_remove_is_refused_before_the_charge(tmp_path, ledger):
    """Which groups have units, and how many, would show in the folder, on the card and in the run."""
    folder = write_panel({"178": FIRST, "239": FINE}, tmp_path / "panel")
    schema = schema_of()
    full = replace(schema.panel, synthesis="full", entry="", exit="")
    columns = tuple(column for column in schema.columns if column.name in schema.by or not column.public)
    secret = replace(schema, columns=columns, panel=full, neighbours="add-remove")
    with pytest.raises(OptionError, match="release the panel as one table"):
        synthesize_panel(folder, tmp_path / "out", maker_of(secret), ledger=ledger)
    assert ledger.spent == 0 and not (tmp_path / "out").exists()
