"""smartnoise-synth: AIM and MST, with bounds inferred from part of the budget or on log bins of the public bounds."""

from __future__ import annotations

import pandas as pd
from snsynth import Synthesizer
from snsynth.transform import BinTransformer
from snsynth.transform.table import TableTransformer

from benchmarks.peers.contract import Arrays, Job, run

BINS = 20
INFERENCE_SHARE = 0.25  # of epsilon, for bounds


def make(job: Job) -> Arrays:
    synthesizer = Synthesizer.create(job.options["method"], epsilon=job.epsilon, delta=job.delta)
    if job.options["bins"] == "inferred":
        frame = pd.DataFrame(job.train)
        return synthesizer.fit_sample(
            frame, continuous_columns=list(frame.columns), preprocessor_eps=INFERENCE_SHARE * job.epsilon
        )
    bins = [BinTransformer(bins=BINS, lower=low, upper=high) for low, high in job.log_bounds().values()]
    made = synthesizer.fit_sample(job.log_frame(), transformer=TableTransformer(bins))
    return job.from_log(made)


if __name__ == "__main__":
    run(make, "smartnoise-synth", "mbi", "numpy")
