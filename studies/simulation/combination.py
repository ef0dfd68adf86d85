"""Studies put together: one set of tables and figures from folders in which different methods were run.

Methods differ a hundredfold in cost, so a study may run them apart, with fewer replications of the dear ones. Folders
must agree on epsilon and seed, so that all methods saw the same simulated tables.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from quantail.errors import OptionError
from studies.journal import JOURNAL, Row, read_journal
from studies.paper_tables import Summary
from studies.simulation.runner import key_of
from studies.simulation.study import write_study

_MUST_AGREE = ("study", "epsilon", "seed")


def combine_studies(folders: Sequence[Path], out: Path) -> dict[str, Summary]:
    """Write tables and figures of all replications in several folders into `out`; see `run_simulation`."""
    journals = [read_journal(folder / JOURNAL) for folder in folders]
    for folder, (settings, _) in zip(folders, journals, strict=True):
        _check(folder, settings, folders[0], journals[0][0])
    rows: dict[tuple[str, str, int], Row] = {}
    for folder, (_, found) in zip(folders, journals, strict=True):
        for row in found:
            if key_of(row) in rows:
                raise OptionError(
                    f"{folder}: {row['method']} is in another folder too; leave one of them out"
                )
        rows |= {key_of(row): row for row in found}
    out.mkdir(parents=True, exist_ok=True)
    return write_study(list(rows.values()), journals[0][0], out)


def _check(folder: Path, settings: dict[str, Any], first: Path, expected: dict[str, Any]) -> None:
    if settings["study"] != "simulation":
        raise OptionError(
            f"{folder} holds the study {settings['study']!r}; name folders of simulation studies"
        )
    for name in _MUST_AGREE:
        if settings[name] != expected[name]:
            raise OptionError(
                f"{folder} was run with {name} {settings[name]}, {first} with {expected[name]}; "
                "only studies of the same tables can be put together"
            )
