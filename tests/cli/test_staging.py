"""Output files appear together or not at all."""

import os

import pytest

from quantail.cli.outputs import check_outputs
from quantail.cli.staging import Staging, write_text
from quantail.errors import DataError


def test_files_appear_on_commit_only(tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    with Staging([first, second]) as staging:
        staging.place(first).write_text("one")
        staging.place(second).write_text("two")
        assert not first.exists() and not second.exists()
        staging.commit()
    assert (first.read_text(), second.read_text()) == ("one", "two")
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", "b.txt"}


def test_a_failure_in_between_leaves_nothing_behind(tmp_path):
    first = tmp_path / "a.txt"
    with pytest.raises(RuntimeError), Staging([first, tmp_path / "b.txt"]) as staging:
        staging.place(first).write_text("one")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def failing_move(monkeypatch, name):
    """Let the move of one file fail, as on a disk that fills up meanwhile."""
    honest = os.replace

    def replace(source, target):
        if target.name == name and "before" not in str(source):
            raise OSError(28, "No space left on device")
        honest(source, target)

    monkeypatch.setattr(os, "replace", replace)


@pytest.mark.parametrize("links", [True, False])
def test_a_move_that_fails_takes_the_others_back(tmp_path, monkeypatch, links):
    paths = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt", "d.txt")]
    paths[0].write_text("old a")
    paths[2].write_text("old c")
    failing_move(monkeypatch, "c.txt")
    if not links:  # a file system that has none
        monkeypatch.setattr(os, "link", lambda *names: (_ for _ in ()).throw(OSError(1, "not permitted")))
    with pytest.raises(DataError, match="nothing was written"), Staging(paths) as staging:
        for path in paths:
            staging.place(path).write_text("new")
        staging.commit()
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "a.txt": "old a",
        "c.txt": "old c",
    }


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_what_fails_after_the_moves_takes_them_back(tmp_path, error):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("old")
    with pytest.raises(error), Staging([first, second]) as staging:
        staging.place(first).write_text("new")
        staging.place(second).write_text("new")
        staging.commit()
        assert (first.read_text(), second.read_text()) == ("new", "new")
        raise error
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.txt": "old"}


def test_what_cannot_be_taken_back_is_named(tmp_path, monkeypatch):
    first = tmp_path / "a.txt"
    with pytest.raises(DataError, match=r"could not take back .*a\.txt"), Staging([first]) as staging:
        staging.place(first).write_text("new")
        staging.commit()
        monkeypatch.setattr(type(first), "unlink", lambda *a, **k: (_ for _ in ()).throw(OSError(1, "no")))
        raise RuntimeError


def test_a_file_is_there_at_every_moment_while_it_is_replaced(tmp_path, monkeypatch):
    path, honest, seen = tmp_path / "a.txt", os.replace, []
    path.write_text("old")

    def watched(source, target):
        seen.append(path.read_text())
        honest(source, target)

    monkeypatch.setattr(os, "replace", watched)
    write_text(path, "new", force=True)
    assert seen == ["old"] and path.read_text() == "new"


def test_names_that_differ_in_case_only_are_not_written_together(tmp_path):
    with pytest.raises(DataError, match="twice"):
        check_outputs([tmp_path / "pay.csv", tmp_path / "PAY.csv"], [])


def test_links_to_inputs_are_inputs(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("x")
    (tmp_path / "soft.csv").symlink_to(table)
    os.link(table, tmp_path / "hard.csv")
    for name in ("soft.csv", "hard.csv"):
        with pytest.raises(DataError, match="input"):
            check_outputs([tmp_path / name], [table], force=True)
        with pytest.raises(DataError, match="input"):
            check_outputs([], [table], databases=[tmp_path / name])


def test_a_full_disk_becomes_a_data_error(tmp_path):
    with pytest.raises(DataError, match="No space left"), Staging([tmp_path / "a.txt"]):
        raise OSError(28, "No space left on device")


def test_outputs_are_refused_when_named_twice_or_used_as_input(tmp_path):
    path = tmp_path / "a.txt"
    with pytest.raises(DataError, match="twice"):
        check_outputs([path, tmp_path / "." / "a.txt"], [])
    with pytest.raises(DataError, match="input"):
        check_outputs([path], [path], force=True)


def test_outputs_need_a_folder_and_leave_folders_alone(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        check_outputs([tmp_path / "none" / "a.txt"], [])
    with pytest.raises(DataError, match="is a folder"):
        check_outputs([tmp_path], [], force=True)


def test_an_existing_file_is_replaced_only_by_force(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(DataError, match="--force"):
        write_text(path, "new")
    assert path.read_text() == "old"
    write_text(path, "new", force=True)
    assert path.read_text() == "new"
