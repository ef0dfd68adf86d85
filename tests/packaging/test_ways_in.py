"""Container and conda recipe install what pyproject.toml says, and nothing that lies beside it."""

import re
import tomllib
from pathlib import Path

import pytest

from quantail import __version__

ROOT = Path(__file__).parents[2]
yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def recipe():
    return yaml.safe_load((ROOT / "recipe/recipe.yaml").read_text(encoding="utf-8"))


def test_the_recipe_needs_what_the_package_needs(project, recipe):
    python, *needed = recipe["requirements"]["run"]
    assert python == f"python {project['requires-python']}"
    assert [line.replace(" ", "") for line in needed] == project["dependencies"]
    assert recipe["context"]["version"] == __version__
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["build"]["python"]["entry_points"] == [
        f"{name} = {target}" for name, target in project["scripts"].items()
    ]


def test_the_container_installs_extras_that_there_are_and_copies_the_package_alone(project):
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (extras,) = re.findall(r"\.whl\)\[([a-z,]+)\]", lines)
    assert {"evaluate", "studio"} <= set(extras.split(",")) <= set(project["optional-dependencies"])
    copied = re.findall(r"^COPY (?!--from)(.*) \S+$", lines, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in allowed and names == {line[1:] for line in allowed if line.startswith("!")}
    assert all((ROOT / name).exists() for name in names)
    assert re.search(r"^USER (?!root)", lines, re.MULTILINE)


def test_the_container_runs_with_a_python_that_is_supported(project):
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    (version,) = set(re.findall(r"^FROM python:([\d.]+)-slim", lines, re.MULTILINE))
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]
