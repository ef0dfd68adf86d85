"""From replications to tables: means, standard errors, and the paper's Tables 1 and 2 beside ours."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

from studies.journal import Row
from studies.paper_measures import PAPER_MEASURES
from studies.paper_tables import PAPER_NAME, PAPER_TABLE, Summary, base_of

MEASURE_NAMES = {
    "pmse_woi": "pMSE WOI",
    "pmse_wi": "pMSE WI",
    "wrt": "WRT",
    "km": "KM",
    "int_diff": "intercept diff.",
    "slope_diff": "slope diff.",
    "nrmse_x2": "NRMSE X2",
    "nrmse_x3": "NRMSE X3",
}
GENERAL = PAPER_MEASURES[:4]
SPECIFIC = PAPER_MEASURES[4:]
HIGHER_IS_BETTER = ("km",)
_DIGITS = dict(zip(PAPER_MEASURES, (4, 4, 2, 0, 2, 2, 3, 3), strict=True))


def summarise(rows: list[Row], part: str = "") -> Summary:
    """Return mean and standard error of every measure; a single replication has no standard error.

    Parameters
    ----------
    part : str
        "holdout" for the measures taken against the holdout rows.
    """
    table = {name: np.array([(row[part] if part else row)[name] for row in rows]) for name in PAPER_MEASURES}
    return {
        name: {
            "mean": float(values.mean()),
            "se": float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else None,
        }
        for name, values in table.items()
    }


def summarise_methods(rows: list[Row], part: str = "") -> dict[str, Summary]:
    """Return {method: summary}, methods in the order of their first row."""
    return {
        method: summarise([row for row in rows if row["method"] == method], part)
        for method in dict.fromkeys(row["method"] for row in rows)
    }


def render(rows: list[Row], head: str) -> str:
    """Return the whole study as Markdown, below a line that says what it is."""
    training, holdout = summarise_methods(rows), summarise_methods(rows, "holdout")
    parts = [
        f"{head} {_replications(rows)} Mean (standard error); rows in italics are the paper's figures "
        "(epsilon 1, 100 replications). Methods without a suffix are the paper's orders made valid, which departs from "
        "it (items 3 and 9 of docs/the-paper.md); those with -published or -converged are NOT PRIVATE.",
        "## Table 1. General utility, against the training rows",
        beside_paper(training, GENERAL),
        "## Table 2. Specific utility, against the training rows (NRMSE predicts the holdout)",
        beside_paper(training, SPECIFIC),
        "## Against the holdout rows",
        markdown([(f"**{method}**", result) for method, result in holdout.items()], PAPER_MEASURES[:6]),
        "## The worst replication of each measure",
        _worst_table(rows),
    ]
    if by_swaps := _swap_table(rows):
        parts += ["## The Wasserstein ratio by swapping one observation, as the text has it", by_swaps]
    by_noise = _noise_table(rows)
    if by_noise:
        parts += ["## By the kind of noise", by_noise]
    return "\n\n".join(parts) + "\n"


def _swap_table(rows: list[Row]) -> str:
    """Return the ratio of each method beside the one of the tables; rows of older studies do not have it."""
    having = [row for row in rows if "wrt_swap" in row]
    lines = ["| method | one swap, mean (largest) | random splits |", "|---|---|---|"]
    for method in dict.fromkeys(row["method"] for row in having):
        own = [row for row in having if row["method"] == method]
        swaps, splits = ([row[name] for row in own] for name in ("wrt_swap", "wrt"))
        lines.append(f"| {method} | {np.mean(swaps):.4f} ({max(swaps):.4f}) | {np.mean(splits):.2f} |")
    return "\n".join(lines) if having else ""


def _replications(rows: list[Row]) -> str:
    """Say how many replications there are, of each method where they differ."""
    counts: dict[int, list[str]] = {}
    for method in dict.fromkeys(row["method"] for row in rows):
        counts.setdefault(sum(row["method"] == method for row in rows), []).append(method)
    if len(counts) == 1:
        return f"Replications: {next(iter(counts))}."
    return "Replications: " + "; ".join(f"{n} of {', '.join(names)}" for n, names in counts.items()) + "."


def beside_paper(results: Mapping[str, Summary], measures: Iterable[str]) -> str:
    """Return a table that sets each of our rows below the paper's row of the same method."""
    lines: list[tuple[str, Summary]] = []
    for base, name in PAPER_NAME.items():
        lines.append((f"*paper: {name}*", PAPER_TABLE[name]))
        lines += [(f"**{method}**", result) for method, result in results.items() if base_of(method) == base]
    lines += [
        (f"**{method}**", result) for method, result in results.items() if base_of(method) not in PAPER_NAME
    ]
    return markdown(lines, tuple(measures))


def markdown(lines: Iterable[tuple[str, Summary]], measures: tuple[str, ...]) -> str:
    """Return a Markdown table, one line per summary."""
    table = [_line("method", *(MEASURE_NAMES[name] for name in measures)), "|" + "---|" * (len(measures) + 1)]
    table += [_line(label, *(cell(name, summary[name]) for name in measures)) for label, summary in lines]
    return "\n".join(table)


def cell(measure: str, value: Mapping[str, float | None]) -> str:
    """Return a mean with its standard error in parentheses."""
    spread = value["se"]
    return shown(measure, value["mean"]) + ("" if spread is None else f" ({shown(measure, spread, 1)})")


def shown(measure: str, value: float | None, more: int = 0) -> str:
    """Return a figure with the digits that the measure deserves; two that count, of a small pMSE.

    Examples
    --------
    >>> shown("pmse_woi", 0.000151), shown("pmse_woi", 0.0146), shown("km", 966.7)
    ('0.00015', '0.0146', '967')
    """
    digits = _DIGITS[measure] + more
    if measure.startswith("pmse") and value and abs(value) < 10.0 ** (1 - digits):
        digits = 1 - math.floor(math.log10(abs(value)))
        return f"{value:.{digits}f}".rstrip("0")  # the paper's have one
    return "-" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"  # no minus before a zero


def _worst_table(rows: list[Row]) -> str:
    table = [_line("method", *MEASURE_NAMES.values()), "|" + "---|" * (len(MEASURE_NAMES) + 1)]
    for method in dict.fromkeys(row["method"] for row in rows):
        own = [row for row in rows if row["method"] == method]
        worst = [
            (min if name in HIGHER_IS_BETTER else max)(row[name] for row in own) for name in MEASURE_NAMES
        ]
        table.append(_line(method, *(shown(n, value) for n, value in zip(MEASURE_NAMES, worst, strict=True))))
    return "\n".join(table)


def _noise_table(rows: list[Row]) -> str:
    """Return means by kind of noise, for methods that used both: they must agree."""
    lines = []
    for method in dict.fromkeys(row["method"] for row in rows):
        for kind in ("secure", "simulated"):
            part = [row for row in rows if (row["method"], row["noise"]) == (method, kind)]
            if part and len(part) < sum(row["method"] == method for row in rows):
                lines.append((f"{method}, {len(part)} on {kind} noise", summarise(part)))
    return markdown(lines, PAPER_MEASURES) if lines else ""


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"
