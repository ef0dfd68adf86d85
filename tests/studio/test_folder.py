"""No name leads out of the folder, however it is spelled."""

import os

import pytest

from quantail.errors import DataError
from quantail.ledger_header import is_ledger
from quantail.privacy.ledger import Ledger
from quantail.studio.folder import Folder, OutsideError

OUTSIDE = [
    "../secret.csv",
    "sub/../../secret.csv",
    "/etc/passwd",
    "",
    ".",
    "..",
    "a\0b.csv",
    ".quantail-studio/plan.lock",
    "sub/.hidden.csv",
    "link.csv",
    "linked/secret.csv",
    "loop",
    "~/secret.csv/../../..",
    "\udcff.csv",
    "x" * 256,
    "deep/" * 60 + "x.csv",
]


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "work"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "secret.csv").write_text("pay\n987654.25\n")
    (root / "sub" / "own.csv").write_text("pay\n1\n")
    (root / "sub" / ".hidden.csv").write_text("pay\n1\n")
    (root / "link.csv").symlink_to(tmp_path / "secret.csv")
    (root / "linked").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    (root / "inner.csv").symlink_to(root / "sub" / "own.csv")
    return Folder.of(root)


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_that_lead_out_lead_nowhere(folder, name):
    for way in (folder.file, folder.place, folder.new_file):
        if way is not folder.file and name == "~/secret.csv/../../..":
            continue
        with pytest.raises(OutsideError):
            way(name)


def test_names_inside_lead_to_their_files(folder):
    assert folder.file("sub/own.csv") == folder.root / "sub" / "own.csv"
    assert folder.file("inner.csv") == folder.root / "sub" / "own.csv"
    with pytest.raises(DataError, match="exists already"):
        folder.new_file("sub/own.csv")
    with pytest.raises(DataError, match="folder that does not exist"):
        folder.new_file("nowhere/new.csv")


def test_a_list_of_files_holds_none_from_outside(folder):
    Ledger.create(folder.root / "a.ledger", "payroll", 1)
    contents = folder.contents()
    assert contents.tables == ("inner.csv", "sub/own.csv")
    assert contents.ledgers == ("a.ledger",) and is_ledger(folder.root / "a.ledger")


def test_a_folder_with_too_many_files_shows_its_own_first_and_says_so(desk, monkeypatch):
    monkeypatch.setattr("quantail.studio.folder.MOST_FILES", 3)
    (desk.folder / "a").mkdir()
    for place in range(5):
        desk.write(f"a/{place}.csv", "x\n")
    contents = Folder.of(desk.folder).contents()
    assert contents.is_cut and contents.tables[-1] == "payroll.csv" and len(contents.tables) == 3
    assert "more files than are shown" in desk.get("/").text


@pytest.mark.parametrize("name", [name for name in OUTSIDE if "\udcff" not in name])
@pytest.mark.parametrize(
    ("page", "option"),
    [
        ("/table", "table"),
        ("/schema", "schema"),
        ("/ledger", "ledger"),
        ("/read", "file"),
        ("/check", "schema"),
    ],
)
def test_pages_read_nothing_from_outside(desk, page, option, name):
    (desk.folder.parent / "secret.csv").write_text("pay\n987654.25\n")
    (desk.folder.parent / "secret.card.html").write_text("987654.25")
    (desk.folder / "link.csv").symlink_to(desk.folder.parent / "secret.csv")
    (desk.folder / "linked").symlink_to(desk.folder.parent)
    if name == "" and page == "/ledger":
        return  # the list of ledgers
    answer = desk.get(page, **{option: name})
    assert (
        answer.status_code in (404, 422)
        and "987654" not in answer.text
        and "secret" not in answer.text.replace(name, "").replace("secret.csv", "")
    )


def test_only_cards_and_reports_are_served_and_nothing_in_them_acts(desk):
    desk.write("notes.txt", "private")
    desk.write("page.html", "private")
    for name in ("payroll.csv", "notes.txt", "page.html"):
        assert desk.get("/read", file=name).status_code == 404
    desk.write("evil.card.html", "<script>alert(1)</script>")
    answer = desk.get("/read", file="evil.card.html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("sandbox; default-src 'none'") and "script" not in policy


def test_nothing_is_written_through_a_link(desk):
    target = desk.folder.parent / "outside.toml"
    (desk.folder / "s.toml").symlink_to(target)
    answer = desk.post("/table/draft", table="payroll.csv", output="s.toml")
    assert answer.status_code == 422 and not target.exists()
    answer = desk.post("/ledger/create", output="../other.ledger", dataset="x", limit="1")
    assert answer.status_code == 422 and os.listdir(desk.folder.parent) == ["work"]


def test_records_that_are_a_link_are_refused(tmp_path):
    from quantail.studio.records import Records

    (tmp_path / "work").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "work" / ".quantail-studio").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="no link"):
        Records.of(Folder.of(tmp_path / "work"))
