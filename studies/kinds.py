"""The kinds of stored studies: how a row is computed again, what code it rests on, how its tables are written.

Every study keeps a journal (`studies.journal`) whose first line names its kind. A row holds its own seed and kind of
noise, so those with simulated noise, or none, can be computed again with the code of today.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from studies import coverage, noise, plan_honesty
from studies.ablation.study import STEPS, synthesize_step, write_ablation
from studies.fingerprint import fingerprint
from studies.journal import Row
from studies.lbd.methods import LBD_GROUPS, LBD_METHODS
from studies.lbd.plants import write_plants
from studies.lbd.runner import PanelTask, run_task
from studies.lbd.study import write_lbd
from studies.simulation.epsilon_curves import write_curves
from studies.simulation.methods import METHODS, synthesize
from studies.simulation.runner import Task, replicate
from studies.simulation.study import write_study

_METHODS = "studies.simulation.methods"
_PANELS = "studies.lbd.methods"
_SIMULATED = {
    "published": "studies.published",
    "converged": "studies.published",
    "reference": "studies.quantreg",
    "baseline": "studies.simulation.pmse_mechanism",
}
_PANEL_CODE = {
    "valid": "quantail.panel",
    "published": "studies.lbd.published_yearly",
    "synlbd": "studies.lbd.published_yearly",
    "reference": "studies.lbd.yearly",
}
_RELEASED, _BARE = ("lattice", "tables"), ("neighbours", "fewer", "curve", "joint")


@dataclass(frozen=True)
class Kind:
    """One kind of study.

    Attributes
    ----------
    again : callable
        Computes a row again; None for one whose method no longer exists, or that cannot be computed again.
    code : callable
        Names the modules that a method's rows rest on.
    write : callable
        Writes tables and figures from rows and settings into a folder.
    """

    again: Callable[[Row], Row | None]
    code: Callable[[str], Sequence[str]]
    write: Callable[[list[Row], Mapping[str, Any], Path], object]

    def fingerprint(self, method: str) -> str:
        """Return the fingerprint of the code that a method's rows rest on."""
        return fingerprint(self.code(method), shallow=(_METHODS, _PANELS, "studies.ablation.study"))


def method_of(row: Row) -> str:
    """Return the method of a row; studies of one method have rows that name none."""
    return str(row.get("method", "all"))


def _simulation(row: Row) -> Row | None:
    return replicate(_as(Task, row), synthesize) if row["method"] in METHODS else None


def _simulation_code(method: str) -> Sequence[str]:
    group = METHODS[method].group if method in METHODS else "valid"
    return "studies.simulation.runner", _METHODS, _SIMULATED.get(group, "quantail.table")


def _ablation(row: Row) -> Row | None:
    return replicate(_as(Task, row), synthesize_step) if row["method"] in STEPS else None


def _ablation_code(method: str) -> Sequence[str]:
    own = "quantail.table" if method in _RELEASED else "studies.published"
    own = "studies.ablation.bare_ladder" if method in _BARE else own
    return "studies.simulation.runner", "studies.ablation.study", _METHODS, own


def _panel(row: Row) -> Row | None:
    return run_task(_as(PanelTask, row)) if row["method"] in LBD_METHODS else None


def _panel_code(method: str) -> Sequence[str]:
    group = next((name for name, members in LBD_GROUPS.items() if method in members), "valid")
    return "studies.lbd.runner", _PANELS, _PANEL_CODE[group]


def _coverage(row: Row) -> Row:
    return coverage.replicate(_as(coverage.CoverageTask, row))


def _noise(row: Row) -> Row:
    return noise.noise_row(row["rows"], row["tables"], row["epsilon"], row["seed"])


def _honesty(row: Row) -> Row | None:
    cell = next(
        (cell for cell in plan_honesty.CELLS if plan_honesty.facts_of(cell).items() <= row.items()), None
    )
    if cell is None or "first" not in row:
        return None
    return {"first": plan_honesty.by_name(plan_honesty.stated_errors(cell, 1)[0])}


def _plants(row: Row) -> None:
    """Plants are in a file that is no part of this project."""


def _as(kind: type[Any], row: Row) -> Any:
    return kind(**{field.name: row[field.name] for field in fields(kind) if field.name in row})


def _always(*modules: str) -> Callable[[str], Sequence[str]]:
    return lambda method: modules


KINDS: dict[str, Kind] = {
    "simulation": Kind(_simulation, _simulation_code, write_study),
    "epsilon-curves": Kind(_simulation, _simulation_code, write_curves),
    "ablation": Kind(_ablation, _ablation_code, write_ablation),
    "lbd": Kind(_panel, _panel_code, write_lbd),
    "plants": Kind(_plants, lambda method: ("studies.lbd.plants", *_panel_code(method)), write_plants),
    "coverage": Kind(_coverage, _always("studies.coverage"), coverage.write_coverage),
    "noise": Kind(_noise, _always("studies.noise"), noise.write_noise),
    "plan-honesty": Kind(_honesty, _always("studies.plan_honesty"), plan_honesty.write_honesty),
}
"""By the name in the first line of a journal."""
