"""SDV's Gaussian copula: not private, the reference for what a copula can do."""

from __future__ import annotations

import pandas as pd
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

from benchmarks.peers.contract import Arrays, Job, run


def make(job: Job) -> Arrays:
    frame = pd.DataFrame(job.train)
    metadata = Metadata.load_from_dict(
        {"tables": {"table": {"columns": {name: {"sdtype": "numerical"} for name in frame}}}}
    )
    synthesizer = GaussianCopulaSynthesizer(metadata)
    synthesizer.fit({"table": frame})
    return synthesizer.sample(job.rows)["table"]


if __name__ == "__main__":
    run(make, "sdv", "copulas", "numpy")
