"""Starting the program must stay fast: help and version load nothing heavy."""

import subprocess
import sys

import pytest

HEAVY = {"numpy", "pyarrow", "opendp", "scipy", "narwhals", "pandas", "polars", "matplotlib"}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["synth", "--help"], ["ledger", "--help"]])
def test_help_imports_nothing_heavy(arguments):
    program = (
        "import sys\n"
        f"sys.argv = ['quantail', *{arguments!r}]\n"
        "from quantail.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        f"heavy = {HEAVY!r} & {{name.partition('.')[0] for name in sys.modules}}\n"
        "sys.exit(f'imported at startup: {sorted(heavy)}' if heavy else 0)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "quantail" in run.stdout


def test_a_release_imports_no_measures():
    program = (
        "import sys, quantail.cli.release, quantail.cli.release_files, quantail.report\n"
        "sys.exit(any(name in sys.modules for name in ('quantail.evaluation', 'scipy.stats', 'pandas')))\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
