"""An adapter for tests: copies the rows, fails, or never ends, as its options say."""

from benchmarks.peers.contract import Arrays, Job, run


def make(job: Job) -> Arrays:
    if job.options["does"] == "fail":
        raise RuntimeError("no such luck")
    while job.options["does"] == "spin":
        pass
    return {name: 3 * values for name, values in job.train.items()}


if __name__ == "__main__":
    run(make, "numpy")
