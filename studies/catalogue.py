"""Every stored study, and the command that makes it; `studies.rerun` runs what is not as today's code has it."""

import os
from dataclasses import dataclass
from pathlib import Path

from studies.journal import JOURNAL
from studies.simulation.methods import DEFAULT, FIVE

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "studies" / "results"
_ONE = "--epsilon 1 --replications"
_SEED = "--seed 1"
_CONVERGED = ",".join(f"{name}-converged" for name in FIVE[1:])


@dataclass(frozen=True)
class Study:
    """One stored study.

    Attributes
    ----------
    folder : str
        Below studies/results.
    arguments : str
        What follows `python -m studies`, without `--out`.
    """

    folder: str
    about: str
    arguments: str

    @property
    def out(self) -> Path:
        """Where the results are."""
        return RESULTS / self.folder

    @property
    def command(self) -> str:
        """What one types to run it, or to go on with it."""
        return f"python -m studies {self.arguments} --out {os.path.relpath(self.out, ROOT)}"

    @property
    def needs_plants(self) -> bool:
        """Whether it reads a file that is no part of this project."""
        return "--plants" in self.arguments

    @property
    def journals(self) -> list[Path]:
        """The folders below it that have journals: one, or one for each variant of the generator."""
        return sorted(path.parent for path in self.out.rglob(JOURNAL))


STUDIES = (
    Study(
        "simulation-epsilon-1",
        "all valid methods and the references, epsilon 1",
        f"simulation --methods valid,reference {_ONE} 100 {_SEED}",
    ),
    *(
        Study(
            f"simulation-epsilon-{epsilon}",
            f"the default method at epsilon {epsilon}",
            f"simulation --methods {DEFAULT} --epsilon {epsilon} --replications 100 {_SEED}",
        )
        for epsilon in ("0.5", "0.25", "0.1")
    ),
    Study(
        "published-epsilon-1",
        "the paper's five mechanisms as published: its Tables 1 and 2",
        f"simulation --methods published {_ONE} 100 {_SEED}",
    ),
    Study(
        "converged-epsilon-1",
        "the same densities, sampled to convergence",
        f"simulation --methods {_CONVERGED} {_ONE} 10 {_SEED}",
    ),
    Study(
        "kng-converged-epsilon-1",
        "the same for KNG, which takes a minute a table",
        f"simulation --methods kng-converged {_ONE} 6 {_SEED}",
    ),
    Study(
        "pmse-epsilon-1",
        "the paper's baseline, the pMSE mechanism",
        f"simulation --methods pmse {_ONE} 100 {_SEED}",
    ),
    Study(
        "text-epsilon-1",
        "the valid methods with the shares of the paper's text in place of its code's",
        f"simulation --methods text {_ONE} 20 {_SEED}",
    ),
    Study(
        "ablation-epsilon-1",
        "from the published sandwich to the default, step by step ([page](../docs/from-the-paper-to-quantail.md))",
        f"ablation --replications 10 {_SEED}",
    ),
    Study(
        "epsilon-curves",
        "every measure against epsilon 0.1 to 10",
        "epsilon-curves --methods valid,published,stepwise-fixed-converged,sandwich-fixed-converged,pmse,reference "
        f"--replications 5 {_SEED}",
    ),
    Study(
        "noise-epsilon-1",
        "the noise of KNG and of the exponential mechanism in one regression, by the number of rows",
        f"noise {_SEED}",
    ),
    Study(
        "coverage-epsilon-1",
        "how often intervals of `quantail infer` cover the population's coefficients ([page](../docs/inference.md))",
        f"coverage --replications 40 --reruns 12 {_SEED}",
    ),
    *(
        Study(
            f"coverage-{table}-epsilon-1",
            f"the same on the population {table} of `populations.py`, which does not suit the model",
            f"coverage --table {table} --replications {tables} --reruns 12 {_SEED}",
        )
        for table, tables in (("curved", 60), ("spread", 40), ("saturating", 8), ("kinked", 8))
    ),
    Study(
        "plan-honesty",
        "how often realised errors lie in the band that `quantail plan` stated",
        "plan-honesty",
    ),
    Study(
        "lbd-epsilon-1",
        "made-up industries, published methods with the settings of the simulation ([page](../docs/lbd-study.md))",
        f"lbd --methods valid,published,reference --epsilon 1 --seeds 5 {_SEED}",
    ),
    Study(
        "lbd-synlbd-epsilon-1",
        "the published methods with the step sizes and C_X of the authors' code for SynLBD",
        f"lbd --methods synlbd --epsilon 1 --seeds 2 {_SEED}",
    ),
    Study(
        "lbd-variants",
        "the same on six variants of the generator, one folder each",
        f"lbd --methods pooled,stepwise-varying,sandwich-varying --variants --epsilon 1 --seeds 5 {_SEED}",
    ),
    Study(
        "lbd-plants",
        "plants of a public file that is no part of this project (`python -m studies all --plants FILE`)",
        f"lbd --methods pooled,stepwise-varying,sandwich-varying --plants plants.parquet --seeds 5 {_SEED}",
    ),
)
COMBINED = "study-epsilon-1"
"""The paper's Tables 1 and 2 with every method, put together from the folders in `PARTS`."""

PARTS = (
    "simulation-epsilon-1",
    "published-epsilon-1",
    "converged-epsilon-1",
    "kng-converged-epsilon-1",
    "pmse-epsilon-1",
)
