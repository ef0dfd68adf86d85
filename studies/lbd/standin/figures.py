"""How well the stand-in panel meets its targets: the figure and the tables of docs/lbd-stand-in.md.

`python -m studies stand-in docs/images/lbd-stand-in.png` draws the figure and prints the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.errors import OptionError
from studies.figure_style import can_draw, new_figure, save
from studies.lbd.standin import LBD_INDUSTRIES, LBD_VARIANTS, lbd_industry, targets

Floats = NDArray[np.float64]

SEEDS = 5
_GENERATED, _RAW = "#1f6f8b", "#111111"


@dataclass(frozen=True)
class Facts:
    """What a generated industry says about one target after another."""

    gross: Floats  # by year
    gained: Floats  # jobs created by continuers, 1977-2000
    net: Floats
    mean: Floats  # employment that the rates refer to
    entry: float
    exit: float
    sizes: Floats  # employees in 1994
    zero: float  # share without employees in 1995
    growth: Floats  # log growth of those that stay positive
    before: Floats  # their log employees the year before


def measure_industry(table: pa.Table) -> Facts:
    """Work out the facts of a wide table."""
    years = targets.YEARS
    employees = np.stack([table[f"emp_{year}"].to_numpy().astype(np.float64) for year in years])
    first, last = table["firstyear"].to_numpy(), table["lastyear"].to_numpy()
    active = (~np.isnan(employees)).sum(axis=1)
    before, after = employees[:-1], employees[1:]
    positive = (before > 0) & (after > 0)
    sizes = {
        year: employees[years.index(year)][~np.isnan(employees[years.index(year)])] for year in (1994, 1995)
    }
    return Facts(
        gross=np.nansum(employees, axis=1),
        gained=np.nansum(np.maximum(after - before, 0), axis=1),
        net=np.nansum(after - before, axis=1),
        mean=np.nansum((after + before) / 2, axis=1),
        entry=float(np.mean([(first == year).sum() for year in years[1:]] / active[1:])),
        exit=float(np.mean([(last == year).sum() for year in years[:-1]] / active[:-1])),
        sizes=sizes[1994],
        zero=float((sizes[1995] == 0).mean()),
        growth=np.log(after[positive] / before[positive]),
        before=np.log(before[positive]),
    )


def measure_all(seed: int, variant: str = "synlbd") -> dict[int, Facts]:
    """Generate and measure the four industries."""
    return {sic: measure_industry(lbd_industry(sic, seed, variant)) for sic in LBD_INDUSTRIES}


def pooled_rates(facts: dict[int, Facts]) -> tuple[Floats, Floats]:
    """Job creation and net creation in percent, continuers of the four industries together, by year."""
    gained, net, mean = (
        np.sum([getattr(fact, name) for fact in facts.values()], axis=0) for name in ("gained", "net", "mean")
    )
    return 100 * gained / mean, 100 * net / mean


def industry_rows(facts: dict[int, Facts]) -> list[str]:
    """One Markdown row per industry."""
    rows = [
        "| SIC | gross, largest miss | job creation | net | entry | exit | size 0-4 (sector) | 5-9 (sector) "
        "| zero in March | growth sd | excess kurtosis | unchanged | lag correlation | largest |",
        "|" + "---|" * 14,
    ]
    for sic, fact in facts.items():
        small, middle = targets.SIZE_SHARES[sic]
        miss = np.abs(fact.gross / targets.GROSS_EMPLOYMENT[sic] - 1).max()
        at_most_4, to_9 = (fact.sizes <= 4).mean(), ((fact.sizes >= 5) & (fact.sizes <= 9)).mean()
        cells = [
            f"{sic}",
            f"{miss:.2%}",
            f"{100 * fact.gained.sum() / fact.mean.sum():.1f}",
            f"{100 * fact.net.sum() / fact.mean.sum():.1f}",
            f"{fact.entry:.1%}",
            f"{fact.exit:.1%}",
            f"{at_most_4:.1%} ({small:.1%})",
            f"{to_9:.1%} ({middle:.1%})",
            f"{fact.zero:.1%}",
            *_growth_cells(fact.growth, fact.before),
            f"{fact.sizes.max():.0f}",
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def variant_rows(seed: int = 0) -> list[str]:
    """One Markdown row per variant, the four industries together."""
    rows = [
        "| variant | gross, largest miss | job creation | net | size 0-4 | zero in March | growth sd "
        "| excess kurtosis | unchanged | lag correlation |",
        "|" + "---|" * 10,
    ]
    for variant in LBD_VARIANTS:
        facts = measure_all(seed, variant)
        misses = [np.abs(f.gross / targets.GROSS_EMPLOYMENT[sic] - 1).max() for sic, f in facts.items()]
        created, net = pooled_rates(facts)
        sizes = np.concatenate([fact.sizes for fact in facts.values()])
        growth = np.concatenate([fact.growth for fact in facts.values()])
        before = np.concatenate([fact.before for fact in facts.values()])
        zero = np.average([f.zero for f in facts.values()], weights=[len(f.sizes) for f in facts.values()])
        cells = [
            variant,
            f"{max(misses):.2%}",
            f"{created.mean():.1f}",
            f"{net.mean():.1f}",
            f"{(sizes <= 4).mean():.1%}",
            f"{zero:.1%}",
            *_growth_cells(growth, before),
        ]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def year_rows(seeds: int = SEEDS) -> list[str]:
    """One Markdown row per year: the published rates and the mean of the generated ones."""
    rates = np.mean([pooled_rates(measure_all(seed)) for seed in range(seeds)], axis=0)
    rows = [
        "| year | job creation, published | generated | net, published | generated |",
        "|---|---|---|---|---|",
    ]
    published = zip(targets.YEARS[1:], targets.JOB_CREATION, targets.NET_CREATION, strict=True)
    for t, (year, created, net) in enumerate(published):
        rows.append(f"| {year} | {created:.1f} | {rates[0, t]:.1f} | {net:.1f} | {rates[1, t]:.1f} |")
    return rows


def _growth_cells(growth: Floats, before: Floats) -> list[str]:
    centred = growth - growth.mean()
    kurtosis = (centred**4).mean() / centred.var() ** 2 - 3
    correlation = np.corrcoef(before, before + growth)[0, 1]
    return [f"{growth.std():.2f}", f"{kurtosis:.1f}", f"{(growth == 0).mean():.1%}", f"{correlation:.3f}"]


def draw_stand_in(path: Path, seeds: int = SEEDS) -> None:
    """Draw generated panels against the published curves: trends, size tail and growth rates."""
    if not can_draw():
        raise OptionError("draw_stand_in: needs matplotlib; install it with: pip install matplotlib")
    panels = [measure_all(seed) for seed in range(seeds)]
    figure, axes = new_figure(2, 4, (15, 7))
    for axis, sic in zip(axes[0], LBD_INDUSTRIES, strict=True):
        generated = [facts[sic].gross / 1000 for facts in panels]
        _trend(axis, targets.YEARS, generated, np.array(targets.GROSS_EMPLOYMENT[sic]) / 1000)
        axis.set_title(f"SIC {sic}: gross employment, thousands")
        axis.set_ylim(bottom=0)
    rates = [pooled_rates(facts) for facts in panels]
    _trend(axes[1, 0], targets.YEARS[1:], [rate[0] for rate in rates], np.array(targets.JOB_CREATION))
    axes[1, 0].set_title("Job creation of continuers, %")
    _trend(axes[1, 1], targets.YEARS[1:], [rate[1] for rate in rates], np.array(targets.NET_CREATION))
    axes[1, 1].set_title("Net creation of continuers, %")
    _size_tails(axes[1, 2], panels[0])
    _growth_rates(axes[1, 3])
    axes[0, 0].legend(loc="lower right", fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    save(figure, path)


def _trend(axis: Any, years: tuple[int, ...], generated: list[Floats], raw: Floats) -> None:
    for number, line in enumerate(generated):
        label = f"generated, {len(generated)} seeds" if number == 0 else None
        axis.plot(years, line, color=_GENERATED, alpha=0.6, linewidth=1.2, label=label)
    axis.plot(years, raw, "o", color=_RAW, markersize=3.5, markerfacecolor="none", label="published curve")
    axis.grid(alpha=0.2)


def _size_tails(axis: Any, facts: dict[int, Facts]) -> None:
    for sic, fact in facts.items():
        sizes = np.sort(fact.sizes[fact.sizes > 0])
        axis.loglog(sizes, 1 - np.arange(len(sizes)) / len(sizes), label=f"SIC {sic}", linewidth=1.2)
    axis.set_title("Share at least this large, 1994")
    axis.set_xlabel("employees")
    axis.legend(fontsize=8)
    axis.grid(alpha=0.2)


def _growth_rates(axis: Any, sic: int = 239, least: float = 20.0) -> None:
    edges = np.linspace(-2.5, 2.5, 51)
    for variant in LBD_VARIANTS:
        fact = measure_industry(lbd_industry(sic, 0, variant))
        growth = fact.growth[fact.before >= np.log(least)]
        density, _ = np.histogram(growth[growth != 0], edges, density=True)
        centres = (edges[1:] + edges[:-1]) / 2
        axis.semilogy(centres, np.where(density > 0, density, np.nan), linewidth=1.1, label=variant)
    axis.set_ylim(3e-5, 4)
    axis.set_title(f"Log growth, SIC {sic}, size {least:g}+")
    axis.legend(fontsize=7, loc="lower center")
    axis.grid(alpha=0.2)


def stand_in_tables() -> str:
    """Return the tables of the page: by industry, by variant, by year."""
    parts = (industry_rows(measure_all(0)), variant_rows(), year_rows())
    return "\n\n".join("\n".join(rows) for rows in parts)
