"""OpenDP's contingency tables (extras.mbi) on the public cells of a whole table: AIM over pairs of columns, and MST.

With `rho` the promise is zCDP, which implies the (epsilon, delta) of the bench; without it, pure. The parts of its
budget are floating-point numbers, and for some budgets add up to a hair more than the whole; then one smaller by a
millionth is tried.
"""

from __future__ import annotations

from typing import Any

import opendp.prelude as dp
import polars as pl
from opendp.mod import OpenDPException

from benchmarks.peers.contract import Arrays, Job, run

TRIES = 20


def make(job: Job) -> Arrays:
    dp.enable_features("contrib")
    kind, whole = ("rho", job.options["rho"]) if "rho" in job.options else ("epsilon", job.epsilon)
    for less in range(TRIES):
        try:
            table = release(job, {kind: whole * (1 - less * 1e-6)})
        except OpenDPException as complaint:
            if "insufficient budget" not in str(complaint):
                raise
            continue
        return table.synthesize(rows=job.rows, method="sample")
    raise RuntimeError(f"insufficient budget for its own parts, {TRIES} times")


def release(job: Job, loss: dict[str, float]) -> Any:
    algorithm = dp.mbi.AIM(queries=2) if job.options["method"] == "aim" else dp.mbi.MST()
    context = dp.Context.compositor(
        data=pl.DataFrame(job.train).lazy(),
        privacy_unit=dp.unit_of(contributions=1),
        privacy_loss=dp.loss_of(**loss),
    )
    # Cuts are closed on the right: cell k lies in (k - 1, k].
    cuts = {name: list(range(int(high))) for name, (_, high) in job.bounds.items()}
    query = context.query(**loss).select(*job.bounds)
    return query.contingency_table(cuts=cuts, algorithm=algorithm).release()


if __name__ == "__main__":
    run(make, "opendp", "mbi", "polars")
