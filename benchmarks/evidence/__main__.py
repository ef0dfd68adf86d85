"""Run the tools in environments of their own, store what they say, and write docs/evidence.md from it."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.evidence.page import RESULTS
from benchmarks.evidence.tables import write_nist, write_register
from benchmarks.peers.environments import NotInstalled, python_of
from quantail._version import __version__
from studies.documents import write_documents

PROGRAMS = {
    "anonymeter": "anonymeter_risks",
    "syntheval": "syntheval_privacy",
    "sdmetrics": "sdmetrics_scores",
    "sdnist": "sdnist_report",
}
COMMAND = "python -m benchmarks.evidence --nist FOLDER"
NO_DATA = "NIST's excerpts are not part of this project; name their folder with --nist"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS), help="Tools to run.")
    parser.add_argument("--nist", type=Path, help="Folder of NIST's national excerpt, as SDNist has it.")
    asked = parser.parse_args()
    stored: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    stored["tools"] = stored.get("tools", {}) | judged(asked.only, asked.nist)
    stored["command"] = COMMAND
    RESULTS.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    write_documents()


def judged(tools: list[str], nist: Path | None) -> dict[str, Any]:
    """Return what each tool says, or why it says nothing."""
    found = {}
    with tempfile.TemporaryDirectory() as scratch:
        if set(tools) != {"sdnist"}:
            write_register(Path(scratch) / "register")
        if "sdnist" in tools and nist is not None:
            write_nist(Path(scratch) / "nist", nist)
        for tool in tools:
            folder = Path(scratch) / ("nist" if tool == "sdnist" else "register")
            print(f"{tool} ...", file=sys.stderr, flush=True)
            found[tool] = run_tool(tool, folder) if folder.exists() else {"reason": NO_DATA}
    return found


def run_tool(tool: str, folder: Path) -> dict[str, Any]:
    """Run one tool's program on a folder of tables."""
    program = Path(__file__).parent / "programs" / f"{PROGRAMS[tool]}.py"
    try:
        command = [str(python_of(tool)), str(program), str(folder), str(folder / f"{tool}.json")]
    except NotInstalled as reason:
        return {"reason": f"it could not be installed: {reason}"}
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"reason": f"it ended with an error: {done.stderr.strip().splitlines()[-1]}"}
    found: dict[str, Any] = json.loads((folder / f"{tool}.json").read_text(encoding="utf-8"))
    return {"quantail": __version__, **found}


if __name__ == "__main__":
    main()
