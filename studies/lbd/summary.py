"""From runs of the panel study to means, standard errors and the paper's Table 3 beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from studies.journal import Row
from studies.lbd.methods import published_base
from studies.lbd.runner import curves, industry_case
from studies.paper_tables import Summary

LBD_MEASURES = {
    "gross_mape": ("gross employment, % off", 1),
    "jc_mae": ("job creation, points off", 1),
    "net_mae": ("net creation, points off", 1),
    "pmse": ("pMSE (LASSO)", 4),
    "km": ("KM", 0),
    "km_rounded": ("KM, rounded", 0),
    "km_inactive_bin": ("KM, inactive as a bin", 0),
    "unchanged": ("unchanged, points off", 1),
    "size_class_max": ("size class, points off", 1),
    "growth_tv": ("growth, points off", 1),
    "transition_tv": ("transitions, points off", 1),
    "top_share_mae": ("top shares, points off", 1),
}
HIGHER = ("km", "km_rounded", "km_inactive_bin")
MAIN = ("gross_mape", "jc_mae", "net_mae", "pmse", "km")

_INDUSTRIES = (178, 239, 542, 829)
_PAPER = {
    "pistner": ((0.0026, 0.0022, 0.0021, 0.0046), (947, 915, 929, 912)),
    "quantreg": ((0.0025, 0.0003, 0.0049, 0.0056), (929, 905, 906, 907)),
    "stepwise-fixed": ((0.1505, 0.1147, 0.1452, 0.1150), (808, 697, 711, 727)),
    "stepwise-varying": ((0.0391, 0.0410, 0.0304, 0.0501), (902, 831, 852, 833)),
    "sandwich-fixed": ((0.1408, 0.1367, 0.1669, 0.1093), (798, 708, 708, 726)),
    "sandwich-varying": ((0.0823, 0.0535, 0.0573, 0.0628), (857, 773, 750, 760)),
    "kng": ((0.1141, 0.0052, 0.1788, 0.0201), (852, 730, 706, 717)),
}
PAPER_LBD = {
    method: {
        industry: {"pmse": pmse[place], "km_inactive_bin": float(km[place])}
        for place, industry in enumerate(_INDUSTRIES)
    }
    for method, (pmse, km) in _PAPER.items()
}
"""The paper's Table 3, on the real SynLBD at epsilon 1: {method: {industry: {"pmse": x, "km_inactive_bin": y}}}.

Its KM (never below 697, with pMSE .18 beside 706) can only come from counting inactive units as agreeing.
"""

Results = dict[str, dict[str, Summary]]


def summarise_industries(rows: Sequence[Row]) -> Results:
    """Return {industry: {method: {measure: {"mean": x, "se": y}}}}."""
    return {
        str(industry): {
            method: {
                measure: mean_and_error([row[measure] for row in rows if _is(row, industry, method)])
                for measure in LBD_MEASURES
            }
            for method in _methods(rows)
            if any(_is(row, industry, method) for row in rows)
        }
        for industry in dict.fromkeys(row["industry"] for row in rows)
    }


def summarise_together(rows: Sequence[Row]) -> dict[str, Summary]:
    """Return job creation and net creation with all industries of a seed pooled, as the paper reports them."""
    found: dict[str, Summary] = {}
    for method in _methods(rows):
        differences: dict[str, list[float]] = {"jc_mae": [], "net_mae": []}
        for seed in dict.fromkeys(row["seed"] for row in rows):
            own = [row for row in rows if row["method"] == method and row["seed"] == seed]
            if not own:
                continue
            real, made = pooled_rates([real_curves(row) for row in own]), pooled_rates(own)
            for name, truth, line in zip(differences, real, made, strict=True):
                differences[name].append(float(np.mean(np.abs(line - truth))))
        found[method] = {name: mean_and_error(values) for name, values in differences.items()}
    return found


def real_curves(row: Row) -> dict[str, list[float]]:
    """Return the curves of the panel that a row's synthetic one was made from."""
    return _curves_of(row["industry"], row["seed"], row["variant"])


@cache
def _curves_of(industry: int, seed: int, variant: str) -> dict[str, list[float]]:
    """Kept, because a panel takes seconds to make up and every method of a study is set beside it."""
    return curves(industry_case(industry, seed, variant).values)


