"""The program as a user starts it: a process with its own stdout, stderr and exit code."""

import json
import subprocess
import sys

PROGRAM = [sys.executable, "-c", "from quantail.cli import main; main()"]


def run(folder, *arguments, **options):
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False, **options
    )


def test_version(shop):
    done = run(shop.folder, "--version")
    assert (done.returncode, done.stdout.split()[0]) == (0, "quantail")


def test_errors_go_to_stderr_with_their_exit_code(shop):
    done = run(shop.folder, "check", "none.csv", "--schema", shop.schema)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("Error: ") and "none.csv" in done.stderr


def test_json_on_stdout_is_clean_when_piped(shop):
    done = run(shop.folder, "plan", "-s", shop.schema, "-n", "100", "-e", "1", "--tables", "0", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["plan"]["cost"] == "1"


def test_no_progress_bar_and_no_colour_codes_when_nobody_watches(shop):
    arguments = ("-s", shop.schema, "-e", "1", "-l", "l.sqlite", "--new-ledger", "-o", "out.csv")
    done = run(shop.folder, "synth", shop.table, *arguments)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "Wrote out.csv" in done.stdout


def test_a_reader_that_goes_away_is_no_crash(shop):
    with subprocess.Popen(
        [*PROGRAM, "check", str(shop.table), "--schema", str(shop.schema), "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.close()
        assert "Traceback" not in process.stderr.read()
    assert process.returncode in (0, 1)
