"""`make studies` and `make figures`: run again what is not as today's code has it; write all tables and figures.

A study is left alone if its command is that of the catalogue and the code that its rows rest on is what it was at their
last replay. Otherwise one row of each changed method is computed again: if it comes out the same, the rows stay; if
not, all rows of that method are dropped and made anew. A killed run continues when it is started again.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from quantail._version import __version__
from studies.catalogue import COMBINED, PARTS, RESULTS, ROOT, Study
from studies.journal import JOURNAL, read_journal
from studies.kinds import KINDS, method_of
from studies.lbd.standin import LBD_VARIANTS
from studies.lbd.variants import write_variants
from studies.replay import SAME, Replay, changed, keep, known, replays
from studies.simulation.combination import combine_studies


def run_again(studies: Sequence[Study], say: Callable[[str], None], plants: Path | None = None) -> None:
    """Run what is not as today's code has it, and keep with which code it was made.

    Parameters
    ----------
    plants : path, optional
        The file of plants; without it the study that needs it is left out.
    """
    for study in studies:
        if study.needs_plants and plants is None:
            say(f"{study.folder}: left out, name the file with --plants")
        elif study.journals and all(_is_current(folder, study.command) for folder in study.journals):
            say(f"{study.folder}: as today's code has it")
        else:
            _run(study, say, plants)


def _is_current(folder: Path, command: str) -> bool:
    version = read_journal(folder / JOURNAL)[0].get("quantail", __version__)
    return version == __version__ and known(folder)["command"] == command and not changed(folder)


def _run(study: Study, say: Callable[[str], None], plants: Path | None) -> None:
    for folder in study.journals:
        for replay in _renewed(folder):
            say(f"{study.folder}, {replay.method}: {replay.verdict}")
    say(study.command)
    arguments = study.command.split()[1:]
    if study.needs_plants:
        arguments[arguments.index("--plants") + 1] = str(plants)
    subprocess.run([sys.executable, *arguments], cwd=ROOT, check=True)
    for folder in study.journals:
        keep(folder, study.command, _just_made(folder))


def _renewed(folder: Path) -> Iterator[Replay]:
    """Replay what changed in a folder, and drop the rows of methods that do not come out the same."""
    stale = []
    for replay in replays(folder, changed(folder)):
        if replay.stale:
            stale.append(replay.method)
        yield replay
    settings, rows = read_journal(folder / JOURNAL)
    settings |= {"quantail": __version__} if "quantail" in settings else {}
    kept = [{"settings": settings}, *(row for row in rows if method_of(row) not in stale)]
    part = folder / f"{JOURNAL}.part"
    part.write_text("".join(json.dumps(row) + "\n" for row in kept), encoding="utf-8")
    os.replace(part, folder / JOURNAL)


def _just_made(folder: Path) -> list[Replay]:
    """Return verdicts of a folder whose rows were all made, or replayed, with today's code."""
    settings, rows = read_journal(folder / JOURNAL)
    kind, methods = KINDS[settings["study"]], dict.fromkeys(map(method_of, rows))
    return [Replay(folder.name, name, kind.fingerprint(name), SAME) for name in methods]


def write_figures(root: Path = RESULTS) -> list[Path]:
    """Write tables and figures of all stored studies anew from their journals; computes no row."""
    folders = sorted(path.parent for path in root.rglob(JOURNAL))
    for folder in folders:
        settings, rows = read_journal(folder / JOURNAL)
        KINDS[settings["study"]].write(rows, settings, folder)
    return [*folders, *write_together(root)]


def write_together(root: Path = RESULTS) -> list[Path]:
    """Write what is put together from several folders: the variants of the generator, and the paper's tables."""
    found = {name: root / "lbd-variants" / name / "results.json" for name in LBD_VARIANTS}
    results = {
        name: json.loads(path.read_text(encoding="utf-8")) for name, path in found.items() if path.exists()
    }
    write_variants(results, root / "lbd-variants")
    combine_studies([root / name for name in PARTS], root / COMBINED)
    return [root / "lbd-variants", root / COMBINED]