def pooled_rates(
    parts: Sequence[Mapping[str, Sequence[float]]],
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Return job creation and net creation in percent, industries added up."""
    created, destroyed, jobs = (
        np.sum([part[n] for part in parts], axis=0) for n in ("created", "destroyed", "jobs")
    )
    jobs = np.maximum(jobs, 1e-9)
    return 100 * created / jobs, 100 * (created - destroyed) / jobs


def mean_and_error(values: Sequence[float]) -> dict[str, float | None]:
    """Return the mean and its standard error, which a single run does not have."""
    array = np.asarray(values, dtype=float)
    error = float(array.std(ddof=1) / np.sqrt(array.size)) if array.size > 1 else None
    return {"mean": float(array.mean()), "se": error}


def render_lbd(results: Results, together: Mapping[str, Summary], head: str) -> str:
    """Return the whole study as Markdown, below a line that says what it is."""
    parts = [
        f"{head} Mean (standard error). The panels are made up (docs/lbd-stand-in.md): rows in italics are the paper's "
        "figures on the real SynLBD, for orientation. Methods with the suffixes -published and -synlbd, quantreg and "
        "pistner are NOT PRIVATE and, as in the authors' code, not rounded; `KM, rounded` is what they reach after "
        "rounding. KM counts inactive units as a bin, as the paper's figures must have; `active only` leaves them out.",
        "## Table 3. pMSE and KM by industry and method",
        _table_three(results),
    ]
    if together:
        lines = {
            method: [cell(n, summary[n]) for n in ("jc_mae", "net_mae")]
            for method, summary in together.items()
        }
        names = [LBD_MEASURES[name][0] for name in ("jc_mae", "net_mae")]
        parts += ["## Job creation and net creation, industries pooled", table(names, lines)]
    for industry, methods in results.items():
        lines = {method: [cell(n, summary[n]) for n in LBD_MEASURES] for method, summary in methods.items()}
        parts += [f"## SIC {industry}", table([name for name, _ in LBD_MEASURES.values()], lines)]
    return "\n\n".join(parts) + "\n"


def _table_three(results: Results) -> str:
    """KM with inactive units as a bin is what can be compared with the paper."""
    labels = {"pmse": "pMSE", "km_inactive_bin": "KM", "km": "KM, active only"}
    heads = [f"{label} {industry}" for label in labels.values() for industry in results]
    heads += [f"active only, of quantreg {industry}" for industry in results]
    cells = [(industry, name) for name in labels for industry in results]
    lines: dict[str, list[str]] = {}
    for method in dict.fromkeys(method for methods in results.values() for method in methods):
        base, _ = published_base(method)
        if base in PAPER_LBD:
            paper = [_paper_cell(base, industry, name) for industry, name in cells]
            lines.setdefault(f"*paper: {base}*", [*paper, *("-" for _ in results)])
        own = [_own_cell(results, industry, method, name) for industry, name in cells]
        lines[f"**{method}**"] = [*own, *(_share(methods, method) for methods in results.values())]
    return table(heads, lines)


def _own_cell(results: Results, industry: str, method: str, name: str) -> str:
    summary = results[industry].get(method)
    return "-" if summary is None else cell(name, summary[name])


def _paper_cell(method: str, industry: str, name: str) -> str:
    value = PAPER_LBD[method].get(int(industry), {}).get(name)
    return "-" if value is None else f"{value:.{LBD_MEASURES[name][1]}f}"


def _share(methods: Mapping[str, Summary], method: str) -> str:
    """Return KM as a share of the non-private synthesis on the same data, as the authors and after rounding."""
    if method not in methods or "quantreg" not in methods:
        return "-"
    raw, rounded = (
        (methods[method][name]["mean"] or 0.0) / (methods["quantreg"][name]["mean"] or np.nan)
        for name in ("km", "km_rounded")
    )
    return f"{raw:.0%} ({rounded:.0%} rounded)"


def cell(measure: str, value: Mapping[str, float | None]) -> str:
    """Return a mean with its standard error in parentheses."""
    digits, spread = LBD_MEASURES[measure][1], value["se"]
    return f"{value['mean']:.{digits}f}" + ("" if spread is None else f" ({spread:.{digits + 1}f})")


def table(heads: Sequence[str], lines: Mapping[str, Sequence[str]]) -> str:
    """Return a Markdown table with one line per method."""
    rows = [
        ["method", *heads],
        ["---"] * (len(heads) + 1),
        *([label, *cells] for label, cells in lines.items()),
    ]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def _methods(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row["method"] for row in rows))


def _is(row: Row, industry: int, method: str) -> bool:
    return bool(row["industry"] == industry and row["method"] == method)
