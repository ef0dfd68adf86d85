"""What a notebook shows of an evaluation: a row a measure. It comes from real rows without noise, and says so."""

from typing import TYPE_CHECKING

from quantail.notebook import shown

if TYPE_CHECKING:
    from quantail.evaluation.table import Evaluation

_INTERNAL = "INTERNAL: computed from confidential rows without noise. Clear this output before the notebook is shared."


def evaluation_html(evaluation: "Evaluation") -> str:
    """Return the overview of an evaluation as HTML."""
    rows = [
        (
            seen.measure.title,
            str(seen.count),
            f"{seen.mean:.4g}",
            f"{seen.worst.value:.4g}",
            ", ".join(seen.worst.columns),
            "" if seen.worst.null is None else f"{seen.worst.null:.4g}",
            f"{seen.measure.best:g}",
        )
        for seen in evaluation.overview()
    ]
    head = ("measure", "times", "mean", "worst", "worst of", "an independent sample", "best possible")
    remarks = ["evaluation.to_pandas() has every row."]
    if evaluation.skipped:
        remarks.append(f"{len(evaluation.skipped)} could not be computed: see evaluation.skipped.")
    return shown("Evaluation: synthetic against real rows", (), head, rows, remarks, _INTERNAL)
