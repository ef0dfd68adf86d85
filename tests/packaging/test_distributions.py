"""What is handed out: the package alone, the same bytes from the same sources, working where nothing else is."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling", reason="building needs the dependency group test")

ROOT = Path(__file__).parents[2]
EPOCH = "1700000000"


def build(source, out):
    """Build sdist and wheel of a copy, with the environment's own build backend and no network."""
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "sdist",
        "--target",
        "wheel",
        "-d",
        out,
    ]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    done = subprocess.run(
        command, cwd=source, env=environment, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.suffix: path for path in out.iterdir()}


def copy_of_sources(folder, age):
    """Copy what the repository tracks; files of another age must not make another package."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("needs a clone")
    for name in listed.stdout.split("\0"):
        if name and "/results/" not in name and (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
            os.utime(folder / name, (age, age))
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    return build(copy_of_sources(folder / "sources", 1_600_000_000), folder / "dist")


def test_the_wheel_holds_the_package_and_nothing_else(built):
    names = zipfile.ZipFile(built[".whl"]).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"quantail"}
    assert {"quantail/py.typed", "quantail/privacy/proofs/gate.md"} <= set(names)
    rooms = {name.split("/")[1] for name in names if name.count("/") > 1 and "dist-info" not in name}
    assert not rooms & {"studies", "experiments", "datasets", "benchmarks", "tests"}


def test_the_sdist_holds_sources_and_documents_and_no_results(built):
    with tarfile.open(built[".gz"]) as archive:
        inside = {member.name.partition("/")[2] for member in archive.getmembers()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "src/quantail/__init__.py"} <= inside
    assert not any(name.startswith(("studies", "benchmarks", "tests")) for name in inside)
    assert built[".gz"].stat().st_size < 2_000_000


def test_two_builds_of_the_same_sources_are_the_same_bytes(built, tmp_path):
    again = build(copy_of_sources(tmp_path / "sources", 1_650_000_000), tmp_path / "dist")
    for kind, path in built.items():
        assert path.name == again[kind].name and path.read_bytes() == again[kind].read_bytes(), path.name


def test_the_wheel_alone_makes_a_synthetic_table_from_a_csv(built, tmp_path):
    site = tmp_path / "site"
    zipfile.ZipFile(built[".whl"]).extractall(site)
    (tmp_path / "table.csv").write_text("pay\n" + "\n".join(str(k % 97) for k in range(300)) + "\n")
    (tmp_path / "schema.toml").write_text(
        '[table]\nname = "t"\nunit = "person"\nneighbours = "replace-one"\n\n'
        '[[column]]\nname = "pay"\ntype = "numeric"\nlower = 0\nupper = 100\nsource = "made up"\n'
    )
    program = (
        "import sys, quantail, quantail.cli\n"
        f"assert quantail.__file__.startswith({str(site)!r}), quantail.__file__\n"
        "quantail.cli.main()\n"
    )
    arguments = ["synth", "table.csv", "--schema", "schema.toml", "--epsilon", "1", "--output", "made.csv"]
    arguments += ["--ledger", "t.ledger", "--new-ledger", "--limit", "1"]
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len((tmp_path / "made.csv").read_text().splitlines()) == 301
