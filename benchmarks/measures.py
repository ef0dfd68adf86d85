"""The measures of a cell, each on the real and the synthetic table.

`pmse_wi`, `pmse_woi` (lower is better), `km` (0 to 1000, higher is better), `q99` (lower is better): the
mean over columns of |synthetic q99 - real q99| in units of the real distance from median to q99.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from quantail.evaluation import k_marginal
from studies.paper_measures import pmse

HIGHER_IS_BETTER = frozenset({"km"})
LOOK_AT = 50_000
"""Real rows that pMSE and KM look at: rows are exchangeable, so the first ones are a random part."""


def measures(real: pa.Table, synthetic: pa.Table) -> dict[str, float]:
    """Compute every measure of the bench."""
    part = real.slice(0, LOOK_AT)
    return {
        "pmse_woi": float(pmse(part, synthetic, interactions=False)),
        "pmse_wi": float(pmse(part, synthetic, interactions=True)),
        "km": km(part, synthetic),
        "q99": q99_error(real, synthetic),
    }


def column_triples(names: list[str]) -> list[list[str]]:
    """Return the column sets of KM: all of up to three columns, else the first, middle and last three."""
    if len(names) <= 3:
        return [names]
    middle = (len(names) - 3) // 2
    return [names[:3], names[middle : middle + 3], names[-3:]]


def km(real: pa.Table, synthetic: pa.Table) -> float:
    """Average the k-marginal score over the column triples."""
    sets = column_triples(real.column_names)
    return float(np.mean([k_marginal(real, synthetic, columns=names) for names in sets]))


def q99_error(real: pa.Table, synthetic: pa.Table) -> float:
    """Average over columns the error of the 99% quantile in units of the real upper spread."""
    errors = []
    for name in real.column_names:
        median, high = np.quantile(real.column(name).to_numpy(), [0.5, 0.99])
        made = np.quantile(synthetic.column(name).to_numpy(), 0.99)
        errors.append(abs(made - high) / max(abs(high - median), 1e-12))
    return float(np.mean(errors))
