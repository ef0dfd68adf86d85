"""What tools said, as the tables of docs/evidence.md: a row for each figure, a column for each table judged."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "results/evidence.json"
Figures = Sequence[Mapping[str, Any]]
EPSILONS = ("1", "10")
OTHER, COPY = "another sample", "a copy of the table"


def released(epsilon: str) -> str:
    """Return what a release is called."""
    return f"quantail, epsilon {epsilon}"


JUDGED = (*(released(epsilon) for epsilon in EPSILONS), OTHER, COPY)


def evidence_table(tool: str, path: Path = RESULTS) -> str:
    """Return the figures of a tool from the stored results, or why there are none."""
    stored = json.loads(path.read_text(encoding="utf-8"))
    found = stored["tools"][tool]
    if "reason" in found:
        return f"No figures: {found['reason']}."
    return f"{figures_table(found['figures'])}\n\n{tool} {found['versions'][tool]}, quantail {found['quantail']}."


def figures_table(figures: Figures) -> str:
    """Return figures as a Markdown table.

    Examples
    --------
    >>> print(figures_table([{"table": "another sample", "figure": "risk", "value": 0.5, "low": 0.4, "high": 0.6}]))
    | | another sample |
    |---|---|
    | risk | 0.5 (0.4 to 0.6) |
    """
    tables = [name for name in JUDGED if any(each["table"] == name for each in figures)]
    names = list(dict.fromkeys(each["figure"] for each in figures))
    cells = {(each["figure"], each["table"]): _cell(each) for each in figures}
    lines = ["| | " + " | ".join(tables) + " |", "|---" * (len(tables) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(cells.get((name, t), "-") for t in tables) + " |" for name in names]
    return "\n".join(lines)


def _cell(found: Mapping[str, Any]) -> str:
    ends = f" ({found['low']:.3g} to {found['high']:.3g})" if "low" in found else ""
    value = found["value"]
    return (f"{value:.0f}" if value >= 100 else f"{value:.3g}") + ends
