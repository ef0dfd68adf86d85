"""The R package: reads released files in their types, and calls the command line. Needs R; JSON needs jsonlite too."""

import datetime
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from quantail import Column, Schema, TableSynthesizer, write_table
from quantail.examples import payroll_example, payroll_schema
from quantail.interop.dictionary import data_dictionary, dictionary_csv
from quantail.schema import CsvFormat

pytestmark = pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
CODE = Path(__file__).parents[2] / "r" / "R" / "quantail.R"


def r(folder: Path, code: str, **environment: str) -> list[str]:
    command = f'options(quantail.command = c("{sys.executable}", "-m", "quantail")); source("{CODE}"); {code}'
    run = subprocess.run(
        ["Rscript", "-e", command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def test_a_synthetic_file_is_read_in_its_types(tmp_path: Path) -> None:
    columns = (
        Column("pay", "numeric", 0, 9, missing_codes=(-8,), label="monthly pay", decimals=1),
        Column("size", "ordinal", categories=("small", "large")),
        Column("born", "date", "1950-01-01", "2020-12-31"),
        Column("owner", "boolean"),
    )
    (tmp_path / "out.dictionary.csv").write_text(dictionary_csv(Schema(columns, "person")))
    (tmp_path / "out.csv").write_text(
        "pay,size,born,owner\n1.5,large,1980-02-03,true\n-8,small,1990-01-01,false\n"
    )
    shown = r(
        tmp_path,
        'x <- read_synthetic("out.csv"); cat(class(x$pay), is.na(x$pay[2]), as.integer(x$size), format(x$born[1]), '
        'x$owner, sep = "\\n"); cat("\\n", attr(x$pay, "label"))',
    )
    assert shown == ["numeric", "TRUE", "2", "1", "1980-02-03", "TRUE", "FALSE", "monthly", "pay"]


def test_a_file_is_read_as_its_dictionary_says_it_is_written(tmp_path: Path) -> None:
    german = CsvFormat(";", ",", ".", "windows-1252", "31.01.2020", ("k.A.",))
    columns = (
        Column("Löhne", "numeric", 0, 9, decimals=1, missing=True),
        Column("born", "date", "1950-01-01", "2020-12-31"),
        Column("seen", "datetime", "1950-01-01", "2020-12-31"),
        Column("said", "category", categories=("k.A.", "ja")),
    )
    schema = Schema(columns, "person", csv=german)
    rows = {
        "Löhne": [1.5, None],
        "born": [datetime.date(1980, 2, 3)] * 2,
        "seen": [datetime.datetime(1980, 2, 3, 4, 5)] * 2,
        "said": ["k.A.", "ja"],
    }
    write_table(pa.table(rows), tmp_path / "out.csv", schema=schema)
    (tmp_path / "out.dictionary.csv").write_text(dictionary_csv(schema), encoding="utf-8")
    (tmp_path / "out.dictionary.json").write_text(json.dumps(data_dictionary(schema)), encoding="utf-8")
    shown = r(
        tmp_path,
        'x <- read_synthetic("out.csv"); '
        'cat(x[[1]], format(x$born[1]), format(x$seen[1], "%d %H:%M"), as.integer(x$said))',
    )
    assert shown == ["1.5", "NA", "1980-02-03", "03", "04:05", "1", "2"]


def test_a_table_is_drawn_from_a_model(tmp_path: Path) -> None:
    model = TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(payroll_example(60))
    model.save(tmp_path / "model.json")
    write_table(model.sample(seed=1), tmp_path / "first.csv")
    shown = r(
        tmp_path,
        'x <- qt_sample("model.json", "more.csv", rows = 7, seed = 1); cat(nrow(x), sapply(x, class))',
    )
    assert shown == ["7", "factor", "integer", "numeric"]


def test_a_command_that_fails_is_an_error_in_r(tmp_path: Path) -> None:
    told = r(tmp_path, 'x <- try(qt_sample("none.json", "o.csv"), silent = TRUE); cat(class(x), x)')
    assert told[0] == "try-error" and "none.json" in " ".join(told)  # and what the command said


def test_what_is_not_there_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "alone.csv").write_text("a\n1\n")
    for code, words in (
        ('read_synthetic("none.csv")', "none.csv is not there"),
        (
            'read_synthetic("alone.csv")',
            "alone.dictionary.csv is not there; a release has it beside its table",
        ),
        ('read_card("alone.csv")', "alone.card.json is not there"),
        ('read_synthetic("CODE")', "reads .csv files"),
        ('{options(quantail.command = "no-such"); qt_plan("a", 1, 1)}', "'no-such' is not on the path"),
    ):
        told = " ".join(r(tmp_path, f"x <- try({code.replace('CODE', str(CODE))}, silent = TRUE); cat(x)"))
        assert words in told, told


def test_a_locale_that_cannot_hold_the_labels_ends_no_table_early(tmp_path: Path) -> None:
    schema = Schema((Column("town", "category", categories=("Köln", "Bonn")),), "person")
    (tmp_path / "out.dictionary.csv").write_text(dictionary_csv(schema), encoding="utf-8")
    (tmp_path / "out.csv").write_text("town\nBonn\nKöln\nBonn\n", encoding="utf-8")
    code = 'x <- try(read_synthetic("out.csv"), silent = TRUE); cat(if (is.data.frame(x)) nrow(x) else x)'
    shown = " ".join(r(tmp_path, code, LC_ALL="C"))  # rows that are lost without a word are the fault
    assert shown == "3" or "UTF-8 locale" in shown
    assert r(tmp_path, code, LC_ALL="C.UTF-8") == ["3"]


def test_the_package_installs_with_its_pages(tmp_path: Path) -> None:
    package = CODE.parents[1]
    run = subprocess.run(
        ["R", "CMD", "INSTALL", "-l", str(tmp_path), str(package)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    exported = re.findall(r"\w+", (package / "NAMESPACE").read_text().split("(", 1)[1])
    described = {
        name
        for page in package.glob("man/*.Rd")
        for name in re.findall(r"\\alias\{(\w+)\}", page.read_text())
    }
    assert described == set(exported)


def test_estimates_are_a_data_frame(tmp_path: Path) -> None:
    if r(tmp_path, 'cat(requireNamespace("jsonlite", quietly = TRUE))') != ["TRUE"]:
        pytest.skip("jsonlite is not installed")
    model = TableSynthesizer(payroll_schema(), 1, noise="simulated", seed=1).fit(payroll_example(60))
    model.save(tmp_path / "model.json")
    write_table(model.sample(seed=1), tmp_path / "out.csv")
    shown = r(
        tmp_path,
        'x <- qt_infer("model.json", "out.csv", c("mean(payroll)", "gini(payroll)"), "10"); cat(x$question)',
    )
    assert shown == ["mean(payroll)", "gini(payroll)"]
