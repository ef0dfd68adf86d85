"""What the documents show works: every block of Python, TOML and commands in README and docs runs, page by page.

Commands and Python of a page each have a folder with a made-up table, its schema, a model and a synthetic table; files
that its commands write are not there beforehand. Blocks that take hours are fenced as text, and say so.
"""

import json
import re
import shlex
import shutil
from pathlib import Path

import pyarrow.csv
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from quantail import TableSynthesizer, __version__
from quantail.cli import app
from quantail.examples import industry_example, payroll_example, payroll_schema
from quantail.inference import evidence
from quantail.interop import data_dictionary
from quantail.io import write_table
from quantail.report import release_card
from quantail.schema import Schema

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```([a-z]+)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
RUN = ("python", "sh", "toml")
FOR_THE_SHELL = ("make ", "pip install ", "python -m ")
ROWS, UNITS = 300, 400  # of 150 units one synthetic panel in ten has no births, and no ages to regress on


def blocks(page):
    return [found for found in BLOCK.findall(page.read_text(encoding="utf-8")) if found[0] in RUN]


def label(page):
    return page.relative_to(ROOT).as_posix()


def commands(code):
    """List the commands of a shell block; long lines may be continued."""
    for line in code.replace("\\\n", " ").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.removeprefix("$ ")


@pytest.fixture(scope="session")
def examples(tmp_path_factory):
    """What a reader has at hand."""
    folder = tmp_path_factory.mktemp("examples")
    table, schema = payroll_example(ROWS), payroll_schema()
    pyarrow.csv.write_csv(table, folder / "payroll.csv")
    write_table(table, folder / "payroll.parquet")
    write_table(industry_example(UNITS), folder / "industry.csv")
    write_table(industry_example(UNITS, layout="long"), folder / "register.csv")
    schema.save(folder / "schema.toml")
    model = TableSynthesizer(schema, 1, noise="simulated", seed=1).fit(table)
    model.save(folder / "model.json")
    write_table(model.sample(seed=1), folder / "synthetic.parquet")
    write_table(model.sample(seed=1), folder / "released.csv")
    facts = data_dictionary(schema)
    (folder / "released.dictionary.json").write_text(json.dumps(facts), encoding="utf-8")
    card = json.dumps(release_card(model, rows=ROWS))
    (folder / "released.card.json").write_text(card, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def tried_out(tmp_path_factory):
    """Where errors to expect are kept, as on a reader's machine: several pages try the same plan."""
    return tmp_path_factory.mktemp("tried out")


def smaller(code):
    """Plan for fewer rows than the page does, with small panels and few reruns: whether a block runs is the same."""
    code = re.sub(r"(--rows |rows=)\d+", r"\g<1>50", code)
    code = re.sub(r"industry_example\(\d*", "industry_example(100", code)
    return re.sub(r"(--effort |effort=)\d+", r"\g<1>3", code)


def run_command(line, examples):
    if line.startswith(FOR_THE_SHELL):
        return
    assert line.startswith("quantail "), line
    done = CliRunner().invoke(app, shlex.split(smaller(line), comments=True)[1:])
    assert done.exit_code == 0, f"{line}\n{done.output}"
    if line.startswith("quantail init "):  # now the reader fills in the blanks
        shutil.copy(examples / "schema.toml", "schema.toml")


def pages_with(*kinds):
    """List the pages that have blocks of some kind."""
    return [(page, kinds) for page in PAGES if any(kind in kinds for kind, _ in blocks(page))]


@pytest.mark.parametrize(
    ("page", "kinds"),
    [*pages_with("python"), *pages_with("sh", "toml")],
    ids=lambda value: label(value) if isinstance(value, Path) else value[0],
)
def test_every_block_of_a_page_runs(page, kinds, examples, tried_out, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("QUANTAIL_CACHE", str(tried_out))
    monkeypatch.setattr(evidence, "FEWEST_RERUNS", 3)
    shown = [(kind, code) for kind, code in blocks(page) if kind in kinds]
    written = [name for _, code in shown for name in re.findall(r'-o (\S+)|write_table\(.*"(\S+)"\)', code)]
    for path in examples.iterdir():
        if not any(path.name in names for names in written):
            shutil.copy(path, tmp_path)
    names = {"__name__": page.stem}
    for kind, code in shown:
        if kind == "python":
            exec(compile(smaller(code), label(page), "exec"), names)
        elif kind == "toml":
            Schema.from_toml(code)
            Path("schema.toml").write_text(code, encoding="utf-8")
        else:
            for line in commands(code):
                run_command(line, examples)


def test_blocks_that_are_not_run_are_few():
    """Anything that looks like a command or a program is run, unless it is fenced as text.

    Blocks for R and Stata have tests of their own (tests/interop), where these programs are.
    """
    kinds = {kind for page in PAGES for kind, _ in BLOCK.findall(page.read_text(encoding="utf-8"))}
    assert kinds <= {*RUN, "text", "r", "stata"}
    shown = [
        label(page)
        for page in PAGES
        for kind, code in BLOCK.findall(page.read_text(encoding="utf-8"))
        if kind == "text" and re.search(r"^(quantail|from|import) ", code, flags=re.MULTILINE)
    ]
    assert len(shown) <= 3, shown


def test_the_schema_of_the_tutorial_says_where_its_bounds_come_from():
    (text,) = (code for kind, code in blocks(ROOT / "docs/tutorial.md") if kind == "toml")
    schema = Schema.from_toml(text)
    assert schema.names == ("sector", "employees", "payroll") and schema.unsourced() == ()


def test_every_command_is_in_the_reference():
    listed = re.findall(r"`quantail (\w+)", (ROOT / "docs/commands.md").read_text(encoding="utf-8"))
    assert set(listed) == set(get_command(app).commands)


def test_links_between_documents_lead_somewhere():
    proofs = (ROOT / "src/quantail/privacy/proofs").glob("*.md")
    for page in [*ROOT.glob("*.md"), *PAGES, *proofs, ROOT / "studies/README.md"]:
        for target in re.findall(r"\]\((?![a-z]+:|#)([^)#\s]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{label(page)}: {target}"


def test_versions_agree():
    heading = "Unreleased" if ".dev" in __version__ else __version__
    assert f"## {heading}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
