"""dpmm: AIM, MST and PrivBayes on 32 log bins between the public bounds."""

from __future__ import annotations

from dpmm.pipelines import AIMPipeline, MSTPipeline, PrivBayesPipeline

from benchmarks.peers.contract import Arrays, Job, run

PIPELINES = {"aim": AIMPipeline, "mst": MSTPipeline, "privbayes": PrivBayesPipeline}
BINS = 32


def make(job: Job) -> Arrays:
    # proc_epsilon None: even bins between the public bounds, so the whole budget goes to the model.
    pipeline = PIPELINES[job.options["method"]](
        epsilon=job.epsilon, delta=job.delta, n_jobs=1, proc_epsilon=None, n_bins=BINS
    )
    domain = {name: {"lower": low, "upper": high} for name, (low, high) in job.log_bounds().items()}
    pipeline.fit(job.log_frame(), domain=domain, random_state=job.seed)
    return job.from_log(pipeline.generate(n_records=job.rows, random_state=job.seed))


if __name__ == "__main__":
    run(make, "dpmm", "opendp", "numpy")
