"""dpmm: AIM, MST and PrivBayes on the public cells of a whole table."""

from __future__ import annotations

import pandas as pd
from dpmm.pipelines import AIMPipeline, MSTPipeline, PrivBayesPipeline

from benchmarks.peers.contract import Arrays, Job, run

PIPELINES = {"aim": AIMPipeline, "mst": MSTPipeline, "privbayes": PrivBayesPipeline}


def make(job: Job) -> Arrays:
    pipeline = PIPELINES[job.options["method"]](
        epsilon=job.epsilon, delta=job.delta, n_jobs=1, disable_processing=True
    )
    domain = {name: int(high) + 1 for name, (_, high) in job.bounds.items()}
    pipeline.fit(pd.DataFrame(job.train), domain=domain, random_state=job.seed)
    return pipeline.generate(n_records=job.rows, random_state=job.seed)


if __name__ == "__main__":
    run(make, "dpmm", "opendp", "numpy")
