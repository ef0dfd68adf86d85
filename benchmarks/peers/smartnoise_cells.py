"""smartnoise-synth: AIM and MST on the public cells of a whole table, as labels."""

from __future__ import annotations

import pandas as pd
from snsynth import Synthesizer

from benchmarks.peers.contract import Arrays, Job, run


def make(job: Job) -> Arrays:
    # Its list of labels is that of the rows, so a cell without rows is left out: in its favour, and not private.
    synthesizer = Synthesizer.create(job.options["method"], epsilon=job.epsilon, delta=job.delta)
    frame = pd.DataFrame(job.train)
    synthesizer.fit(frame, categorical_columns=list(frame.columns))
    return synthesizer.sample(job.rows)


if __name__ == "__main__":
    run(make, "smartnoise-synth", "mbi", "numpy")
