"""Anonymeter: attacks that single out, link and infer, each beside the same attack on rows that no release saw."""

from __future__ import annotations

from typing import Any

from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
from contract import Figures, Job, figure, run

ATTACKS = 500
KNOWN = (["region", "industry", "form"], ["employees", "payroll", "exports", "profit"])
SECRETS = {"form": False, "payroll": True}  # whether it is a number


def judge(job: Job, name: str) -> Figures:
    real, control, made = job.table("real"), job.table("control"), job.table(name)
    shared: dict[str, Any] = {"ori": real, "syn": made, "control": control}
    singled = SinglingOutEvaluator(**shared, n_attacks=ATTACKS, n_cols=3)
    yield _risk("singling out, three columns", singled, mode="multivariate")
    yield _risk("linking", LinkabilityEvaluator(**shared, n_attacks=ATTACKS, aux_cols=KNOWN, n_neighbors=1))
    for secret, number in SECRETS.items():
        known = [column for column in real.columns if column != secret]
        guessed = InferenceEvaluator(
            **shared, aux_cols=known, secret=secret, regression=number, n_attacks=ATTACKS
        )
        yield _risk(f"inferring {secret}", guessed)


def _risk(name: str, evaluator: Any, **how: Any) -> dict[str, Any]:
    found = evaluator.evaluate(**how).risk(confidence_level=0.95)
    return figure(name, found.value, *found.ci)


if __name__ == "__main__":
    run(judge, "anonymeter")
