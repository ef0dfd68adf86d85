"""An audit as files: a page to read (Markdown), the same for programs (JSON), and the trade-off curves (PNG)."""

import json
import math
from pathlib import Path

from quantail.auditing.figure import can_draw, draw_curves
from quantail.auditing.findings import MEANING, NOTHING_CONFIDENTIAL, AuditResult, Finding, Part
from quantail.errors import DataError

PAGE, DATA, FIGURE = "audit.md", "audit.json", "trade-off.png"
_TITLES: dict[Part, str] = {
    "exact": "Exact",
    "statistical": "Statistical",
    "laws": "Laws of the gate",
    "controls": "Negative controls",
}


def write_audit(result: AuditResult, folder: Path, command: str = "") -> list[Path]:
    """Write an audit into a folder, which is created if missing, and return the files.

    `command`: what made the result, for the page.
    """
    if folder.exists() and not folder.is_dir():
        raise DataError(f"{folder} is not a folder; choose another one")
    drawn = bool(result.curves) and can_draw()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / PAGE).write_text(render_audit(result, command, drawn), encoding="utf-8", newline="\n")
        text = json.dumps(result.to_dict() | {"command": command}, indent=1, allow_nan=False) + "\n"
        (folder / DATA).write_text(text, encoding="utf-8", newline="\n")
        if drawn:
            draw_curves(result.curves, folder / FIGURE)
    except OSError as error:
        raise DataError(f"cannot write to {folder}: {error.strerror}; choose another folder") from None
    return [folder / name for name in (PAGE, DATA, *([FIGURE] if drawn else []))]


def render_audit(result: AuditResult, command: str = "", with_figure: bool = False) -> str:
    """Return the page."""
    verdict = "passed" if result.passed else f"**FAILED**: {len(result.failures)} findings"
    lines = [
        "# Audit",
        "",
        f"Quantail {result.version}: {verdict}. {result.pairs:,} pairs of neighbouring tables compared exactly, "
        f"{result.seconds / 60:.1f} minutes. {NOTHING_CONFIDENTIAL}",
    ]
    if command:
        lines += ["", f"Made by `{command}`."]
    for part, title in _TITLES.items():
        if result.of(part):
            lines += ["", f"## {title}", "", _explained(part, result), "", *_table(part, result.of(part))]
        if part == "statistical" and result.of(part) and with_figure:
            lines += ["", f"![Trade-off curves]({FIGURE})"]
    return "\n".join(lines) + "\n"


def show_figure(value: float) -> str:
    """Return a figure in a few digits."""
    return "infinite" if math.isinf(value) else f"{value:.1e}" if 0 < value < 0.001 else f"{value:.3f}"


def _explained(part: Part, result: AuditResult) -> str:
    text = f"Figure: {MEANING[part]}."
    if part == "statistical":
        text += (
            f" All bounds hold together with confidence {result.confidence:.2%}. A bound near 0 says that so many runs"
            " show little, no more; the exact log-ratio of the pair stands beside it where it was enumerated. Curves"
            " may dip below the border by sampling error."
        )
    return text


def verdict_title(part: Part) -> str:
    """Return what a check says yes or no to."""
    return "caught" if part == "controls" else "passed"


def _table(part: Part, findings: tuple[Finding, ...]) -> list[str]:
    rows = [
        f"| check | neighbours | figure | limit | rests on | {verdict_title(part)} | remark |",
        "|---|---|---:|---:|---:|---|---|",
    ]
    for f in findings:
        figures = f"{show_figure(f.figure)} | {show_figure(f.limit)} | {f.checked:,} {f.unit}"
        rows.append(f"| {f.name} | {f.relation} | {figures} | {'yes' if f.passed else '**NO**'} | {f.note} |")
    return rows
