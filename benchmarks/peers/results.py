"""The cells of a comparison so far, on disk after each, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EPSILON, DELTA = 1.0, 1e-6
Cell = dict[str, Any]


@dataclass
class Results:
    """Cells in a file; `keys` tell one from another."""

    path: Path
    cells: list[Cell]
    keys: tuple[str, ...] = ("n", "seed", "entry")

    @classmethod
    def open(cls, path: Path, keys: tuple[str, ...] = ("n", "seed", "entry")) -> Results:
        """Read the cells of an earlier run, if there are any."""
        return cls(path, json.loads(path.read_text())["cells"] if path.exists() else [], keys)

    def find(self, *wanted: Any) -> Cell | None:
        """Return the cell with these keys, or None."""
        return next((c for c in self.cells if tuple(c[key] for key in self.keys) == wanted), None)

    def put(self, cell: Cell) -> None:
        """Keep a cell in place of an earlier one."""
        earlier = self.find(*(cell[key] for key in self.keys))
        self.cells = [c for c in self.cells if c is not earlier] + [cell]
        content = {"epsilon": EPSILON, "delta": DELTA, "machine": machine_facts(), "cells": self.cells}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(content, indent=1) + "\n")


def machine_facts() -> dict[str, Any]:
    """Return what a reader needs to place CPU seconds and memory."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    facts = {"cores": os.cpu_count(), "memory_gb": round(memory, 1), "threads_per_entry": 1}
    return facts | {
        "system": platform.system(),
        "cpu": platform.machine(),
        "python": platform.python_version(),
    }
