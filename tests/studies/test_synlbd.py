"""The reader of the real layout: round trips through every format, and clear refusals that quote nothing."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from quantail.errors import DataError
from studies.lbd.standin import panel_industry
from studies.lbd.synlbd import read_synlbd

pyreadstat = pytest.importorskip("pyreadstat")


@pytest.fixture(scope="module")
def panel():
    return panel_industry(0, 120)


def write(table, path):
    if path.suffix == ".csv":
        pa.csv.write_csv(table, path)
    else:
        writer = pyreadstat.write_dta if path.suffix == ".dta" else pyreadstat.write_xport
        writer(table.to_pandas(), path)
    return path


def replaced(table, name, row, value):
    values = table[name].to_pylist()
    values[row] = value
    return table.set_column(table.column_names.index(name), name, pa.array(values))


@pytest.mark.parametrize("name", ["panel.csv", "panel.dta", "panel.xpt"])
def test_round_trip(panel, tmp_path, name):
    assert read_synlbd(write(panel, tmp_path / name)).equals(panel)


def test_sas_files_go_through_their_reader(panel, tmp_path, monkeypatch):
    # No free software writes sas7bdat, so the reader is stood in for; it gives upper-case names and floats.
    def read(path, output_format):
        assert output_format == "dict"
        return {name.upper(): panel[name].cast("float64").to_pylist() for name in panel.column_names}, None

    monkeypatch.setattr(pyreadstat, "read_sas7bdat", read)
    (tmp_path / "panel.sas7bdat").touch()
    assert read_synlbd(tmp_path / "panel.sas7bdat").equals(panel)


def test_case_order_extra_columns_and_a_missing_number_do_not_matter(panel, tmp_path):
    other = panel.drop_columns(["lbdnum"]).select(panel.column_names[:0:-1])
    other = other.rename_columns([name.upper() for name in other.column_names])
    other = other.append_column("county", pa.array(["x"] * panel.num_rows))
    found = read_synlbd(write(other, tmp_path / "panel.csv"))
    assert found.column_names == panel.column_names
    assert found["lbdnum"].to_pylist() == list(range(1, 121))
    assert found.drop_columns(["lbdnum"]).equals(panel.drop_columns(["lbdnum"]))


def test_zeros_outside_the_active_years_become_null(panel, tmp_path):
    filled = pa.table({name: panel[name].fill_null(0) for name in panel.column_names})
    assert read_synlbd(write(filled, tmp_path / "panel.dta")).equals(panel)


def test_pay_is_rounded_to_whole_thousands(panel, tmp_path):
    row = panel["firstyear"].to_pylist().index(1976)
    before = panel["pay_1976"][row].as_py()
    found = read_synlbd(write(replaced(panel, "pay_1976", row, before + 0.4), tmp_path / "p.csv"))
    assert found.equals(panel)


def test_a_last_year_that_is_already_gone_steps_back(panel, tmp_path):
    last = panel["lastyear"].to_numpy()
    gone = np.where(last < 2000, last + 1, last)
    file = write(panel.set_column(3, "lastyear", pa.array(gone)), tmp_path / "panel.csv")
    with pytest.raises(DataError, match="last_active=False"):
        read_synlbd(file)
    assert read_synlbd(file, last_active=False).equals(panel)


def test_missing_columns_are_named(panel, tmp_path):
    with pytest.raises(DataError, match=r"mu, emp_1990, pay_1980\. Needed"):
        read_synlbd(write(panel.drop_columns(["emp_1990", "mu", "pay_1980"]), tmp_path / "panel.csv"))
    with pytest.raises(DataError, match="and 49 more"):
        read_synlbd(write(panel.select(["lbdnum"]), tmp_path / "panel.dta"))


@pytest.mark.parametrize(
    ("column", "value", "word"),
    [
        ("emp_1976", -77771, "emp_1976 must not be negative"),
        ("emp_1976", 7777.5, "emp_1976 must hold whole numbers"),
        ("emp_1976", "77777 or so", "emp_1976 must hold numbers"),
        ("emp_1976", None, "emp_1976 is missing within"),
        ("lastyear", 1975, "must not come before firstyear"),
        ("lastyear", 2777, r"must lie in 1976\.\.2000"),
        ("firstyear", None, "firstyear must hold a whole number in every row"),
        ("firstyear", 1977, "emp_1976 holds a value outside"),
        ("mu", 7777, "mu must be 0 or 1"),
        ("lbdnum", None, "lbdnum must be there"),
    ],
)
def test_impossible_histories_are_refused_without_a_quote(panel, tmp_path, column, value, word):
    spans = panel["lastyear"].to_numpy() * (panel["firstyear"].to_numpy() == 1976)
    row = int(np.flatnonzero((spans > 1978) & (panel["emp_1976"].fill_null(0).to_numpy() > 0))[0])
    values = [str(v) if isinstance(value, str) and v is not None else v for v in panel[column].to_pylist()]
    values[row] = value
    table = panel.set_column(panel.column_names.index(column), column, pa.array(values))
    with pytest.raises(DataError, match=word) as caught:
        read_synlbd(write(table, tmp_path / "panel.csv"))
    assert "777" not in str(caught.value)


def test_a_number_given_twice_is_refused(panel, tmp_path):
    double = replaced(panel, "lbdnum", 1, panel["lbdnum"][0].as_py())
    with pytest.raises(DataError, match="each establishment once"):
        read_synlbd(write(double, tmp_path / "panel.csv"))


@pytest.mark.parametrize("name", ["broken.dta", "broken.sas7bdat", "broken.xpt", "broken.csv"])
def test_damaged_files_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"\xff\x00secret" * 50)
    with pytest.raises(DataError, match="broken") as caught:
        read_synlbd(tmp_path / name)
    assert "secret" not in str(caught.value)


def test_missing_files_and_unknown_kinds_are_refused(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_synlbd(tmp_path / "none.csv")
    (tmp_path / "panel.xlsx").touch()
    with pytest.raises(DataError, match=r"\.csv, \.dta, \.sas7bdat, \.xpt"):
        read_synlbd(tmp_path / "panel.xlsx")


def test_without_pyreadstat_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    (tmp_path / "panel.dta").touch()
    with pytest.raises(DataError, match=r"quantail\[files\]"):
        read_synlbd(tmp_path / "panel.dta")
