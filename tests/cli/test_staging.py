"""Output files appear together or not at all."""

import pytest

from quantail.cli.staging import Staging, check_outputs, write_text
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
