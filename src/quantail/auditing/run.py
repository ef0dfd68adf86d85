"""`audit`: run the parts that were asked for and put their findings together."""

import time
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from quantail.auditing.boundary_replays import boundary_findings
from quantail.auditing.counting import count_findings
from quantail.auditing.extreme_replays import extreme_findings
from quantail.auditing.findings import PARTS, AuditResult, Curve, Finding, Part
from quantail.auditing.goodness import goodness_findings
from quantail.auditing.lattices import check, lattices
from quantail.auditing.negative_controls import control_curve, judge, negative_controls
from quantail.auditing.panel_counts import panel_count_findings
from quantail.auditing.pooled_fits import whole_fit_findings
from quantail.auditing.trials import trial_findings
from quantail.auditing.whole_firms import firm_findings
from quantail.auditing.whole_panels import panel_findings
from quantail.auditing.whole_tables import replay_findings
from quantail.errors import OptionError
from quantail.release.progress import Progress

CONFIDENCE = 0.9999  # of all lower bounds together: a valid mechanism fails one audit in ten thousand
RUNS, REPLAYS = 2000, 1
DEFAULT: tuple[Part, ...] = ("exact",)


def audit(
    parts: Collection[Part] = DEFAULT,
    *,
    runs: int = RUNS,
    replays: int = REPLAYS,
    progress: Progress | None = None,
) -> AuditResult:
    """Audit the privacy of every mechanism. No confidential data are read, and nothing is charged.

    Parameters
    ----------
    parts : collection of {"exact", "statistical", "laws", "controls"}
        What to check; see `quantail audit --help`.
    runs : int
        Runs on each table of a pair, for "statistical".
    replays : int
        Neighbouring tables for every whole fit, for "exact".
    progress : callable, optional
        Called with the name of a finished check and the share of work done.

    Examples
    --------
    >>> result = audit(["laws"])
    >>> [finding.name for finding in result.findings]
    ['select, pure', 'select, zcdp', 'count', 'histogram, zcdp', 'path']
    """
    _refuse(parts, runs, replays)
    started, findings, curves = time.monotonic(), list[Finding](), list[Curve]()
    chosen = [part for part in PARTS if part in parts]
    for place, part in enumerate(chosen):
        for done, (finding, curve) in enumerate(_run(part, runs, replays)):
            findings.append(finding)
            curves += [curve] if curve else []
            if progress:
                progress(finding.name, (place + min((done + 1) / _EXPECTED[part], 1.0)) / len(chosen))
    if {"statistical", "controls"} <= set(chosen):
        curves.append(control_curve(runs))
    return AuditResult(tuple(findings), tuple(curves), CONFIDENCE, time.monotonic() - started)


# How many checks each part has, for the progress bar.
_EXPECTED: dict[Part, int] = {"exact": 256, "statistical": 30, "laws": 5, "controls": 18}


def _run(part: Part, runs: int, replays: int) -> Iterator[tuple[Finding, Curve | None]]:
    if part == "statistical":
        yield from trial_findings(runs, CONFIDENCE)
        return
    found: Iterable[Finding] = goodness_findings()
    if part == "controls":
        found = map(judge, negative_controls())
    elif part == "exact":
        tables = (map(check, lattices()), count_findings())
        panels = (panel_count_findings(), whole_fit_findings(), firm_findings())
        fits = (replay_findings(replays), panel_findings(replays))
        found = chain(*tables, *panels, *fits, boundary_findings(replays), extreme_findings())
    yield from ((finding, None) for finding in found)


def _refuse(parts: Collection[Part], runs: int, replays: int) -> None:
    if isinstance(parts, str) or not parts or not set(parts) <= set(PARTS):
        if "gallery" in parts:
            raise OptionError("parts: 'gallery' is called 'controls' now")
        raise OptionError(f"parts must be a list of some of: {', '.join(PARTS)}")
    if runs < 100:
        raise OptionError("runs must be at least 100; bounds from fewer say nothing")
    if replays < 1:
        raise OptionError("replays must be at least 1")
