"""The whole path works with the declared dependencies alone: no pandas, polars, scikit-learn or plotting."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
OPTIONAL = (
    "pandas",
    "polars",
    "sklearn",
    "formulaic",
    "statsmodels",
    "joblib",
    "starlette",
    "uvicorn",
    "jinja2",
    "matplotlib",
    "hypothesis",
    "pytest",
)

# Optional packages are hidden by a finder that refuses them, as if they were not installed.
HIDING = f"""
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""
PROGRAM = f"""{HIDING}
import pyarrow as pa
import quantail

schema = quantail.Schema(
    (
        quantail.Column("site", "category", categories=("a", "b")),
        quantail.Column("jobs", "integer", 0, 500, grid="log"),
        quantail.Column("pay", "numeric", 0, 1000),
    ),
    unit="firm",
)
table = pa.table({{
    "site": ["a", "b"] * 200,
    "jobs": [1 + k % 50 for k in range(400)],
    "pay": [10.0 + (k % 50) * 3 + k % 7 for k in range(400)],
}})
model = quantail.TableSynthesizer(schema, 2, noise="simulated", seed=1).fit(table)
synthetic = model.sample(seed=1)
assert synthetic.num_rows == 400
found = quantail.evaluate(table, synthetic, schema=schema)
assert {{"k_marginal", "ks", "pmse_ratio"}} <= {{row.name for row in found}}
left_out = {{one.name: one.reason for one in found.skipped if "quantail[evaluate]" in one.reason}}
assert set(left_out) == {{"auc", "coefficient_difference", "prediction_error"}}, left_out
import quantail.interop
assert quantail.TableSynthesizer(schema, 2).set_params(epsilon=1).get_params()["epsilon"] == 1
assert quantail.interop.sdmetrics_metadata(schema)["columns"]
loaded = {{name.partition(".")[0] for name in sys.modules}} & set({OPTIONAL!r})
assert not loaded, loaded
"""


def test_plan_fit_sample_and_evaluate_without_optional_packages():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_the_first_command_works_without_optional_packages(tmp_path):
    program = f"{HIDING}\nsys.argv[0] = 'quantail'\nfrom quantail.cli import main\nmain()\n"
    command = [
        sys.executable,
        "-c",
        program,
        "demo",
        "--no-panel",
        "--rows",
        "500",
        "--out",
        str(tmp_path / "demo"),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert 'pip install "quantail[evaluate]"' in " ".join(run.stderr.split())
    assert (tmp_path / "demo" / "internal-report.html").exists()


def test_every_module_level_import_of_the_core_is_a_declared_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    core = _names(project["dependencies"]) | set(sys.stdlib_module_names) | {"quantail"}
    # A room that is an extra as a whole may import what that declares; Jinja2 escapes by markupsafe.
    studio = core | _names(project["optional-dependencies"]["studio"]) | {"markupsafe"}
    for path in (ROOT / "src" / "quantail").rglob("*.py"):
        allowed = studio if path.parent.name == "studio" else core
        assert _imported(path) <= allowed, f"{path.name} imports {_imported(path) - allowed}"


def _names(requirements: list[str]) -> set[str]:
    return {name.partition(">")[0] for name in requirements}


def _imported(path: Path) -> set[str]:
    found = set()
    for node in ast.parse(path.read_text()).body:  # imports inside functions are on demand
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found
