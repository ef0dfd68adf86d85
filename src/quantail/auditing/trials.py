"""Many runs with secure noise on pairs of neighbours: what an attacker can really tell apart.

Worst-case pairs are those that the enumeration finds; random pairs are drawn with more rows. All bounds hold together:
the error of the whole part is shared out among its pairs.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from quantail.auditing.bounds import Evidence, gather, secure_draws
from quantail.auditing.enumeration import Mechanism, Table, gate_of, law_of
from quantail.auditing.findings import Curve, Finding
from quantail.auditing.lattices import Lattice, lattices
from quantail.panel import PanelSynthesizer
from quantail.privacy import Relation
from quantail.schema import Column, Panel, Schema
from quantail.table import TableSynthesizer

CHOSEN = (
    "joint draw, levels (0.25, 0.75)",
    "slope",
    "choice of a table",
    "kng, one column",
    "stepwise, one column",
    "sandwich, one column",
    "whole panel, pooled",
    "whole panel, stepwise",
)
_RANDOM_ROWS = 9  # rows of random tables; the public size that mechanisms are told stays that of the lattice
_SMALLEST_TABLE = 20
_NEVER = 1e-300  # in place of a probability of zero
_MOVED = np.array([0.7, 0.25, 0.25])  # how far a history moves the sums of a panel that its attacker looks at


@dataclass(frozen=True)
class Trial:
    """Two neighbouring tables and a mechanism to tell them apart by, claimed epsilon 1."""

    name: str
    relation: str
    mechanism: Mechanism
    pair: tuple[Table, Table]
    enumerated: bool = True  # the exact law is cheap to find
    score: Callable[[Any], float] | None = (
        None  # of outputs, larger for the first table; learned if there is none
    )
    share: float = 1.0  # of the runs: some mechanisms take longer

    def run(self, runs: int, error: float) -> Evidence:
        """Run the mechanism on both tables with secure noise."""
        enough = max(int(runs * self.share), 20)
        first, second = (secure_draws(self.mechanism, table) for table in self.pair)
        if self.score is not None or not self.enumerated:
            return gather(first, second, enough, error, self.score)
        one, other = (law_of_release(self.mechanism, table) for table in self.pair)

        def ratio(output: Hashable) -> float:
            return math.log(one.get(output, _NEVER) / other.get(output, _NEVER))

        evidence = gather(first, second, enough, error, ratio)
        return replace(evidence, enumerated=max(abs(ratio(output)) for output in {**one, **other}))


def law_of_release(mechanism: Mechanism, table: Table) -> dict[Hashable, float]:
    """Return the law of what is released, whatever was answered on the way."""
    law: dict[Hashable, float] = defaultdict(float)
    outcome: Any  # (answers, release)
    for outcome, probability in law_of(lambda noise: mechanism(table, noise)).items():
        law[outcome[1]] += probability
    return law


def trials(chosen: tuple[str, ...] = CHOSEN, seed: int = 1) -> list[Trial]:
    """Return all trials: worst and random pairs of every mechanism, counts, whole tables and whole panels."""
    cases = [case for case in lattices() if case.name in chosen]
    rng = np.random.default_rng(seed)
    found = [trial for case in cases for trial in (_worst(case), _random(case, rng))]
    relations: tuple[Relation, ...] = ("replace-one", "add-remove")
    whole = [trial for relation in relations for trial in (_counts(relation), _whole(relation))]
    panels = [trial for trial in (pooled_panel(), yearly_panel()) if trial.name in chosen]
    return [*found, *whole, *panels]


def _worst(case: Lattice) -> Trial:
    return Trial(
        f"{case.name}, worst pair", case.relation, case.build(), case.worst().pair, share=_share(case)
    )


def _random(case: Lattice, rng: np.random.Generator) -> Trial:
    rest = tuple(case.domain[k] for k in rng.integers(len(case.domain), size=_RANDOM_ROWS))
    one, other = (case.domain[k] for k in rng.choice(len(case.domain), 2, replace=False))
    pair = ((*rest, one), (*rest, other)) if case.relation == "replace-one" else (rest, (*rest, one))
    return Trial(f"{case.name}, random pair", case.relation, case.build(), pair, share=_share(case))


def _share(case: Lattice) -> float:
    return 0.8 if case.name.startswith(("kng", "stepwise", "sandwich")) else 1.0


def _counts(relation: Relation) -> Trial:
    """Count two categories; answers far out are put together, which is post-processing."""

    def mechanism(table: Table, noise: Any) -> Hashable:
        gate = gate_of(noise, relation, 1)
        counts = np.bincount(table, minlength=2).astype(np.int64)
        sensitivity = 2 if relation == "replace-one" else 1
        return tuple(np.clip(gate.count(gate.plan.leaves()[0], counts, sensitivity), -2, 8).tolist())

    pair = ((0,) * 6, (0,) * 5 + (1,)) if relation == "replace-one" else ((0,) * 5, (0,) * 6)
    return Trial("count, worst pair", relation, mechanism, pair, enumerated=False)


def _whole(relation: Relation) -> Trial:
    """Fit a table of one category and one number, end to end; the attacker looks at what is released of each."""
    columns = (Column("kind", "category", categories=("a", "b")), Column("size", "integer", 0, 12))
    synthesizer = TableSynthesizer(Schema(columns, unit="row", neighbours=relation), 1)

    def mechanism(table: Table, noise: Any) -> Hashable:
        kind, size = zip(*table, strict=True)
        model = synthesizer.fit(
            pa.table({"kind": list(kind), "size": list(size)}), ledger=False, progress=False
        )
        share = model.to_dict()["groups"][0]["columns"][0]["shares"][1]
        return round(20 * share), sum(model.sample(64).to_pydict()["size"]) // 256

    rows = (("a", 0),) * (_SMALLEST_TABLE - 1)
    last = (("b", 12),)
    pair = ((*rows, ("a", 0)), rows + last) if relation == "replace-one" else (rows, rows + last)
    return Trial("whole table, end to end", relation, mechanism, pair, enumerated=False, share=0.1)


def pooled_panel(epsilon: int = 1) -> Trial:
    """Fit a panel with the pooled method; one unit grows from smallest to largest, or shrinks the other way.

    The attacker adds up what is released about growth, trend and levels, in units of its noise, each up to what the
    unit can move it; units that are idle throughout add nothing, so the sign of the sum tells the histories apart.
    """
    synthesizer = PanelSynthesizer(_PANEL, epsilon)

    def mechanism(table: Table, noise: Any) -> Hashable:
        sums = _released_panel(synthesizer, table)["lead"]["sums"]
        (earlier, later, *_), trend = sums["year"], sums["trend"]
        seen = np.array([sums["growth"][1], trend["sum"], later - earlier])
        noises = [sums["deviations"][2], trend["deviation"], 2**0.5 * sums["deviations"][0]]
        return round(20 * float((np.clip(seen, -_MOVED, _MOVED) / noises).sum()))

    idle = ((0, 0),) * 3
    pair = ((*idle, (1, 100)), (*idle, (100, 1)))
    return Trial("whole panel, pooled", "replace-one", mechanism, pair, score=float, share=0.1)


def yearly_panel(epsilon: int = 1) -> Trial:
    """Fit a panel of two units year by year; one is always in the middle, the other smallest or largest throughout.

    The attacker counts the periods whose median lies in the upper half.
    """
    synthesizer = PanelSynthesizer(_PANEL, epsilon, method="stepwise", taus=[0.5])

    def mechanism(table: Table, noise: Any) -> Hashable:
        first, second = _released_panel(synthesizer, table)["periods"]
        return sum(int(lines["base"] >= 50) for lines in (*first["births"], *second["continuers"]))

    pair = (((50, 50), (100, 100)), ((50, 50), (0, 0)))
    return Trial("whole panel, stepwise", "replace-one", mechanism, pair, score=float, share=0.4)


_PANEL = Schema(
    (Column("size", "integer", 0, 100),),
    "unit",
    panel=Panel("id", "first", "last", 2000, 2001, synthesis="partial"),
)


def _released_panel(synthesizer: PanelSynthesizer, histories: Table) -> Any:
    units = len(histories)
    public = {"id": np.arange(units), "first": np.full(units, 2000), "last": np.full(units, 2001)}
    sizes = {f"size_{2000 + k}": values for k, values in enumerate(zip(*histories, strict=True))}
    return synthesizer.fit(pa.table(public | sizes), ledger=False, progress=False).to_dict()["groups"][0][
        "released"
    ]


def trial_findings(
    runs: int, confidence: float, chosen: tuple[str, ...] = CHOSEN
) -> Iterator[tuple[Finding, Curve]]:
    """Yield the bound and the trade-off curve of every trial; all bounds hold with the confidence given."""
    every = trials(chosen)
    for trial in every:
        evidence = trial.run(runs, (1 - confidence) / len(every))
        name = f"{trial.name} ({trial.relation})"
        curve = Curve(name, 1.0, evidence.false_positive, evidence.false_negative)
        yield bound_finding(trial, evidence), curve


def bound_finding(trial: Trial, evidence: Evidence) -> Finding:
    """Return the finding of one trial."""
    note = "" if evidence.enumerated is None else f"enumerated {evidence.enumerated:.2f}"
    kept = evidence.bound <= 1.0
    name, relation, figure = trial.name, trial.relation, evidence.bound
    return Finding("statistical", name, relation, figure, 1.0, evidence.runs, "runs", kept, note)
