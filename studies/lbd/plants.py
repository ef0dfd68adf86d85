"""The panel methods on a real panel: Colombian food plants, 1981-1991, from a file that the reader holds.

The file (columns id, year, employees) is public replication data and not part of this package. Employees are averages
over a year and are rounded to whole numbers. Entry and exit are the first and last year of a plant and are declared
public; where a plant is missing in between, its history starts anew as another unit, so that what is protected of these
few plants is each stretch without gaps and not all of them together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from quantail._version import __version__
from quantail.errors import DataError
from quantail.privacy import parse_epsilon
from quantail.schema import Column, Panel, Schema
from studies.journal import JOURNAL, Row, append, resume
from studies.lbd.methods import LBD_METHODS, Case, chosen_lbd_methods, noise_of, synthesize_panel
from studies.lbd.runner import measured
from studies.lbd.summary import LBD_MEASURES, cell, mean_and_error, table
from studies.paper_tables import Summary
from studies.parallel import Progress, computed
from studies.simulation.study import epsilon_text, write_json

PLANT_EPSILONS = ("1", "3", "10")
_UPPER = 5000


def plants_schema(start: int, end: int) -> Schema:
    """Return what is declared public about the plants."""
    column = Column("employees", "integer", 0, _UPPER, grid="log", source="declared for this study")
    panel = Panel("plant", "entry", "exit", start, end, layout="long", time="year", synthesis="partial")
    return Schema((column,), "plant", name="plants", panel=panel)


def read_plants(path: Path) -> Case:
    """Read the plants as a panel without gaps."""
    try:
        table_ = pq.read_table(path, columns=["id", "year", "employees"])
    except (OSError, pa.ArrowException, KeyError):
        raise DataError(f"{path} is not a Parquet file with the columns id, year and employees") from None
    unit, year, size = (table_[name].to_numpy() for name in ("id", "year", "employees"))
    order = np.lexsort((year, unit))
    unit, year, size = unit[order], year[order].astype(np.int64), np.rint(size[order]).astype(np.int64)
    starts = np.concatenate([[True], (unit[1:] != unit[:-1]) | (year[1:] != year[:-1] + 1)])
    plant = np.cumsum(starts) - 1
    first = year[starts]
    last = year[np.append(np.flatnonzero(starts)[1:] - 1, year.size - 1)]
    columns = {"plant": plant, "year": year, "entry": first[plant], "exit": last[plant], "employees": size}
    return Case.of(pa.table(columns), plants_schema(int(year.min()), int(year.max())))


def run_plants(
    path: Path,
    methods: Sequence[str],
    seeds: int,
    out: Path,
    epsilons: Sequence[str] = PLANT_EPSILONS,
    seed: int = 1,
    workers: int | None = None,
    progress: Progress | None = None,
) -> dict[str, dict[str, Summary]]:
    """Synthesise the plants at several budgets; {epsilon: {method: {measure: {"mean": x, "se": y}}}}."""
    names = chosen_lbd_methods(methods)
    budgets = [epsilon_text(parse_epsilon(epsilon)) for epsilon in epsilons]
    read_plants(path)  # a file that cannot be read is told before anything is written
    tasks = [(str(path), name, e, seed + r) for r in range(seeds) for e in budgets for name in names]
    settings = {"study": "plants", "seed": seed, "quantail": __version__}
    done = {_key(row): row for row in resume(out / JOURNAL, settings)}
    missing = [task for task in tasks if task[1:] not in done]
    for number, row in enumerate(computed(missing, _run, workers or 1), start=1):
        append(out / JOURNAL, row)
        done[_key(row)] = row
        if progress is not None:
            progress(f"{row['method']}, epsilon {row['epsilon']}", number / len(missing))
    return write_plants([done[task[1:]] for task in tasks], settings, out)


def write_plants(
    rows: Sequence[Row], settings: Mapping[str, Any], out: Path
) -> dict[str, dict[str, Summary]]:
    """Write the table of finished runs, made with these settings, whatever their order."""
    order = sorted({(Fraction(row["epsilon"]), LBD_METHODS.index(row["method"])) for row in rows})
    results: dict[str, dict[str, Summary]] = {}
    for budget, place in order:
        epsilon, name = epsilon_text(budget), LBD_METHODS[place]
        own = [row for row in rows if (row["epsilon"], row["method"]) == (epsilon, name)]
        results.setdefault(epsilon, {})[name] = {
            measure: mean_and_error([row[measure] for row in own]) for measure in LBD_MEASURES
        }
    write_json(out / "results.json", results)
    seeds = len({row["seed"] for row in rows})
    head = "# Colombian food plants, {seeds} seeds from {seed}, quantail {quantail}"
    parts = [head.format(**settings, seeds=seeds)]
    for epsilon, found in results.items():
        lines = {name: [cell(m, summary[m]) for m in LBD_MEASURES] for name, summary in found.items()}
        parts += [f"## epsilon {epsilon}", table([label for label, _ in LBD_MEASURES.values()], lines)]
    (out / "table.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return results


def _run(task: tuple[str, str, str, int]) -> Row:
    path, method, epsilon, seed = task
    case = read_plants(Path(path))
    made = synthesize_panel(case, method, epsilon, seed, noise_of(method, secure=False))
    return {"method": method, "epsilon": epsilon, "seed": seed, **measured(case.values, made, seed)}


def _key(row: Row) -> tuple[str, str, int]:
    return row["method"], row["epsilon"], row["seed"]
