"""What a notebook shows of estimates about a population: a row an estimate, beside the naive one."""

from typing import TYPE_CHECKING

from quantail.notebook import counted, short, shown

if TYPE_CHECKING:
    from quantail.inference.result import Inference


def inference_html(inference: "Inference") -> str:
    """Return estimates with their intervals as HTML."""
    level = f"{100 * inference.level:g}% interval"
    rows = [
        (
            row.term,
            f"{row.estimate:.5g}",
            f"{row.low:.5g} to {row.high:.5g}",
            f"{row.error:.2g}",
            f"{row.naive:.5g}",
            f"{row.naive_low:.5g} to {row.naive_high:.5g}",
        )
        for row in inference.rows
    ]
    head = ("term", "estimate", level, "error", "naive", f"naive {level}")
    facts = [("reruns of the mechanism", str(inference.reruns))]
    return shown(inference.question, facts, head, rows, inference.remarks)


def inference_line(inference: "Inference") -> str:
    """Return estimates as one line."""
    estimates, reruns = counted(len(inference.rows), "estimate"), counted(inference.reruns, "rerun")
    return f"<Inference {short(inference.question)}: {estimates}, {reruns}; print it, or use to_pandas()>"
