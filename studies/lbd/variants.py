"""The panel study on every variant of the generator, most of which do not share the form of the pooled method.

One study per variant, each in a folder of its own below `out`, and `table.md`: what the pooled method is to reach on
each variant, and whether it beats the valid year-by-year methods on every measure of the same run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from studies.lbd.methods import BASELINES
from studies.lbd.standin import LBD_INDUSTRIES, LBD_VARIANTS
from studies.lbd.study import run_lbd
from studies.lbd.summary import HIGHER, LBD_MEASURES, Results, cell, table
from studies.paper_tables import Summary
from studies.parallel import Progress

LIMITS = {"gross_mape": 10.0, "unchanged": 2.0, "size_class_max": 2.0}
"""What the pooled method may be off on every variant: percent, points, points."""


def run_variants(
    methods: Sequence[str],
    epsilon: Fraction | float | str,
    seeds: int,
    out: Path,
    industries: Sequence[int] = tuple(LBD_INDUSTRIES),
    seed: int = 1,
    secure: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Results]:
    """Run the study on every variant, or what is left of it; results by variant."""
    results = {}
    for place, variant in enumerate(LBD_VARIANTS):

        def report(label: str, share: float, place: int = place, variant: str = variant) -> None:
            if progress is not None:
                progress(f"{variant}, {label}", (place + share) / len(LBD_VARIANTS))

        results[variant] = run_lbd(
            methods, epsilon, seeds, out / variant, industries, variant, seed, secure, workers, report
        )
    write_variants(results, out)
    return results


def write_variants(results: Mapping[str, Results], out: Path) -> None:
    """Write what the studies in the folders of the variants found, in one table."""
    text = f"# The panel study on every variant\n\n{render_variants(results)}\n"
    (out / "table.md").write_text(text, encoding="utf-8")


def render_variants(results: Mapping[str, Results]) -> str:
    """Return one line per variant and industry, and the mean of the industries."""
    names = ("gross_mape", "unchanged", "size_class_max", "jc_mae", "net_mae", "pmse", "km")
    heads = [
        *(LBD_MEASURES[name][0] for name in names),
        "within its limits",
        "not better than a valid baseline on",
    ]
    lines = {}
    for variant, industries in results.items():
        found = {
            f"SIC {industry}": methods for industry, methods in industries.items() if "pooled" in methods
        }
        for place, methods in (found | {"**mean**": _mean_of(found.values())} if found else found).items():
            own = methods["pooled"]
            cells = [cell(name, own[name]) for name in names]
            lines[f"{variant}, {place}"] = [*cells, _over(own), _beaten(methods)]
    text = table(heads, lines).replace("| method |", "| variant |", 1)
    limits = ", ".join(f"{LBD_MEASURES[name][0]} {limit:g}" for name, limit in LIMITS.items())
    return f"The pooled method. Limits: {limits}.\n\n{text}"


def _mean_of(industries: Iterable[Mapping[str, Summary]]) -> dict[str, Summary]:
    """Average over industries, method by method."""
    parts = list(industries)
    return {
        method: {
            name: {"mean": float(np.mean([part[method][name]["mean"] for part in parts])), "se": None}
            for name in parts[0][method]
        }
        for method in parts[0]
    }


def _over(summary: Summary) -> str:
    over = [name for name, limit in LIMITS.items() if (summary[name]["mean"] or 0.0) > limit]
    return "yes" if not over else "no: " + ", ".join(over)


def _beaten(methods: Mapping[str, Summary]) -> str:
    """Name the measures on which a valid year-by-year method is at least as good as the pooled one."""
    baselines = [methods[name] for name in BASELINES if name in methods]
    if not baselines:
        return "-"
    lost = []
    for name in LBD_MEASURES:
        sign = 1.0 if name in HIGHER else -1.0
        own = sign * (methods["pooled"][name]["mean"] or 0.0)
        if any(sign * (other[name]["mean"] or 0.0) >= own for other in baselines):
            lost.append(name)
    return ", ".join(lost) or "nothing"
