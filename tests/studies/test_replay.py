"""Stored studies come out again, or are listed as stale; what they rest on is known, and a changed one is made anew."""

import dataclasses
import json

import pytest

from quantail._version import __version__
from studies import catalogue, fingerprint
from studies.catalogue import RESULTS, STUDIES, Study
from studies.fingerprint import reached
from studies.journal import JOURNAL, read_journal
from studies.kinds import KINDS, Kind, method_of
from studies.replay import PENDING, SAME, changed, cheapest, difference, folders, keep, known, replays
from studies.rerun import _just_made, _renewed, run_again

QUICK = 0.5  # CPU seconds of a row that is replayed every day


def stored():
    """Return the kind of study, folder, method and cheapest row of all that came out again."""
    journals = [(folder, read_journal(folder / JOURNAL), known(folder)["methods"]) for folder in folders()]
    return [
        (head["study"], folder, method, row)
        for folder, (head, rows), verdicts in journals
        for method, row in cheapest(rows).items()
        if verdicts.get(method, {}).get("verdict") == SAME
    ]


def everyday():
    """Return a folder and a method for every kind of study: the one that takes least time, if that is little.

    What is compiled first (seconds in a fresh clone) has tests of its own, and is replayed by `make slow`.
    """
    found = {}
    for kind, folder, method, row in stored():
        if row is None or "studies.published" in KINDS[kind].code(method):
            continue
        if 0 < row.get("seconds", 0) < found.get(kind, (QUICK,))[0]:
            found[kind] = row["seconds"], folder, method
    return [pytest.param(folder, method, id=kind) for kind, (_, folder, method) in found.items()]


@pytest.mark.parametrize(("folder", "method"), everyday())
def test_a_stored_row_comes_out_again(folder, method):
    (found,) = replays(folder, [method])
    assert found.verdict == SAME


@pytest.mark.slow
@pytest.mark.parametrize("folder", folders(), ids=lambda folder: str(folder.relative_to(RESULTS)))
def test_every_method_comes_out_again_or_is_listed_as_stale(folder):
    listed = {name: found["verdict"] for name, found in known(folder)["methods"].items()}
    for found in replays(folder, [name for name, verdict in listed.items() if verdict != PENDING]):
        assert found.stale == (listed[found.method] != SAME), f"{found.method}: {found.verdict}"


def test_every_stored_study_says_how_it_was_made_and_what_it_rests_on():
    assert {folder for study in STUDIES for folder in study.journals} == set(folders())
    for study in STUDIES:
        for folder in study.journals:
            kept = known(folder)
            assert kept["command"].startswith("python -m studies "), folder
            assert set(kept["methods"]) == {method_of(row) for row in read_journal(folder / JOURNAL)[1]}, (
                folder
            )
            assert all(len(found["code"]) == 16 for found in kept["methods"].values()), folder


def test_a_row_rests_on_its_own_method_and_not_on_others():
    shallow = frozenset(["studies.simulation.methods"])
    code = {
        name: set(reached(KINDS["simulation"].code(name), shallow)) for name in ("tables", "kng-published")
    }
    assert "quantail.table.synthesizer" in code["tables"] - code["kng-published"]
    assert "studies.published.metropolis" in code["kng-published"] - code["tables"]
    assert all("studies.paper_measures" in modules for modules in code.values())


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Two modules, of which the first imports the second within a function."""
    (tmp_path / "studies").mkdir()
    (tmp_path / "studies" / "one.py").write_text("def f():\n    from studies.two import g\n    return g()\n")
    (tmp_path / "studies" / "two.py").write_text("def g():\n    return 1\n")
    monkeypatch.setattr(fingerprint, "_PLACES", {"studies": tmp_path})

    def written(text):
        (tmp_path / "studies" / "two.py").write_text(text)
        fingerprint._said.cache_clear()
        return fingerprint.fingerprint(["studies.one"])

    return written


def test_wording_leaves_a_fingerprint_alone_and_code_does_not(modules):
    plain = modules("def g():\n    return 1\n")
    assert modules('"""About g."""\n\ndef g():\n    """Return one."""\n    return 1  # why\n') == plain
    assert modules("def g():\n    return 2\n") != plain


def test_a_row_that_differs_in_a_figure_that_is_shown_is_noticed():
    assert (
        difference({"km": 966.7, "holdout": {"km": 1.0}}, {"km": 966.7, "holdout": {"km": 1.1}})
        == "km: 1.1 for 1"
    )
    assert not difference({"km": 966.7, "seconds": 1.0}, {"km": 966.7 + 1e-6, "seconds": 2.0})


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "RESULTS", tmp_path)
    return Study("small", "a study in small", "simulation --methods fresh --replications 1 --workers 1")


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A journal of two methods, of which one no longer comes out."""
    kind = Kind(lambda row: {**row, "km": 1.0}, lambda method: ["studies.parallel"], lambda *_: None)
    monkeypatch.setitem(KINDS, "toy", kind)
    rows = [{"method": name, "km": km, "seconds": 1.0} for name, km in (("good", 1.0), ("old", 2.0)) * 2]
    lines = [{"settings": {"study": "toy", "quantail": "0.0.1"}}, *rows]
    (tmp_path / JOURNAL).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return tmp_path


def test_only_rows_of_methods_that_no_longer_come_out_are_dropped(toy):
    assert changed(toy) == ["good", "old"]
    assert [(found.method, found.stale) for found in _renewed(toy)] == [("good", False), ("old", True)]
    settings, rows = read_journal(toy / JOURNAL)
    assert [row["method"] for row in rows] == ["good", "good"] and settings["quantail"] == __version__
    keep(toy, "python -m studies toy", _just_made(toy))
    assert changed(toy) == [] and set(known(toy)["methods"]) == {"good"}


def test_a_verdict_is_kept_and_code_that_changed_is_noticed(toy, monkeypatch):
    keep(toy, "python -m studies toy", list(replays(toy)))
    assert changed(toy) == ["old"]  # its verdict is not "same"
    other = dataclasses.replace(KINDS["toy"], code=lambda method: ["studies.journal"])
    monkeypatch.setitem(KINDS, "toy", other)
    assert changed(toy) == ["good", "old"]


@pytest.mark.slow
def test_a_study_is_run_kept_left_alone_and_made_anew_when_its_rows_no_longer_come_out(study):
    said = []
    run_again([study], said.append)
    journal = study.out / JOURNAL
    first = journal.read_text(encoding="utf-8")
    assert said == [study.command] and known(study.out)["methods"]["fresh"]["verdict"] == SAME
    assert changed(study.out) == []

    said.clear()
    run_again([study], said.append)
    assert said == ["small: as today's code has it"] and journal.read_text(encoding="utf-8") == first

    settings, *rows = map(json.loads, first.splitlines())
    stale = [settings, *(row | {"km": row["km"] + 1} for row in rows)]
    journal.write_text("".join(json.dumps(row) + "\n" for row in stale), encoding="utf-8")
    (found,) = replays(study.out)
    keep(study.out, study.command, [found])
    assert found.stale and changed(study.out) == ["fresh"]
    run_again([study], said.append)
    again = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()[1:]]
    assert [row["km"] for row in again] == [row["km"] for row in rows]
    assert changed(study.out) == []


def test_a_study_of_a_file_that_was_not_named_is_left_out(study):
    plants = Study("plants", "plants", "lbd --plants plants.parquet")
    said = []
    run_again([plants], said.append)
    assert said == ["plants: left out, name the file with --plants"] and not plants.out.exists()
