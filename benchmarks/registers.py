"""A made-up register of firms over years: industries of 400 to 1,400 firms, heavy-tailed sizes, pay in any unit.

    python -m benchmarks.registers --seeds 3
    python -m benchmarks.registers --seeds 20 --unit cents --upper 1e12 --whole --out benchmarks/results/registers.md

Sizes are Pareto of index 1.1 and move around a level of their own; pay per head has a log deviation of .35 between
firms and a level of its own in every industry. Reports by industry (one with `--whole`) how far the synthetic register
is off.
Totals of such sizes vary by a quarter between samples, so they are judged up to a cap, the real 99% quantile. With
`--out` the table takes the place of what the same command wrote there before.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from quantail.frames import PanelData, confidential_panel
from quantail.panel import PanelSynthesizer
from quantail.schema import Column, Panel, Schema

INDUSTRIES = {"mills": 400, "crafts": 600, "trade": 900, "transport": 1100, "services": 1400}
PERIODS, START = 12, 2001
UNITS = {"cents": 0.01, "euros": 1.0, "thousands": 1000.0}
_INDEX, _WAGE, _PAY_SPREAD = 1.1, 40_000.0, 0.35


def register(seed: int, unit: float = 1.0, index: float = _INDEX) -> pa.Table:
    """Make up the register in long format; `unit` is the unit of money in euros.

    Examples
    --------
    >>> register(1).column_names
    ['firm', 'industry', 'year', 'staff', 'pay']
    """
    rng = np.random.default_rng([18, seed])
    parts = [_industry(place, number, unit, index, rng) for place, number in enumerate(INDUSTRIES.values())]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    firm = columns[0] + 10_000 * columns[1]
    names = np.array(list(INDUSTRIES))[columns[1]]
    return pa.table(
        {"firm": firm, "industry": names, "year": START + columns[2], "staff": columns[3], "pay": columns[4]}
    )


def _industry(
    place: int, firms: int, unit: float, index: float, rng: np.random.Generator
) -> tuple[NDArray[np.generic], ...]:
    late = rng.random(firms) > 0.55
    entry = np.where(late, rng.integers(1, PERIODS, firms), 0)
    stay = rng.geometric(0.06 + 0.02 * (place % 3), firms)
    year = np.arange(PERIODS)
    active = (year >= entry[:, None]) & (year < (entry + stay)[:, None])
    moving = np.zeros((firms, PERIODS))
    moving[:, 0] = 0.2 * rng.standard_normal(firms)
    for t in range(1, PERIODS):
        moving[:, t] = 0.8 * moving[:, t - 1] + 0.12 * rng.laplace(size=firms)
    level = rng.pareto(index, (firms, 1)) + 1
    staff = np.clip(np.rint(level * np.exp(moving)), 1, 100_000)
    wage = _WAGE * np.exp(0.12 * (place - 2) + _PAY_SPREAD * rng.standard_normal((firms, 1)))
    pay = np.round(staff * wage * np.exp(0.02 * year + 0.05 * rng.standard_normal(staff.shape)) / unit, 2)
    firm, t = np.nonzero(active)
    return firm, np.full(firm.size, place), t, staff[firm, t].astype(np.int64), pay[firm, t]


def register_schema(upper: float, whole: bool = False) -> Schema:
    """Give the public facts; as one group the industry is an attribute of the firm."""
    industry = Column("industry", "category", categories=tuple(INDUSTRIES))
    pay = Column("pay", "numeric", 0, upper, grid="log", decimals=2)
    columns = (industry, Column("staff", "integer", 0, 100_000, grid="log"), pay)
    attributes = ("industry",) if whole else ()
    panel = Panel(
        "firm", start=START, end=START + PERIODS - 1, layout="long", time="year", attributes=attributes
    )
    return Schema(columns, "firm", name="register", panel=panel, by=() if whole else ("industry",))


def errors(real: PanelData, made: PanelData) -> dict[str, float]:
    """Return how far the firms of an industry are off: relative, rates in points."""
    sizes, heads = ([panel.values["staff"] for panel in (real, made)], [])
    for panel in (real, made):
        usable = panel.active & (panel.values["staff"] > 0)
        heads.append(panel.values["pay"][usable] / panel.values["staff"][usable])
    cap = float(np.nanquantile(sizes[0], 0.99))
    capped = [np.nansum(np.minimum(size, cap)) for size in sizes]
    active = [panel.active.sum() for panel in (real, made)]
    middle = np.median(heads[1])
    flows = [(panel.entry > START).sum() / (panel.active[:, 1:].sum()) for panel in (real, made)]
    exits = [(panel.exit < START + PERIODS - 1).sum() / panel.active[:, :-1].sum() for panel in (real, made)]
    return {
        "pay per head": middle / np.median(heads[0]) - 1,
        "least pay": heads[1].min() / middle,
        "capped staff": capped[1] / capped[0] - 1,
        "staff": np.nansum(sizes[1]) / np.nansum(sizes[0]) - 1,
        "active": active[1] / active[0] - 1,
        "entry": 100 * (flows[1] - flows[0]),
        "exit": 100 * (exits[1] - exits[0]),
    }


def trial(
    seed: int, unit: str, upper: float, whole: bool, epsilon: float
) -> Iterator[tuple[str, dict[str, float]]]:
    """Fit and draw a register; yield the errors of each group."""
    schema, table = register_schema(upper, whole), register(seed, UNITS[unit])
    synthesizer = PanelSynthesizer(schema, epsilon, noise="simulated", seed=seed)
    made, real = synthesizer.fit(table).draw(np.random.default_rng(seed)), confidential_panel(table, schema)
    for group, name in enumerate(["all"] if whole else INDUSTRIES):
        yield name, errors(real.of_group(group), made.of_group(group))


def table_of(runs: dict[str, list[dict[str, float]]]) -> str:
    """Return a line for every group and measure: mean and its standard error, median distance and worst."""
    head = f"{'group':10s} {'measure':13s} {'mean':>8s} {'error':>7s} {'median':>7s} {'worst':>8s}"
    lines = [head]
    for name, found in runs.items():
        for measure in found[0]:
            scale = 1 if measure in ("entry", "exit") else 100
            values = scale * np.array([run[measure] for run in found])
            error = values.std(ddof=1) / values.size**0.5 if values.size > 1 else float("nan")
            # Of the least pay per head the lowest is the worst, of everything else the farthest from zero.
            worst = values.min() if measure == "least pay" else values[np.argmax(np.abs(values))]
            cells = f"{values.mean():+8.1f} {error:7.1f} {np.median(np.abs(values)):7.1f} {worst:+8.1f}"
            lines.append(f"{name:10s} {measure:13s} {cells}")
    return "\n".join(lines)


def keep(path: Path, command: str, table: str) -> None:
    """Write a table under its command, in place of what the same command gave before."""
    parts = path.read_text(encoding="utf-8").split(_COMMAND) if path.exists() else [_INTRODUCTION]
    kept = [part for part in parts[1:] if part.splitlines()[0] != command]
    body = "\n".join(f"    {line}" for line in table.splitlines())
    path.write_text(_COMMAND.join([parts[0], *kept, f"{command}\n\n{body}\n"]), encoding="utf-8")


_COMMAND = "\n    python -m benchmarks.registers "
_INTRODUCTION = """Made-up registers of firms by `python -m benchmarks.registers`: five industries of 400 to 1,400
firms over twelve years, sizes of Pareto index 1.1, simulated noise. By group (or `all`, as one group): mean error, its
standard error over seeds, median distance and worst, in percent; entry and exit in points; the least pay per head in
percent of the median. Staff is capped at the real 99% quantile.
"""


def main() -> None:
    """Print errors over seeds, and keep them if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--unit", choices=UNITS, default="euros")
    parser.add_argument("--upper", type=float, default=1e10)
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--whole", action="store_true", help="industries as an attribute of one group")
    parser.add_argument("--out", type=Path, help="keep the table in this file")
    options = parser.parse_args()
    runs: dict[str, list[dict[str, float]]] = {}
    began = time.process_time()
    for seed in range(options.first, options.first + options.seeds):
        for name, found in trial(seed, options.unit, options.upper, options.whole, options.epsilon):
            runs.setdefault(name, []).append(found)
    table = table_of(runs)
    print(table)
    print(f"CPU seconds {time.process_time() - began:.0f}")
    if options.out is not None:
        keep(options.out, " ".join(sys.argv[1:]), table)


if __name__ == "__main__":
    main()
