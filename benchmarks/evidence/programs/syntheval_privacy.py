"""SynthEval: distances to the closest real row, close hits, a membership attack, and two measures of likeness."""

from __future__ import annotations

from contract import Figures, Job, figure, run
from syntheval import SynthEval

ROWS = 2000  # of each table: distances between all pairs of rows are taken
ASKED = {
    "dcr": {},
    "hit_rate": {"thres_percent": 0.0333},
    "eps_risk": {},
    "mia": {"num_eval_iter": 5},
    "h_dist": {},
    "corr_diff": {"mixed_corr": True},
}


def judge(job: Job, name: str) -> Figures:
    real, control, made = (job.table(each).head(ROWS) for each in ("real", "control", name))
    settings = {"verbose": False, "enable_plots": False, "console": "off"}
    tool = SynthEval(real, holdout_dataframe=control, cat_cols=job.categories, **settings)
    # In another order: the tool takes two equal tables for one, and leaves each row itself out of its neighbours.
    found = tool.evaluate(made.sample(frac=1, random_state=1, ignore_index=True), **ASKED)
    for row in found.itertuples():
        error = 1.96 * row.err if row.err == row.err else None
        ends = (None, None) if error is None else (row.val - error, row.val + error)
        yield figure(row.metric, row.val, *ends)


if __name__ == "__main__":
    run(judge, "syntheval")
