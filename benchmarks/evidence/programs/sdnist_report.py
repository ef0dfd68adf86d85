"""SDNist: NIST's report on releases of the national excerpt of the Diverse Communities Data Excerpts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from contract import Figures, Job, figure, run

QUIET = {**os.environ, "BROWSER": "true", "MPLBACKEND": "agg"}  # it would open a browser
MATCHES = "unique_exact_matches"


def judge(job: Job, name: str) -> Figures:
    table = (job.folder / f"{name}.csv").resolve()
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "release.csv"
        plain.write_bytes(table.read_bytes())
        command = [
            sys.executable,
            "-m",
            "sdnist.report",
            str(plain),
            "NATIONAL",
            "--data-root",
            job.facts["root"],
        ]
        subprocess.run(command, cwd=folder, env=QUIET, check=True, capture_output=True)
        (found,) = Path(folder).rglob("report.json")
        report = json.loads(found.read_text(encoding="utf-8"))
    synopsis = report["k_marginal"]["k_marginal_synopsys"]
    yield figure("k-marginal score", synopsis["k_marginal_score"])
    yield figure("as good as a sample of so many percent", synopsis["sub_sampling_equivalent"])
    yield figure("propensity mean square error", report["propensity mean square error"]["pmse_score"])
    broken = sum(group["Percent Records Inconsistent"] for group in report["inconsistencies"]["summary"])
    yield figure("inconsistent records, percent", broken)
    yield figure("unique records matched, percent", report[MATCHES]["percent records matched in target data"])


if __name__ == "__main__":
    run(judge, "sdnist")
