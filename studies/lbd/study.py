"""The panel study (the paper's section on SynLBD): LBD-like industries, every method, the paper's Table 3 and figures.

Every seed makes up its industries anew, and is the seed of the noise too; the first `secure` seeds of valid methods use
secure noise. Files: replications.jsonl (the journal), results.json (means and standard errors by industry and method),
together.json (job flows of all industries pooled), table.md, gross-employment.png, job-creation.png.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from quantail._version import __version__
from quantail.errors import OptionError
from quantail.privacy import parse_epsilon
from studies.figure_style import can_draw
from studies.journal import Row
from studies.lbd.methods import LBD_METHODS, chosen_lbd_methods, noise_of
from studies.lbd.runner import PanelTask, run_panel_tasks
from studies.lbd.standin import LBD_INDUSTRIES, LBD_VARIANTS
from studies.lbd.summary import Results, render_lbd, summarise_industries, summarise_together
from studies.parallel import Progress
from studies.simulation.study import epsilon_text, write_json


def run_lbd(
    methods: Sequence[str],
    epsilon: Fraction | float | str,
    seeds: int,
    out: Path,
    industries: Sequence[int] = tuple(LBD_INDUSTRIES),
    variant: str = "synlbd",
    seed: int = 1,
    secure: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Results:
    """Run the study, or what is left of it, and write its files into `out`.

    Parameters
    ----------
    methods : sequence of str
        Names and groups, see `studies.lbd.methods`.
    epsilon : number or str
        Budget of each industry.
    seeds : int
        How often each industry is made up and synthesised.
    variant : str
        A key of `LBD_VARIANTS`.

    Returns
    -------
    dict
        {industry: {method: {measure: {"mean": x, "se": y}}}}; y is None for a single seed.
    """
    names, budget = chosen_lbd_methods(methods), epsilon_text(parse_epsilon(epsilon))
    _check(industries, variant)
    tasks = [
        PanelTask(industry, variant, name, budget, seed + place, noise_of(name, place < secure))
        for place in range(seeds)
        for industry in industries
        for name in names
    ]
    settings = {"study": "lbd", "epsilon": budget, "variant": variant, "seed": seed, "secure": secure}
    settings |= {"quantail": __version__}
    return write_lbd(run_panel_tasks(tasks, out, settings, workers, progress), settings, out)


def write_lbd(rows: Sequence[Row], settings: Mapping[str, Any], out: Path) -> Results:
    """Write tables and figures of finished runs, made with these settings, whatever their order."""
    rows = sorted(rows, key=lambda row: (row["industry"], LBD_METHODS.index(row["method"]), row["seed"]))
    results, together = summarise_industries(rows), summarise_together(rows)
    write_json(out / "results.json", results)
    write_json(out / "together.json", together)
    seeds = len({row["seed"] for row in rows})
    head = "Panel study: epsilon {epsilon} per industry, {seeds} seeds from {seed}, variant {variant}, "
    head = f"{head}quantail {{quantail}}.".format(**settings, seeds=seeds)
    (out / "table.md").write_text(render_lbd(results, together, head), encoding="utf-8")
    if can_draw():
        from studies.lbd.trends import draw_lbd_figures

        draw_lbd_figures(rows, out)
    return results


def _check(industries: Sequence[int], variant: str) -> None:
    for industry in industries:
        if industry not in LBD_INDUSTRIES:
            known = ", ".join(str(code) for code in LBD_INDUSTRIES)
            raise OptionError(f"industry {industry} is not known; use some of: {known}")
    if not industries:
        raise OptionError("name at least one industry, for instance 178")
    if variant not in LBD_VARIANTS:
        raise OptionError(f"variant {variant!r} is not known; use one of: {', '.join(LBD_VARIANTS)}")
